package store_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"countersign/domain"
	"countersign/store"
)

// leasedCase creates a case whose first run is leased, and the change that ends it.
func (w *testEnv) leasedCase() *store.Change {
	w.t.Helper()
	c, run := w.createCase()
	lease := &store.Lease{RunID: run.ID, Token: domain.NewID()}
	leased, err := w.db.Lease(w.ctx, c.ID, run.ID, lease.Token, "w", time.Minute)
	w.must(err)
	return fullChange(c, leased.Now, lease)
}

// outcome is the result of a step.
type outcome struct {
	written bool
	err     error
}

// stepConcurrently submits the steps concurrently; the store decides how many share a statement.
func (w *testEnv) stepConcurrently(changes ...*store.Change) []outcome {
	w.t.Helper()
	outcomes := make([]outcome, len(changes))
	var group sync.WaitGroup
	for i, change := range changes {
		group.Go(func() {
			written, err := w.db.Step(w.ctx, change)
			outcomes[i] = outcome{written, err}
		})
	}
	group.Wait()
	return outcomes
}

// stepInOneStatement makes the steps share a statement.
func (w *testEnv) stepInOneStatement(changes ...*store.Change) []outcome {
	w.t.Helper()
	outcomes := make([]outcome, len(changes))
	written, errs := w.db.InOneStatement(w.ctx, changes)
	for i := range changes {
		outcomes[i] = outcome{written[i], errs[i]}
	}
	return outcomes
}

// A step whose condition fails has its own result; the steps beside it are written.
func TestStepsBesideStaleSteps(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	good := []*store.Change{w.leasedCase(), w.leasedCase(), w.leasedCase()}
	stale, lost, unstorable, taken := w.leasedCase(), w.leasedCase(), w.leasedCase(), w.leasedCase()
	stale.ExpectedVersion = 99
	lost.Lease.Token = domain.NewID()
	unstorable.Fields[0].Raw = "a\x00b"
	taken.Runs[0].Node = "read" // the run that exists already
	bad := []*store.Change{stale, lost, unstorable, taken}
	before := make([]string, len(bad))
	for i, change := range bad {
		before[i] = w.rowsOf(change.Case.ID)
	}
	got := w.stepInOneStatement(append(bad, good...)...)
	if got[0].written || got[0].err != nil {
		t.Errorf("stale: %+v", got[0])
	}
	wantCode(t, got[1].err, domain.LeaseLost)
	wantCode(t, got[2].err, domain.InvalidInput)
	if got[3].err == nil || got[3].written {
		t.Errorf("a run that exists already: %+v", got[3])
	}
	for i, change := range bad {
		if after := w.rowsOf(change.Case.ID); after != before[i] {
			t.Errorf("bad step %d was written:\n%s\nbefore:\n%s", i, after, before[i])
		}
	}
	for i, change := range good {
		if o := got[len(bad)+i]; !o.written || o.err != nil {
			t.Errorf("good step %d: %+v", i, o)
		}
		if c, err := w.read().Case(w.ctx, change.Case.ID); err != nil ||
			c.Version != change.Case.Version {
			t.Errorf("good step %d: version %d, want %d: %v", i, c.Version, change.Case.Version,
				err)
		}
	}
}

// If no step fails the statement, the batch leaves out those whose condition fails.
func TestBatchSkipsStaleSteps(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	stale, lost, good := w.leasedCase(), w.leasedCase(), w.leasedCase()
	stale.ExpectedVersion = 99
	w.asOwner(`UPDATE stage_runs SET status = 'pending', lease_token = $2 WHERE id = $1`,
		lost.Lease.RunID, domain.NoID)
	before := w.rowsOf(stale.Case.ID) + w.rowsOf(lost.Case.ID)
	got := w.stepInOneStatement(stale, lost, good)
	if got[0].written || got[0].err != nil || !got[2].written || got[2].err != nil {
		t.Errorf("stale %+v, good %+v", got[0], got[2])
	}
	wantCode(t, got[1].err, domain.LeaseLost)
	if after := w.rowsOf(stale.Case.ID) + w.rowsOf(lost.Case.ID); after != before {
		t.Errorf("something was written:\n%s\nbefore:\n%s", after, before)
	}
	if n := w.rows("events",
		"seq = 3 AND txid = (SELECT last_txid FROM cases WHERE id = case_id)"); n != 1 {
		t.Errorf("%d events of the good step carry its transaction", n)
	}
}

