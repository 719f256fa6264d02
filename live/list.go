package live

import (
	"context"
	"sync"
	"time"

	"countersign/domain"
)

// Tick says that a watched list may have changed and should be read again; the last one may carry why the watch ends.
type Tick struct {
	Err error
}

// List is one reader's watch of a list.
type List struct {
	Ticks <-chan Tick
	watch *listWatcher
}

// listWatcher is one reader of one list.
type listWatcher struct {
	admission
	hub     *Hub
	topic   domain.ID
	signals chan struct{}

	mu    sync.Mutex
	until *time.Timer // nudges when a delegation by which the list was read ends
	left  bool
}

// WatchList ticks immediately, after every hint of the topic, when rights change and when Redis comes back, and besides
// every RefreshList; several causes make one tick, and two ticks are at least ListPause apart. It ends with the context
// or, with an Err, with the actor's credential. What the actor may see of the list is asked when it is read, and
// confirmed before it is sent. Refused: a credential that no longer holds.
func (h *Hub) WatchList(ctx context.Context, actor domain.Actor, topic domain.ID) (*List, error) {
	w := &listWatcher{
		admission: admission{actor: actor, ended: make(chan struct{})}, hub: h, topic: topic, signals: make(chan struct{}, 1),
	}
	h.mu.Lock()
	if h.lists[topic] == nil {
		h.lists[topic] = map[*listWatcher]struct{}{}
	}
	h.lists[topic][w] = struct{}{}
	h.mu.Unlock()
	if err := h.credential(ctx, &w.admission); err != nil {
		w.remove()
		return nil, err
	}
	ticks := make(chan Tick)
	go w.run(ctx, ticks)
	return &List{ticks, w}, nil
}

// Rights is the version of the rights to be known before the list is read.
func (l *List) Rights() int64 { return l.watch.hub.authority.Load() }

// Confirm makes sure, after the list and all that is shown of it were read and before that is sent, that the reader may
// have it: the credential holds, and no right has changed since the version rights, which was known before reading, and no
// delegation by which it was read has ended. Otherwise the list has to be read again, or with an error is not sent at all.
// It is called by one goroutine at a time.
func (l *List) Confirm(ctx context.Context, rights int64, until time.Time) (again bool, err error) {
	w := l.watch
	now, err := w.hub.confirmed(ctx, &w.admission)
	if err != nil {
		return false, err
	}
	if until.IsZero() {
		return now.Authority != rights, nil
	}
	w.nudgeIn(until.Sub(now.At))
	return now.Authority != rights || !now.At.Before(until), nil
}

// nudgeIn has the list read again after the time.
func (w *listWatcher) nudgeIn(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.until != nil {
		w.until.Stop()
	}
	if !w.left {
		w.until = time.AfterFunc(d, w.signal)
	}
}

func (w *listWatcher) run(ctx context.Context, ticks chan<- Tick) {
	defer close(ticks)
	defer w.remove()
	refresh := time.NewTicker(w.hub.options.ListRefreshInterval)
	defer refresh.Stop()
	for {
		if err := w.over(); err != nil {
			select {
			case ticks <- Tick{Err: err}:
			case <-ctx.Done():
			}
			return
		}
		select {
		case ticks <- Tick{}:
		case <-w.ended:
			continue
		case <-ctx.Done():
			return
		}
		if !w.rest(ctx) {
			return
		}
		select {
		case <-w.signals:
		case <-refresh.C:
		case <-w.ended:
		case <-ctx.Done():
			return
		}
	}
}

// rest waits ListPause, or until the watch was ended; false when the context ended first.
func (w *listWatcher) rest(ctx context.Context) bool {
	timer := time.NewTimer(w.hub.options.MinListInterval)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-w.ended:
	case <-ctx.Done():
		return false
	}
	return true
}

func (w *listWatcher) signal() {
	select {
	case w.signals <- struct{}{}:
	default:
	}
}

func (w *listWatcher) remove() {
	w.close()
	w.mu.Lock()
	w.left = true
	if w.until != nil {
		w.until.Stop()
	}
	w.mu.Unlock()
	w.hub.mu.Lock()
	defer w.hub.mu.Unlock()
	delete(w.hub.lists[w.topic], w)
	if len(w.hub.lists[w.topic]) == 0 {
		delete(w.hub.lists, w.topic)
	}
}
