package live

import (
	"context"
	"sync"
	"time"

	"countersign/domain"
	"countersign/events"
)

// Item is one frame for one subscriber.
type Item struct {
	// Event is the next event of the stream as the subscriber may see it; nil in an item that only
	// carries Err.
	Event *events.VisibleEvent
	// Cursor is the seq of the last event considered. A client that resumes with it misses nothing
	// and receives nothing twice.
	Cursor int64
	// Err is the reason why the subscription ends, in its last item. If the channel closes without
	// it, the case is final.
	Err error

	watch *watcher
}

// Confirm ensures, after other objects were read for the frame and before it is sent, that the
// subscriber may still read them. An error ends the subscription.
func (i Item) Confirm(ctx context.Context) error { return i.watch.confirm(ctx) }

// watcher is one subscriber of one stream.
type watcher struct {
	admission
	hub     *Hub
	feed    *feed
	out     chan Item
	signals chan struct{}
	cursor  int64
	status  domain.Status // of the case at cursor
	head    int64         // of the stream at the last read
	// redactor shows the events if the watcher must not learn of confidential reviews, otherwise nil.
	// Its events have numbers of their own; the first skip of them were shown before.
	redactor *events.Redactor
	skip     int64

	mu    sync.Mutex
	right right
}

// right is the right to watch at its last check.
type right struct {
	domain.WatchRight
	version int64       // version of the authority at the check
	head    int64       // known head of the log at the check
	expired bool        // Until has passed
	timer   *time.Timer // sets expired
}

// Subscribe delivers the stream's events with seq > after once and in order, as far as the actor
// may see them. It ends with the context, when the case is final (the channel closes), or when the
// right is revoked (an item with Err, then the channel closes). The caller must read from the
// channel or end the context. It returns an error if the actor may not watch the stream or the
// cursor is beyond the log.
func (h *Hub) Subscribe(ctx context.Context, actor domain.Actor, stream domain.ID, after int64) (
	<-chan Item, error) {
	if after < 0 {
		return nil, domain.Invalid("after", "The cursor must not be negative.")
	}
	w := &watcher{
		admission: admission{actor: actor, ended: make(chan struct{})}, hub: h, cursor: after,
		out: make(chan Item, h.options.ItemBuffer), signals: make(chan struct{}, 1),
	}
	h.addWatcher(w, stream)
	err := h.credential(ctx, &w.admission)
	if err == nil {
		err = w.checkRight(ctx, h.authority.Load(), 0)
	}
	if w.currentRight().Redacted {
		w.redactor, w.skip, w.cursor = events.NewRedactor(actor.UserID), after, 0
	}
	var first []frame
	if err == nil {
		first, err = w.firstReading(ctx)
	}
	if err != nil {
		h.removeWatcher(w)
		return nil, err
	}
	go w.run(ctx, first)
	return w.out, nil
}

// checkRight checks the right and records the version of the authority and the head of the log
// under which it was checked; both were known before the check.
func (w *watcher) checkRight(ctx context.Context, version, moved int64) error {
	head := max(w.head, moved)
	return w.hub.runQuery(ctx, func() error {
		got, err := w.hub.options.Authorizer.MayWatch(ctx, w.actor, w.feed.stream)
		if err != nil {
			return err
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.right.timer != nil {
			w.right.timer.Stop()
		}
		w.right = right{WatchRight: got, version: max(w.right.version, version),
			head: max(w.right.head, head)}
		if !got.Until.IsZero() {
			w.right.timer = time.AfterFunc(got.Left, w.expireRight)
		}
		return nil
	})
}

// expireRight has the right checked again, because a delegation that it depends on has ended.
func (w *watcher) expireRight() {
	w.mu.Lock()
	w.right.expired = true
	w.mu.Unlock()
	w.signal()
}

// currentRight returns the right at its last check.
func (w *watcher) currentRight() right {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.right
}

// close stops the timers.
func (w *watcher) close() {
	w.admission.close()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.right.timer != nil {
		w.right.timer.Stop()
	}
}

// firstReading reads the log after the cursor even if the recent frames would suffice, because only
// the log knows whether the cursor exists and whether the case is final.
func (w *watcher) firstReading(ctx context.Context) ([]frame, error) {
	if w.redactor != nil {
		return w.firstRedactedReading(ctx)
	}
	frames, err := w.readLog(ctx)
	if err == nil && w.head < w.cursor {
		return nil, beyondLog(w.cursor, w.head)
	}
	return frames, err
}

func (w *watcher) readLog(ctx context.Context) ([]frame, error) {
	reading, err := w.hub.readEvents(ctx, w.feed.stream, w.cursor)
	if err != nil {
		return nil, err
	}
	if !contiguous(w.cursor, reading) {
		return nil, domain.Errorf(domain.Internal, "The log of this case has a gap.")
	}
	w.feed.prime(w.cursor, reading)
	w.hub.onAuthorityVersion(reading.AuthorityVersion)
	w.head = reading.LastSeq
	if len(reading.Events) == 0 {
		w.status = reading.Status
	}
	frames := make([]frame, len(reading.Events))
	for i := range reading.Events {
		frames[i] = frame{&reading.Events[i], reading.AuthorityVersion, reading.CredentialVersion}
	}
	return frames, nil
}

func (w *watcher) run(ctx context.Context, frames []frame) {
	defer close(w.out)
	defer w.hub.removeWatcher(w)
	position := buffered
	for {
		done, err := w.deliver(ctx, frames)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			w.sendLast(ctx, Item{Cursor: w.cursor, Err: err})
			return
		}
		if done {
			return
		}
		if frames, position = w.feed.framesAfter(w.cursor); position == behind {
			if frames, err = w.readLog(ctx); err != nil {
				if isRefusal(err) {
					w.sendLast(ctx, Item{Cursor: w.cursor, Err: err})
					return
				}
				// the database is unreachable; the watcher resumes at its cursor
				if !w.wait(ctx, w.hub.options.PollInterval) {
					return
				}
				frames = nil
			}
			continue
		}
		if position == upToDate && !w.wait(ctx, 0) {
			return
		}
	}
}

