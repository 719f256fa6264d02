package live

import (
	"context"
	"strconv"
	"sync"
	"time"

	"countersign/domain"
)

// redisRetryDelay is how long only local counters are used after Redis failed, so that not every
// request waits for Redis.
const redisRetryDelay = time.Second

// maxLocalKeys limits the counters kept in one process while Redis is unreachable.
const maxLocalKeys = 100_000

// RateLimiter counts requests in fixed windows: over all servers while Redis answers, otherwise in
// this process only.
type RateLimiter struct {
	redis *Redis
	clock domain.Clock

	mu           sync.Mutex
	retryRedisAt time.Time // Redis is not used before
	window       map[string]int64
	local        map[string]int64
}

// Allowance is the result for one request.
type Allowance struct {
	Allowed    bool
	Remaining  int64
	RetryAfter time.Duration // until the window ends; set if not allowed
}

// NewRateLimiter returns the counters of one process. With a nil Redis it counts in the process
// only.
func NewRateLimiter(r *Redis, clock domain.Clock) *RateLimiter {
	return &RateLimiter{redis: r, clock: clock, window: map[string]int64{},
		local: map[string]int64{}}
}

// Allow counts one request of the key and reports whether it is within the limit of the window.
func (r *RateLimiter) Allow(ctx context.Context, key string, limit int64,
	window time.Duration) Allowance {
	now := r.clock.Now()
	index := now.UnixNano() / int64(window)
	count, ok := r.countShared(ctx, key, index, window, now)
	if !ok {
		count = r.countLocal(key, index)
	}
	answer := Allowance{Allowed: count <= limit, Remaining: max(0, limit-count)}
	if !answer.Allowed {
		answer.RetryAfter = time.Unix(0, (index+1)*int64(window)).Sub(now)
	}
	return answer
}

func (r *RateLimiter) countShared(ctx context.Context, key string, index int64,
	window time.Duration, now time.Time) (int64, bool) {
	if r.redis == nil {
		return 0, false
	}
	r.mu.Lock()
	paused := now.Before(r.retryRedisAt)
	r.mu.Unlock()
	if paused {
		return 0, false
	}
	name := ratePrefix + key + ":" + strconv.FormatInt(index, 36)
	pipe := r.redis.client.Pipeline()
	count := pipe.Incr(ctx, name)
	pipe.PExpire(ctx, name, 2*window)
	if _, err := pipe.Exec(ctx); err != nil {
		if ctx.Err() == nil { // a cancelled caller is no evidence of a Redis failure
			r.mu.Lock()
			r.retryRedisAt = now.Add(redisRetryDelay)
			r.mu.Unlock()
		}
		return 0, false
	}
	return count.Val(), true
}

func (r *RateLimiter) countLocal(key string, index int64) int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if last, known := r.window[key]; !known || last != index {
		if len(r.local) >= maxLocalKeys {
			clear(r.local)
			clear(r.window)
		}
		r.window[key], r.local[key] = index, 0
	}
	r.local[key]++
	return r.local[key]
}
