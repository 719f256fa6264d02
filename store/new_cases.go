package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
	"countersign/store/bulk"
)

// NewCaseData is what the database determines for a new case.
type NewCaseData struct {
	Now               time.Time
	Reference         string // the next reference, such as CS-2026-000123
	DefinitionVersion int    // the newest published version of the process; 0 if there is none
	// DocumentTypeVersion is the newest published version of the document type; 0 if there is none.
	DocumentTypeVersion int
	Duplicates          []domain.ID
}

// NewCaseRequest describes a case to be created.
type NewCaseRequest struct {
	CaseID       domain.ID
	Process      string
	DocumentType string
	SHA256       []byte
}

// PrepareNewCases returns the data of each new case, in one statement. Duplicates are the cases
// that have a document with the same bytes, newest first, at most 10.
func (t *Tx) PrepareNewCases(ctx context.Context, cases []NewCaseRequest) ([]NewCaseData, error) {
	s := &bulk.Statement{}
	set := bulk.NewRows(s, cases)
	bulk.Column(set, "id", "uuid", func(c *NewCaseRequest) domain.ID { return c.CaseID })
	bulk.Column(set, "process", "text", func(c *NewCaseRequest) string { return c.Process })
	bulk.Column(set, "document_type", "text",
		func(c *NewCaseRequest) string { return c.DocumentType })
	bulk.Column(set, "sha256", "bytea", func(c *NewCaseRequest) []byte { return c.SHA256 })
	return queryAll(ctx, t.q, "new cases", `SELECT clock(), nextval('case_reference'),
			coalesce((SELECT max(version) FROM process_definitions p WHERE p.key = x.process AND
			p.status = 'published'), 0),
			coalesce((SELECT max(version) FROM document_types t WHERE t.key = x.document_type), 0),
			ARRAY(SELECT d.case_id FROM (`+casesWithHash("x.sha256")+`) d WHERE d.case_id <> x.id
			ORDER BY d.case_id DESC LIMIT 10)
		FROM `+set.NumberedFrom("x")+` ORDER BY x.n`, func(row pgx.CollectableRow) (NewCaseData,
		error) {
		var o NewCaseData
		var number int64
		err := row.Scan(&o.Now, &number, &o.DefinitionVersion, &o.DocumentTypeVersion,
			&o.Duplicates)
		o.Now = o.Now.UTC()
		o.Reference = fmt.Sprintf("CS-%d-%06d", o.Now.Year(), number)
		return o, err
	}, s.Args()...)
}

// ApplyAll writes changes of different cases in one statement, all of new cases or none. After an
// error the caller must roll the transaction back, because some changes may be written.
func (t *Tx) ApplyAll(ctx context.Context, changes []*Change) error {
	_, written, err := t.writeChanges(ctx, changes, "")
	if err == nil && len(written) != len(changes) {
		err = fmt.Errorf("store: only %d of %d changes were written", len(written), len(changes))
	}
	return err
}
