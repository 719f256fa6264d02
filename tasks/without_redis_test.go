package tasks_test

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	"countersign/domain"
	"countersign/internal/devservices"
	"countersign/internal/redistest"
	"countersign/tasks"
)

// workerOn starts a worker of all queues on the server and returns it with an enqueuer.
func workerOn(t *testing.T, server *devservices.Redis, h *fakeRunService) (*tasks.Worker,
	*tasks.Enqueuer) {
	t.Helper()
	option, err := tasks.Redis(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	h.ran.Arm(t)
	h.polled.Arm(t)
	worker, err := tasks.NewWorker(option, h, tasks.WorkerOptions{Name: "w-1",
		Queues: domain.WorkQueues()}, discardLog)
	if err != nil {
		t.Fatal(err)
	}
	if err := worker.Start(); err != nil {
		t.Fatal(err)
	}
	enqueuer, err := tasks.NewEnqueuer(option, domain.SystemClock{}, discardLog)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = enqueuer.Close() })
	return worker, enqueuer
}

// commands returns the number of commands that the server has executed.
func commands(t *testing.T, server *devservices.Redis) int {
	t.Helper()
	text, err := redistest.Client(t, server).Info(t.Context(), "stats").Result()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(text) {
		if count, ok := strings.CutPrefix(strings.TrimSpace(line),
			"total_commands_processed:"); ok {
			n, err := strconv.Atoi(count)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Fatal("Redis does not report its commands")
	return 0
}

// An idle worker must not poll Redis at the rate that the latency of a stage needs. The test also
// fails if a new version of Asynq dequeues with a script that queueWaiter does not recognize.
func TestIdleWorkerRarelyPollsRedis(t *testing.T) {
	t.Parallel()
	server, h := redistest.New(t), &fakeRunService{}
	worker, enqueuer := workerOn(t, server, h)
	t.Cleanup(func() { worker.Stop(context.Background()) })
	first := pendingRun(0)
	enqueuer.Enqueue(t.Context(), []domain.PendingRun{first})
	h.ran.WaitFor(isRun(first)) // the worker has subscribed, and Redis has cached every script
	const seconds = 5
	before := commands(t, server)
	<-time.After(seconds * time.Second)
	if perSecond := (commands(t, server) - before) / seconds; perSecond > 60 {
		t.Errorf("an idle worker of %d queues sends %d commands a second, want at most 60",
			len(domain.WorkQueues()), perSecond)
	} else {
		t.Logf("an idle worker of %d queues sends %d commands a second", len(domain.WorkQueues()),
			perSecond)
	}
}

// Tasks that are enqueued one after the other find an empty queue each time. Without announcements
// each would wait for the next check, half a second on average.
func TestAnAnnouncedTaskDoesNotWaitForTheNextCheck(t *testing.T) {
	t.Parallel()
	h := &fakeRunService{}
	worker, enqueuer := workerOn(t, redistest.New(t), h)
	t.Cleanup(func() { worker.Stop(context.Background()) })
	began := time.Now()
	const tasksInTurn = 60
	for range tasksInTurn {
		next := pendingRun(0)
		next.Queue = domain.QueueOCR
		enqueuer.Enqueue(t.Context(), []domain.PendingRun{next})
		h.ran.WaitFor(isRun(next))
	}
	// Without announcements the tasks take at least 30 s; with them, a tenth of a second.
	if took := time.Since(began); took > 15*time.Second {
		t.Errorf("%d tasks one after the other took %v", tasksInTurn, took)
	}
}

// If Redis hangs or refuses connections, the worker executes due runs from Postgres and reports the
// queue as unreachable.
func TestDueRunsAreExecutedWithoutRedis(t *testing.T) {
	t.Parallel()
	for name, disrupt := range map[string]func(*devservices.Redis) error{"frozen": (*devservices.Redis).Suspend, "stopped": (*devservices.Redis).Stop} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, h := redistest.New(t), &fakeRunService{}
			worker, _ := workerOn(t, server, h)
			if err := disrupt(server); err != nil {
				t.Fatal(err)
			}
			due := pendingRun(0)
			h.mu.Lock()
			h.due = []domain.PendingRun{due}
			h.mu.Unlock()
			got := h.ran.WaitFor(isRun(due))
			if got.CaseID != due.CaseID || got.Worker != "w-1" {
				t.Errorf("executed %+v", got)
			}
			if health := worker.Health(); health.Polled != 1 {
				t.Errorf("health %+v", health)
			}
			limits := h.polled.WaitFor(
				func(m map[string]int) bool { return len(m) == len(domain.WorkQueues()) })
			if limits[domain.QueueLight] == 0 {
				t.Errorf("asked for %v", limits)
			}
			for worker.Health().Reachable { // until the current check has failed
				h.polled.Wait()
			}
			began := time.Now()
			worker.Stop(t.Context())
			if took := time.Since(began); took > 20*time.Second {
				t.Errorf("the worker took %v to stop", took)
			}
			if name == "frozen" {
				if err := server.Resume(); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// A worker that stops while Redis hangs ends in order, and again after Redis continues. Asynq panics if
// its connection is closed before it has ended itself.
func TestStoppingWhileRedisHangs(t *testing.T) {
	t.Parallel()
	server, h := redistest.New(t), &fakeRunService{}
	worker, enqueuer := workerOn(t, server, h)
	first := pendingRun(0)
	enqueuer.Enqueue(t.Context(), []domain.PendingRun{first})
	h.ran.WaitFor(isRun(first)) // every server of Asynq has subscribed
	if err := server.Suspend(); err != nil {
		t.Fatal(err)
	}
	worker.Stop(t.Context())
	if err := server.Resume(); err != nil {
		t.Fatal(err)
	}
	<-worker.Ended()
}

// A run that cannot be executed is not retried at every poll, and a run that stays due is tried
// once per interval.
func TestARunThatStaysDueIsTriedOncePerInterval(t *testing.T) {
	t.Parallel()
	server := redistest.New(t)
	stuck := pendingRun(0)
	h := &fakeRunService{alwaysDue: []domain.PendingRun{stuck}}
	worker, _ := workerOn(t, server, h)
	t.Cleanup(func() { worker.Stop(context.Background()) })
	if err := server.Stop(); err != nil {
		t.Fatal(err)
	}
	h.ran.WaitFor(isRun(stuck))
	began := time.Now()
	for range 2 {
		h.ran.WaitFor(isRun(stuck))
	}
	if took := time.Since(began); took < 3*time.Second {
		t.Errorf("the run was tried three times within %v", took)
	}
}
