package views

import (
	"context"
	"encoding/json"
	"fmt"

	"countersign/audit"
	"countersign/domain"
	"countersign/store"
)

// caseRows are the rows of cases that their events mention or from which they follow.
type caseRows struct {
	sets      map[domain.ID][]domain.AssertionSet
	decisions map[domain.ID][]domain.Decision
	votes     map[domain.ID][]domain.Vote
	notes     map[domain.ID][]domain.Note
	lines     map[domain.ID][]domain.LineItems // corrected by people

	supporting map[domain.ID][]domain.SupportingDocument
	readings   map[domain.ID][]domain.SupportingReading
}

// derived returns the rows of one case that follow from its events.
func (r caseRows) derived(head store.StreamHead) (audit.CaseRows, error) {
	var marking domain.Marking
	if err := json.Unmarshal([]byte(head.Marking), &marking); err != nil {
		return audit.CaseRows{}, fmt.Errorf("read the marking of %s: %w", head.Name, err)
	}
	canonical, err := marking.Canonical()
	return audit.CaseRows{Status: head.Status, Marking: string(canonical),
		Decisions: r.decisions[head.Stream], Votes: r.votes[head.Stream],
		Attributes: head.Attributes, Supporting: r.supporting[head.Stream],
		Readings: r.readings[head.Stream]}, err
}

// readRows reads these rows of the cases among the streams. They are read after the heads and before
// the events, so that a row without an event was not written by a command in progress.
func (v *Views) readRows(ctx context.Context, heads []store.StreamHead) (caseRows, error) {
	rows := caseRows{map[domain.ID][]domain.AssertionSet{}, map[domain.ID][]domain.Decision{},
		map[domain.ID][]domain.Vote{}, map[domain.ID][]domain.Note{},
		map[domain.ID][]domain.LineItems{}, map[domain.ID][]domain.SupportingDocument{},
		map[domain.ID][]domain.SupportingReading{}}
	var cases []domain.ID
	for _, head := range heads {
		if head.Case {
			cases = append(cases, head.Stream)
		}
	}
	if len(cases) == 0 {
		return rows, nil
	}
	sets, err := v.reader.Assertions(ctx, cases...)
	if err != nil {
		return rows, err
	}
	for _, set := range sets {
		rows.sets[set.CaseID] = append(rows.sets[set.CaseID], set)
	}
	corrected, err := v.reader.CorrectedLineItems(ctx, cases...)
	if err != nil {
		return rows, err
	}
	for i := range corrected {
		rows.lines[corrected[i].CaseID] = append(rows.lines[corrected[i].CaseID], corrected[i])
	}
	if err := v.readSupporting(ctx, &rows, cases); err != nil {
		return rows, err
	}
	decisions, err := v.reader.RecordedDecisions(ctx, cases...)
	for _, decision := range decisions {
		rows.decisions[decision.CaseID] = append(rows.decisions[decision.CaseID], decision)
	}
	if err != nil {
		return rows, err
	}
	votes, err := v.reader.VotesOfCases(ctx, cases...)
	for _, vote := range votes {
		rows.votes[vote.CaseID] = append(rows.votes[vote.CaseID], vote)
	}
	if err != nil {
		return rows, err
	}
	notes, err := v.reader.Notes(ctx, cases...)
	for i := range notes {
		rows.notes[notes[i].CaseID] = append(rows.notes[notes[i].CaseID], notes[i])
	}
	return rows, err
}

// readSupporting reads the supporting documents and what was read of them.
func (v *Views) readSupporting(ctx context.Context, rows *caseRows, cases []domain.ID) error {
	supporting, err := v.reader.Supporting(ctx, cases...)
	if err != nil {
		return err
	}
	for i := range supporting {
		id := supporting[i].CaseID
		rows.supporting[id] = append(rows.supporting[id], supporting[i])
	}
	readings, err := v.reader.SupportingReadings(ctx, cases...)
	if err != nil {
		return err
	}
	for i := range readings {
		id := readings[i].CaseID
		rows.readings[id] = append(rows.readings[id], readings[i])
	}
	return nil
}

// VerifyRows verifies like Verify, for the consistency check, and returns only the problems.
func (v *Views) VerifyRows(ctx context.Context) ([]AuditProblem, error) {
	result, err := v.Verify(ctx, domain.NoID)
	return result.Problems, err
}
