package views

import (
	"context"

	"countersign/domain"
)

// ParentCase is the case whose file was split, as a part shows it.
type ParentCase struct {
	ID        domain.ID
	Reference string
}

// FilePart is a case that has some pages of the file of another one.
type FilePart struct {
	ID          domain.ID
	Reference   string
	First, Last int // pages of the file as it was submitted
	Merged      bool
}

// Parents reads the cases whose files were split, by the part. The caller must have checked that the
// actor may read the parts, whose evidence names the parent.
func (v *Views) Parents(ctx context.Context, parts []domain.ID) (map[domain.ID]*ParentCase, error) {
	rows, err := v.reader.ParentsOf(ctx, parts...)
	parents := make(map[domain.ID]*ParentCase, len(rows))
	for _, row := range rows {
		parents[row.Part] = &ParentCase{ID: row.Parent, Reference: row.Reference}
	}
	return parents, err
}

// Parts reads the parts of the files of cases, by case. The caller must have checked that the actor may
// read the cases, whose event logs name the parts.
func (v *Views) Parts(ctx context.Context, ids []domain.ID) (map[domain.ID][]FilePart, error) {
	cases, err := v.reader.PartsOf(ctx, ids...)
	parts := map[domain.ID][]FilePart{}
	for _, part := range cases {
		parent := part.Part.Parent
		parts[parent] = append(parts[parent], FilePart{ID: part.ID, Reference: part.Reference,
			First: part.Part.First, Last: part.Part.Last, Merged: part.Part.Merged})
	}
	return parts, err
}