// deliver sends the frames and checks the right again before a frame that was read under newer
// rights. done reports that the case is final and all events were sent.
func (w *watcher) deliver(ctx context.Context, frames []frame) (done bool, err error) {
	if err := w.recheckAccess(ctx, frame{authority: w.hub.authority.Load()}); err != nil {
		return false, err
	}
	for _, f := range frames {
		if f.event.Seq <= w.cursor {
			continue
		}
		if err := w.recheckAccess(ctx, f); err != nil {
			return false, err
		}
		event, visible, err := w.view(f.event)
		if err != nil {
			return false, err
		}
		if visible {
			select {
			case w.out <- Item{Event: &event, Cursor: event.Seq, watch: w}:
			case <-w.ended:
				return false, w.reason
			case <-ctx.Done():
				return false, ctx.Err()
			}
		}
		w.cursor, w.status = f.event.Seq, f.event.StatusAfter
		w.head = max(w.head, w.cursor)
	}
	// Several events of one command have the same status, so the last event of the log must have
	// been sent.
	return w.status.Final() && w.cursor == w.head && w.atEnd(), nil
}

// atEnd reports whether the feed has no newer frames.
func (w *watcher) atEnd() bool {
	_, position := w.feed.framesAfter(w.cursor)
	return position != buffered
}

// accessChangingEvents are the events after which users who could read the case as members of a
// queue may lose that right.
var accessChangingEvents = map[domain.EventType]bool{domain.ReviewOpened: true,
	domain.ReviewDecidedEvent: true, domain.VoteCast: true, domain.ReviewCancelledEvent: true}

// recheckAccess ensures that the frame may be sent: its credential was valid when the event was
// committed, and the right was checked under the same or newer rights, after the case moved, and
// after a delegation it depends on ended. A frame without an event shows the current state. Nothing
// is sent while the answer is unknown.
func (w *watcher) recheckAccess(ctx context.Context, f frame) error {
	if f.event != nil && w.expired(f.event.At) {
		w.end(credentialEnded(w.actor))
	}
	if err := w.endReason(); err != nil {
		return err
	}
	if f.credentials > w.verified.Load() {
		if err := w.hub.retryUntilKnown(ctx, &w.admission,
			func() error { return w.hub.verify(ctx, &w.admission, f.credentials) }); err != nil {
			return err
		}
	}
	var moved int64
	if f.event != nil && accessChangingEvents[f.event.Type] {
		moved = f.event.Seq
	}
	now := w.currentRight()
	ended := now.expired || f.event != nil && !now.Until.IsZero() && !f.event.At.Before(now.Until)
	if now.version >= f.authority && now.head >= moved && !ended {
		return nil
	}
	err := w.hub.retryUntilKnown(ctx, &w.admission,
		func() error { return w.checkRight(ctx, f.authority, moved) })
	if err == nil {
		err = w.endReason()
	}
	return err
}

// confirm implements Item.Confirm. It runs concurrently with the watcher's own goroutine.
func (w *watcher) confirm(ctx context.Context) error {
	now, err := w.hub.readConfirmed(ctx, &w.admission)
	if err != nil {
		return err
	}
	current := w.currentRight()
	if current.version >= now.Authority && !current.expired &&
		(current.Until.IsZero() || now.At.Before(current.Until)) {
		return nil
	}
	return w.hub.retryUntilKnown(ctx, &w.admission, func() error {
		return w.hub.runQuery(ctx, func() error {
			_, err := w.hub.options.Authorizer.MayWatch(ctx, w.actor, w.feed.stream)
			return err
		})
	})
}

// isRefusal distinguishes refusals, which end a subscription, from technical failures, which do
// not.
func isRefusal(err error) bool {
	switch domain.CodeOf(err).Kind() {
	case domain.KindUnavailable, domain.KindInternal, domain.KindConflict:
		return false
	}
	return true
}

// sendLast sends the last item.
func (w *watcher) sendLast(ctx context.Context, item Item) {
	select {
	case w.out <- item:
	case <-ctx.Done():
	}
}

func (w *watcher) signal() {
	select {
	case w.signals <- struct{}{}:
	default:
	}
}

// wait returns when there may be new events, or after the duration if it is not zero. It returns
// false if the context ended.
func (w *watcher) wait(ctx context.Context, atMost time.Duration) bool {
	var timeout <-chan time.Time
	if atMost > 0 {
		timer := time.NewTimer(atMost)
		defer timer.Stop()
		timeout = timer.C
	}
	select {
	case <-ctx.Done():
		return false
	case <-w.ended:
	case <-w.signals:
	case <-timeout:
	}
	return true
}
