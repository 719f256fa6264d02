package graph

import (
	"context"
	"time"

	"countersign/domain"
	"countersign/feed"
	"countersign/graph/donotuse"
	"countersign/graph/scalar"
	"countersign/views"
)

// feedFrameSize is the largest number of events in a frame.
const feedFrameSize = 100

// Events sends the events of the feed. The first frame may be empty; after it, only events that the
// subscriber may see make a frame.
func (r subscriptionResolver) Events(ctx context.Context, after *string,
	filter *donotuse.EventFilter) (<-chan *donotuse.FeedFrame, error) {
	actor := callerOf(ctx)
	query, err := feedQuery(after, filter)
	if err != nil {
		return nil, err
	}
	// The feed is read once before, so that a caller without the right is refused immediately.
	if _, err := r.views.Feed(ctx, actor, query); err != nil {
		return nil, err
	}
	list, err := r.hub.WatchList(ctx, actor, domain.QueuesTopic)
	if err != nil {
		return nil, err
	}
	var next string
	first := true
	return watchTicks(ctx, list, shownList[donotuse.FeedFrame]{
		read: func(ctx context.Context) (*donotuse.FeedFrame, time.Time, error) {
			page, err := r.views.Feed(ctx, actor, query)
			if err != nil {
				return nil, page.Until, err
			}
			if len(page.Events) == 0 && !first {
				query.After = page.Cursor
				return nil, page.Until, nil
			}
			next = page.Cursor
			return feedFrame(page), page.Until, nil
		},
		forget: func() {},
		sent: func(frame *donotuse.FeedFrame) (more bool) {
			query.After, first = next, false
			return len(frame.Events) == feedFrameSize
		}}), nil
}

func feedQuery(after *string, filter *donotuse.EventFilter) (views.FeedQuery, error) {
	query := views.FeedQuery{After: valueOrEmpty(after), Limit: feedFrameSize}
	if filter == nil {
		return query, nil
	}
	query.Process = valueOrEmpty(filter.Process)
	var err error
	if filter.CaseID != nil {
		if query.Case, err = scalar.IDOf(scalar.KindCase, "filter.caseId", *filter.CaseID); err != nil {
			return query, err
		}
	}
	query.Types, err = feed.ParseTypes(filter.Types)
	return query, err
}

func feedFrame(page views.FeedPage) *donotuse.FeedFrame {
	frame := &donotuse.FeedFrame{Events: make([]donotuse.FeedEvent, 0, len(page.Events)),
		Cursor: page.Cursor}
	for i := range page.Events {
		event := &page.Events[i]
		out := donotuse.FeedEvent{ID: event.ID(), Cursor: event.Cursor, Type: string(event.Type),
			SchemaVersion: event.SchemaVersion, Seq: event.Seq, At: event.At,
			Subject: event.Subject(), Body: event.Body}
		if event.StreamName == "" {
			id := scalar.GlobalID(scalar.KindCase, event.Stream)
			out.CaseID = &id
		}
		if event.CorrelationID != "" {
			out.CorrelationID = &event.CorrelationID
		}
		frame.Events = append(frame.Events, out)
	}
	return frame
}
