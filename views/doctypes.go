package views

import (
	"context"

	"countersign/doctype"
	"countersign/domain"
	"countersign/store"
)

// DocumentType is one published version of a document type, with what the viewer may see of it.
type DocumentType struct {
	store.DocumentTypeRow
	Parsed  *domain.DocumentType
	Newest  bool
	Trusted bool // may see the source text and the publisher
}

// DocumentTypes reads the published document types by key, newest version first. Every user may see
// the fields, because a submitter fills them too.
func (v *Views) DocumentTypes(ctx context.Context, actor domain.Actor, filter DefinitionFilter) (
	[]DocumentType, error) {
	viewer, err := v.loadViewer(ctx, actor)
	if err != nil {
		return nil, err
	}
	rows, err := v.reader.DocumentTypes(ctx)
	if err != nil {
		return nil, err
	}
	types := make([]DocumentType, 0, len(rows))
	for i, row := range rows {
		newest := i == 0 || rows[i-1].Key != row.Key
		if !filter.matches(row.Key, row.Version, newest) {
			continue
		}
		parsed, err := doctype.Of(v.types, row.Key, row.Version,
			func() (string, error) { return row.Document, nil })
		if err != nil {
			continue // `countersign doctor` reports it
		}
		types = append(types, DocumentType{DocumentTypeRow: row, Parsed: parsed, Newest: newest,
			Trusted: viewer.seesDefinitions()})
	}
	return types, nil
}

// DocumentTypeOf returns the document type of a case, in the version with which it was submitted. The
// caller must have checked that the actor may read the case.
func (v *Views) DocumentTypeOf(
	ctx context.Context, c domain.Case,
) (*domain.DocumentType, error) {
	return doctype.Of(v.types, c.DocumentType, c.DocumentTypeVersion, func() (string, error) {
		row, err := v.reader.DocumentType(ctx, c.DocumentType, c.DocumentTypeVersion)
		return row.Document, err
	})
}
