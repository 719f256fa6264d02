package casework

import (
	"context"
	"fmt"
	"time"

	"countersign/domain"
	"countersign/search"
	"countersign/store"
)

// The kinds of inconsistencies of the search index.
const (
	// UnindexedCase is a case whose row of the search index is missing or differs from the case.
	UnindexedCase = "unindexed_case"
	// NeedlessIndex is a row of the search index without a case, or words that no case has.
	NeedlessIndex = "needless_index"
)

const searchRemedy = "Run countersign search rebuild."

// indexDelay is within what time a worker has indexed a change. A grace period that is shorter, but not
// zero, is as long for the search index.
const indexDelay = 5 * time.Second

// checkSearch computes the search index of every case again and compares it with the stored one. Cases
// that changed within the grace period are left out.
func (svc *Service) checkSearch(ctx context.Context, e ConsistencyCheck) ([]Inconsistency, error) {
	r := svc.db.Reader()
	found, err := svc.checkSearchRows(ctx, r, e)
	if err != nil {
		return found, err
	}
	needless, err := r.NeedlessSearchRows(ctx, e.Limit)
	if err != nil {
		return found, err
	}
	for _, id := range needless {
		found = append(found, Inconsistency{Kind: NeedlessIndex, CaseID: id, Message: fmt.Sprintf(
			"The search index contains case %s, which is erased or does not exist.", id), Remedy: searchRemedy})
	}
	words, err := r.UnusedSearchWords(ctx)
	if words > 0 {
		found = append(found, Inconsistency{Kind: NeedlessIndex, Count: words, Message: fmt.Sprintf(
			"The search index has %d words that occur in no case.", words), Remedy: searchRemedy})
	}
	return found, err
}

func (svc *Service) checkSearchRows(ctx context.Context, r store.Reader, e ConsistencyCheck) (
	[]Inconsistency, error) {
	var found []Inconsistency
	grace := e.Grace
	if grace > 0 {
		grace = max(grace, indexDelay)
	}
	for after, more := domain.NoID, true; more && len(found) < e.Limit; {
		ids, err := r.CasesAfter(ctx, after, searchCases)
		if err != nil || len(ids) == 0 {
			return found, err
		}
		after, more = ids[len(ids)-1], len(ids) == searchCases
		rows, err := svc.searchRows(ctx, r, ids, func(*search.Index) {})
		if err != nil {
			return found, err
		}
		differing, err := r.DifferingSearchRows(ctx, rows, grace)
		if err != nil {
			return found, err
		}
		for _, row := range differing {
			found = append(found, Inconsistency{Kind: UnindexedCase, CaseID: row.CaseID,
				Reference: row.Reference, Message: fmt.Sprintf(
					"The search index of case %s is missing or out of date.", row.Reference), Remedy: searchRemedy})
		}
	}
	return found, nil
}
