package views

import (
	"context"

	"countersign/domain"
	"countersign/store"
)

// VendorLesson is an entry of the vendor memory.
type VendorLesson struct {
	store.StoredLesson
	// Reference is that of the case that taught it, "" if the viewer may not read the case.
	Reference string
}

// maxShownLessons is the largest number of entries that one answer has.
const maxShownLessons = 200

// VendorMemory reads what was learned about vendors whose name contains the text, for publishers,
// people administrators and auditors.
func (v *Views) VendorMemory(
	ctx context.Context, actor domain.Actor, text string,
) ([]VendorLesson, error) {
	if err := v.requirePolicyAccess(ctx, actor); err != nil {
		return nil, err
	}
	rows, err := v.reader.StoredLessons(ctx, text, maxShownLessons)
	if err != nil {
		return nil, err
	}
	lessons := make([]VendorLesson, len(rows))
	for i, row := range rows {
		lessons[i].StoredLesson = row
		if lessons[i].Reference, err = v.ReferenceOf(ctx, actor, row.CaseID); err != nil {
			return nil, err
		}
	}
	return lessons, nil
}

// ReferenceOf returns the reference of a case, "" if the viewer may not read the case or it does not
// exist.
func (v *Views) ReferenceOf(
	ctx context.Context, actor domain.Actor, id domain.ID,
) (string, error) {
	viewer, err := v.loadViewer(ctx, actor)
	if err != nil {
		return "", err
	}
	c, _, err := v.readable(ctx, viewer, id)
	if domain.HasCode(err, domain.NotFound) || domain.HasCode(err, domain.NotPermitted) {
		return "", nil
	}
	return c.Reference, err
}
