package views

import (
	"context"

	"countersign/domain"
	"countersign/store"
)

// caseRows are the rows of cases that their events mention by hash.
type caseRows struct {
	sets      map[domain.ID][]domain.AssertionSet
	decisions map[domain.ID][]domain.Decision
}

// readRows reads these rows of the cases among the streams. They are read after the heads and before
// the events, so that a row without an event was not written by a command in progress.
func (v *Views) readRows(ctx context.Context, heads []store.StreamHead) (caseRows, error) {
	rows := caseRows{map[domain.ID][]domain.AssertionSet{}, map[domain.ID][]domain.Decision{}}
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
	decisions, err := v.reader.Decisions(ctx, cases...)
	for _, decision := range decisions {
		rows.decisions[decision.CaseID] = append(rows.decisions[decision.CaseID], decision)
	}
	return rows, err
}

// VerifyRows verifies like Verify, for the consistency check, and returns only the problems.
func (v *Views) VerifyRows(ctx context.Context) ([]AuditProblem, error) {
	result, err := v.Verify(ctx, domain.NoID)
	return result.Problems, err
}
