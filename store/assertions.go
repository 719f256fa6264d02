package store

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
	"countersign/store/bulk"
)

// textArray returns an array literal whose elements are quoted.
func textArray(values []string) string {
	if len(values) == 0 {
		return "{}"
	}
	quoted := make([]string, len(values))
	for i, value := range values {
		quoted[i] = `"` + arrayEscapes.Replace(value) + `"`
	}
	return "{" + strings.Join(quoted, ",") + "}"
}

var arrayEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// nilIfEmpty returns nil for an empty array, which is how Go code leaves one out.
func nilIfEmpty[T any](values []T) []T {
	if len(values) == 0 {
		return nil
	}
	return values
}

func idArray(ids []domain.ID) string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = id.String()
	}
	return textArray(texts)
}

// insertAssertions adds the sets of assertions of the cases that were written.
func (s *statement) insertAssertions(sets []domain.AssertionSet) {
	if len(sets) == 0 {
		return
	}
	set := bulk.NewRows(&s.Statement, sets)
	bulk.Column(set, "case_id", "uuid", func(a *domain.AssertionSet) domain.ID { return a.CaseID })
	bulk.Column(set, "revision", "bigint",
		func(a *domain.AssertionSet) int64 { return a.Revision })
	bulk.Column(set, "source", "text",
		func(a *domain.AssertionSet) string { return string(a.Source) })
	bulk.Column(set, "asserted_by", "uuid",
		func(a *domain.AssertionSet) domain.ID { return a.By })
	bulk.Column(set, "document_revision", "int",
		func(a *domain.AssertionSet) int { return a.DocumentRevision })
	bulk.Column(set, "at", "timestamptz", func(a *domain.AssertionSet) time.Time { return a.At })
	bulk.Column(set, "body", "text", func(a *domain.AssertionSet) string { return string(a.Body) })
	bulk.Column(set, "salt", "bytea", func(a *domain.AssertionSet) []byte { return a.Salt })
	bulk.Column(set, "hash", "bytea", func(a *domain.AssertionSet) []byte { return a.Hash })
	s.insertRows("a", "assertions", set.Names(), set.List("x"), set.From("x"), "")
}

// Assertions reads everything that was asserted about the cases, oldest first within a case. A set
// whose body was erased has no assertions.
func (r Reader) Assertions(
	ctx context.Context, cases ...domain.ID,
) ([]domain.AssertionSet, error) {
	return queryAll(ctx, r.q, "assertions", `SELECT case_id, revision, source, asserted_by,
		document_revision, at, body, salt, hash
		FROM `+r.tableFor("assertions", cases...)+` WHERE case_id = ANY($1) AND case_id BETWEEN $2
		AND $3 ORDER BY case_id, revision, source`, scanAssertionSet, rangeArgs(cases)...)
}

func scanAssertionSet(row pgx.CollectableRow) (domain.AssertionSet, error) {
	var set domain.AssertionSet
	var body string
	err := row.Scan(&set.CaseID, &set.Revision, &set.Source, &set.By, &set.DocumentRevision,
		&set.At, &body, &set.Salt, &set.Hash)
	if err != nil {
		return set, err
	}
	set.At, set.Body = set.At.UTC(), []byte(body)
	if body == "" {
		return set, nil
	}
	return set, json.Unmarshal(set.Body, &set.Assertions)
}
