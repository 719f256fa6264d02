package views

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"

	"countersign/domain"
	"countersign/events"
	"countersign/export"
)

// AuditLine is an entry of an audit trail as its reader sees it.
type AuditLine struct {
	Event    bool // otherwise an access
	At       time.Time
	Actor    domain.ID
	OnBehalf domain.ID
	Type     string
	Sentence string
	Seq      int64 // of an event
	Hash     string
	Status   domain.Status
	Body     json.RawMessage
	Object   string // of an access
	Code     domain.Code
}

// Line returns the entry as the viewer sees it. An event that they may see in part has no hash,
// because that is of the whole event.
func (entry *TrailEntry) Line(viewer domain.ID) AuditLine {
	switch {
	case entry.Event == nil && entry.Visible == nil:
		access := entry.Access
		return AuditLine{At: entry.At, Actor: access.Actor, Type: access.Action,
			Object: access.Object, Code: access.Code,
			Sentence: accessSentence(access.Action, access.Object, access.Code)}
	case entry.Visible != nil:
		event := entry.Visible
		return AuditLine{Event: true, At: event.At, Actor: event.Actor, Type: string(event.Type),
			Sentence: event.Sentence(), Seq: event.Seq, Body: event.Body, Status: event.Status}
	}
	event := entry.Event
	seen, _ := events.View(event, domain.AudienceStaff, viewer)
	return AuditLine{Event: true, At: entry.At, Actor: event.Actor, OnBehalf: event.OnBehalfOf,
		Type: string(event.Type), Sentence: seen.Sentence(), Seq: event.Seq,
		Hash: hex.EncodeToString(event.Hash), Body: event.Body, Status: event.StatusAfter}
}

func accessSentence(action, object string, code domain.Code) string {
	what := strings.TrimSpace(action + " " + object)
	if code != "" {
		return "Was refused: " + what + " (" + string(code) + ")."
	}
	return "Did: " + what + "."
}

// trailExport is the position of an export of audit trails.
type trailExport struct {
	cases  []CaseView // of which the trails are still to be read
	after  TrailCursor
	listed bool // the list of cases was read to its end
}

// trailPage reads the next entries of the trail of one case. Without a case, the trails of all
// selected cases follow each other, in the order of the list; a case that can no longer be read is
// left out, as it would be in the list.
func (e *Export) trailPage(ctx context.Context, actor domain.Actor) (ExportPage, error) {
	if len(e.trail.cases) == 0 {
		if err := e.readTrailCases(ctx, actor); err != nil || len(e.trail.cases) == 0 {
			return ExportPage{}, err
		}
	}
	c := e.trail.cases[0]
	trail, err := e.views.AuditTrail(ctx, actor, c.ID, e.trail.after, exportTrailPage)
	gone := domain.HasCode(err, domain.NotFound) || domain.HasCode(err, domain.ConflictOfInterest)
	if gone && e.query.Case == domain.NoID {
		trail, err = TrailPage{}, nil
	}
	if err != nil {
		return ExportPage{}, err
	}
	page := ExportPage{}
	if e.trail.after == (TrailCursor{}) && !gone {
		page.Trails = []domain.ID{c.ID}
	}
	if page.Records, err = e.views.trailRecords(ctx, actor, c, trail.Entries); err != nil {
		return page, err
	}
	if trail.HasMore {
		e.trail.after = trail.Entries[len(trail.Entries)-1].After
	} else {
		e.trail.cases, e.trail.after = e.trail.cases[1:], TrailCursor{}
	}
	page.HasMore = len(e.trail.cases) > 0 || !e.trail.listed
	return page, nil
}

// readTrailCases reads the case, or the next page of the selected cases. The list needs the scope to
// read, and its reader the right to read audit trails, also if it is empty.
func (e *Export) readTrailCases(ctx context.Context, actor domain.Actor) error {
	if e.query.Case != domain.NoID {
		viewer, err := e.views.loadViewer(ctx, actor, domain.ActReadAudit)
		if err != nil {
			return err
		}
		c, _, err := e.views.readable(ctx, viewer, e.query.Case)
		if err != nil {
			return err
		}
		seen, err := e.views.caseViewer(viewer).Case(ctx, c)
		e.trail.cases, e.trail.listed = []CaseView{seen}, true
		return err
	}
	viewer, err := e.views.loadViewer(ctx, actor)
	if err != nil {
		return err
	}
	if _, err := viewer.policy.AuthorizeGlobal(viewer.user, domain.ActReadAudit); err != nil {
		return err
	}
	list, err := e.views.Cases(ctx, actor, e.query.Cases)
	if err != nil {
		return err
	}
	if last := list.Cursor(); last != nil {
		e.query.Cases.After = last
	}
	e.trail.cases, e.trail.listed = list.Cases, !list.HasMore
	return nil
}

func (v *Views) trailRecords(ctx context.Context, actor domain.Actor, c CaseView,
	entries []TrailEntry) ([]export.Record, error) {
	found := make([]FoundEntry, 0, len(entries))
	for i := range entries {
		found = append(found, FoundEntry{AuditLine: entries[i].Line(actor.UserID), CaseID: c.ID,
			Reference: c.Reference})
	}
	return v.entryRecords(ctx, found)
}

// searchPage reads the next entries of a search.
func (e *Export) searchPage(ctx context.Context, actor domain.Actor) (ExportPage, error) {
	found, err := e.views.SearchAudit(ctx, actor, e.query.Search)
	if err != nil {
		return ExportPage{}, err
	}
	if n := len(found.Entries); n > 0 {
		e.query.Search.Before = found.Entries[n-1].Position
	}
	records, err := e.views.entryRecords(ctx, found.Entries)
	return ExportPage{Records: records, HasMore: found.HasMore}, err
}

func (v *Views) entryRecords(ctx context.Context, found []FoundEntry) ([]export.Record, error) {
	people := make([]domain.ID, 0, 2*len(found))
	for i := range found {
		people = append(people, found[i].Actor, found[i].OnBehalf)
	}
	names, err := v.personNames(ctx, people)
	records := make([]export.Record, 0, len(found))
	for i := range found {
		line := &found[i]
		record := &export.Entry{CaseID: line.CaseID, Reference: line.Reference, Entry: "access",
			At: line.At.UTC(), ActorID: export.IDOrNil(line.Actor), Actor: names[line.Actor],
			OnBehalfOfID: export.IDOrNil(line.OnBehalf), OnBehalfOf: names[line.OnBehalf],
			Type: line.Type, Sentence: line.Sentence, Hash: line.Hash, Status: string(line.Status),
			Code: string(line.Code), Object: line.Object, Body: line.Body}
		if line.Event {
			record.Entry, record.Seq = "event", &line.Seq
		}
		records = append(records, record)
	}
	return records, err
}
