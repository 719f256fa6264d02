package store_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"countersign/domain"
	"countersign/store"
)

func TestRunIsLeasedOnce(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	c, run := w.createCase()
	var won, lost int
	var mu sync.Mutex
	var group sync.WaitGroup
	for range 12 {
		group.Go(func() {
			_, err := w.db.Autocommit().Lease(w.ctx, c.ID, run.ID, domain.NewID(), "w", time.Minute)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				won++
			case domain.HasCode(err, domain.LeaseLost):
				lost++
			default:
				t.Error(err)
			}
		})
	}
	group.Wait()
	if won != 1 || lost != 11 {
		t.Errorf("%d leases, %d refused", won, lost)
	}
}

func TestLeaseRefusesUnavailableRuns(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	c, run := w.createCase()
	take := func(caseID, runID domain.ID) error {
		_, err := w.db.Autocommit().Lease(w.ctx, caseID, runID, domain.NewID(), "w", time.Minute)
		return err
	}
	wantCode(t, take(c.ID, domain.NewID()), domain.LeaseLost)
	wantCode(t, take(domain.NewID(), run.ID), domain.LeaseLost)
	w.asOwner(`UPDATE stage_runs SET run_after = clock() + interval '1 h'`)
	wantCode(t, take(c.ID, run.ID), domain.LeaseLost)
	w.shiftClock(2 * time.Hour)
	w.must(take(c.ID, run.ID))
}

func TestRenewLease(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	c, run := w.createCase()
	start := w.now()
	w.stopClock(start)
	token := domain.NewID()
	leased, err := w.db.Autocommit().Lease(w.ctx, c.ID, run.ID, token, "w", 10*time.Second)
	w.must(err)
	w.stopClock(start.Add(7 * time.Second))
	ours, err := w.db.Autocommit().RenewLease(w.ctx, c.ID, run.ID, token, 10*time.Second)
	w.must(err)
	runs, err := w.read().RunsOf(w.ctx, c.ID)
	w.must(err)
	if !ours || runs[0].LeaseUntil.Sub(leased.Run.LeaseUntil) < 7*time.Second {
		t.Errorf("ours %v, lease until %v then %v", ours, leased.Run.LeaseUntil, runs[0].LeaseUntil)
	}
	if ours, err := w.db.Autocommit().RenewLease(w.ctx, c.ID, run.ID, domain.NewID(),
		time.Second); err != nil || ours {
		t.Errorf("another's token renewed: %v %v", ours, err)
	}
}

func TestRequeueIfEarly(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	c, run := w.createCase()
	if _, early, err := w.db.Autocommit().RequeueIfEarly(w.ctx, c.ID, run.ID); err != nil || early {
		t.Errorf("a due run: early %v, %v", early, err)
	}
	w.asOwner(`UPDATE stage_runs SET run_after = clock() + interval '1 h'`)
	pendingRun, early, err := w.db.Autocommit().RequeueIfEarly(w.ctx, c.ID, run.ID)
	w.must(err)
	if !early || pendingRun.RunID != run.ID || pendingRun.CaseID != c.ID ||
		pendingRun.EnqueueCount != 1 ||
		pendingRun.Queue != "light" || pendingRun.CorrelationID != c.CorrelationID {
		t.Errorf("early %v, pendingRun %+v", early, pendingRun)
	}
	runs, err := w.read().RunsOf(w.ctx, c.ID)
	w.must(err)
	if !runs[0].NextEnqueueAt.Equal(runs[0].RunAfter.Add(5 * time.Second)) {
		t.Errorf("next enqueue at %v, due at %v", runs[0].NextEnqueueAt, runs[0].RunAfter)
	}
}

func TestSweep(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.stopClock(w.now())
	c, run := w.createCase()
	if pending, err := w.db.Autocommit().Sweep(w.ctx, 100); err != nil || len(pending) != 0 {
		t.Fatalf("swept %v before its time: %v", pending, err)
	}
	w.stopClock(w.now().Add(6 * time.Second))
	for count, wait := range []time.Duration{5 * time.Second, 10 * time.Second, 20 * time.Second,
		40 * time.Second, time.Minute, time.Minute} {
		pending, err := w.db.Autocommit().Sweep(w.ctx, 100)
		w.must(err)
		if len(pending) != 1 || pending[0].RunID != run.ID || pending[0].EnqueueCount != count+1 {
			t.Fatalf("enqueue %d: %+v", count+1, pending)
		}
		runs, err := w.read().RunsOf(w.ctx, c.ID)
		w.must(err)
		now := w.now()
		if until := runs[0].NextEnqueueAt.Sub(now); until > wait || until < wait-5*time.Second {
			t.Errorf("after enqueue %d the next is in %v, want %v", count+1, until, wait)
		}
		if runs[0].Expiries != 0 {
			t.Errorf("a pending row counts %d expiries", runs[0].Expiries)
		}
		w.stopClock(runs[0].NextEnqueueAt.Add(time.Millisecond))
	}
}

