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
	pingAfterSilence = 2 * time.Second // ping a connection that has been silent for this long
	minRetryDelay    = 50 * time.Millisecond
	maxRetryDelay    = time.Second
)

// Listener receives the hints of other processes and passes them to the hub. It requests a poll
// after every (re)connection, because hints sent before it are lost.
type Listener struct {
	redis *Redis
	hub   *Hub
	log   *slog.Logger
}

// NewListener returns the listener of one process.
func NewListener(r *Redis, hub *Hub, log *slog.Logger) *Listener {
	return &Listener{redis: r, hub: hub, log: log}
}

// Run listens until the context ends and reconnects whenever Redis is lost.
func (l *Listener) Run(ctx context.Context) {
	pubsub := l.redis.client.Subscribe(ctx, hintChannel)
	defer func() { _ = pubsub.Close() }()
	stop := context.AfterFunc(ctx, func() { _ = pubsub.Close() }) // a receive ignores its context
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
				l.log.WarnContext(ctx, "receiving hints failed; live pages rely on polling",
					"error", err)
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
				l.log.InfoContext(ctx, "receiving hints again")
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

// sleep waits for the duration and returns false if the context ended first.
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