// rowsOf reads all rows of one case, without the times and numbers that the database assigns.
func (w *testEnv) rowsOf(c domain.ID) string {
	w.t.Helper()
	var text string
	w.must(w.owner.QueryRow(w.ctx, `SELECT concat(
		(SELECT to_jsonb(x) - 'last_txid' FROM cases x WHERE id = $1),
		(SELECT jsonb_agg(to_jsonb(x) - 'id' - 'txid' ORDER BY x.seq) FROM events x
		WHERE case_id = $1),
		(SELECT jsonb_agg(to_jsonb(x) - 'ended_at' - 'created_at' ORDER BY x.id) FROM stage_runs x
		WHERE case_id = $1),
		(SELECT jsonb_agg(to_jsonb(x) ORDER BY x.name) FROM fields x WHERE case_id = $1),
		(SELECT jsonb_agg(to_jsonb(x) - 'created_at' ORDER BY x.id) FROM reviews x
		WHERE case_id = $1),
		(SELECT jsonb_agg(to_jsonb(x) ORDER BY x.id) FROM documents x WHERE case_id = $1),
		(SELECT jsonb_agg(to_jsonb(x) ORDER BY x.stage, x.rule) FROM findings x WHERE case_id = $1),
		(SELECT jsonb_agg(to_jsonb(x) ORDER BY x.revision, x.number) FROM pages x
		WHERE case_id = $1),
		(SELECT jsonb_agg(to_jsonb(x) ORDER BY x.person, x.reason) FROM case_interests x
		WHERE case_id = $1))`, c).Scan(&text))
	return text
}

// Two steps of one case never share a statement: the second finds another version.
func TestStepsOfOneCase(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	for range 5 {
		change := w.leasedCase()
		rival := *change
		rival.Events = []domain.Event{event(change.Case.ID, change.Case.LastSeq,
			domain.StageRetrying, change.Case.UpdatedAt)}
		rival.Runs = []domain.StageRun{stageRun(change.Case.ID, "other", change.Case.UpdatedAt)}
		rival.NewReviews = nil
		wins := 0
		for _, got := range w.stepConcurrently(change, &rival, w.leasedCase()) {
			if got.written {
				wins++
			} else {
				wantCode(t, got.err, domain.LeaseLost) // the winner ended the run of both
			}
		}
		if wins != 2 || w.rows("events", "case_id = $1 AND seq = 3", change.Case.ID) != 1 {
			t.Fatalf("%d of 3 steps written", wins)
		}
	}
}

// A case locked by a command delays only its own step.
func TestStepBesideALockedCase(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	held, other := w.leasedCase(), w.leasedCase()
	blocker, err := w.owner.Begin(w.ctx)
	w.must(err)
	_, err = blocker.Exec(w.ctx, `SELECT FROM cases WHERE id = $1 FOR UPDATE`, held.Case.ID)
	w.must(err)
	answer := make(chan outcome, 1)
	go func() {
		written, err := w.db.Step(w.ctx, held)
		answer <- outcome{written, err}
	}()
	w.waitForLock()
	if got := w.stepConcurrently(other)[0]; !got.written || got.err != nil {
		t.Errorf("beside: %+v", got)
	}
	select {
	case got := <-answer:
		t.Errorf("the held case's step was answered: %+v", got)
	default:
	}
	w.must(blocker.Commit(w.ctx))
	if got := <-answer; !got.written || got.err != nil {
		t.Errorf("after: %+v", got)
	}
}