func TestDueRuns(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.createPendingRuns(5)
	read := func(queues map[string]int) int {
		t.Helper()
		due, err := w.read().DueRuns(w.ctx, queues)
		w.must(err)
		return len(due)
	}
	if n := read(map[string]int{"light": 3, "ocr": 10}); n != 3 {
		t.Errorf("%d of 5 due runs, want 3", n)
	}
	if n := read(map[string]int{"light": 10}); n != 5 {
		t.Errorf("%d due runs, want 5", n)
	}
	if n := read(map[string]int{"ocr": 10}) + read(map[string]int{}); n != 0 {
		t.Errorf("%d due runs of queues that have none", n)
	}
	// A run that the sweeper has enqueued repeatedly is found although its next enqueue is a minute
	// away.
	for range 8 {
		w.asOwner(`UPDATE stage_runs SET next_ring_at = clock()`)
		_, err := w.db.Autocommit().Sweep(w.ctx, 100)
		w.must(err)
	}
	due, err := w.read().DueRuns(w.ctx, map[string]int{"light": 10})
	w.must(err)
	if len(due) != 5 || due[0].Queue != "light" || due[0].CaseID == domain.NoID ||
		due[0].CorrelationID == "" {
		t.Errorf("due after eight sweeps: %+v", due)
	}
	_, err = w.db.Autocommit().Lease(w.ctx, due[0].CaseID, due[0].RunID, domain.NewID(), "w",
		time.Minute)
	w.must(err)
	w.asOwner(`UPDATE stage_runs SET run_after = clock() + interval '1 h' WHERE id = $1`,
		due[1].RunID)
	if n := read(map[string]int{"light": 10}); n != 3 {
		t.Errorf("%d due runs beside a leased one and a later one, want 3", n)
	}
}

func TestSweepReleasesExpiredLeases(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	start := w.now()
	w.stopClock(start)
	c, run := w.createCase()
	token := domain.NewID()
	_, err := w.db.Autocommit().Lease(w.ctx, c.ID, run.ID, token, "dead", 10*time.Second)
	w.must(err)
	w.stopClock(start.Add(8 * time.Second))
	if pending, err := w.db.Autocommit().Sweep(w.ctx, 100); err != nil || len(pending) != 0 {
		t.Fatalf("a live lease was swept: %v %v", pending, err)
	}
	w.stopClock(start.Add(11 * time.Second))
	pending, err := w.db.Autocommit().Sweep(w.ctx, 100)
	w.must(err)
	runs, err := w.read().RunsOf(w.ctx, c.ID)
	w.must(err)
	got := runs[0]
	if len(pending) != 1 || got.Status != domain.RunPending || got.Expiries != 1 ||
		got.Failures != 0 || got.LeaseToken != domain.NoID ||
		!got.LeaseUntil.IsZero() || got.Worker != "" || got.EnqueueCount != 1 {
		t.Errorf("taken back: %+v, %+v", pending, got)
	}
	if ours, err := w.db.Autocommit().RenewLease(w.ctx, c.ID, run.ID, token,
		time.Second); err != nil || ours {
		t.Errorf("the dead worker renewed: %v %v", ours, err)
	}
}

// createPendingRuns creates cases until there are n pending runs, all due to be enqueued.
func (w *testEnv) createPendingRuns(n int) map[domain.ID]bool {
	w.t.Helper()
	ids := map[domain.ID]bool{}
	submitter := w.person().ID
	for range n {
		change := w.newCaseChange(submitter, domain.NoID)
		w.apply(change)
		ids[change.Runs[0].ID] = true
	}
	return ids
}

