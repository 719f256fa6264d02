package live

import (
	"context"
	"log/slog"
	"sync/atomic"

	"countersign/domain"
)

// maxQueuedHints is the number of hints that may wait for Redis. Further ones are dropped, and the
// poll finds their events.
const maxQueuedHints = 8192

// Publisher notifies every server that streams have new events. Publish never waits for Redis.
type Publisher struct {
	redis        *Redis
	hub          *Hub // of this process, or nil
	log          *slog.Logger
	queue        chan domain.Hint
	dropped      atomic.Int64
	disconnected bool
}

// NewPublisher returns a publisher. hub is the hub of the same process, which receives hints
// directly, or nil.
func NewPublisher(r *Redis, hub *Hub, log *slog.Logger) *Publisher {
	return &Publisher{redis: r, hub: hub, log: log, queue: make(chan domain.Hint, maxQueuedHints)}
}

// Publish passes the hints to this process's hub immediately and queues them for Redis. It is
// called after commit.
func (p *Publisher) Publish(_ context.Context, hints []domain.Hint) {
	if p.hub != nil {
		p.hub.onHints(hints)
	}
	for _, hint := range hints {
		select {
		case p.queue <- hint:
		default:
			p.dropped.Add(1)
		}
	}
}

// RightsChanged notifies every server that a right may have been revoked, so that subscriptions end
// immediately.
func (p *Publisher) RightsChanged(ctx context.Context) {
	p.Publish(ctx, []domain.Hint{{Stream: domain.RightsTopic}})
}

// Dropped returns the number of hints that were not sent because Redis was unreachable or too slow.
func (p *Publisher) Dropped() int64 { return p.dropped.Load() }

// Run sends queued hints, many in one message, until the context ends.
func (p *Publisher) Run(ctx context.Context) {
	batch := make([]domain.Hint, 0, maxHintsPerMessage)
	for {
		select {
		case <-ctx.Done():
			return
		case hint := <-p.queue:
			batch = p.send(ctx, p.drain(append(batch[:0], hint)))
		}
	}
}

// drain adds the hints that are already queued, without waiting for more.
func (p *Publisher) drain(batch []domain.Hint) []domain.Hint {
	for len(batch) < maxHintsPerMessage {
		select {
		case hint := <-p.queue:
			batch = append(batch, hint)
		default:
			return batch
		}
	}
	return batch
}

func (p *Publisher) send(ctx context.Context, batch []domain.Hint) []domain.Hint {
	err := p.redis.client.Publish(ctx, hintChannel, packHints(batch)).Err()
	switch {
	case err == nil && p.disconnected:
		p.disconnected = false
		p.log.InfoContext(ctx, "publishing hints again")
	case err != nil:
		p.dropped.Add(int64(len(batch)))
		if !p.disconnected && ctx.Err() == nil {
			p.disconnected = true
			p.log.WarnContext(ctx, "publishing hints failed; live pages rely on polling", "error",
				err)
		}
	}
	return batch
}
