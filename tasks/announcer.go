package tasks

import (
	"context"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// announceTimeout bounds one announcement. A lost one delays a task by emptyCheck at most.
const announceTimeout = time.Second

// announcer tells workers that a queue has a new task. Announcements that are made while one is being sent are sent
// together, once a queue.
type announcer struct {
	client redis.UniversalClient
	signal chan struct{}

	mu     sync.Mutex
	queues map[string]bool // to be announced
}

func newAnnouncer(client redis.UniversalClient) *announcer {
	return &announcer{client: client, signal: make(chan struct{}, 1), queues: map[string]bool{}}
}

// announce is called after the task was enqueued.
func (a *announcer) announce(queue string) {
	a.mu.Lock()
	a.queues[queue] = true
	a.mu.Unlock()
	select {
	case a.signal <- struct{}{}:
	default:
	}
}

// run sends announcements until the context ends.
func (a *announcer) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-a.signal:
			a.send(ctx)
		}
	}
}

func (a *announcer) send(ctx context.Context) {
	a.mu.Lock()
	queues := make([]string, 0, len(a.queues))
	for queue := range a.queues {
		queues = append(queues, queue)
	}
	clear(a.queues)
	a.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, announceTimeout)
	defer cancel()
	pipeline := a.client.Pipeline()
	for _, queue := range queues {
		pipeline.Publish(ctx, announceChannel, queue)
	}
	_, _ = pipeline.Exec(ctx) // a lost announcement is made good by the next check
}
