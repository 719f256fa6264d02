package tasks_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
	"countersign/internal/redistest"
	"countersign/internal/testsignal"
	"countersign/tasks"
)

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

// hall tells the test what the door calls; the first fails calls of a run are answered with an error.
type hall struct {
	ran      testsignal.Signal[casework.Waking]
	back     testsignal.Signal[string]
	fails    int
	answered error
}

func (h *hall) RunStage(_ context.Context, waking casework.Waking) error {
	h.ran.Raise(waking)
	if h.fails > 0 {
		h.fails--
		return h.answered
	}
	return nil
}

func (h *hall) HandBack(_ context.Context, worker string) (int, error) {
	h.back.Raise(worker)
	return 0, nil
}

// door is a ringer and a worker on a Redis of their own.
func door(t *testing.T, h *hall) *tasks.Ringer {
	t.Helper()
	option, err := tasks.Redis(redistest.New(t).URL())
	if err != nil {
		t.Fatal(err)
	}
	h.ran.Arm(t)
	h.back.Arm(t)
	worker, err := tasks.NewWorker(option, h, tasks.WorkerOptions{Name: "w-1", Queues: []string{tasks.QueueLight}}, quiet)
	if err != nil {
		t.Fatal(err)
	}
	if err := worker.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { worker.Stop(context.Background()) })
	ringer := tasks.NewRinger(option, domain.SystemClock{}, quiet)
	t.Cleanup(func() { _ = ringer.Close() })
	return ringer
}

func wake(ring int) domain.Wake {
	return domain.Wake{RunID: domain.NewID(), CaseID: domain.NewID(), Queue: tasks.QueueLight, Ring: ring, CorrelationID: "c-1"}
}

func TestARingBecomesOneCall(t *testing.T) {
	t.Parallel()
	h := &hall{}
	ringer := door(t, h)
	first := wake(0)
	ringer.Ring(t.Context(), []domain.Wake{first})
	if got := h.ran.Wait(); got.RunID != first.RunID || got.CaseID != first.CaseID || got.Worker != "w-1" {
		t.Errorf("the hall was called with %+v", got)
	}
	// The same run rung again, as the sweeper does: another task, delivered anew. What it means the row decides.
	first.Ring++
	ringer.Ring(t.Context(), []domain.Wake{first})
	if got := h.ran.Wait(); got.RunID != first.RunID {
		t.Errorf("the second ring brought %+v", got)
	}
}

// A run that is due comes at once: not at the next full second, nor at the next look at the delayed ones.
func TestADueRingComesAtOnce(t *testing.T) {
	t.Parallel()
	h := &hall{}
	ringer := door(t, h)
	due := wake(0)
	due.RunAfter = time.Now().Add(-time.Millisecond)
	began := time.Now()
	ringer.Ring(t.Context(), []domain.Wake{due})
	h.ran.Wait()
	if took := time.Since(began); took > 150*time.Millisecond {
		t.Errorf("it came after %v", took)
	}
}

func TestADelayedRingWaitsForItsTime(t *testing.T) {
	t.Parallel()
	h := &hall{}
	ringer := door(t, h)
	later, now := wake(0), wake(0)
	later.RunAfter = time.Now().Add(time.Second)
	ringer.Ring(t.Context(), []domain.Wake{later, now})
	if got := h.ran.Wait(); got.RunID != now.RunID {
		t.Errorf("the delayed run came first")
	}
	if got := h.ran.Wait(); got.RunID != later.RunID || time.Now().Before(later.RunAfter) {
		t.Errorf("got %+v at %v, want the delayed one from %v on", got, time.Now(), later.RunAfter)
	}
}

func TestWhatCouldNotBeRecordedComesAgain(t *testing.T) {
	t.Parallel()
	h := &hall{fails: 1, answered: domain.Fail(domain.Unavailable, "the database cannot be reached")}
	ringer := door(t, h)
	only := wake(0)
	ringer.Ring(t.Context(), []domain.Wake{only})
	for range 2 {
		if got := h.ran.Wait(); got.RunID != only.RunID {
			t.Errorf("got %+v", got)
		}
	}
}

func TestUnreachableRedisHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	server := redistest.New(t)
	option, err := tasks.Redis(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	ringer := tasks.NewRinger(option, domain.SystemClock{}, quiet)
	if err := server.Stop(); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	for range 10_000 {
		ringer.Ring(t.Context(), []domain.Wake{wake(0)})
	}
	if took := time.Since(began); took > time.Second {
		t.Errorf("10 000 rings without Redis took %v", took)
	}
	_ = ringer.Close()
}

func TestUnknownQueuesAreRefused(t *testing.T) {
	t.Parallel()
	for _, names := range [][]string{nil, {"ocr", "nosuch"}} {
		if err := tasks.CheckQueues(names); !domain.HasCode(err, domain.InvalidInput) {
			t.Errorf("%v: %v", names, err)
		}
	}
	if err := tasks.CheckQueues(tasks.Queues()); err != nil {
		t.Error(err)
	}
}

// sweepHall counts what the sweeper asks for.
type sweepHall struct {
	lead           bool
	swept, rungAll int
}

func (s *sweepHall) Lead(context.Context, string, time.Duration) (bool, error) { return s.lead, nil }
func (s *sweepHall) Sweep(context.Context) (int, error)                        { s.swept++; return 0, nil }
func (s *sweepHall) RingAll(context.Context) (int, error)                      { s.rungAll++; return 0, nil }
func (s *sweepHall) LapseClaims(context.Context) (int, error)                  { return 0, nil }
func (s *sweepHall) Daily(context.Context) error                               { return nil }

// epoch answers what the test says.
type epoch struct {
	changed bool
	err     error
}

func (e *epoch) Epoch(context.Context) (string, bool, error) { return "e", e.changed, e.err }

func TestSweeperRingsAllWhenTheQueueLostItsMemory(t *testing.T) {
	t.Parallel()
	hall, memory := &sweepHall{}, &epoch{}
	sweeper := tasks.NewSweeper(hall, memory, "s-1", domain.SystemClock{}, quiet)
	ctx := t.Context()

	memory.changed = true
	sweeper.Sweep(ctx)
	sweeper.Watch(ctx)
	if hall.swept != 0 || hall.rungAll != 0 {
		t.Errorf("one that does not lead swept %d and rang %d", hall.swept, hall.rungAll)
	}
	hall.lead, memory.changed = true, false
	sweeper.Sweep(ctx)
	sweeper.Watch(ctx)
	if hall.swept != 1 || hall.rungAll != 1 {
		t.Errorf("the new leader swept %d and rang %d; the loss it saw before must not be forgotten", hall.swept, hall.rungAll)
	}
	sweeper.Watch(ctx)
	memory.err = errors.New("away")
	sweeper.Watch(ctx)
	memory.err = nil
	sweeper.Watch(ctx)
	if hall.rungAll != 2 {
		t.Errorf("after an outage everything was rung %d times in all, want 2", hall.rungAll)
	}
}
