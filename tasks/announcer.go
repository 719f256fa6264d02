package tasks

import (
	"context"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// announceTimeout limits one announcement. A lost announcement delays a task by emptyCheck at most.
const announceTimeout = time.Second

// announcer notifies workers that a queue has a new task. Announcements made while one is being
// sent form the next batch, with each queue named once.
type announcer struct {
	client redis.UniversalClient
	signal chan struct{}

	mu     sync.Mutex
	queues map[string]bool // to be announced
}

func newAnnouncer(client redis.UniversalClient) *announcer {
	return &announcer{client: client, signal: make(chan struct{}, 1), queues: map[string]bool{}}
}

// announce schedules an announcement of the queue. It is called after the task was enqueued.
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
	_, _ = pipeline.Exec(ctx) // the next check of the queue compensates for a lost announcement
}
