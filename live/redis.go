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

// Redis keys and channels.
const (
	hintChannel = "countersign:hints"
	epochKey    = "countersign:epoch"
	ratePrefix  = "countersign:rate:"
)

// Redis is the connection shared by everything in this package. Redis may be down at any time.
type Redis struct {
	client *redis.Client
}

// discardLogger silences the library's logger, because outages are logged once where they are
// noticed.
type discardLogger struct{}

// Printf discards the line.
func (discardLogger) Printf(context.Context, string, ...any) {}

var disableRedisLogging = sync.OnceFunc(func() { redis.SetLogger(discardLogger{}) })

// Connect prepares a connection to the address (redis://…, rediss://…, unix://…). It does not dial,
// so that a program can start without Redis. The error has code InvalidInput.
func Connect(address string) (*Redis, error) {
	options, err := redis.ParseURL(address)
	if err != nil {
		return nil, domain.Invalid("REDIS_URL", "REDIS_URL is not a valid Redis address.").
			WithCause(err)
	}
	disableRedisLogging()
	// Timeouts are short and there are no retries, because callers can do without Redis.
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

// Ping returns an error if Redis does not answer.
func (r *Redis) Ping(ctx context.Context) error {
	if err := r.client.Ping(ctx).Err(); err != nil {
		return fmt.Errorf("ping redis: %w", err)
	}
	return nil
}

// Close closes the connection.
func (r *Redis) Close() error { return r.client.Close() }
