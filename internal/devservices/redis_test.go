package devservices

import (
	"context"
	"net"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

func startRedis(t *testing.T, options RedisOptions) *Redis {
	t.Helper()
	r, err := StartRedis(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

func client(t *testing.T, r *Redis) *redis.Client {
	t.Helper()
	options, err := redis.ParseURL(r.URL())
	if err != nil {
		t.Fatal(err)
	}
	c := redis.NewClient(options)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func TestRedisLife(t *testing.T) {
	t.Parallel()
	for _, kind := range []RedisKind{RedisServer, RedisMiniredis} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			r := startRedis(t, RedisOptions{Kind: kind})
			addr := r.Addr()
			for _, down := range []func() error{r.Stop, r.Kill} {
				if err := client(t, r).Set(ctx, "k", "v", 0).Err(); err != nil {
					t.Fatal(err)
				}
				if err := down(); err != nil {
					t.Fatal(err)
				}
				if !refuses(addr) {
					t.Error("it still listens")
				}
				if err := r.Start(ctx); err != nil {
					t.Fatal(err)
				}
				if r.Addr() != addr {
					t.Errorf("the address moved from %s to %s", addr, r.Addr())
				}
				if n, err := client(t, r).DBSize(ctx).Result(); err != nil || n != 0 {
					t.Errorf("after going down it holds %d keys: %v", n, err)
				}
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			if !refuses(addr) || r.dir != "" && !gone(r.dir) {
				t.Error("something is left of a closed Redis")
			}
			wantSentence(t, r.Start(ctx), "closed already")
		})
	}
}

func TestRedisAsksForItsPassword(t *testing.T) {
	t.Parallel()
	for _, kind := range []RedisKind{RedisServer, RedisMiniredis} {
		r := startRedis(t, RedisOptions{Kind: kind})
		stranger := redis.NewClient(&redis.Options{Addr: r.Addr(), MaxRetries: -1})
		if err := stranger.Ping(t.Context()).Err(); err == nil {
			t.Errorf("%s lets anyone in", kind)
		}
		_ = stranger.Close()
	}
}

func TestRedisOnATakenPort(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	port := listener.Addr().(*net.TCPAddr).Port
	for _, kind := range []RedisKind{RedisServer, RedisMiniredis} {
		dir := publicDir(t)
		_, err = StartRedis(t.Context(), RedisOptions{Kind: kind, Port: port, Dir: dir})
		wantSentence(t, err, "Port "+strconv.Itoa(port)+" on 127.0.0.1 is in use")
		if left, _ := filepath.Glob(filepath.Join(dir, "redis-run-*")); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	}
}

func TestRedisGivenByURL(t *testing.T) {
	t.Parallel()
	r := startRedis(t, RedisOptions{Kind: RedisMiniredis})
	given := startRedis(t, RedisOptions{URL: r.URL()})
	if given.Kind() != RedisExternal || given.Addr() != r.Addr() || given.URL() != r.URL() {
		t.Errorf("%s %s %s", given.Kind(), given.Addr(), given.URL())
	}
	wantSentence(t, given.Stop(), "not ours to start or stop")
	if err := given.Close(); err != nil || refuses(r.Addr()) {
		t.Errorf("closing a given server touched it: %v", err)
	}
	_, err := StartRedis(t.Context(), RedisOptions{URL: "redis://127.0.0.1:1/0"})
	wantSentence(t, err, "does not answer")
}

// The clock inside this process moves by itself, so that locks of a task queue expire.
func TestMiniredisForgets(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	c := client(t, startRedis(t, RedisOptions{Kind: RedisMiniredis}))
	if err := c.Set(ctx, "k", "v", 1500*time.Millisecond).Err(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the key is forgotten", func() bool { return c.Exists(ctx, "k").Val() == 0 })
}
