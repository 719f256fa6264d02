package events

import (
	"encoding/json"

	"countersign/domain"
)

// Redactor shows the events of one case to a viewer who must not learn whether the case was in a
// confidential review. The viewer sees what is public, and neither who decided nor why, whichever
// review it was. Events are numbered without gaps, so that the numbers do not tell how many events
// are hidden. A redactor reads the events of its case in order, from the first.
type Redactor struct {
	viewer    domain.ID
	submitter domain.ID
	shown     int64
	status    domain.Status
}

// NewRedactor returns a redactor for a viewer.
func NewRedactor(viewer domain.ID) *Redactor { return &Redactor{viewer: viewer} }

// Shown returns the number of events shown so far.
func (v *Redactor) Shown() int64 { return v.shown }

// View returns the visible part of the next event, and false if that is nothing. Events that are
// neither public nor change the status can be left out.
func (v *Redactor) View(event *domain.Event) (VisibleEvent, bool) {
	if event.Type == domain.CaseSubmitted {
		v.submitter = event.Actor
	}
	visible, ok := View(event, domain.AudienceAll, v.viewer)
	if !ok || v.hides(event, visible.Type) {
		return VisibleEvent{}, false
	}
	if event.Type == domain.CaseRejected {
		visible.Body = neutralRejection(visible.Body)
	}
	v.shown++
	v.status, visible.Seq = event.StatusAfter, v.shown
	return visible, true
}

// hides reports whether a public event would tell more than that the case is being reviewed: a
// correction under a review, and a change to the status that was shown last.
func (v *Redactor) hides(event *domain.Event, shownAs domain.EventType) bool {
	switch {
	case shownAs == StatusChanged:
		return event.StatusAfter == v.status
	case event.Type == domain.FieldsCorrected:
		return event.Actor != v.viewer && event.Actor != v.submitter &&
			event.Actor != domain.SystemUserID
	}
	return false
}

// neutralRejection replaces the reason of a rejection. An erased body stays erased.
func neutralRejection(body json.RawMessage) json.RawMessage {
	if body == nil {
		return nil
	}
	neutral, err := json.Marshal(map[string]string{"reason": domain.NeutralRejection})
	if err != nil {
		return nil
	}
	return neutral
}
