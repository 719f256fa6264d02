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
	pingAfterSilence = 2 * time.Second // a connection silent for so long is asked whether it lives
	minRetryDelay    = 50 * time.Millisecond
	maxRetryDelay    = time.Second
)

// Listener hears the hints of other processes and tells the hub; after every (re)connection it requests a poll, since
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
	retry, away := minRetryDelay, false
	for ctx.Err() == nil {
		message, err := pubsub.ReceiveTimeout(ctx, pingAfterSilence)
		if isTimeout(err) {
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
			if !sleep(ctx, retry) {
				return
			}
			retry = min(2*retry, maxRetryDelay)
			continue
		}
		switch message := message.(type) {
		case *redis.Subscription:
			if away {
				away = false
				l.log.InfoContext(ctx, "redis brings hints again")
			}
			retry = minRetryDelay
			l.hub.onReconnect()
		case *redis.Message:
			l.hub.onHints(unpackHints([]byte(message.Payload)))
		}
	}
}

func isTimeout(err error) bool {
	var timeout net.Error
	return errors.As(err, &timeout) && timeout.Timeout()
}

// sleep waits, and reports false when the context ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
