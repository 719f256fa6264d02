package casework

import (
	"context"
	"fmt"
	"slices"

	"countersign/doctype"
	"countersign/domain"
	"countersign/store"
	"countersign/workflow"
)

// documentType returns the document type of a case, in the version with which it was submitted.
// Inside a transaction the caller must pass the reader of the transaction.
func (svc *Service) documentType(
	ctx context.Context, r store.Reader, c domain.Case,
) (*domain.DocumentType, error) {
	return svc.documentTypeAt(ctx, r, c.DocumentType, c.DocumentTypeVersion)
}

// documentType returns the document type of the command's case.
func (c *command) documentType() (*domain.DocumentType, error) {
	return c.svc.documentType(c.ctx, c.tx.Reader, c.before)
}

func (svc *Service) documentTypeAt(
	ctx context.Context, r store.Reader, key string, version int,
) (*domain.DocumentType, error) {
	return doctype.Of(svc.documentTypes, key, version, func() (string, error) {
		row, err := r.DocumentType(ctx, key, version)
		return row.Document, err
	})
}

// newestDocumentTypes returns the newest version of every document type, by key.
func (svc *Service) newestDocumentTypes(
	ctx context.Context, r store.Reader,
) ([]*domain.DocumentType, error) {
	rows, err := r.DocumentTypes(ctx)
	if err != nil {
		return nil, err
	}
	var newest []*domain.DocumentType
	for i, row := range rows {
		if i > 0 && rows[i-1].Key == row.Key {
			continue
		}
		kind, err := doctype.Of(svc.documentTypes, row.Key, row.Version,
			func() (string, error) { return row.Document, nil })
		if err != nil {
			return nil, err
		}
		newest = append(newest, kind)
	}
	return newest, nil
}

// typeNamed returns the type of the key, or one without a definition.
func typeNamed(types []*domain.DocumentType, key string) *domain.DocumentType {
	at := slices.IndexFunc(types, func(t *domain.DocumentType) bool { return t.Key == key })
	if at < 0 {
		return domain.UndefinedDocumentType(key)
	}
	return types[at]
}

// fieldGap is a field that a process depends on and that a document type does not have.
type fieldGap struct{ field, reason string }

// fieldGaps returns the fields that documents of the type lack for the process: those of the facts
// that it needs or names as key facts, and, where limits apply, the amount. Without them the facts
// could never be known, and no reviewer could name them.
func fieldGaps(def *workflow.Definition, kind *domain.DocumentType) []fieldGap {
	var gaps []fieldGap
	require := func(field, reason string) {
		if field != "" && !kind.Has(field) && !slices.ContainsFunc(gaps,
			func(gap fieldGap) bool { return gap.field == field }) {
			gaps = append(gaps, fieldGap{field, reason})
		}
	}
	if def.HasAmount {
		require(domain.FieldTotal, "its approval limits apply to the amount")
		require(domain.FieldCurrency, "its approval limits apply to the amount")
	}
	for _, fact := range def.Needs {
		require(domain.FieldOfFact(fact), fmt.Sprintf("it needs the fact %s", fact))
	}
	for _, fact := range def.KeyFacts {
		field := domain.FieldOfFact(fact)
		if _, builtin := domain.FieldSpecOf(fact); builtin && field == "" {
			field = fact
		}
		require(field, fmt.Sprintf("%s is one of its key facts", fact))
	}
	return gaps
}

// checkTypeFits refuses a submission of a type that lacks a field which the process depends on. The
// check when either is published cannot see a process for any type, or a type published at the same
// moment.
func checkTypeFits(def *workflow.Definition, kind *domain.DocumentType) error {
	gaps := fieldGaps(def, kind)
	if len(gaps) == 0 {
		return nil
	}
	return domain.Invalid("documentType",
		"Documents of the type %s cannot be submitted to the process %s: the type has no field %s, "+
			"and %s.", kind.Key, def.Key, gaps[0].field, gaps[0].reason).
		WithRemedy("Choose another document type or process.").
		WithDetail("reason", "type_lacks_field").WithDetail("type", kind.Key).
		WithDetail("name", gaps[0].field)
}
