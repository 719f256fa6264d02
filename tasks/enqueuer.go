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
	// enqueueConcurrency enqueue concurrently; Asynq 0.26 has no batch.
	enqueueConcurrency = 16
	// enqueueBuffer is how many rings may wait; beyond it they are dropped, and the sweeper enqueues those rows.
	enqueueBuffer = 4096
	// enqueueTimeout bounds one enqueue, so that an unreachable Redis holds nobody up.
	enqueueTimeout = 2 * time.Second
	// maxLocalDelay is up to how long a delayed ring waits here: Asynq knows whole seconds only and would bring it early.
	maxLocalDelay = 3 * time.Second
	// pauseAfterFailure is how long enqueuing pauses after Redis could not be reached; the sweeper takes over.
	pauseAfterFailure = 500 * time.Millisecond
)

// Enqueuer enqueues wakes after their commit, without holding the committer up. It may lose any of them.
type Enqueuer struct {
	redis          redis.UniversalClient
	client         *asynq.Client
	announcer      *announcer
	stopAnnouncing context.CancelFunc // ends the announcements
	log            *slog.Logger
	pending        chan domain.PendingRun
	enqueuing      sync.WaitGroup // of the enqueuing
	announcing     sync.WaitGroup // of the announcements
	mu             sync.RWMutex
	closed         bool
	pausedUntil    atomic.Int64 // no enqueue before this time, in nanoseconds of clock
	clock          domain.Clock
}

// NewEnqueuer starts the ringers. The error has code InvalidInput.
func NewEnqueuer(connection asynq.RedisConnOpt, clock domain.Clock, log *slog.Logger) (*Enqueuer, error) {
	client, err := clientOf(connection)
	if err != nil {
		return nil, err
	}
	running, quit := context.WithCancel(context.Background())
	r := &Enqueuer{redis: client, client: asynq.NewClientFromRedisClient(client), announcer: newAnnouncer(client), stopAnnouncing: quit, log: log,
		pending: make(chan domain.PendingRun, enqueueBuffer), clock: clock}
	r.announcing.Go(func() { r.announcer.run(running) })
	for range enqueueConcurrency {
		r.enqueuing.Go(func() {
			for wake := range r.pending {
				r.enqueue(wake)
			}
		})
	}
	return r, nil
}

// Enqueue takes the wakes over and returns immediately.
func (r *Enqueuer) Enqueue(_ context.Context, runs []domain.PendingRun) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if r.closed {
		return
	}
	now := r.clock.Now()
	for _, run := range runs {
		if wait := run.RunAfter.Sub(now); wait > 0 && wait <= maxLocalDelay {
			time.AfterFunc(wait, func() { r.Enqueue(context.Background(), []domain.PendingRun{run}) })
			continue
		}
		select {
		case r.pending <- run:
		default:
			r.log.Debug("ring dropped; the sweeper rings again", "run", run.RunID)
		}
	}
}

func (r *Enqueuer) enqueue(run domain.PendingRun) {
	if r.clock.Now().UnixNano() < r.pausedUntil.Load() {
		return
	}
	task, options, err := newTask(run, r.clock.Now())
	if err != nil {
		r.log.Error("ring", "run", run.RunID, "error", err)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), enqueueTimeout)
	defer cancel()
	_, err = r.client.EnqueueContext(ctx, task, options...)
	if err == nil {
		r.announcer.announce(run.Queue)
	}
	if err == nil || errors.Is(err, asynq.ErrTaskIDConflict) || errors.Is(err, asynq.ErrDuplicateTask) {
		return
	}
	if r.pausedUntil.Swap(r.clock.Now().Add(pauseAfterFailure).UnixNano()) < r.clock.Now().Add(-10*time.Second).UnixNano() {
		r.log.Warn("the queue cannot be reached; the sweeper rings again", "error", err)
	}
}

// Close enqueues what waits and stops.
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
	r.announcer.send(context.Background()) // what was enqueued last
	return r.redis.Close()
}
