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

// Parent reads the case whose file was split into parts of which the case is one, nil if it is none. The
// caller must have checked that the actor may read the part, whose evidence names the parent.
func (v *Views) Parent(ctx context.Context, c domain.Case) (*ParentCase, error) {
	if !c.Part.IsPart() {
		return nil, nil
	}
	parent, err := v.reader.Case(ctx, c.Part.Parent)
	if err != nil {
		return nil, err
	}
	return &ParentCase{ID: parent.ID, Reference: parent.Reference}, nil
}

// Parts reads the parts of the file of a case, which its event log names. The caller must have checked
// that the actor may read the case.
func (v *Views) Parts(ctx context.Context, c domain.Case) ([]FilePart, error) {
	if c.Outcome != domain.Abandoned && c.Status != domain.Abandoned {
		return nil, nil // a case ends when it is split
	}
	return v.PartsOf(ctx, c.ID)
}

// PartsOf is Parts for a case that the actor has split, for the answer to the command.
func (v *Views) PartsOf(ctx context.Context, parent domain.ID) ([]FilePart, error) {
	cases, err := v.reader.PartsOf(ctx, parent)
	if err != nil {
		return nil, err
	}
	parts := make([]FilePart, 0, len(cases))
	for _, part := range cases {
		parts = append(parts, FilePart{ID: part.ID, Reference: part.Reference,
			First: part.Part.First, Last: part.Part.Last, Merged: part.Part.Merged})
	}
	return parts, nil
}