func TestConcurrentSweepsReturnDisjointRuns(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	runs := w.createPendingRuns(60)
	start := w.now()
	w.stopClock(start.Add(6 * time.Second))
	// While one sweeper's transaction is open, another skips its rows without waiting.
	var first, second []domain.PendingRun
	w.inTx(func(tx *store.Tx) (err error) {
		if first, err = tx.Sweep(w.ctx, 25); err != nil {
			return err
		}
		second, err = w.db.Autocommit().Sweep(w.ctx, 100)
		return err
	})
	if len(first) != 25 || len(second) != 35 {
		t.Fatalf("%d and %d rows, want 25 and 35", len(first), len(second))
	}
	for _, pendingRun := range slices.Concat(first, second) {
		if !runs[pendingRun.RunID] {
			t.Fatalf("run %v was taken twice or is unknown", pendingRun.RunID)
		}
		delete(runs, pendingRun.RunID)
	}
	w.stopClock(start.Add(12 * time.Second))
	var total sync.Map
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			pending, err := w.db.Autocommit().Sweep(w.ctx, 10)
			if err != nil {
				t.Error(err)
			}
			for _, pendingRun := range pending {
				if _, twice := total.LoadOrStore(pendingRun.RunID, true); twice {
					t.Errorf("run %v enqueued twice", pendingRun.RunID)
				}
			}
		})
	}
	group.Wait()
}

func TestReleaseWorkerRuns(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	c, run := w.createCase()
	other, otherRun := w.createCase()
	_, err := w.db.Autocommit().Lease(w.ctx, c.ID, run.ID, domain.NewID(), "leaving", time.Minute)
	w.must(err)
	_, err = w.db.Autocommit().Lease(w.ctx, other.ID, otherRun.ID, domain.NewID(), "staying",
		time.Minute)
	w.must(err)
	pending, err := w.db.Autocommit().ReleaseWorkerRuns(w.ctx, "leaving")
	w.must(err)
	runs, err := w.read().RunsOf(w.ctx, c.ID)
	w.must(err)
	if len(pending) != 1 || pending[0].RunID != run.ID || runs[0].Status != domain.RunPending ||
		runs[0].Expiries != 0 || runs[0].EnqueueCount != 1 {
		t.Errorf("handed back %+v, run %+v", pending, runs[0])
	}
	if _, err := w.db.Autocommit().Lease(w.ctx, c.ID, run.ID, domain.NewID(), "next",
		time.Minute); err != nil {
		t.Errorf("the next worker: %v", err)
	}
	if runs, err = w.read().RunsOf(w.ctx, other.ID); err != nil || runs[0].Worker != "staying" {
		t.Errorf("the other worker's run %+v: %v", runs[0], err)
	}
}

func TestEnqueueAllPending(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	runs := w.createPendingRuns(7)
	after, enqueued := domain.NoID, 0
	for {
		pending, err := w.db.Autocommit().EnqueueAllPending(w.ctx, after, 3)
		w.must(err)
		if len(pending) == 0 {
			break
		}
		for _, pendingRun := range pending {
			if !runs[pendingRun.RunID] || pendingRun.EnqueueCount != 1 {
				t.Fatalf("pendingRun %+v twice or unknown", pendingRun)
			}
			delete(runs, pendingRun.RunID)
			enqueued++
			if pendingRun.RunID.String() > after.String() {
				after = pendingRun.RunID
			}
		}
	}
	if enqueued != 7 {
		t.Errorf("%d enqueued, want 7", enqueued)
	}
}

func TestAcquireLeadership(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	lead := func(holder string) bool {
		leads, err := w.db.Autocommit().AcquireLeadership(w.ctx, "sweeper", holder, 10*time.Second)
		w.must(err)
		return leads
	}
	start := w.now()
	w.stopClock(start)
	if !lead("a") || lead("b") || !lead("a") {
		t.Error("a leads and keeps the lead, b does not get it")
	}
	w.stopClock(start.Add(11 * time.Second))
	if !lead("b") || lead("a") {
		t.Error("b leads once a's lease is over")
	}
}

func TestQueueAges(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.createPendingRuns(3)
	w.asOwner(`UPDATE stage_runs SET run_after = clock() + interval '1 h'
		WHERE id = (SELECT max(id::text)::uuid FROM stage_runs)`)
	w.shiftClock(time.Minute)
	ages, err := w.read().QueueAges(w.ctx)
	w.must(err)
	if len(ages) != 1 || ages[0].Queue != "light" || ages[0].Due != 2 || ages[0].OldestSec < 60 ||
		ages[0].OldestSec > 90 {
		t.Errorf("ages %+v", ages)
	}
}
