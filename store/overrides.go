package store

import (
	"context"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
	"countersign/store/bulk"
)

// insertOverrides writes the overrides of a command in a statement of their own, because most
// changes have none.
func (t *Tx) insertOverrides(ctx context.Context, overrides []domain.FindingOverride) error {
	if len(overrides) == 0 {
		return nil
	}
	s := t.newStatement(nil)
	set := bulk.NewRows(&s.Statement, overrides)
	bulk.Column(set, "case_id", "uuid",
		func(o *domain.FindingOverride) domain.ID { return o.CaseID })
	bulk.Column(set, "id", "uuid", func(o *domain.FindingOverride) domain.ID { return o.ID })
	bulk.Column(set, "rule", "text", func(o *domain.FindingOverride) string { return o.Rule })
	bulk.Column(set, "finding_hash", "bytea",
		func(o *domain.FindingOverride) []byte { return o.FindingHash[:] })
	bulk.Column(set, "review_id", "uuid",
		func(o *domain.FindingOverride) domain.ID { return o.ReviewID })
	bulk.Column(set, "person", "uuid",
		func(o *domain.FindingOverride) domain.ID { return o.Person })
	bulk.Column(set, "on_behalf_of", "uuid",
		func(o *domain.FindingOverride) domain.ID { return o.OnBehalfOf })
	bulk.Column(set, "reason", "text",
		func(o *domain.FindingOverride) string { return o.Reason })
	bulk.Column(set, "at", "timestamptz", func(o *domain.FindingOverride) time.Time { return o.At })
	_, err := t.exec(ctx, "overrides", "INSERT INTO overrides ("+strings.Join(set.Names(), ", ")+
		") SELECT "+set.List("x")+" FROM "+set.From("x"), s.Args()...)
	return err
}

// Overrides reads the overrides of findings of the cases, oldest first within a case, without those of
// hidden votes.
func (r Reader) Overrides(
	ctx context.Context, cases ...domain.ID,
) ([]domain.FindingOverride, error) {
	return r.overrides(ctx, false, cases)
}

// OverridesOfHiddenVotes reads the others.
func (r Reader) OverridesOfHiddenVotes(ctx context.Context, caseID domain.ID) (
	[]domain.FindingOverride, error) {
	return r.overrides(ctx, true, []domain.ID{caseID})
}

func (r Reader) overrides(
	ctx context.Context, hidden bool, cases []domain.ID,
) ([]domain.FindingOverride, error) {
	return queryAll(ctx, r.q, "overrides", `SELECT case_id, id, rule, finding_hash, review_id,
		person, on_behalf_of, reason, at,
		ARRAY(SELECT o.id FROM users a JOIN users o ON o.person = a.person AND o.id <> a.id
			WHERE a.id IN (x.person, x.on_behalf_of)) FROM overrides x WHERE case_id = ANY($1)
			AND `+hiddenOverride("x")+` = $2
		ORDER BY case_id, at, id`, func(row pgx.CollectableRow) (domain.FindingOverride, error) {
		var o domain.FindingOverride
		var hash []byte
		err := row.Scan(&o.CaseID, &o.ID, &o.Rule, &hash, &o.ReviewID, &o.Person, &o.OnBehalfOf,
			&o.Reason, &o.At, &o.OtherAccounts)
		copy(o.FindingHash[:], hash)
		o.At = o.At.UTC()
		return o, err
	}, cases, hidden)
}
