package live

import (
	"context"
	"sync"
	"time"

	"countersign/domain"
	"countersign/events"
)

// Item is one frame for one reader.
type Item struct {
	// Event is the next event of the stream as the reader may see it; nil in an item that only carries Err.
	Event *events.VisibleEvent
	// Cursor is the seq of the last event considered: a client that resumes with it misses nothing and sees nothing twice.
	Cursor int64
	// Err says why the subscription ends, in its last item; without it, an ended channel means that the case is final.
	Err error

	watch *watcher
}

// Confirm makes sure, after objects beside the event were read for the frame and before it is sent, that the reader may
// still have them: they were read before a moment at which the right held. An error ends the subscription.
func (i Item) Confirm(ctx context.Context) error { return i.watch.confirm(ctx) }

// watcher is one reader of one stream.
type watcher struct {
	admission
	hub     *Hub
	feed    *feed
	out     chan Item
	signals chan struct{}
	cursor  int64
	status  domain.Status // of the case at cursor
	head    int64         // of the stream, as last read

	mu    sync.Mutex
	right right
}

// right is the right to watch as it was last asked.
type right struct {
	domain.WatchRight
	asked   int64       // the authority's version under which it was asked
	askedAt int64       // how far the log was known to reach when it was
	over    bool        // Until has come
	timer   *time.Timer // sets over
}

// Subscribe delivers the stream's events with seq > after, every one once and in order, as far as the actor may see
// them, until the context ends, the case is final (the channel closes), or the right is lost (an item with Err, then it
// closes). The caller must read or end the context. Refused at once: a stream the actor may not watch, a cursor beyond
// the log.
func (h *Hub) Subscribe(ctx context.Context, actor domain.Actor, stream domain.ID, after int64) (<-chan Item, error) {
	if after < 0 {
		return nil, domain.Invalid("after", "a cursor cannot be negative")
	}
	w := &watcher{
		admission: admission{actor: actor, ended: make(chan struct{})}, hub: h, cursor: after,
		out: make(chan Item, h.options.ItemBuffer), signals: make(chan struct{}, 1),
	}
	h.addWatcher(w, stream)
	err := h.credential(ctx, &w.admission)
	if err == nil {
		err = w.askRight(ctx, h.authority.Load(), 0)
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

// askRight asks the right under the version of the authority, which was known before, and for a log that reaches to moved.
func (w *watcher) askRight(ctx context.Context, version, moved int64) error {
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
		w.right = right{WatchRight: got, asked: max(w.right.asked, version), askedAt: max(w.right.askedAt, head)}
		if !got.Until.IsZero() {
			w.right.timer = time.AfterFunc(got.Left, w.due)
		}
		return nil
	})
}

// due has the right asked again, because what it stood on has ended by time.
func (w *watcher) due() {
	w.mu.Lock()
	w.right.over = true
	w.mu.Unlock()
	w.signal()
}

// held is the right as it was last asked.
func (w *watcher) held() right {
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

// firstReading reads after the cursor, also where the recent frames would do, because only the log knows whether the
// cursor exists and whether the case is over.
func (w *watcher) firstReading(ctx context.Context) ([]frame, error) {
	frames, err := w.readLog(ctx)
	if err == nil && w.head < w.cursor {
		return nil, domain.Invalid("after", "event %d does not exist, the log ends at %d", w.cursor, w.head).
			WithRemedy("Read the case again and subscribe after its last event.")
	}
	return frames, err
}

func (w *watcher) readLog(ctx context.Context) ([]frame, error) {
	var reading domain.StreamPage
	err := w.hub.runQuery(ctx, func() (err error) {
		reading, err = w.hub.options.Log.EventsAfter(ctx, w.feed.stream, w.cursor, w.hub.options.PageSize)
		return err
	})
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
				if !w.wait(ctx, w.hub.options.PollInterval) { // the database is away; nothing is lost
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

// deliver hands over the frames, asking the right again before a frame that was read under newer rights than it was
// asked under. It reports done when the case has come to its end.
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
		if seen, visible := events.View(f.event, w.held().Audience, w.actor.UserID); visible {
			select {
			case w.out <- Item{Event: &seen, Cursor: seen.Seq, watch: w}:
			case <-w.ended:
				return false, w.reason
			case <-ctx.Done():
				return false, ctx.Err()
			}
		}
		w.cursor, w.status = f.event.Seq, f.event.StatusAfter
		w.head = max(w.head, w.cursor)
	}
	// Several facts of one command share the status after it: the last of the log is awaited.
	return w.status.Final() && w.cursor == w.head && w.atEnd(), nil
}

// atEnd reports whether nothing newer has been read for others.
func (w *watcher) atEnd() bool {
	_, position := w.feed.framesAfter(w.cursor)
	return position != buffered
}

// accessChangingEvents are the events by which a case comes before other people: who could read it as one of a queue may no longer.
var accessChangingEvents = map[domain.EventType]bool{domain.ReviewOpened: true, domain.ReviewDecidedEvent: true, domain.ReviewCancelledEvent: true}

// recheckAccess makes sure that the frame may leave: its credential held when it was committed, and the right was asked under no
// older rights, after the case moved, and after a delegation it stood on ended. A frame without event stands for the
// present moment. While an answer cannot be had, nothing is delivered.
func (w *watcher) recheckAccess(ctx context.Context, f frame) error {
	if f.event != nil && w.expired(f.event.At) {
		w.end(credentialEnded(w.actor))
	}
	if err := w.over(); err != nil {
		return err
	}
	if f.credentials > w.verified.Load() {
		if err := w.hub.certain(ctx, &w.admission, func() error { return w.hub.verify(ctx, &w.admission, f.credentials) }); err != nil {
			return err
		}
	}
	var moved int64
	if f.event != nil && accessChangingEvents[f.event.Type] {
		moved = f.event.Seq
	}
	now := w.held()
	ended := now.over || f.event != nil && !now.Until.IsZero() && !f.event.At.Before(now.Until)
	if now.asked >= f.authority && now.askedAt >= moved && !ended {
		return nil
	}
	err := w.hub.certain(ctx, &w.admission, func() error { return w.askRight(ctx, f.authority, moved) })
	if err == nil {
		err = w.over()
	}
	return err
}

// confirm is Item.Confirm. It runs beside the watch's own goroutine.
func (w *watcher) confirm(ctx context.Context) error {
	now, err := w.hub.confirmed(ctx, &w.admission)
	if err != nil {
		return err
	}
	held := w.held()
	if held.asked >= now.Authority && !held.over && (held.Until.IsZero() || now.At.Before(held.Until)) {
		return nil
	}
	return w.hub.certain(ctx, &w.admission, func() error {
		return w.hub.runQuery(ctx, func() error {
			_, err := w.hub.options.Authorizer.MayWatch(ctx, w.actor, w.feed.stream)
			return err
		})
	})
}

// isRefusal tells a refusal, which ends a subscription, from a machine that does not answer, which does not.
func isRefusal(err error) bool {
	switch domain.CodeOf(err).Kind() {
	case domain.KindUnavailable, domain.KindInternal, domain.KindConflict:
		return false
	}
	return true
}

// sendLast hands over the last item.
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

// wait returns when there may be news, at the latest after the duration if it is not zero; false when the reader left.
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
