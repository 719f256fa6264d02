package live

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	quietBeforePing = 2 * time.Second // a connection silent for so long is asked whether it lives
	shortestRetry   = 50 * time.Millisecond
	longestRetry    = time.Second
)

// Listener hears the hints of other processes and tells the hub; after every (re)connection it asks for a pulse, since
// what was said meanwhile is lost.
type Listener struct {
	redis *Redis
	hub   *Hub
	log   *slog.Logger
}

// NewListener makes the listener of one process.
func NewListener(r *Redis, hub *Hub, log *slog.Logger) *Listener {
	return &Listener{redis: r, hub: hub, log: log}
}

// Run listens until the context ends, through any number of losses of Redis.
func (l *Listener) Run(ctx context.Context) {
	pubsub := l.redis.client.Subscribe(ctx, hintChannel)
	defer func() { _ = pubsub.Close() }()
	stop := context.AfterFunc(ctx, func() { _ = pubsub.Close() }) // a receive does not heed its context
	defer stop()
	retry, away := shortestRetry, false
	for ctx.Err() == nil {
		message, err := pubsub.ReceiveTimeout(ctx, quietBeforePing)
		if silent(err) {
			err = pubsub.Ping(ctx)
			message = nil
		}
		if err != nil {
			if ctx.Err() != nil {
				return
			}
			if !away {
				away = true
				l.log.WarnContext(ctx, "redis does not bring hints; live pages follow by the pulse", "error", err)
			}
			if !pause(ctx, retry) {
				return
			}
			retry = min(2*retry, longestRetry)
			continue
		}
		switch message := message.(type) {
		case *redis.Subscription:
			if away {
				away = false
				l.log.InfoContext(ctx, "redis brings hints again")
			}
			retry = shortestRetry
			l.hub.reconnected()
		case *redis.Message:
			l.hub.take(unpackHints([]byte(message.Payload)))
		}
	}
}

func silent(err error) bool {
	var timeout net.Error
	return errors.As(err, &timeout) && timeout.Timeout()
}

// pause waits, and reports false when the context ended first.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
