package graph

import (
	"context"
	"maps"
	"time"

	"countersign/domain"
	"countersign/graph/donotuse"
	"countersign/graph/scalar"
	"countersign/graph/shape"
	"countersign/graph/transport"
	"countersign/live"
	"countersign/views"
)

func (r subscriptionResolver) CaseEvents(ctx context.Context, caseID string, after *string) (<-chan *shape.CaseEvent, error) {
	id, err := scalar.IDOf(scalar.KindCase, "caseId", caseID)
	if err != nil {
		return nil, err
	}
	seq, err := scalar.ParseEventCursor(text(after))
	if err != nil {
		return nil, err
	}
	items, err := r.hub.Subscribe(ctx, who(ctx), id, seq)
	if err != nil {
		return nil, err
	}
	frames := make(chan *shape.CaseEvent)
	go func() {
		defer close(frames)
		for item := range items {
			if item.Err != nil {
				transport.EndWith(ctx, item.Err)
				return
			}
			select {
			case frames <- &shape.CaseEvent{Seen: *item.Event, CaseID: id}:
			case <-ctx.Done():
				return
			}
		}
	}()
	return frames, nil
}

// follow reads a list at every tick and hands over what read makes of it, nil for nothing new. A reading that fails
// because the machine is away is made again at the next tick.
func follow[T any](ctx context.Context, ticks <-chan live.Tick, read func(context.Context) (*T, error)) <-chan *T {
	frames := make(chan *T)
	go func() {
		defer close(frames)
		for tick := range ticks {
			frame, err := (*T)(nil), tick.Err
			if err == nil {
				frame, err = read(ctx)
			}
			if ctx.Err() != nil {
				return
			}
			switch kind := domain.CodeOf(err).Kind(); {
			case err != nil && tick.Err == nil && (kind == domain.KindUnavailable || kind == domain.KindInternal):
				continue
			case err != nil:
				transport.EndWith(ctx, err)
				return
			case frame == nil:
				continue
			}
			select {
			case frames <- frame:
			case <-ctx.Done():
				return
			}
		}
	}()
	return frames
}

func (r subscriptionResolver) ReviewQueue(ctx context.Context, first int, filter *donotuse.ReviewFilter) (<-chan *donotuse.ReviewQueueChange, error) {
	if err := pageOf(first); err != nil {
		return nil, err
	}
	query, err := queueQuery(first, filter)
	if err != nil {
		return nil, err
	}
	actor, last := who(ctx), (*queueState)(nil)
	// Asked once before, so that who may not is told at once.
	if _, err := r.views.Queue(ctx, actor, query); err != nil {
		return nil, err
	}
	return follow(ctx, r.hub.WatchList(ctx, actor, domain.QueuesTopic), func(ctx context.Context) (*donotuse.ReviewQueueChange, error) {
		page, err := r.views.Queue(ctx, actor, query)
		if err != nil {
			return nil, err
		}
		var change *donotuse.ReviewQueueChange
		var gone []domain.ID
		if last, change, gone = last.next(page.Reviews, page.Total, r.clock.Now()); change != nil {
			change.Left, err = r.views.Left(ctx, actor, gone)
		}
		return change, err
	}), nil
}

// queueState is what a watcher of a queue was shown.
type queueState struct {
	versions map[domain.ID]shownReview
	order    []string
	total    int64
}

// shownReview is what makes a row look as it does: a deadline that passes changes no version.
type shownReview struct {
	version         int64
	overdue, atRisk bool
}

// next compares the list with what was shown before, and returns what to show now; nil when nothing changed.
// gone are the reviews that left the list.
func (s *queueState) next(reviews []domain.Review, total int64, at time.Time) (now *queueState, change *donotuse.ReviewQueueChange, gone []domain.ID) {
	now = &queueState{versions: make(map[domain.ID]shownReview, len(reviews)), order: []string{}, total: total}
	change = &donotuse.ReviewQueueChange{Snapshot: s == nil, Upserted: []domain.Review{}, Removed: []string{}, TotalCount: int(total)}
	var before map[domain.ID]shownReview
	if s != nil {
		before = maps.Clone(s.versions)
	}
	moved := s == nil || s.total != total || len(s.order) != len(reviews)
	for i, review := range reviews {
		id := scalar.GlobalID(scalar.KindReview, review.ID)
		looks := shownReview{review.Version, views.Overdue(review, at), views.AtRisk(review, at)}
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

func (r subscriptionResolver) Notifications(ctx context.Context) (<-chan *donotuse.Notification, error) {
	actor := who(ctx)
	if _, err := r.views.Tally(ctx, actor); err != nil {
		return nil, err
	}
	var last *donotuse.Notification
	return follow(ctx, r.hub.WatchList(ctx, actor, domain.QueuesTopic), func(ctx context.Context) (*donotuse.Notification, error) {
		tally, err := r.views.Tally(ctx, actor)
		if err != nil {
			return nil, err
		}
		now := &donotuse.Notification{Available: int(tally.Available), Mine: int(tally.Mine), Incidents: int(tally.Incidents),
			Overdue: int(tally.Overdue), AtRisk: int(tally.AtRisk), Lapsed: int(tally.Lapsed)}
		if last != nil && *last == *now {
			return nil, nil
		}
		last = &donotuse.Notification{}
		*last = *now
		now.At = r.clock.Now()
		return now, nil
	}), nil
}