// A canceled step that no batch claimed is not written; the caller of a claimed one learns its
// result.
func TestStepOfACanceledCaller(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	gone, cancel := context.WithCancel(w.ctx)
	cancel()
	for range 20 {
		change, beside := w.leasedCase(), w.leasedCase()
		var group sync.WaitGroup
		group.Go(func() {
			if written, err := w.db.Step(w.ctx, beside); !written || err != nil {
				t.Errorf("beside: %v %v", written, err)
			}
		})
		written, err := w.db.Step(gone, change)
		group.Wait()
		c, readErr := w.read().Case(w.ctx, change.Case.ID)
		w.must(readErr)
		if written != (c.Version == change.Case.Version) || written == (err != nil) || !written &&
			!errors.Is(err, context.Canceled) {
			t.Errorf("answered %v %v, version %d of %d", written, err, c.Version,
				change.Case.Version)
		}
	}
}

// If the database becomes unavailable, every caller gets an error.
func TestStepsWithoutADatabase(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	changes := []*store.Change{w.leasedCase(), w.leasedCase(), w.leasedCase()}
	db := w.open(w.database.AppURL)
	db.Close()
	var group sync.WaitGroup
	for _, change := range changes {
		group.Go(func() {
			if written, err := db.Step(w.ctx, change); written || err == nil {
				t.Errorf("answered %v %v", written, err)
			}
		})
	}
	group.Wait()
}

// Batched leases have the same results as single ones; of two for one run one succeeds.
func TestLeasesInOneBatch(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	const n = 12
	var cases []domain.Case
	var runs []domain.StageRun
	for range n {
		c, run := w.createCase()
		cases, runs = append(cases, c), append(runs, run)
	}
	w.asOwner(`UPDATE stage_runs SET run_after = clock() + interval '1 h' WHERE id = $1`,
		runs[0].ID)
	type got struct {
		leased store.LeasedRun
		err    error
	}
	tokens := make([]domain.ID, 2*n)
	answers := make([]got, 2*n)
	var group sync.WaitGroup
	for i := range 2 * n {
		tokens[i] = domain.NewID()
		group.Go(func() {
			answers[i].leased, answers[i].err = w.db.Lease(w.ctx, cases[i%n].ID, runs[i%n].ID,
				tokens[i], fmt.Sprint("w", i), time.Minute)
		})
	}
	group.Wait()
	for i := range n {
		had := 0
		for _, at := range []int{i, i + n} {
			if answers[at].err != nil {
				wantCode(t, answers[at].err, domain.LeaseLost)
				continue
			}
			had++
			l := answers[at].leased
			if l.Run.LeaseToken != tokens[at] || l.Run.Worker != fmt.Sprint("w", at) ||
				!reflect.DeepEqual(l.Case, cases[i]) ||
				l.Document.CaseID != cases[i].ID || !l.NoFacts {
				t.Errorf("leased %+v", l)
			}
		}
		if want := min(i, 1); had != want {
			t.Errorf("run %d was had %d times, want %d", i, had, want)
		}
	}
}

// Batched steps write the same rows as single ones.
func TestBatchedStepsEqualSingleSteps(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(2, 6).Draw(rt, "steps")
		var joint, single []*store.Change
		for i := range n {
			change := w.leasedCase()
			mutateChange(rt, fmt.Sprint(i), change)
			joint, single = append(joint, change), append(single, w.copyForNewCase(change))
		}
		got := w.stepInOneStatement(joint...)
		for i, change := range single {
			written, err := w.db.Autocommit().Apply(w.ctx, change)
			if written != got[i].written || domain.CodeOf(err) != domain.CodeOf(got[i].err) {
				rt.Fatalf("step %d: together %+v, alone %v %v", i, got[i], written, err)
			}
			a, b := w.caseContent(joint[i].Case.ID), w.caseContent(change.Case.ID)
			if a != b {
				rt.Fatalf("step %d: together\n%s\nalone\n%s", i, a, b)
			}
		}
	})
}

