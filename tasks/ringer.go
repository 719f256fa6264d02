package tasks

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hibiken/asynq"

	"countersign/domain"
)

const (
	// ringers enqueue side by side; Asynq 0.26 has no batch.
	ringers = 16
	// ringQueue is how many rings may wait; beyond it they are dropped, and the sweeper rings those rows.
	ringQueue = 4096
	// ringTimeout bounds one enqueue, so that an unreachable Redis holds nobody up.
	ringTimeout = 2 * time.Second
	// holdBack is up to how long a delayed ring waits here: Asynq knows whole seconds only and would bring it early.
	holdBack = 3 * time.Second
	// quietAfterFailure is how long enqueuing pauses after Redis could not be reached; the sweeper takes over.
	quietAfterFailure = 500 * time.Millisecond
)

// Ringer enqueues wakes after their commit, without holding the committer up. It may lose any of them.
type Ringer struct {
	client *asynq.Client
	log    *slog.Logger
	wakes  chan domain.Wake
	done   sync.WaitGroup
	mu     sync.RWMutex
	closed bool
	quiet  atomic.Int64 // no enqueue before this time, in nanoseconds of clock
	clock  domain.Clock
}

// NewRinger starts the ringers. redis is a client's option of Asynq.
func NewRinger(redis asynq.RedisConnOpt, clock domain.Clock, log *slog.Logger) *Ringer {
	r := &Ringer{client: asynq.NewClient(redis), log: log, wakes: make(chan domain.Wake, ringQueue), clock: clock}
	for range ringers {
		r.done.Go(func() {
			for wake := range r.wakes {
				r.ring(wake)
			}
		})
	}
	return r
}

// Ring takes the wakes over and returns at once.
func (r *Ringer) Ring(_ context.Context, wakes []domain.Wake) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if r.closed {
		return
	}
	now := r.clock.Now()
	for _, wake := range wakes {
		if wait := wake.RunAfter.Sub(now); wait > 0 && wait <= holdBack {
			time.AfterFunc(wait, func() { r.Ring(context.Background(), []domain.Wake{wake}) })
			continue
		}
		select {
		case r.wakes <- wake:
		default:
			r.log.Debug("ring dropped; the sweeper rings again", "run", wake.RunID)
		}
	}
}

func (r *Ringer) ring(wake domain.Wake) {
	if r.clock.Now().UnixNano() < r.quiet.Load() {
		return
	}
	task, options, err := newTask(wake, r.clock.Now())
	if err != nil {
		r.log.Error("ring", "run", wake.RunID, "error", err)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), ringTimeout)
	defer cancel()
	_, err = r.client.EnqueueContext(ctx, task, options...)
	if err == nil || errors.Is(err, asynq.ErrTaskIDConflict) || errors.Is(err, asynq.ErrDuplicateTask) {
		return
	}
	if r.quiet.Swap(r.clock.Now().Add(quietAfterFailure).UnixNano()) < r.clock.Now().Add(-10*time.Second).UnixNano() {
		r.log.Warn("the queue cannot be reached; the sweeper rings again", "error", err)
	}
}

// Close enqueues what waits and stops.
func (r *Ringer) Close() error {
	r.mu.Lock()
	if !r.closed {
		r.closed = true
		close(r.wakes)
	}
	r.mu.Unlock()
	r.done.Wait()
	return r.client.Close()
}
