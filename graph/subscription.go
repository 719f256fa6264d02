package graph

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"countersign/domain"
	"countersign/graph/donotuse"
	"countersign/graph/scalar"
	"countersign/graph/shape"
	"countersign/graph/transport"
	"countersign/internal/tracing"
	"countersign/live"
	"countersign/views"
)

func (r subscriptionResolver) CaseEvents(ctx context.Context, caseID string, after *string) (
	<-chan *shape.CaseEvent, error) {
	id, err := scalar.IDOf(scalar.KindCase, "caseId", caseID)
	if err != nil {
		return nil, err
	}
	seq, err := scalar.ParseEventCursor(valueOrEmpty(after))
	if err != nil {
		return nil, err
	}
	items, err := r.hub.Subscribe(ctx, callerOf(ctx), id, seq)
	if err != nil {
		return nil, err
	}
	var last atomic.Pointer[live.Item]
	more := showsMore(ctx)
	if more {
		transport.ConfirmWith(ctx, func(ctx context.Context) (bool, error) {
			err := last.Load().Confirm(ctx)
			return err == nil, err
		})
	}
	frames := make(chan *shape.CaseEvent)
	go func() {
		defer close(frames)
		for item := range items {
			if item.Err != nil {
				transport.EndSubscription(ctx, item.Err)
				return
			}
			if more {
				newest := item
				last.Store(&newest)
			}
			_, span := tracing.Continue(ctx, tracing.Producer, "frame",
				item.Event.Traceparent, slog.Any("case", id),
				slog.String("event", string(item.Event.Type)))
			select {
			case frames <- &shape.CaseEvent{VisibleEvent: *item.Event, CaseID: id}:
				span.End("")
			case <-ctx.Done():
				span.End("closed")
				return
			}
		}
	}()
	return frames, nil
}

// showsMore reports whether the frames contain objects besides the event, which are read when the
// frame is built and so after the right was checked. Frames without such objects need no further
// check, however many watchers there are.
func showsMore(ctx context.Context) bool {
	return slices.ContainsFunc(graphql.CollectFieldsCtx(ctx, []string{"CaseEvent"}),
		func(field graphql.CollectedField) bool {
			return len(field.Selections) > 0
		})
}

// shownList is a list as its subscriber sees it.
type shownList[T any] struct {
	// read returns the next frame, nil if nothing changed, and the end of the first delegation used
	// to read it.
	read func(context.Context) (*T, time.Time, error)
	// forget makes the next frame complete again, because the last one was not sent.
	forget func()
	// sent, if set, is called after a frame was sent; it reports whether the next one is read without
	// waiting for a tick.
	sent func(*T) (more bool)
}

// watchTicks reads a list at every tick and sends the result of read. A read that fails technically
// is repeated at the next tick. A frame is read completely, then the subscriber's right is
// confirmed, then it is sent; a frame that a change of rights overtook is dropped and read again.
func watchTicks[T any](ctx context.Context, list *live.List, shown shownList[T]) <-chan *T {
	frames, confirmed := make(chan *T), make(chan bool, 1)
	var rights int64
	var until time.Time
	transport.ConfirmWith(ctx, func(ctx context.Context) (bool, error) {
		again, err := list.Confirm(ctx, rights, until)
		if err == nil {
			confirmed <- !again
		}
		return !again && err == nil, err
	})
	more := false
	next := func() (sent bool, err error) {
		more = false
		rights = list.Rights()
		var frame *T
		if frame, until, err = shown.read(ctx); err != nil || frame == nil {
			return true, err
		}
		select {
		case frames <- frame:
		case <-ctx.Done():
			return false, ctx.Err()
		}
		select {
		case sent = <-confirmed:
		case <-ctx.Done():
			return false, ctx.Err()
		}
		switch {
		case !sent:
			shown.forget()
		case shown.sent != nil:
			more = shown.sent(frame)
		}
		return sent, nil
	}
	go func() {
		defer close(frames)
		for tick := range list.Ticks {
			sent, err := false, tick.Err
			for (!sent || more) && err == nil {
				sent, err = next()
			}
			if ctx.Err() != nil {
				return
			}
			if kind := domain.CodeOf(err).Kind(); err != nil &&
				(tick.Err != nil || kind != domain.KindUnavailable && kind != domain.KindInternal) {
				transport.EndSubscription(ctx, err)
				return
			}
		}
	}()
	return frames
}