// mutateChange removes parts of a change and makes some invalid.
func mutateChange(rt *rapid.T, name string, change *store.Change) {
	has := func(part string) bool { return rapid.Bool().Draw(rt, name+part) }
	if has("no fields") {
		change.Fields = nil
	}
	if has("drop") {
		change.DeleteFieldSources = machineSources
	}
	for _, field := range []string{domain.FieldDate, domain.FieldIBAN} {
		if has(field) {
			change.Fields = append(slices.Clip(change.Fields), domain.Field{Name: field, Raw: "x",
				Normalised: field + name, Source: domain.SourceXML})
		}
	}
	if has("no pages") {
		change.Pages = nil
	}
	if has("no findings") {
		change.StageFindings = nil
	}
	if has("no review") {
		change.NewReviews = nil
	}
	if has("no run") {
		change.Runs = nil
	}
	if has("cancel") {
		change.CancelAll = true
	}
	switch rapid.IntRange(0, 6).Draw(rt, name+"spoilt") {
	case 0:
		change.ExpectedVersion = 99
	case 1:
		change.Lease.Token = domain.NewID()
	case 2:
		change.Case.Risk = 101 // violates a constraint of the table
	}
	change.RunResult = store.RunResult{Status: rapid.SampledFrom([]domain.RunStatus{domain.RunDone,
		domain.RunFailed}).Draw(rt, name+"end")}
}

// copyForNewCase returns the same change for another case in the same state.
func (w *testEnv) copyForNewCase(change *store.Change) *store.Change {
	other := w.leasedCase()
	twin := *change
	lease := *other.Lease
	if held, err := w.read().Run(w.ctx, change.Case.ID, change.Lease.RunID); err != nil ||
		held.LeaseToken != change.Lease.Token {
		lease.Token = domain.NewID()
	}
	twin.Lease = &lease
	id := other.Case.ID
	status, risk := change.Case.Status, change.Case.Risk
	twin.Case = other.Case
	twin.Case.Status, twin.Case.Risk = status, risk
	twin.Events, twin.Pages, twin.Interests = other.Events, nil, other.Interests
	if change.Pages != nil {
		twin.Pages = other.Pages
	}
	twin.Runs, twin.NewReviews = nil, nil
	if change.Runs != nil {
		twin.Runs = []domain.StageRun{stageRun(id, "extract", other.Case.UpdatedAt)}
	}
	if change.NewReviews != nil {
		twin.NewReviews = []domain.Review{openReview(other.Case, "review", other.Case.UpdatedAt)}
	}
	return &twin
}

// caseContent is the content of a case without what identifies it.
func (w *testEnv) caseContent(c domain.ID) string {
	w.t.Helper()
	var text string
	w.must(w.owner.QueryRow(w.ctx, `SELECT concat(
		(SELECT concat(version, status, risk, last_seq, marking, document_date, document_account,
		fields_revision) FROM cases WHERE id = $1),
		(SELECT string_agg(concat(seq, type, marking_after, body), ',' ORDER BY seq) FROM events
		WHERE case_id = $1),
		(SELECT string_agg(concat(node, status, failures, attempt, queue, lease_token <>
		'00000000-0000-0000-0000-000000000000', ended_at IS NULL), ',' ORDER BY node)
		FROM stage_runs WHERE case_id = $1),
		(SELECT string_agg(concat(name, raw, source, box), ',' ORDER BY name) FROM fields
		WHERE case_id = $1),
		(SELECT string_agg(concat(node, queue, level, status, version), ',' ORDER BY node)
		FROM reviews WHERE case_id = $1),
		(SELECT string_agg(concat(stage, rule, severity, evidence), ',' ORDER BY stage, rule)
		FROM findings WHERE case_id = $1),
		(SELECT string_agg(concat(number, raster_key, words), ',' ORDER BY number) FROM pages
		WHERE case_id = $1),
		(SELECT string_agg(reason, ',' ORDER BY reason) FROM case_interests WHERE case_id = $1))`,
		c).Scan(&text))
	return text
}
