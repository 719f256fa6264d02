package tasks

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"

	"countersign/domain"
)

const (
	// enqueueConcurrency is the number of concurrent enqueue calls, because Asynq 0.26 has no batch
	// call.
	enqueueConcurrency = 16
	// enqueueBuffer is the number of runs that may wait. Further ones are dropped, and the sweeper
	// enqueues them.
	enqueueBuffer = 4096
	// enqueueTimeout limits one enqueue call, so that an unreachable Redis does not block the
	// others.
	enqueueTimeout = 2 * time.Second
	// maxLocalDelay is the longest delay that the enqueuer itself waits for. Asynq schedules in
	// whole seconds only.
	maxLocalDelay = 3 * time.Second
	// pauseAfterFailure is the pause in enqueuing after Redis could not be reached; the sweeper
	// enqueues the runs of that time.
	pauseAfterFailure = 500 * time.Millisecond
)

// Enqueuer enqueues pending runs after their commit without blocking the caller. It may lose any of
// them; the sweeper enqueues lost ones again.
type Enqueuer struct {
	redis          redis.UniversalClient
	client         *asynq.Client
	announcer      *announcer
	stopAnnouncing context.CancelFunc // ends the announcer
	log            *slog.Logger
	pending        chan domain.PendingRun
	enqueuing      sync.WaitGroup // the enqueuing goroutines
	announcing     sync.WaitGroup // the announcer
	mu             sync.RWMutex
	closed         bool
	pausedUntil    atomic.Int64 // nanoseconds of clock; nothing is enqueued before
	clock          domain.Clock
}

// NewEnqueuer starts the enqueuing goroutines. Its error has the code InvalidInput.
func NewEnqueuer(connection asynq.RedisConnOpt, clock domain.Clock, log *slog.Logger) (
	*Enqueuer, error) {
	client, err := clientOf(connection)
	if err != nil {
		return nil, err
	}
	running, quit := context.WithCancel(context.Background())
	r := &Enqueuer{redis: client, client: asynq.NewClientFromRedisClient(client),
		announcer: newAnnouncer(client), stopAnnouncing: quit, log: log,
		pending: make(chan domain.PendingRun, enqueueBuffer), clock: clock}
	r.announcing.Go(func() { r.announcer.run(running) })
	for range enqueueConcurrency {
		r.enqueuing.Go(func() {
			for run := range r.pending {
				r.enqueue(run)
			}
		})
	}
	return r, nil
}

// Enqueue queues the runs for enqueuing and returns immediately.
func (r *Enqueuer) Enqueue(_ context.Context, runs []domain.PendingRun) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if r.closed {
		return
	}
	now := r.clock.Now()
	for _, run := range runs {
		if wait := run.RunAfter.Sub(now); wait > 0 && wait <= maxLocalDelay {
			time.AfterFunc(wait, func() {
				r.Enqueue(context.Background(), []domain.PendingRun{run})
			})
			continue
		}
		select {
		case r.pending <- run:
		default:
			r.log.Debug("task dropped; the sweeper will enqueue it again", "run", run.RunID)
		}
	}
}

func (r *Enqueuer) enqueue(run domain.PendingRun) {
	if r.clock.Now().UnixNano() < r.pausedUntil.Load() {
		return
	}
	task, options, err := newTask(run, r.clock.Now())
	if err != nil {
		r.log.Error("enqueue", "run", run.RunID, "error", err)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), enqueueTimeout)
	defer cancel()
	_, err = r.client.EnqueueContext(ctx, task, options...)
	if err == nil {
		r.announcer.announce(run.Queue)
	}
	if err == nil || errors.Is(err, asynq.ErrTaskIDConflict) ||
		errors.Is(err, asynq.ErrDuplicateTask) {
		return
	}
	if r.pausedUntil.Swap(r.clock.Now().Add(pauseAfterFailure).UnixNano()) < r.clock.Now().
		Add(-10*time.Second).UnixNano() {
		r.log.Warn("the queue is unreachable; the sweeper will enqueue again", "error", err)
	}
}

// Close enqueues the waiting runs and stops.
func (r *Enqueuer) Close() error {
	r.mu.Lock()
	if !r.closed {
		r.closed = true
		close(r.pending)
	}
	r.mu.Unlock()
	r.enqueuing.Wait()
	r.stopAnnouncing()
	r.announcing.Wait()
	r.announcer.send(context.Background()) // announce the last tasks
	return r.redis.Close()
}
