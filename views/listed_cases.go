package views

import (
	"context"
	"slices"
	"time"

	"countersign/domain"
	"countersign/store"
)

// ListedCase is another case that findings of a case list.
type ListedCase struct {
	ID        domain.ID
	Reference string
	// Clearable reports whether the case has the finding that both documents are duplicates, and the
	// viewer did not submit the other one.
	Clearable bool
	// Archived reports whether the case was approved and archived.
	Archived bool
	// RejectedAt is when the case was rejected, nil if it was not. RejectionReason is why, "" if that
	// is confidential (ADR 0041). All three are for viewers of the findings who may not read the case, too,
	// because they decide about the same document.
	RejectedAt      *time.Time
	RejectionReason string
}

// ListedCases reads the cases of the references, in their order. The caller must have checked that
// the actor may read the findings that list them, and checks whether the actor may read them.
func (v *Views) ListedCases(
	ctx context.Context, actor domain.Actor, id domain.ID, references []string,
) ([]ListedCase, error) {
	if err := actor.RequireScope(domain.ActRead); err != nil {
		return nil, err
	}
	rows, err := v.reader.ListedCases(ctx, id, references)
	if err != nil {
		return nil, err
	}
	rejected := slices.ContainsFunc(rows,
		func(row store.ListedCase) bool { return !row.RejectedAt.IsZero() })
	var viewer *CaseViewer
	if rejected {
		if viewer, err = v.CaseViewer(ctx, actor); err != nil {
			return nil, err
		}
	}
	listed := make([]ListedCase, 0, len(rows))
	for _, row := range rows {
		one := ListedCase{ID: row.Case.ID, Reference: row.Case.Reference,
			Clearable: row.Carried && row.Case.Submitter != actor.UserID, Archived: row.Archived}
		if !row.RejectedAt.IsZero() {
			seen, err := viewer.Case(ctx, row.Case)
			if err != nil {
				return nil, err
			}
			one.RejectedAt, one.RejectionReason = &row.RejectedAt, seen.OutcomeReason
		}
		listed = append(listed, one)
	}
	return listed, nil
}
