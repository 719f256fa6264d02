package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

// Opening is what a new case must be told by the database.
type Opening struct {
	Now        time.Time
	Reference  string // the next number for people: CS-2026-000123
	Definition int    // the newest published version of the process; 0 if there is none
	Twins      []domain.ID
}

// NewCase asks for an opening.
type NewCase struct {
	CaseID  domain.ID
	Process string
	SHA256  []byte
}

// Openings answers for each of the new cases, in one statement. Twins are the cases that hold a document of the same
// bytes, newest first, at most 10.
func (t *Tx) Openings(ctx context.Context, cases []NewCase) ([]Opening, error) {
	s := &statement{}
	set := newRowSet(s, cases)
	column(set, "id", "uuid", func(c *NewCase) domain.ID { return c.CaseID })
	column(set, "process", "text", func(c *NewCase) string { return c.Process })
	column(set, "sha256", "bytea", func(c *NewCase) []byte { return c.SHA256 })
	return collect(ctx, t.q, "openings", `SELECT clock(), nextval('case_reference'),
			coalesce((SELECT max(version) FROM process_definitions p WHERE p.key = x.process AND p.status = 'published'), 0),
			ARRAY(SELECT d.case_id FROM (`+sameBytes("x.sha256")+`) d WHERE d.case_id <> x.id ORDER BY d.case_id DESC LIMIT 10)
		FROM `+set.numbered("x")+` ORDER BY x.n`, func(row pgx.CollectableRow) (Opening, error) {
		var o Opening
		var number int64
		err := row.Scan(&o.Now, &number, &o.Definition, &o.Twins)
		o.Now = o.Now.UTC()
		o.Reference = fmt.Sprintf("CS-%d-%06d", o.Now.Year(), number)
		return o, err
	}, s.args...)
}

// ApplyAll writes changes of different cases in one statement, all new or none of them. An error says that not all were
// written; it must end the transaction.
func (t *Tx) ApplyAll(ctx context.Context, changes []*Change) error {
	_, written, err := t.write(ctx, changes, "")
	if err == nil && len(written) != len(changes) {
		err = fmt.Errorf("store: %d of %d changes could be written", len(written), len(changes))
	}
	return err
}
