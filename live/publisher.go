package live

import (
	"context"
	"log/slog"
	"sync/atomic"

	"countersign/domain"
)

// waitingHints is how many hints may wait for Redis before further ones are dropped; the pulse heals what is dropped.
const waitingHints = 8192

// Publisher tells every server that streams have grown. Publish never waits for Redis.
type Publisher struct {
	redis   *Redis
	hub     *Hub // of this process, else nil
	log     *slog.Logger
	waiting chan domain.Hint
	dropped atomic.Int64
	away    bool
}

// NewPublisher makes a publisher; hub is the hub of the same process, which is told directly, or nil.
func NewPublisher(r *Redis, hub *Hub, log *slog.Logger) *Publisher {
	return &Publisher{redis: r, hub: hub, log: log, waiting: make(chan domain.Hint, waitingHints)}
}

// Publish hands the hints on: to this process's hub at once, to Redis soon. It is called after commit.
func (p *Publisher) Publish(_ context.Context, hints []domain.Hint) {
	if p.hub != nil {
		p.hub.take(hints)
	}
	for _, hint := range hints {
		select {
		case p.waiting <- hint:
		default:
			p.dropped.Add(1)
		}
	}
}

// Dropped counts hints that never went out: Redis was away or too slow.
func (p *Publisher) Dropped() int64 { return p.dropped.Load() }

// Run sends what waits, many hints in one message, until the context ends.
func (p *Publisher) Run(ctx context.Context) {
	batch := make([]domain.Hint, 0, batchHints)
	for {
		select {
		case <-ctx.Done():
			return
		case hint := <-p.waiting:
			batch = p.send(ctx, p.gather(append(batch[:0], hint)))
		}
	}
}

// gather adds what waits already, without waiting for more.
func (p *Publisher) gather(batch []domain.Hint) []domain.Hint {
	for len(batch) < batchHints {
		select {
		case hint := <-p.waiting:
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
	case err == nil && p.away:
		p.away = false
		p.log.InfoContext(ctx, "redis takes hints again")
	case err != nil:
		p.dropped.Add(int64(len(batch)))
		if !p.away && ctx.Err() == nil {
			p.away = true
			p.log.WarnContext(ctx, "redis does not take hints; live pages follow by the pulse", "error", err)
		}
	}
	return batch
}
