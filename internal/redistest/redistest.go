// Package redistest gives a test a real Redis of its own: one small process, up in 20 ms, so that
// no test sees another's keys or published messages, and any of them may empty, stop, kill or
// restart it.
//
// What may enter: starting redis-server for tests. What never happens here: a fake of Redis, use of
// REDIS_URL.
package redistest

import (
	"testing"

	"github.com/redis/go-redis/v9"

	"countersign/internal/devservices"
)

// New starts a server that is closed after the test.
func New(tb testing.TB) *devservices.Redis {
	tb.Helper()
	server, err := devservices.StartRedis(tb.Context(),
		devservices.RedisOptions{Kind: devservices.RedisServer})
	if err != nil {
		tb.Fatalf("redistest: %v", err)
	}
	tb.Cleanup(func() {
		if err := server.Close(); err != nil {
			tb.Errorf("redistest: %v", err)
		}
	})
	return server
}

// Client connects to the server and is closed after the test.
func Client(tb testing.TB, server *devservices.Redis) *redis.Client {
	tb.Helper()
	options, err := redis.ParseURL(server.URL())
	if err != nil {
		tb.Fatalf("redistest: %v", err)
	}
	client := redis.NewClient(options)
	tb.Cleanup(func() { _ = client.Close() }) // closing twice is an error that says nothing
	return client
}
