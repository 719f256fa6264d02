package live

import (
	"context"
	"crypto/rand"
	"fmt"
	"sync"
)

// Epoch notices that Redis was emptied: a random value lies in it, and a missing or different value means that every
// queue was lost too. The sweeper asks before each round and enqueues every pending row when it changed.
type Epoch struct {
	redis *Redis
	mu    sync.Mutex
	known string
}

// NewEpoch makes the watcher of one process.
func NewEpoch(r *Redis) *Epoch { return &Epoch{redis: r} }

// Epoch returns the present value, and whether it differs from the one this process saw last. The first look of a
// process counts as a change, because it cannot know what was lost before. An error means that Redis is away.
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
