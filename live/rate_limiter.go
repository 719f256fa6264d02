package live

import (
	"context"
	"strconv"
	"sync"
	"time"

	"countersign/domain"
)

// redisRetryDelay is how long counting goes on alone after Redis failed, so that no request waits for it in vain.
const redisRetryDelay = time.Second

// maxLocalKeys bounds the counters kept in one process while Redis is away.
const maxLocalKeys = 100_000

// RateLimiter counts in fixed windows, over all servers while Redis answers, for this process alone while it does not.
type RateLimiter struct {
	redis *Redis
	clock domain.Clock

	mu           sync.Mutex
	retryRedisAt time.Time // Redis is not asked before
	window       map[string]int64
	local        map[string]int64
}

// Allowance is the answer for one request.
type Allowance struct {
	Allowed    bool
	Remaining  int64
	RetryAfter time.Duration // until the window ends; set when not allowed
}

// NewRateLimiter makes the counters of one process. A nil Redis counts in the process only.
func NewRateLimiter(r *Redis, clock domain.Clock) *RateLimiter {
	return &RateLimiter{redis: r, clock: clock, window: map[string]int64{}, local: map[string]int64{}}
}

// Allow counts one request of the key and says whether it is within limit requests a window.
func (r *RateLimiter) Allow(ctx context.Context, key string, limit int64, window time.Duration) Allowance {
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

func (r *RateLimiter) countShared(ctx context.Context, key string, index int64, window time.Duration, now time.Time) (int64, bool) {
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
		if ctx.Err() == nil { // a caller that left says nothing about Redis
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
