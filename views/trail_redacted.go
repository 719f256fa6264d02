package views

import (
	"context"

	"countersign/domain"
	"countersign/events"
)

// maxCaseEvents limits the events that are read of one case to show the visible ones.
const maxCaseEvents = 10_000

// VisibleEvents reads the events of redacted cases as the viewer may see them, oldest first.
func (v *Views) VisibleEvents(ctx context.Context, viewer domain.ID, cases ...domain.ID) (
	map[domain.ID][]events.VisibleEvent, error) {
	visible := make(map[domain.ID][]events.VisibleEvent, len(cases))
	err := v.redactedEvents(ctx, viewer, cases, func(event *domain.Event, as events.VisibleEvent) {
		visible[event.Stream] = append(visible[event.Stream], as)
	})
	return visible, err
}

// redactedEvents reads the events of redacted cases, and shows each event that the viewer may see
// with the visible part.
func (v *Views) redactedEvents(ctx context.Context, viewer domain.ID, cases []domain.ID,
	show func(*domain.Event, events.VisibleEvent)) error {
	all, err := v.reader.LastEventsOfTypes(ctx, maxCaseEvents, events.PublicTypes(), cases...)
	redactors := map[domain.ID]*events.Redactor{}
	for i := range all {
		id := all[i].Stream
		if redactors[id] == nil {
			redactors[id] = events.NewRedactor(viewer)
		}
		if event, ok := redactors[id].View(&all[i]); ok {
			show(&all[i], event)
		}
	}
	return err
}

// redactedTrail is AuditTrail for a viewer who must not learn of confidential reviews: the visible
// events, without accesses, because those of other people tell who works on the case.
func (v *Views) redactedTrail(ctx context.Context, viewer, caseID domain.ID, after TrailCursor,
	size int) (TrailPage, error) {
	all, err := v.VisibleEvents(ctx, viewer, caseID)
	shown := all[caseID]
	shown = shown[min(max(after.Seq, 0), int64(len(shown))):]
	page := TrailPage{HasMore: len(shown) > size}
	for i := range shown[:min(len(shown), size)] {
		after.Seq = shown[i].Seq
		page.Entries = append(page.Entries, TrailEntry{At: shown[i].At, Visible: &shown[i],
			After: after})
	}
	return page, err
}
