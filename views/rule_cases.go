package views

import (
	"context"
	"slices"

	"countersign/domain"
	"countersign/rules"
	"countersign/store"
)

// MaxCasesForRules limits the cases of one comparison of rule sets. Each takes about ten statements.
const MaxCasesForRules = 50

// maxTypes limits the document types whose cases are read.
const maxTypes = 20

// CasesForRules returns the most recent cases of the document types of a rule set, for a comparison of
// findings. It leaves out cases with confidential reviews that the user does not see, because a rule
// of their own could ask for any value of such a case.
func (v *Views) CasesForRules(ctx context.Context, actor domain.Actor, document string, last int) (
	[]domain.Case, error) {
	viewer, err := v.loadViewer(ctx, actor, domain.ActPublish)
	if err != nil {
		return nil, err
	}
	if _, err := viewer.policy.AuthorizeGlobal(viewer.user, domain.ActPublish); err != nil {
		return nil, err
	}
	if last < 1 || last > MaxCasesForRules {
		return nil, domain.Invalid("last", "Compare between 1 and %d cases.", MaxCasesForRules)
	}
	set, err := rules.ParsePublished([]byte(document))
	if err != nil {
		return nil, err
	}
	filter, err := viewer.policy.ReadFilter(viewer.user)
	if err != nil {
		return nil, err
	}
	var visible []domain.Case
	shown := v.caseViewer(viewer)
	for _, documentType := range set.DocumentTypes[:min(len(set.DocumentTypes), maxTypes)] {
		query := store.CaseQuery{DocumentType: documentType, Limit: last}
		if documentType == rules.AnyType {
			query.DocumentType = ""
		}
		cases, err := v.reader.CaseList(ctx, filter, query)
		if err != nil {
			return nil, err
		}
		for _, c := range cases {
			seen, err := shown.Case(ctx, c)
			if err != nil {
				return nil, err
			}
			listed := slices.ContainsFunc(visible,
				func(other domain.Case) bool { return other.ID == c.ID })
			if !seen.Redacted && !listed {
				visible = append(visible, c)
			}
		}
	}
	slices.SortStableFunc(visible, func(a, b domain.Case) int { return b.CreatedAt.Compare(a.CreatedAt) })
	return visible[:min(len(visible), last)], nil
}
