package deliver

import (
	"context"
	"sync"
	"time"

	"countersign/domain"
)

// attempts are the attempts of one round while they run.
type attempts struct {
	mu       sync.Mutex
	next     int // sequence
	failures int // after one another
	gone     bool
	until    time.Time
}

// attemptAll attempts the sequences concurrently, each in its order up to its first failure.
func (d *Deliverer) attemptAll(ctx context.Context, spec domain.ConnectorSpec,
	sequences [][]*item) {
	running := &attempts{until: d.options.Clock.Now().Add(roundTime)}
	var workers sync.WaitGroup
	for range min(d.options.Parallel, len(sequences)) {
		workers.Go(func() {
			for {
				running.mu.Lock()
				at := running.next
				running.next++
				running.mu.Unlock()
				if at >= len(sequences) {
					return
				}
				for _, one := range sequences[at] {
					if !d.attempt(ctx, spec, running, one) {
						break
					}
				}
			}
		})
	}
	workers.Wait()
}

// attempt makes one attempt, unless the round ends, and reports whether the event was delivered.
func (d *Deliverer) attempt(ctx context.Context, spec domain.ConnectorSpec, running *attempts,
	one *item) bool {
	running.mu.Lock()
	ends := running.gone || running.failures >= abortAfter
	running.mu.Unlock()
	if ends || ctx.Err() != nil || d.stopped() || d.options.Clock.Now().After(running.until) {
		return false
	}
	attempt := d.sender.Deliver(ctx, spec, one.event)
	delivered := attempt.Outcome == domain.AttemptDelivered
	if !delivered && ctx.Err() != nil {
		return false // interrupted: it says nothing about the receiver
	}
	one.attempt = &attempt
	running.mu.Lock()
	defer running.mu.Unlock()
	running.gone = running.gone || attempt.Outcome == domain.AttemptGone
	if running.failures++; delivered {
		running.failures = 0
	}
	return delivered
}
