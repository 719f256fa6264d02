package live

import (
	"context"
	"sync"
	"time"

	"countersign/domain"
)

// Tick requests that a watched list is read again. The last one may carry the reason why the watch
// ends.
type Tick struct {
	Err error
}

// List is one subscriber's watch of a list.
type List struct {
	Ticks <-chan Tick
	watch *listWatcher
}

// listWatcher is one subscriber of one list.
type listWatcher struct {
	admission
	hub     *Hub
	topic   domain.ID
	signals chan struct{}

	mu     sync.Mutex
	until  *time.Timer // fires when a delegation used to read the list ends
	closed bool
}

// WatchList sends a tick immediately, after every hint of the topic, when rights change, when Redis
// is reachable again, and every ListRefreshInterval. Several causes make one tick, and ticks are at
// least MinListInterval apart. The watch ends with the context or, with an Err, with the actor's
// credential. The caller checks the actor's rights when it reads the list and confirms them before
// sending. A credential that is no longer valid is an error.
func (h *Hub) WatchList(ctx context.Context, actor domain.Actor, topic domain.ID) (*List, error) {
	w := &listWatcher{
		admission: admission{actor: actor, ended: make(chan struct{})}, hub: h, topic: topic,
		signals: make(chan struct{}, 1),
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

// Rights returns the version of the rights; call it before reading the list.
func (l *List) Rights() int64 { return l.watch.hub.authority.Load() }

// Confirm ensures, after the list was read and before it is sent, that the subscriber may have it:
// the credential is valid, no right changed since the version rights, and no delegation used to
// read the list has ended. If again is true, the caller has to read the list again. Only one
// goroutine at a time may call it.
func (l *List) Confirm(ctx context.Context, rights int64, until time.Time) (again bool, err error) {
	w := l.watch
	now, err := w.hub.readConfirmed(ctx, &w.admission)
	if err != nil {
		return false, err
	}
	if until.IsZero() {
		return now.Authority != rights, nil
	}
	w.scheduleRefresh(until.Sub(now.At))
	return now.Authority != rights || !now.At.Before(until), nil
}

// scheduleRefresh has the list read again after the duration.
func (w *listWatcher) scheduleRefresh(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.until != nil {
		w.until.Stop()
	}
	if !w.closed {
		w.until = time.AfterFunc(d, w.signal)
	}
}

func (w *listWatcher) run(ctx context.Context, ticks chan<- Tick) {
	defer close(ticks)
	defer w.remove()
	refresh := time.NewTicker(w.hub.options.ListRefreshInterval)
	defer refresh.Stop()
	for {
		if err := w.endReason(); err != nil {
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
		if !w.pause(ctx) {
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

// pause waits MinListInterval, or until the watch is ended. It returns false if the context ended
// first.
func (w *listWatcher) pause(ctx context.Context) bool {
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
	w.closed = true
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
