package live

import (
	"context"
	"time"

	"countersign/domain"
)

// Tick says that a watched list may have changed and should be read again; the last one may carry why the watch ends.
type Tick struct {
	Err error
}

// listWatch is one reader of one list.
type listWatch struct {
	ender
	hub   *Hub
	topic domain.ID
	actor domain.Actor
	wake  chan struct{}
}

// WatchList ticks at once, after every hint of the topic, when rights change and when Redis comes back, and besides
// every RefreshList; several causes make one tick, and two ticks are at least ListPause apart. It ends with the context
// or, with an Err, with the actor's session. What the actor may see of the list is asked when it is read.
func (h *Hub) WatchList(ctx context.Context, actor domain.Actor, topic domain.ID) <-chan Tick {
	w := &listWatch{
		ender: ender{ended: make(chan struct{})}, hub: h, topic: topic, actor: actor, wake: make(chan struct{}, 1),
	}
	h.mu.Lock()
	if h.lists[topic] == nil {
		h.lists[topic] = map[*listWatch]struct{}{}
	}
	h.lists[topic][w] = struct{}{}
	h.mu.Unlock()
	ticks := make(chan Tick)
	go w.run(ctx, ticks)
	return ticks
}

func (w *listWatch) run(ctx context.Context, ticks chan<- Tick) {
	defer close(ticks)
	defer w.leave()
	refresh := time.NewTicker(w.hub.options.RefreshList)
	defer refresh.Stop()
	for {
		select {
		case ticks <- Tick{}:
		case <-w.ended:
			select {
			case ticks <- Tick{Err: w.reason}:
			case <-ctx.Done():
			}
			return
		case <-ctx.Done():
			return
		}
		if !pause(ctx, w.hub.options.ListPause) {
			return
		}
		select {
		case <-w.wake:
		case <-refresh.C:
		case <-w.ended:
		case <-ctx.Done():
			return
		}
	}
}

func (w *listWatch) nudge() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

func (w *listWatch) leave() {
	w.hub.mu.Lock()
	defer w.hub.mu.Unlock()
	delete(w.hub.lists[w.topic], w)
	if len(w.hub.lists[w.topic]) == 0 {
		delete(w.hub.lists, w.topic)
	}
}
