package tasks

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

// announceChannel is the channel on which the name of a queue is published whenever a task was
// enqueued there.
const announceChannel = "countersign:enqueued"

const (
	// emptyCheck is the interval at which an empty queue is checked without an announcement. It
	// covers tasks that Asynq itself moved into the queue (retries), lost announcements, and
	// programs that make none.
	emptyCheck = time.Second
	// emptyCheckUnsubscribed is the interval while no announcements can be received, because every
	// stage waits for it then.
	emptyCheckUnsubscribed = 20 * time.Millisecond
	// failedCheck is the pause after a failed check. Asynq itself makes none and would occupy a
	// core.
	failedCheck = 500 * time.Millisecond
)

// queueWaiter lets Asynq wait for a task instead of polling for it. Asynq checks an empty queue at
// a fixed interval, and an interval short enough for the latency of a stage costs a tenth of a core
// while idle (ADR 0030). queueWaiter is a hook of the Redis client that Asynq uses: it delays the
// check of an empty queue until a task is announced. Asynq still decides which worker receives
// which task.
type queueWaiter struct {
	queues     map[string]*queueWait
	subscribed atomic.Bool
	stopped    chan struct{}
}

// queueWait is the state of one queue.
type queueWait struct {
	announced chan struct{} // capacity 1, so that an announcement between two checks is not lost
	empty     atomic.Bool   // by the last check
	failing   atomic.Bool   // the last check failed
}

func newQueueWaiter(queues []string) *queueWaiter {
	a := &queueWaiter{queues: make(map[string]*queueWait, len(queues)),
		stopped: make(chan struct{})}
	for _, queue := range queues {
		a.queues[queue] = &queueWait{announced: make(chan struct{}, 1)}
	}
	return a
}

// stop ends all waits. It must be called only once.
func (a *queueWaiter) stop() { close(a.stopped) }

// announce records that the queue may have a task; the name "" means every queue.
func (a *queueWaiter) announce(queue string) {
	for name, arrival := range a.queues {
		if queue == "" || queue == name {
			select {
			case arrival.announced <- struct{}{}:
			default: // already announced
			}
		}
	}
}

// listen receives announcements until the context ends. Each new connection announces every queue,
// because announcements sent before it are lost.
func (a *queueWaiter) listen(ctx context.Context, client redis.UniversalClient) {
	subscription := client.Subscribe(ctx, announceChannel)
	defer func() { _ = subscription.Close() }()
	messages := subscription.ChannelWithSubscriptions()
	for {
		select {
		case <-ctx.Done():
			return
		case message, open := <-messages:
			if !open {
				return
			}
			switch message := message.(type) {
			case *redis.Subscription:
				a.subscribed.Store(true)
				a.announce("")
			case *redis.Message:
				a.announce(message.Payload)
			}
		}
	}
}

// reachable reports whether the last check of every queue succeeded.
func (a *queueWaiter) reachable() bool {
	for _, arrival := range a.queues {
		if arrival.failing.Load() {
			return false
		}
	}
	return true
}

// ProcessHook delays the check of an empty queue. The delay is far below the 30 s of Asynq's task
// lease, because Asynq computes the end of that lease before it sends the command.
func (a *queueWaiter) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, command redis.Cmder) error {
		queue := a.queues[checkedQueue(command)]
		if queue == nil {
			return next(ctx, command)
		}
		if queue.empty.Load() {
			a.wait(queue)
		}
		err := next(ctx, command)
		queue.empty.Store(errors.Is(err, redis.Nil))
		failed := err != nil && !errors.Is(err, redis.Nil) && !redis.HasErrorPrefix(err, "NOSCRIPT")
		queue.failing.Store(failed)
		if failed {
			a.pause(failedCheck)
		}
		return err
	}
}

// wait returns when the queue may have a task, or when the next check is due without an
// announcement.
func (a *queueWaiter) wait(queue *queueWait) {
	most := emptyCheck
	if !a.subscribed.Load() {
		most = emptyCheckUnsubscribed
	}
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-queue.announced:
	case <-timer.C:
	case <-a.stopped:
	}
}

func (a *queueWaiter) pause(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-a.stopped:
	}
}

// checkedQueue returns the queue from which the command takes a task, or "" for other commands. It
// recognizes Asynq's dequeue script by its second key, the queue's pause key, which no other script
// of Asynq uses.
func checkedQueue(command redis.Cmder) string {
	if name := command.Name(); name != "evalsha" && name != "eval" {
		return ""
	}
	args := command.Args()
	if len(args) < 5 {
		return ""
	}
	key, _ := args[4].(string)
	queue, found := strings.CutPrefix(key, "asynq:{")
	if !found {
		return ""
	}
	queue, found = strings.CutSuffix(queue, "}:paused")
	if !found {
		return ""
	}
	return queue
}

// DialHook returns next unchanged.
func (a *queueWaiter) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		return next(ctx, network, address)
	}
}

// ProcessPipelineHook returns next unchanged.
func (a *queueWaiter) ProcessPipelineHook(
	next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, commands []redis.Cmder) error { return next(ctx, commands) }
}
