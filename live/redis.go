package live

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"countersign/domain"
)

// Names of what we keep in Redis.
const (
	hintChannel = "countersign:hints"
	epochKey    = "countersign:epoch"
	ratePrefix  = "countersign:rate:"
)

// Redis is the connection that everything in this package shares. It may be down at any time.
type Redis struct {
	client *redis.Client
}

// discardLogger keeps the library from writing lines of its own: outages are logged once, where they are noticed.
type discardLogger struct{}

// Printf drops the line.
func (discardLogger) Printf(context.Context, string, ...any) {}

var disableRedisLogging = sync.OnceFunc(func() { redis.SetLogger(discardLogger{}) })

// Connect prepares a connection to the address (redis://…, rediss://…, unix://…). It does not dial: a Redis that is
// away does not keep a program from starting. The error has code InvalidInput.
func Connect(address string) (*Redis, error) {
	options, err := redis.ParseURL(address)
	if err != nil {
		return nil, domain.Invalid("REDIS_URL", "REDIS_URL is not a Redis address").WithCause(err)
	}
	disableRedisLogging()
	// Short waits and no second try: whoever asks can do without the answer.
	options.DialTimeout = 500 * time.Millisecond
	options.ReadTimeout = 500 * time.Millisecond
	options.WriteTimeout = 500 * time.Millisecond
	options.MaxRetries = -1
	options.DialerRetries = 1
	options.ContextTimeoutEnabled = true
	options.DisableIdentity = true
	options.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	return &Redis{client: redis.NewClient(options)}, nil
}

// Ping reports whether Redis answers.
func (r *Redis) Ping(ctx context.Context) error {
	if err := r.client.Ping(ctx).Err(); err != nil {
		return fmt.Errorf("ping redis: %w", err)
	}
	return nil
}

// Close ends the connection.
func (r *Redis) Close() error { return r.client.Close() }
