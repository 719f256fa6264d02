package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"countersign/domain"
)

// hashedLines is what the hash of corrected line items covers.
type hashedLines struct {
	Kind             string            `json:"kind"`
	DocumentRevision int               `json:"documentRevision"`
	Currency         string            `json:"currency"`
	Adjustment       int64             `json:"adjustment"`
	Items            []domain.LineItem `json:"items"`
}

// LinesHash returns the hash of corrected line items, which an assertion contains.
func LinesHash(lines *domain.LineItems) (string, error) {
	text, err := domain.CanonicalJSON(hashedLines{"countersign.line-items.v1",
		lines.DocumentRevision, lines.Currency, lines.Adjustment,
		append([]domain.LineItem{}, lines.Items...)})
	if err != nil {
		return "", fmt.Errorf("hash line items: %w", err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// LineItemProblems returns the corrections of the line items of a case that were changed, deleted or
// added, by the assertions of the case, which are verified separately.
func LineItemProblems(sets []domain.AssertionSet, corrections []domain.LineItems) []RowProblem {
	var problems []RowProblem
	add := func(revision int64, fault string) {
		problems = append(problems, RowProblem{0,
			fmt.Sprintf("the corrected line items of revision %d %s", revision, fault)})
	}
	rows := map[int64]*domain.LineItems{}
	for i := range corrections {
		rows[corrections[i].Revision] = &corrections[i]
	}
	for i := range sets {
		set := &sets[i]
		row, exists := rows[set.Revision]
		for _, assertion := range set.Assertions {
			if assertion.Field != domain.FieldLineItems || assertion.InheritedFrom != domain.NoID {
				continue
			}
			delete(rows, set.Revision)
			if !exists {
				add(set.Revision, "are missing")
				continue
			}
			hash, err := LinesHash(row)
			if err != nil || hash != assertion.Value || row.By != set.By || !row.At.Equal(set.At) {
				add(set.Revision, "were changed: they differ from what was asserted")
			}
		}
	}
	for i := range corrections {
		if _, unasserted := rows[corrections[i].Revision]; unasserted {
			add(corrections[i].Revision, "were added: no assertion mentions them")
		}
	}
	return problems
}
