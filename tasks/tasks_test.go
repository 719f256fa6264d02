package tasks_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
	"countersign/internal/redistest"
	"countersign/internal/testsignal"
	"countersign/tasks"
)

var discardLog = slog.New(slog.NewTextHandler(io.Discard, nil))

// fakeRunService passes the calls that it receives to the test. The first `failures` calls return
// an error.
type fakeRunService struct {
	ran        testsignal.Signal[casework.RunRequest]
	handedBack testsignal.Signal[string]
	polled     testsignal.Signal[map[string]int]
	failures   int
	failure    error
	mu         sync.Mutex
	due        []domain.PendingRun // returned by one call
	alwaysDue  []domain.PendingRun // returned by every call
}

func (h *fakeRunService) RunStage(_ context.Context, request casework.RunRequest) error {
	h.ran.Raise(request)
	if h.failures > 0 {
		h.failures--
		return h.failure
	}
	return nil
}

// DueRuns returns the runs that the test stored.
func (h *fakeRunService) DueRuns(_ context.Context, queues map[string]int) (
	[]domain.PendingRun, error) {
	h.polled.Raise(queues)
	h.mu.Lock()
	defer h.mu.Unlock()
	due := append(h.due, h.alwaysDue...)
	h.due = nil
	return due, nil
}

func isRun(run domain.PendingRun) func(casework.RunRequest) bool {
	return func(w casework.RunRequest) bool { return w.RunID == run.RunID }
}

func (h *fakeRunService) ReleaseWorkerRuns(_ context.Context, worker string) (int, error) {
	h.handedBack.Raise(worker)
	return 0, nil
}

// startWorker starts an enqueuer and a worker on a Redis of their own.
func startWorker(t *testing.T, h *fakeRunService) *tasks.Enqueuer {
	t.Helper()
	option, err := tasks.Redis(redistest.New(t).URL())
	if err != nil {
		t.Fatal(err)
	}
	h.ran.Arm(t)
	h.handedBack.Arm(t)
	worker, err := tasks.NewWorker(option, h,
		tasks.WorkerOptions{Name: "w-1", Queues: []string{domain.QueueLight}}, discardLog)
	if err != nil {
		t.Fatal(err)
	}
	if err := worker.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { worker.Stop(context.Background()) })
	enqueuer, err := tasks.NewEnqueuer(option, domain.SystemClock{}, discardLog)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = enqueuer.Close() })
	return enqueuer
}

func pendingRun(enqueueCount int) domain.PendingRun {
	return domain.PendingRun{RunID: domain.NewID(), CaseID: domain.NewID(),
		Queue:        domain.QueueLight,
		EnqueueCount: enqueueCount, CorrelationID: "c-1"}
}

func TestAnEnqueuedRunBecomesOneCall(t *testing.T) {
	t.Parallel()
	h := &fakeRunService{}
	enqueuer := startWorker(t, h)
	first := pendingRun(0)
	enqueuer.Enqueue(t.Context(), []domain.PendingRun{first})
	if got := h.ran.Wait(); got.RunID != first.RunID || got.CaseID != first.CaseID ||
		got.Worker != "w-1" {
		t.Errorf("the service was called with %+v", got)
	}
	// The sweeper enqueues the same run again, which makes another task.
	first.EnqueueCount++
	enqueuer.Enqueue(t.Context(), []domain.PendingRun{first})
	if got := h.ran.Wait(); got.RunID != first.RunID {
		t.Errorf("the second task called the service with %+v", got)
	}
}

// A due run starts immediately: neither at the next full second nor at Asynq's next check of
// delayed tasks. Each run is enqueued when the previous one has just started, so one that waited
// for a check would wait a whole interval. The fastest of them counts, because the machine may be
// busy.
func TestADueRunStartsImmediately(t *testing.T) {
	t.Parallel()
	h := &fakeRunService{}
	enqueuer := startWorker(t, h)
	fastest := time.Hour
	for range 10 {
		due := pendingRun(0)
		due.RunAfter = time.Now().Add(-time.Millisecond)
		began := time.Now()
		enqueuer.Enqueue(t.Context(), []domain.PendingRun{due})
		h.ran.Wait()
		fastest = min(fastest, time.Since(began))
	}
	if fastest > 150*time.Millisecond {
		t.Errorf("the fastest started after %v", fastest)
	}
}

func TestADelayedRunWaitsForItsTime(t *testing.T) {
	t.Parallel()
	h := &fakeRunService{}
	enqueuer := startWorker(t, h)
	later, now := pendingRun(0), pendingRun(0)
	later.RunAfter = time.Now().Add(3 * time.Second)
	enqueuer.Enqueue(t.Context(), []domain.PendingRun{later, now})
	if got := h.ran.Wait(); got.RunID != now.RunID {
		t.Errorf("the delayed run started first")
	}
	if got := h.ran.Wait(); got.RunID != later.RunID || time.Now().Before(later.RunAfter) {
		t.Errorf("got %+v at %v, want the delayed one from %v on", got, time.Now(), later.RunAfter)
	}
}

