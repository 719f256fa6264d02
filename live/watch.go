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
	Event *events.Seen
	// Cursor is the seq of the last event considered: whoever comes back with it misses nothing and sees nothing twice.
	Cursor int64
	// Err says why the subscription ends, in its last item; without it, an ended channel means that the case is final.
	Err error
}

// watch is one reader of one stream.
type watch struct {
	ender
	hub      *Hub
	feed     *feed
	actor    domain.Actor
	out      chan Item
	wake     chan struct{}
	cursor   int64
	audience domain.Audience
	asked    int64         // the authority's version under which the right was asked last
	askedAt  int64         // how far the log was known to reach when it was
	status   domain.Status // of the case at cursor
	head     int64         // of the stream, as last read
}

// ender ends a watch from outside, once, with a reason.
type ender struct {
	once   sync.Once
	ended  chan struct{}
	reason error
}

func (e *ender) end(reason error) {
	e.once.Do(func() {
		e.reason = reason
		close(e.ended)
	})
}

// Subscribe delivers the stream's events with seq > after, every one once and in order, as far as the actor may see
// them, until the context ends, the case is final (the channel closes), or the right is lost (an item with Err, then it
// closes). The caller must read or end the context. Refused at once: a stream the actor may not watch, a cursor beyond
// the log.
func (h *Hub) Subscribe(ctx context.Context, actor domain.Actor, stream domain.ID, after int64) (<-chan Item, error) {
	if after < 0 {
		return nil, domain.Invalid("after", "a cursor cannot be negative")
	}
	w := &watch{
		ender: ender{ended: make(chan struct{})}, hub: h, actor: actor, cursor: after,
		out: make(chan Item, h.options.Buffer), wake: make(chan struct{}, 1),
	}
	h.join(w, stream)
	if err := w.admit(ctx); err != nil {
		h.leave(w)
		return nil, err
	}
	first, err := w.firstReading(ctx)
	if err != nil {
		h.leave(w)
		return nil, err
	}
	go w.run(ctx, first)
	return w.out, nil
}

// admit asks the right under the newest version of the authority that was known before asking.
func (w *watch) admit(ctx context.Context) error {
	version := w.hub.authority.Load()
	return w.hub.ask(ctx, func() error {
		audience, err := w.hub.options.Rights.MayWatch(ctx, w.actor, w.feed.stream)
		if err == nil {
			w.audience, w.asked = audience, version
		}
		return err
	})
}

// firstReading reads after the cursor, also where the recent frames would do, because only the log knows whether the
// cursor exists and whether the case is over.
func (w *watch) firstReading(ctx context.Context) ([]frame, error) {
	frames, err := w.readLog(ctx)
	if err == nil && w.head < w.cursor {
		return nil, domain.Invalid("after", "event %d does not exist, the log ends at %d", w.cursor, w.head).
			WithWayOut("Read the case again and subscribe after its last event.")
	}
	return frames, err
}

func (w *watch) readLog(ctx context.Context) ([]frame, error) {
	var reading domain.LogReading
	err := w.hub.ask(ctx, func() (err error) {
		reading, err = w.hub.options.Log.EventsAfter(ctx, w.feed.stream, w.cursor, w.hub.options.Page)
		return err
	})
	if err != nil {
		return nil, err
	}
	if !contiguous(w.cursor, reading) {
		return nil, domain.Fail(domain.Internal, "The log of this case has a gap.")
	}
	w.feed.anchor(w.cursor, reading)
	w.hub.learn(reading.AuthorityVersion)
	w.head = reading.Head
	if len(reading.Events) == 0 {
		w.status = reading.Status
	}
	frames := make([]frame, len(reading.Events))
	for i := range reading.Events {
		frames[i] = frame{&reading.Events[i], reading.AuthorityVersion}
	}
	return frames, nil
}

func (w *watch) run(ctx context.Context, frames []frame) {
	defer close(w.out)
	defer w.hub.leave(w)
	position := within
	for {
		done, err := w.deliver(ctx, frames)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			w.send(ctx, Item{Cursor: w.cursor, Err: err})
			return
		}
		if done {
			return
		}
		if frames, position = w.feed.after(w.cursor); position == behind {
			if frames, err = w.readLog(ctx); err != nil {
				if refused(err) {
					w.send(ctx, Item{Cursor: w.cursor, Err: err})
					return
				}
				if !w.wait(ctx, w.hub.options.PulseEvery) { // the database is away; nothing is lost
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
func (w *watch) deliver(ctx context.Context, frames []frame) (done bool, err error) {
	select {
	case <-w.ended:
		return false, w.reason
	default:
	}
	if err := w.renew(ctx, w.hub.authority.Load(), 0); err != nil {
		return false, err
	}
	for _, f := range frames {
		if f.event.Seq <= w.cursor {
			continue
		}
		var moved int64
		if regroups[f.event.Type] {
			moved = f.event.Seq
		}
		if err := w.renew(ctx, f.authority, moved); err != nil {
			return false, err
		}
		if seen, visible := events.View(f.event, w.audience, w.actor.UserID); visible {
			select {
			case w.out <- Item{Event: &seen, Cursor: seen.Seq}:
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
func (w *watch) atEnd() bool {
	_, position := w.feed.after(w.cursor)
	return position != within
}

// regroups are the events by which a case comes before other people: who could read it as one of a queue may no longer.
var regroups = map[domain.EventType]bool{domain.ReviewOpened: true, domain.ReviewWasDecided: true, domain.ReviewWithdrawn: true}

// renew asks the right again if it was asked under older rights than the version, or before the event moved. While the
// answer cannot be had, nothing is delivered.
func (w *watch) renew(ctx context.Context, version, moved int64) error {
	for w.asked < version || w.askedAt < moved {
		err := w.hub.ask(ctx, func() error {
			audience, err := w.hub.options.Rights.MayWatch(ctx, w.actor, w.feed.stream)
			if err == nil {
				w.audience, w.asked, w.askedAt = audience, max(w.asked, version), max(w.head, moved)
			}
			return err
		})
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return ctx.Err()
		case refused(err):
			return err
		case !w.wait(ctx, w.hub.options.PulseEvery):
			return ctx.Err()
		}
		select {
		case <-w.ended:
			return w.reason
		default:
		}
	}
	return nil
}

// refused tells a refusal, which ends a subscription, from a machine that does not answer, which does not.
func refused(err error) bool {
	switch domain.CodeOf(err).Kind() {
	case domain.KindUnavailable, domain.KindInternal, domain.KindConflict:
		return false
	}
	return true
}

// send hands over the last item.
func (w *watch) send(ctx context.Context, item Item) {
	select {
	case w.out <- item:
	case <-ctx.Done():
	}
}

func (w *watch) nudge() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// wait returns when there may be news, at the latest after the duration if it is not zero; false when the reader left.
func (w *watch) wait(ctx context.Context, atMost time.Duration) bool {
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
	case <-w.wake:
	case <-timeout:
	}
	return true
}
