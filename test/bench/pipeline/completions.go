package main

import (
	"context"
	"fmt"
	"sync"

	"countersign/domain"
	"countersign/live"
	"countersign/tasks"
)

// completions learns from the hints that every commit publishes which cases have reached their last
// event, so that only as many documents have a subscriber as the figure asks for. All documents of
// a run take the same way.
type completions struct {
	mu      sync.Mutex
	lastSeq int64 // the number of a case's last event; 0 = not learned yet
	reached map[domain.ID]bool
	waiting map[domain.ID]chan struct{}
}

// onHints takes the hints of a commit.
func (e *completions) onHints(hints []domain.Hint) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, hint := range hints {
		if e.lastSeq == 0 || hint.Seq < e.lastSeq {
			continue
		}
		if waiter, ok := e.waiting[hint.Stream]; ok {
			close(waiter)
			delete(e.waiting, hint.Stream)
		} else {
			e.reached[hint.Stream] = true
		}
	}
}

// wait returns when the case has ended.
func (e *completions) wait(ctx context.Context, id domain.ID) error {
	e.mu.Lock()
	if e.reached[id] {
		delete(e.reached, id)
		e.mu.Unlock()
		return nil
	}
	ended := make(chan struct{})
	e.waiting[id] = ended
	e.mu.Unlock()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("case %s has not ended: %w", id, ctx.Err())
	}
}

// forget drops what is known of a case that was followed to its end.
func (e *completions) forget(id domain.ID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.reached, id)
}

// learn keeps the number of the last event.
func (e *completions) learn(seq int64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.lastSeq = seq
}

// notifier enqueues and publishes as the server and the worker do, and reports to the bench.
type notifier struct {
	enqueuer    *tasks.Enqueuer
	publisher   *live.Publisher
	waits       *waits
	completions *completions
}

func (b notifier) Enqueue(ctx context.Context, wakes []domain.PendingRun) {
	for _, wake := range wakes {
		b.waits.begin(wake.CorrelationID)
	}
	b.enqueuer.Enqueue(ctx, wakes)
}
func (b notifier) PublishHints(ctx context.Context, hints []domain.Hint) {
	b.publisher.Publish(ctx, hints)
	b.completions.onHints(hints)
}
