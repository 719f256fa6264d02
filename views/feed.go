package views

import (
	"context"
	"slices"
	"time"

	"countersign/domain"
	"countersign/events"
	"countersign/feed"
	"countersign/store"
)

// FeedQuery selects events of the feed; empty values do not filter.
type FeedQuery struct {
	After   string // cursor; "" = from the beginning
	Types   []domain.EventType
	Process string // key
	Case    domain.ID
	Limit   int
}

// FeedPage is a part of the feed as one receiver may see it.
type FeedPage struct {
	Events []feed.Event
	// Cursor is the position after the page, also if nothing on it is visible.
	Cursor string
	// Complete reports whether the page reaches the end of the feed.
	Complete bool
	Until    time.Time // earliest end of a delegation that the page may depend on; zero = none

	next domain.FeedPosition
}

// MaxFeed limits a page of the feed, maxFeedReads the reads for one page, because a receiver may see
// few of the events.
const (
	MaxFeed      = 1000
	maxFeedReads = 20
)

// feedReading is one read of the feed by a receiver.
type feedReading struct {
	views   *Views
	viewer  viewer // empty for a connector
	user    domain.ID
	shown   *CaseViewer
	filter  domain.Filter
	cursors feed.Cursors
	types   []domain.EventType // as the receiver sees them; empty = all
	until   time.Time          // earliest end of a delegation to the receiver
	// seesStream reports whether the receiver may see a stream that is not of a case.
	seesStream func(domain.ID) bool
}

// Feed reads the events after the cursor that the actor may see, in the order of the feed. The rules
// are those of a live page: cases that the actor may read, in their audience, redacted where they
// must not learn of confidential reviews; other streams with the right and scope to read the audit
// trail. The actor's token needs the scope events.
func (v *Views) Feed(ctx context.Context, actor domain.Actor, query FeedQuery) (FeedPage, error) {
	reading, position, err := v.openFeedOf(ctx, actor, feed.EventCursors, query.After,
		domain.ScopeEvents)
	if err != nil {
		return FeedPage{}, err
	}
	reading.types = query.Types
	page := FeedPage{Until: reading.until}
	limit := min(max(query.Limit, 1), MaxFeed)
	raw := store.FeedQuery{After: position, Process: query.Process, Case: query.Case,
		Types: query.Types}
	if query.Case != domain.NoID {
		if raw.Case, err = reading.readable(ctx, query.Case); err != nil {
			return FeedPage{}, err
		}
	}
	// A receiver that sees an event as a change of the status may ask for such changes only.
	raw.StatusChanges = slices.Contains(query.Types, events.StatusChanged)
	for range maxFeedReads {
		raw.Limit = limit - len(page.Events)
		read, err := v.reader.FeedAfter(ctx, raw)
		if err != nil {
			return FeedPage{}, err
		}
		seen, err := reading.show(ctx, read)
		if err != nil {
			return FeedPage{}, err
		}
		page.Events = append(page.Events, seen...)
		page.Cursor, page.Complete = reading.cursors.Seal(read.Next, read.Era), read.Complete
		page.next = read.Next
		if raw.After = read.Next; read.Complete || len(page.Events) >= limit {
			break
		}
	}
	return page, nil
}

// openFeedOf checks the receiver, whose token needs the scope, and the cursor in the log.
func (v *Views) openFeedOf(ctx context.Context, actor domain.Actor, log feed.Log, after string,
	scope domain.Action) (*feedReading, domain.FeedPosition, error) {
	var position domain.FeedPosition
	viewer, err := v.loadViewer(ctx, actor, scope)
	if err != nil {
		return nil, position, err
	}
	reading := &feedReading{views: v, viewer: viewer, user: viewer.user.ID, shown: v.caseViewer(viewer),
		until:      viewer.until(),
		seesStream: func(stream domain.ID) bool { return seesSystemStream(viewer, stream) }}
	if reading.filter, err = viewer.readFilter(); err != nil {
		return nil, position, err
	}
	key, err := v.reader.InstallationKey(ctx, "feed")
	if err != nil {
		return nil, position, err
	}
	if reading.cursors, err = feed.NewCursors(key, log); err != nil || after == "" {
		return reading, position, err
	}
	position, issued, err := reading.cursors.Open(after)
	if err != nil {
		return nil, position, err
	}
	eras, err := v.reader.FeedEras(ctx)
	if err == nil {
		err = reading.cursors.CheckEra(position, issued, eras)
	}
	return reading, position, err
}

