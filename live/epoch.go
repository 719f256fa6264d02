package live

import (
	"context"
	"crypto/rand"
	"fmt"
	"sync"
)

// Epoch detects that Redis lost its data. It stores a random value there; a missing or different
// value means that the queues were lost too. The sweeper checks before each round and enqueues
// every pending run if the value changed.
type Epoch struct {
	redis *Redis
	mu    sync.Mutex
	known string
}

// NewEpoch returns the epoch watcher of one process.
func NewEpoch(r *Redis) *Epoch { return &Epoch{redis: r} }

// Epoch returns the present value and whether it differs from the one this process read last. The
// first call of a process reports a change, because the process cannot know what was lost before.
// An error means that Redis is unreachable.
func (e *Epoch) Epoch(ctx context.Context) (value string, changed bool, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	pipe := e.redis.client.TxPipeline()
	pipe.SetNX(ctx, epochKey, rand.Text(), 0)
	present := pipe.Get(ctx, epochKey)
	if _, err := pipe.Exec(ctx); err != nil {
		return "", false, fmt.Errorf("read the epoch: %w", err)
	}
	value = present.Val()
	changed = value != e.known
	e.known = value
	return value, changed, nil
}
