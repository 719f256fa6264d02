package views

import (
	"context"
	"encoding/json"
	"time"

	"countersign/domain"
	"countersign/events"
	"countersign/export"
)

// personNames reads the names of users, which all colleagues may see.
func (v *Views) personNames(ctx context.Context, ids []domain.ID) (map[domain.ID]string, error) {
	ids = distinct(ids)
	names := make(map[domain.ID]string, len(ids))
	if len(ids) == 0 {
		return names, nil
	}
	users, err := v.reader.Users(ctx, ids)
	for _, user := range users {
		names[user.ID] = user.Name
	}
	return names, err
}

// visibleOfCases is what the values of redacted cases are computed from.
type visibleOfCases struct {
	findings map[domain.ID][]domain.Finding
	events   map[domain.ID][]events.VisibleEvent
}

// readVisible reads the visible findings of the cases that the viewer sees as staff, and the visible
// events of the redacted ones.
func (v *Views) readVisible(ctx context.Context, viewer domain.ID, cases []CaseView) (
	visibleOfCases, error) {
	visible := visibleOfCases{map[domain.ID][]domain.Finding{}, nil}
	seen := map[domain.ID]CaseView{}
	var staff, redacted []domain.ID
	for _, c := range cases {
		seen[c.ID] = c
		if c.Audience == domain.AudienceStaff && c.Redacted {
			staff = append(staff, c.ID)
		}
		if c.Redacted {
			redacted = append(redacted, c.ID)
		}
	}
	if len(staff) > 0 {
		rows, err := v.reader.Findings(ctx, staff...)
		if err != nil {
			return visible, err
		}
		for _, row := range rows {
			visible.findings[row.CaseID] = append(visible.findings[row.CaseID],
				seen[row.CaseID].Findings([]domain.Finding{row.Finding})...)
		}
	}
	if len(redacted) == 0 {
		return visible, nil
	}
	var err error
	visible.events, err = v.VisibleEvents(ctx, viewer, redacted...)
	return visible, err
}

// updatedAt returns the time of the last event that the viewer may see.
func (visible visibleOfCases) updatedAt(c CaseView) time.Time {
	if !c.Redacted {
		return c.UpdatedAt
	}
	if n := len(visible.events[c.ID]); n > 0 {
		return visible.events[c.ID][n-1].At
	}
	return c.CreatedAt
}

// risk returns the risk, nil for submitters.
func (visible visibleOfCases) risk(c CaseView) *int {
	if c.Audience != domain.AudienceStaff {
		return nil
	}
	risk := c.VisibleRisk(visible.findings[c.ID])
	return &risk
}

func (v *Views) caseRecords(ctx context.Context, shown *CaseViewer, cases []CaseView) (
	[]export.Record, error) {
	visible, err := v.readVisible(ctx, shown.user.ID, cases)
	if err != nil {
		return nil, err
	}
	submitters := make([]domain.ID, 0, len(cases))
	for _, c := range cases {
		submitters = append(submitters, c.Submitter)
	}
	names, err := v.personNames(ctx, submitters)
	if err != nil {
		return nil, err
	}
	records := make([]export.Record, 0, len(cases))
	for _, c := range cases {
		record := &export.Case{ID: c.ID, Reference: c.Reference, Status: string(c.Status),
			Final: c.Status.Final(), Process: c.ProcessKey, ProcessVersion: c.ProcessVersion,
			DocumentType: c.DocumentType, DocumentTypeVersion: c.DocumentTypeVersion,
			Channel: string(c.Channel), Counterparty: c.Counterparty, Country: c.Country,
			Risk: visible.risk(c), DifferingFields: listed(c.DifferingFields),
			Missing: listed(c.Missing), SubmitterID: export.IDOrNil(c.Submitter),
			Submitter: names[c.Submitter], CreatedAt: c.CreatedAt.UTC(),
			UpdatedAt: visible.updatedAt(c).UTC()}
		record.AmountMinor, record.Amount, record.Currency = export.Amount(c.Amount, c.AmountKnown)
		record.DeclaredMinor, record.DeclaredAmount, record.DeclaredCurrency =
			export.Amount(c.DeclaredAmount, true)
		record.AtRiskMinor, record.AtRiskAmount, record.AtRiskCurrency = export.Amount(c.AtRisk, true)
		if record.Attributes, err = attributesJSON(c.Attributes); err != nil {
			return nil, err
		}
		records = append(records, record)
	}
	return records, nil
}

// attributesJSON returns an empty list for nil.
func attributesJSON(attributes []domain.Attribute) (json.RawMessage, error) {
	return json.Marshal(append([]domain.Attribute{}, attributes...))
}

// listed returns an empty list for nil.
func listed(list []string) []string { return append([]string{}, list...) }

func (v *Views) reviewRecords(ctx context.Context, shown *CaseViewer, reviews []domain.Review) (
	[]export.Record, error) {
	if len(reviews) == 0 {
		return nil, nil
	}
	ids, people := make([]domain.ID, 0, len(reviews)), make([]domain.ID, 0, len(reviews))
	for i := range reviews {
		ids, people = append(ids, reviews[i].CaseID), append(people, reviews[i].Assignee)
	}
	names, err := v.personNames(ctx, people)
	if err != nil {
		return nil, err
	}
	cases, err := v.reader.Cases(ctx, distinct(ids))
	if err != nil {
		return nil, err
	}
	now, err := v.reader.Clock(ctx)
	if err != nil {
		return nil, err
	}
	byID := make(map[domain.ID]CaseView, len(cases))
	for _, c := range cases {
		if byID[c.ID], err = shown.Case(ctx, c); err != nil {
			return nil, err
		}
	}
	records := make([]export.Record, 0, len(reviews))
	for i := range reviews {
		records = append(records, reviewRecord(&reviews[i], byID[reviews[i].CaseID], names, now))
	}
	return records, nil
}

func reviewRecord(review *domain.Review, c CaseView, names map[domain.ID]string,
	now time.Time) *export.Review {
	record := &export.Review{ID: review.ID, Queue: review.Queue, Level: review.Level,
		Duty: review.Duty, Node: review.Node, Status: string(review.Status),
		Priority: review.Priority, Drawn: review.Drawn(),
		AssigneeID: export.IDOrNil(review.Assignee), Assignee: names[review.Assignee],
		ClaimBy: export.TimeOrNil(review.ClaimBy), DecideBy: export.TimeOrNil(review.DecideBy),
		ClaimUntil: export.TimeOrNil(review.ClaimUntil), Overdue: Overdue(*review, now),
		AtRisk: AtRisk(*review, now), PausedAt: export.TimeOrNil(review.PausedAt),
		PauseReason: review.PauseReason, Breaches: review.Breaches,
		CreatedAt: review.CreatedAt.UTC(), CaseID: review.CaseID, Reference: c.Reference,
		CaseStatus: string(c.Status), DocumentType: c.DocumentType, Counterparty: c.Counterparty}
	record.AmountMinor, record.Amount, record.Currency = export.Amount(c.Amount, c.AmountKnown)
	record.AtRiskMinor, record.AtRiskAmount, record.AtRiskCurrency = export.Amount(c.AtRisk, true)
	return record
}