// show returns the events of a page that the receiver may see.
func (r *feedReading) show(ctx context.Context, page store.FeedPage) ([]feed.Event, error) {
	var cases, streams []domain.ID
	for i := range page.Events {
		if id := page.Events[i].Stream; id[0] != 0 {
			cases = append(cases, id)
		} else {
			streams = append(streams, id)
		}
	}
	names, err := r.views.reader.StreamNames(ctx, distinct(streams))
	if err != nil {
		return nil, err
	}
	seen, redacted, err := r.cases(ctx, distinct(cases))
	if err != nil {
		return nil, err
	}
	var shown []feed.Event
	for i := range page.Events {
		event := &page.Events[i].Event
		out, ok := r.event(event, seen, redacted)
		if !ok || len(r.types) > 0 && !slices.Contains(r.types, out.Type) {
			continue
		}
		out.StreamName, out.Position = names[event.Stream], page.Events[i].Position
		out.Cursor = r.cursors.Seal(page.Events[i].Position, page.Era)
		shown = append(shown, out)
	}
	return shown, nil
}

// readable returns the case, or an id that no case has if the receiver may not read it, so that the
// work after it does not tell whether the case exists.
func (r *feedReading) readable(ctx context.Context, id domain.ID) (domain.ID, error) {
	found, err := r.views.reader.MatchingCases(ctx, r.filter, []domain.ID{id})
	if len(found) == 0 {
		clear(id[8:]) // the random part; the time before it selects the partition
	}
	return id, err
}

func distinct(ids []domain.ID) []domain.ID {
	slices.SortFunc(ids, domain.CompareIDs)
	return slices.Compact(ids)
}

// feedKey names an event by the number that the log has for it.
type feedKey struct {
	stream domain.ID
	seq    int64
}

// cases reads those of the cases that the receiver may read, as they may see them, and the visible
// events of the redacted ones.
func (r *feedReading) cases(ctx context.Context, ids []domain.ID) (map[domain.ID]CaseView,
	map[feedKey]events.VisibleEvent, error) {
	if len(ids) == 0 {
		return nil, nil, nil
	}
	readable, err := r.views.reader.MatchingCases(ctx, r.filter, ids)
	if err != nil {
		return nil, nil, err
	}
	seen := make(map[domain.ID]CaseView, len(readable))
	var hidden []domain.ID
	for _, c := range readable {
		if seen[c.ID], err = r.shown.Case(ctx, c); err != nil {
			return nil, nil, err
		}
		if seen[c.ID].Redacted {
			hidden = append(hidden, c.ID)
		}
	}
	redacted := map[feedKey]events.VisibleEvent{}
	if len(hidden) == 0 {
		return seen, redacted, nil
	}
	err = r.views.redactedEvents(ctx, r.user, hidden,
		func(event *domain.Event, as events.VisibleEvent) {
			redacted[feedKey{event.Stream, event.Seq}] = as
		})
	return seen, redacted, err
}

// event returns an event as the receiver may see it, and false if that is nothing. Only staff get
// the correlation id, because it joins events of one command that others may not see.
func (r *feedReading) event(event *domain.Event, seen map[domain.ID]CaseView,
	redacted map[feedKey]events.VisibleEvent) (feed.Event, bool) {
	out := feed.Event{Stream: event.Stream, Audience: domain.AudienceStaff}
	ok := false
	if event.Stream[0] == 0 {
		if !r.seesStream(event.Stream) {
			return out, false
		}
		out.VisibleEvent, ok = events.View(event, out.Audience, r.user)
		out.CorrelationID = event.CorrelationID
		return out, ok
	}
	c, readable := seen[event.Stream]
	switch {
	case !readable:
		return out, false
	case c.Redacted:
		out.Audience = domain.AudienceAll
		out.VisibleEvent, ok = redacted[feedKey{event.Stream, event.Seq}]
	default:
		out.Audience = c.Audience
		out.VisibleEvent, ok = events.View(event, c.Audience, r.user)
	}
	if ok && out.Audience == domain.AudienceStaff {
		out.CorrelationID = event.CorrelationID
	}
	return out, ok
}
