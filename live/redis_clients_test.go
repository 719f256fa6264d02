package live

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"countersign/domain"
)

// manualClock is a clock that a test sets.
type manualClock struct{ nanos atomic.Int64 }

func (c *manualClock) Now() time.Time          { return time.Unix(0, c.nanos.Load()) }
func (c *manualClock) advance(d time.Duration) { c.nanos.Add(int64(d)) }

func TestConnectRefusesWhatIsNoAddress(t *testing.T) {
	t.Parallel()
	if _, err := Connect("localhost"); !domain.HasCode(err, domain.InvalidInput) {
		t.Errorf("got %v", err)
	}
}

func TestEpoch(t *testing.T) {
	t.Parallel()
	server := startRedis(t)
	r := server.connect()
	epoch, ctx := NewEpoch(r), context.Background()
	ask := func() (string, bool) {
		t.Helper()
		value, changed, err := epoch.Epoch(ctx)
		if err != nil || value == "" {
			t.Fatalf("%q %v", value, err)
		}
		return value, changed
	}
	first, changed := ask()
	if !changed {
		t.Error("the first call of a process must report a change")
	}
	if again, changed := ask(); changed || again != first {
		t.Errorf("%q then %q, changed %v", first, again, changed)
	}
	if value, _, _ := NewEpoch(r).Epoch(ctx); value != first {
		t.Error("two processes read different epochs")
	}
	if err := r.client.FlushAll(ctx).Err(); err != nil {
		t.Fatal(err)
	}
	second, changed := ask()
	if !changed || second == first {
		t.Error("an emptied Redis was not detected")
	}
	server.stop()
	if _, changed, err := epoch.Epoch(ctx); err == nil || changed {
		t.Error("an unreachable Redis must be an error and no change")
	}
	server.start()
	if _, changed := ask(); !changed {
		t.Error("a restarted, empty Redis was not detected")
	}
}

func TestRateLimiterSharedAndLocal(t *testing.T) {
	t.Parallel()
	server, clock := startRedis(t), &manualClock{}
	clock.advance(1000 * time.Hour)
	a, b := NewRateLimiter(server.connect(), clock), NewRateLimiter(server.connect(), clock)
	ctx := context.Background()
	for i := range 3 {
		if got := a.Allow(ctx, "upload:x", 4, time.Minute); !got.Allowed ||
			got.Remaining != int64(3-i) {
			t.Fatalf("request %d: %+v", i, got)
		}
	}
	if !b.Allow(ctx, "upload:x", 4, time.Minute).Allowed ||
		!b.Allow(ctx, "upload:y", 4, time.Minute).Allowed {
		t.Error("the fourth request, or another key, is refused")
	}
	clock.advance(20 * time.Second)
	refused := a.Allow(ctx, "upload:x", 4, time.Minute)
	if refused.Allowed || refused.RetryAfter != 40*time.Second {
		t.Errorf("the fifth request over two processes: %+v", refused)
	}
	clock.advance(time.Minute)
	if !b.Allow(ctx, "upload:x", 4, time.Minute).Allowed {
		t.Error("a new window is refused")
	}
	server.stop()
	for i := range 5 {
		if got := a.Allow(ctx, "upload:x", 4, time.Minute); got.Allowed != (i < 4) {
			t.Errorf("alone, request %d: %+v", i, got)
		}
	}
	server.start()
	clock.advance(2 * redisRetryDelay)
	if got := a.Allow(ctx, "upload:x", 4, time.Minute); !got.Allowed {
		t.Errorf("Redis is reachable but not used: %+v", got)
	}
}

func TestLocalCountersAreBounded(t *testing.T) {
	t.Parallel()
	rates := NewRateLimiter(nil, &manualClock{})
	for i := range maxLocalKeys + 10 {
		rates.Allow(context.Background(), fmt.Sprint(i), 1, time.Minute)
	}
	if len(rates.local) > maxLocalKeys || len(rates.window) > maxLocalKeys {
		t.Errorf("%d counters kept", len(rates.local))
	}
}

func TestPublishNeverWaits(t *testing.T) {
	t.Parallel()
	r, err := Connect("redis://127.0.0.1:1/0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	publisher := NewPublisher(r, nil, nil) // its Run never runs
	for range maxQueuedHints + 5 {
		publisher.Publish(context.Background(), []domain.Hint{{Stream: domain.NewID(), Seq: 1}})
	}
	if publisher.Dropped() != 5 {
		t.Errorf("%d dropped", publisher.Dropped())
	}
}

func TestHintsReadBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		streams := []domain.ID{domain.NewID(), domain.NewID(), domain.NewID()}
		newest := map[domain.ID]int64{}
		hints := rapid.SliceOf(rapid.Custom(func(rt *rapid.T) domain.Hint {
			return domain.Hint{Stream: rapid.SampledFrom(streams).Draw(rt, "stream"),
				Seq: rapid.Int64Min(0).Draw(rt, "seq")}
		})).Draw(rt, "hints")
		for _, hint := range hints {
			newest[hint.Stream] = max(newest[hint.Stream], hint.Seq)
		}
		got := unpackHints(packHints(hints))
		if len(got) != len(newest) {
			rt.Fatalf("%d streams became %d", len(newest), len(got))
		}
		for _, hint := range got {
			if newest[hint.Stream] != hint.Seq {
				rt.Fatalf("%v", hint)
			}
		}
	})
}

func FuzzUnpackHints(f *testing.F) {
	f.Add([]byte(nil))
	f.Add([]byte("not a hint"))
	f.Add(packHints([]domain.Hint{{Stream: domain.QueuesTopic, Seq: 1 << 40}}))
	f.Fuzz(func(t *testing.T, message []byte) {
		for _, hint := range unpackHints(message) {
			if hint.Seq < 0 {
				t.Fatalf("%v", hint)
			}
		}
	})
}