func (r subscriptionResolver) ReviewQueue(ctx context.Context, first int,
	filter *donotuse.ReviewFilter, sort views.ReviewSort) (<-chan *donotuse.ReviewQueueChange, error) {
	if err := checkPageSize(first); err != nil {
		return nil, err
	}
	query, err := queueQuery(first, filter, sort)
	if err != nil {
		return nil, err
	}
	actor, last := callerOf(ctx), (*queueState)(nil)
	// The queue is read once before, so that a caller without the right is refused immediately.
	if _, err := r.views.Queue(ctx, actor, query); err != nil {
		return nil, err
	}
	list, err := r.hub.WatchList(ctx, actor, domain.QueuesTopic)
	if err != nil {
		return nil, err
	}
	return watchTicks(ctx, list, shownList[donotuse.ReviewQueueChange]{forget: func() {
		last = nil
	}, read: func(ctx context.Context) (*donotuse.ReviewQueueChange, time.Time, error) {
		page, err := r.views.Queue(ctx, actor, query)
		if err != nil {
			return nil, page.Until, err
		}
		seats, err := r.views.Seats(ctx, last.withSeats(page.Reviews))
		if err != nil {
			return nil, page.Until, err
		}
		now, change, gone := last.next(page, seats, r.clock.Now())
		if change != nil {
			change.RemovedReviews, err = r.views.RemovedFromQueue(ctx, actor, gone)
			change.Left = change.RemovedReviews
		}
		if err == nil {
			last = now
		}
		return change, page.Until, err
	}}), nil
}

// queueState is what a subscriber of a queue was sent.
type queueState struct {
	versions map[domain.ID]shownReview
	order    []string
	total    int64
}

// shownReview is the visible state of a row. Besides the version it contains the due state, because
// a passed deadline does not change the version, and the state of all seats of a committee, because its
// missing votes are shown.
type shownReview struct {
	version, seats  int64
	overdue, atRisk bool
}

// withSeats returns the reviews whose step has several seats, and those of which it is not known yet, so that
// most changes of a queue without committees read nothing more.
func (s *queueState) withSeats(reviews []domain.Review) []domain.Review {
	if s == nil {
		return reviews
	}
	var found []domain.Review
	for _, review := range reviews {
		if shown, known := s.versions[review.ID]; !known || shown.seats > 0 {
			found = append(found, review)
		}
	}
	return found
}

// next compares the list with what was sent before. It returns the new state and the change, nil if
// nothing changed. gone are the reviews that left the list.
func (s *queueState) next(page views.QueuePage, seats map[domain.ID]int64, at time.Time) (
	now *queueState, change *donotuse.ReviewQueueChange, gone []domain.ID) {
	reviews, total := page.Reviews, page.Total
	now = &queueState{versions: make(map[domain.ID]shownReview, len(reviews)), order: []string{},
		total: total}
	change = &donotuse.ReviewQueueChange{Snapshot: s == nil, Upserted: []domain.Review{},
		Removed: []string{}, TotalCount: int(total), DecidableCount: int(page.Doable)}
	var before map[domain.ID]shownReview
	if s != nil {
		before = maps.Clone(s.versions)
	}
	moved := s == nil || s.total != total || len(s.order) != len(reviews)
	for i, review := range reviews {
		id := scalar.GlobalID(scalar.KindReview, review.ID)
		looks := shownReview{review.Version, seats[review.ID], views.Overdue(review, at), views.AtRisk(review, at)}
		now.versions[review.ID], now.order = looks, append(now.order, id)
		moved = moved || s.order[i] != id
		if shown, known := before[review.ID]; !known || shown != looks {
			change.Upserted = append(change.Upserted, review)
		}
		delete(before, review.ID)
	}
	for id := range before {
		change.Removed = append(change.Removed, scalar.GlobalID(scalar.KindReview, id))
		gone = append(gone, id)
	}
	change.Order = now.order
	if !moved && len(change.Upserted) == 0 && len(change.Removed) == 0 {
		return now, nil, nil
	}
	return now, change, gone
}

func (r subscriptionResolver) Notifications(ctx context.Context) (
	<-chan *donotuse.Notification, error) {
	actor := callerOf(ctx)
	if _, err := r.views.Counters(ctx, actor); err != nil {
		return nil, err
	}
	list, err := r.hub.WatchList(ctx, actor, domain.QueuesTopic)
	if err != nil {
		return nil, err
	}
	var last *donotuse.Notification
	return watchTicks(ctx, list, shownList[donotuse.Notification]{forget: func() { last = nil },
		read: func(ctx context.Context) (*donotuse.Notification, time.Time, error) {
			counters, err := r.views.Counters(ctx, actor)
			if err != nil {
				return nil, counters.Until, err
			}
			now := donotuse.Notification{Available: int(counters.Available),
				Mine:      int(counters.Mine),
				Incidents: int(counters.Incidents),
				Overdue:   int(counters.Overdue), AtRisk: int(counters.AtRisk),
				ExpiredClaims: int(counters.ExpiredClaims), Lapsed: int(counters.ExpiredClaims),
				Returned: int(counters.Returned), Unread: int(counters.Unread)}
			if last != nil && *last == now {
				return nil, counters.Until, nil
			}
			last = &now
			frame := now
			frame.At = r.clock.Now()
			return &frame, counters.Until, nil
		}}), nil
}