func TestUnrecordedTasksAreRetried(t *testing.T) {
	t.Parallel()
	h := &fakeRunService{failures: 1, failure: domain.Errorf(domain.Unavailable,
		"the database cannot be reached")}
	enqueuer := startWorker(t, h)
	only := pendingRun(0)
	enqueuer.Enqueue(t.Context(), []domain.PendingRun{only})
	for range 2 {
		if got := h.ran.Wait(); got.RunID != only.RunID {
			t.Errorf("got %+v", got)
		}
	}
}

func TestUnreachableRedisDoesNotBlockTheCaller(t *testing.T) {
	t.Parallel()
	server := redistest.New(t)
	option, err := tasks.Redis(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	enqueuer, err := tasks.NewEnqueuer(option, domain.SystemClock{}, discardLog)
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Stop(); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	for range 10_000 {
		enqueuer.Enqueue(t.Context(), []domain.PendingRun{pendingRun(0)})
	}
	// waiting for each timeout would take minutes
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("10 000 notifications without Redis took %v", took)
	}
	_ = enqueuer.Close()
}

func TestUnknownQueuesAreRefused(t *testing.T) {
	t.Parallel()
	for _, names := range [][]string{nil, {"ocr", "nosuch"}} {
		if err := tasks.CheckQueues(names); !domain.HasCode(err, domain.InvalidInput) {
			t.Errorf("%v: %v", names, err)
		}
	}
	if err := tasks.CheckQueues(domain.WorkQueues()); err != nil {
		t.Error(err)
	}
}

// fakeSweepService counts the calls of the sweeper.
type fakeSweepService struct {
	lead                      bool
	swept, enqueuedAll, files int
}

func (s *fakeSweepService) AcquireLeadership(context.Context, string, time.Duration) (bool, error) {
	return s.lead, nil
}
func (s *fakeSweepService) Sweep(context.Context) (int, error) { s.swept++; return 0, nil }
func (s *fakeSweepService) EnqueueAllPending(context.Context) (int, error) {
	s.enqueuedAll++
	return 0, nil
}
func (s *fakeSweepService) ExpireClaims(context.Context) (int, error) { return 0, nil }
func (s *fakeSweepService) RunDailyMaintenance(context.Context) error { return nil }
func (s *fakeSweepService) SweepFiles(context.Context) (int, bool, error) {
	s.files++
	return 0, s.files%3 == 0, nil
}

// epoch returns what the test sets.
type epoch struct {
	changed bool
	err     error
}

func (e *epoch) Epoch(context.Context) (string, bool, error) { return "e", e.changed, e.err }

func TestSweeperEnqueuesAllAfterQueueLoss(t *testing.T) {
	t.Parallel()
	service, memory := &fakeSweepService{}, &epoch{}
	sweeper := tasks.NewSweeper(service, memory, "s-1", domain.SystemClock{}, discardLog)
	ctx := t.Context()

	memory.changed = true
	sweeper.Sweep(ctx)
	sweeper.CheckEpoch(ctx)
	if service.swept != 0 || service.enqueuedAll != 0 {
		t.Errorf("a sweeper without the lease swept %d and enqueued all %d times", service.swept,
			service.enqueuedAll)
	}
	service.lead, memory.changed = true, false
	sweeper.Sweep(ctx)
	sweeper.CheckEpoch(ctx)
	if service.swept != 1 || service.enqueuedAll != 1 {
		t.Errorf("the new leader swept %d and enqueued all %d times, want 1 and 1 for the earlier loss", service.swept, service.enqueuedAll)
	}
	sweeper.CheckEpoch(ctx)
	memory.err = errors.New("away")
	sweeper.CheckEpoch(ctx)
	memory.err = nil
	sweeper.CheckEpoch(ctx)
	if service.enqueuedAll != 2 {
		t.Errorf("after an outage all runs were enqueued %d times in total, want 2",
			service.enqueuedAll)
	}
}

// clockAt is a clock that the test sets.
type clockAt struct{ now time.Time }

func (c *clockAt) Now() time.Time { return c.now }

// The leader continues a pass over the stored files in each round until it ends, and starts the
// next pass an hour later.
func TestStoredFilesAreSweptInPasses(t *testing.T) {
	t.Parallel()
	service, clock := &fakeSweepService{}, &clockAt{time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	sweeper := tasks.NewSweeper(service, &epoch{}, "s-1", clock, discardLog)
	rounds := func(n, want int) {
		t.Helper()
		for range n {
			sweeper.Sweep(t.Context())
		}
		if service.files != want {
			t.Errorf("%d calls, want %d", service.files, want)
		}
	}
	rounds(2, 0)
	service.lead = true
	rounds(5, 3) // the third call ends the pass
	clock.now = clock.now.Add(59 * time.Minute)
	rounds(2, 3)
	clock.now = clock.now.Add(time.Minute)
	rounds(5, 6)
}
