package live

import (
	"context"
	"log/slog"
	"sync/atomic"

	"countersign/domain"
)

// maxQueuedHints is how many hints may wait for Redis before further ones are dropped; the poll recovers what is dropped.
const maxQueuedHints = 8192

// Publisher tells every server that streams have grown. Publish never waits for Redis.
type Publisher struct {
	redis        *Redis
	hub          *Hub // of this process, else nil
	log          *slog.Logger
	queue        chan domain.Hint
	dropped      atomic.Int64
	disconnected bool
}

// NewPublisher makes a publisher; hub is the hub of the same process, which is told directly, or nil.
func NewPublisher(r *Redis, hub *Hub, log *slog.Logger) *Publisher {
	return &Publisher{redis: r, hub: hub, log: log, queue: make(chan domain.Hint, maxQueuedHints)}
}

// Publish hands the hints on: to this process's hub at once, to Redis soon. It is called after commit.
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

// RightsChanged tells every server that somebody may have lost a right, so that subscriptions end at once.
func (p *Publisher) RightsChanged(ctx context.Context) {
	p.Publish(ctx, []domain.Hint{{Stream: domain.RightsTopic}})
}

// Dropped counts hints that never went out: Redis was away or too slow.
func (p *Publisher) Dropped() int64 { return p.dropped.Load() }

// Run sends what waits, many hints in one message, until the context ends.
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

// drain adds what waits already, without waiting for more.
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
		p.log.InfoContext(ctx, "redis takes hints again")
	case err != nil:
		p.dropped.Add(int64(len(batch)))
		if !p.disconnected && ctx.Err() == nil {
			p.disconnected = true
			p.log.WarnContext(ctx, "redis does not take hints; live pages follow by the pulse", "error", err)
		}
	}
	return batch
}
