package views

import (
	"context"

	"countersign/domain"
)

// ListedCase is another case that findings of a case list.
type ListedCase struct {
	ID        domain.ID
	Reference string
	// Clearable reports whether the case has the finding that both documents are duplicates, and the
	// viewer did not submit the other one.
	Clearable bool
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
	listed := make([]ListedCase, 0, len(rows))
	for _, row := range rows {
		listed = append(listed, ListedCase{ID: row.ID, Reference: row.Reference,
			Clearable: row.Carried && row.Submitter != actor.UserID})
	}
	return listed, nil
}
