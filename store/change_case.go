package store

import (
	"fmt"
	"strings"
	"time"

	"countersign/domain"
	"countersign/store/bulk"
)

// caseRow is a case after a change, with the conditions of the change.
type caseRow struct {
	*domain.Case
	change          *Change
	marking         string
	expectedVersion int64
	lease           Lease
	result          RunResult
}

// writeCases adds the parts that lock, check and write the cases; the CTE c returns the cases that
// were written, with their last_txid.
func (s *statement) writeCases(changes []*Change, wait string) error {
	rows := make([]caseRow, len(changes))
	for i, change := range changes {
		marking, err := change.Case.Marking.Canonical()
		if err != nil {
			return fmt.Errorf("store: marking of case %s: %w", change.Case.ID, err)
		}
		rows[i] = caseRow{Case: &change.Case, change: change, marking: string(marking),
			expectedVersion: change.ExpectedVersion, result: change.RunResult}
		if change.Lease != nil {
			rows[i].lease = *change.Lease
		}
	}
	set := bulk.NewRows(&s.Statement, rows)
	if changes[0].New {
		addImmutableCaseColumns(set)
		addMutableCaseColumns(set)
		addFieldColumns(set, changes)
		names := strings.Join(set.Names(), ", ")
		s.AddCTE("c", `INSERT INTO cases (%s, fields_revision, last_txid)
			SELECT %s, x.facts_revision, pg_current_xact_id() FROM %s RETURNING id, last_txid`,
			names, set.List("x"), set.From("x"))
		return nil
	}
	addMutableCaseColumns(set)
	sets := set.Assignments("x") + ", " + s.fieldAssignments(set, changes)
	bulk.Column(set, "id", "uuid", func(r *caseRow) domain.ID { return r.ID })
	bulk.Column(set, "was", "bigint", func(r *caseRow) int64 { return r.expectedVersion })
	ended := "k ON k.id = x.id"
	if changes[0].Lease != nil {
		addLeaseColumns(set)
		ended = "own ON own.case_id = x.id"
	}
	s.AddCTE("x", "SELECT * FROM %s", set.From("x"))
	// The lock of the case covers all its rows; its version is checked again after the lock was
	// acquired.
	locked := "k"
	claims := claimsOf(changes)
	if len(claims) > 0 {
		locked = "kl"
	}
	s.AddCTE(locked, `SELECT c.id FROM x JOIN cases c ON c.id = x.id WHERE c.version = x.was%s
		ORDER BY c.id FOR UPDATE OF c%s`,
		s.reviewVersionGuard(changes), wait)
	s.claimPairs(claims)
	if changes[0].Lease != nil {
		s.AddCTE("own", `UPDATE %s r SET status = x.end_status, ended_at = clock(),
			error_code = x.end_code, error_text = x.end_text,
			failures = r.failures + (x.end_status <> 'done')::int FROM x JOIN k ON k.id = x.id
			WHERE r.case_id = x.id AND %s AND r.id = x.run_id AND coalesce(r.status, '') = 'leased'
			AND r.lease_token = x.token
			RETURNING r.case_id`, s.partitionOf("stage_runs"), s.caseIDBounds("r.case_id"))
	}
	s.AddCTE("c", `UPDATE cases c SET %s, last_txid = greatest(pg_current_xact_id(), c.last_txid)
		FROM x JOIN %s
		WHERE c.id = x.id RETURNING c.id, c.last_txid`, sets, ended)
	return nil
}

// addImmutableCaseColumns adds the columns that never change.
func addImmutableCaseColumns(set *bulk.Rows[caseRow]) {
	bulk.Column(set, "id", "uuid", func(r *caseRow) domain.ID { return r.ID })
	bulk.Column(set, "created_at", "timestamptz", func(r *caseRow) time.Time { return r.CreatedAt })
	bulk.Column(set, "reference", "text", func(r *caseRow) string { return r.Reference })
	bulk.Column(set, "process_key", "text", func(r *caseRow) string { return r.ProcessKey })
	bulk.Column(set, "process_version", "int", func(r *caseRow) int { return r.ProcessVersion })
	bulk.Column(set, "document_type_version", "int",
		func(r *caseRow) int { return r.DocumentTypeVersion })
	bulk.Column(set, "parent_id", "uuid", func(r *caseRow) domain.ID { return r.Part.Parent })
	bulk.Column(set, "origin_id", "uuid", func(r *caseRow) domain.ID { return r.Part.Origin })
	bulk.Column(set, "part", "jsonb", func(r *caseRow) string { return partText(r.Part) })
	bulk.Column(set, "attributes", "jsonb",
		func(r *caseRow) string { return attributesText(r.Attributes) })
}

// addMutableCaseColumns adds the columns that are written with every change.
func addMutableCaseColumns(set *bulk.Rows[caseRow]) {
	bulk.Column(set, "document_type", "text", func(r *caseRow) string { return r.DocumentType })
	bulk.Column(set, "channel", "text", func(r *caseRow) string { return string(r.Channel) })
	bulk.Column(set, "counterparty", "text", func(r *caseRow) string { return r.Counterparty })
	bulk.Column(set, "party_id", "uuid", func(r *caseRow) domain.ID { return r.PartyID })
	bulk.Column(set, "document_number", "text", func(r *caseRow) string { return r.DocumentNumber })
	bulk.Column(set, "country", "text", func(r *caseRow) string { return r.Country })
	bulk.Column(set, "amount_minor", "bigint", func(r *caseRow) int64 { return r.Amount.Minor })
	bulk.Column(set, "currency", "text", func(r *caseRow) string { return r.Amount.Currency })
	bulk.Column(set, "amount_known", "bool", func(r *caseRow) bool { return r.AmountKnown })
	bulk.Column(set, "base_minor", "bigint", func(r *caseRow) int64 { return r.BaseMinor })
	bulk.Column(set, "rate_id", "uuid", func(r *caseRow) domain.ID { return r.RateID })
	bulk.Column(set, "risk_minor", "bigint", func(r *caseRow) int64 { return r.AtRisk.Minor })
	bulk.Column(set, "risk_currency", "text", func(r *caseRow) string { return r.AtRisk.Currency })
	bulk.ArrayColumn(set, "other_countries", "text",
		func(r *caseRow) string { return textArray(r.OtherCountries) })
	bulk.ArrayColumn(set, "other_party_ids", "uuid",
		func(r *caseRow) string { return idArray(r.OtherPartyIDs) })
	bulk.ArrayColumn(set, "other_numbers", "text",
		func(r *caseRow) string { return textArray(r.OtherNumbers) })
	bulk.ArrayColumn(set, "differing_fields", "text",
		func(r *caseRow) string { return textArray(r.DifferingFields) })
	bulk.ArrayColumn(set, "accounts", "text",
		func(r *caseRow) string { return textArray(r.Accounts) })
	bulk.Column(set, "document_kind", "text",
		func(r *caseRow) string { return string(r.DocumentKind) })
	bulk.Column(set, "document_time", "text", func(r *caseRow) string { return r.DocumentTime })
	bulk.Column(set, "image_hash", "bigint",
		func(r *caseRow) int64 { return int64(r.ImageHash) }) //nolint:gosec // all bits count
	bulk.Column(set, "summed", "bool", func(r *caseRow) bool { return r.Summed })
	bulk.Column(set, "order_revision", "int", func(r *caseRow) int { return r.OrderRevision })
	bulk.ArrayColumn(set, "missing", "text",
		func(r *caseRow) string { return textArray(r.Missing) })
	bulk.ArrayColumn(set, "unstated", "text",
		func(r *caseRow) string { return textArray(r.Unstated) })
	bulk.Column(set, "declared_minor", "bigint",
		func(r *caseRow) int64 { return r.DeclaredAmount.Minor })
	bulk.Column(set, "declared_currency", "text",
		func(r *caseRow) string { return r.DeclaredAmount.Currency })
	bulk.Column(set, "marking", "jsonb", func(r *caseRow) string { return r.marking })
	bulk.Column(set, "status", "text", func(r *caseRow) string { return string(r.Status) })
	bulk.Column(set, "outcome", "text", func(r *caseRow) string { return string(r.Outcome) })
	bulk.Column(set, "outcome_reason", "text", func(r *caseRow) string { return r.OutcomeReason })
	bulk.Column(set, "risk", "int", func(r *caseRow) int { return r.Risk })
	bulk.Column(set, "submitter", "uuid", func(r *caseRow) domain.ID { return r.Submitter })
	bulk.Column(set, "correlation_id", "text", func(r *caseRow) string { return r.CorrelationID })
	bulk.Column(set, "traceparent", "text", func(r *caseRow) string { return r.Traceparent })
	bulk.Column(set, "manifest_key", "text", func(r *caseRow) string { return r.ManifestKey })
	bulk.Column(set, "version", "bigint", func(r *caseRow) int64 { return r.Version })
	bulk.Column(set, "facts_revision", "bigint", func(r *caseRow) int64 { return r.FactsRevision })
	bulk.Column(set, "last_seq", "bigint", func(r *caseRow) int64 { return r.LastSeq })
	bulk.Column(set, "head_hash", "bytea", func(r *caseRow) []byte { return r.HeadHash })
	bulk.Column(set, "updated_at", "timestamptz", func(r *caseRow) time.Time { return r.UpdatedAt })
}

// partText returns what a part of a file inherits, in JSON. It has no value that cannot be encoded.
func partText(part domain.CasePart) string {
	text, err := jsonText(part)
	if err != nil || !part.IsPart() {
		return "{}"
	}
	return text
}

// attributesText returns attributes in JSON. They have no value that cannot be encoded.
func attributesText(attributes []domain.Attribute) string {
	text, err := jsonText(attributes)
	if err != nil || len(attributes) == 0 {
		return "[]"
	}
	return text
}

func addLeaseColumns(set *bulk.Rows[caseRow]) {
	bulk.Column(set, "run_id", "uuid", func(r *caseRow) domain.ID { return r.lease.RunID })
	bulk.Column(set, "token", "uuid", func(r *caseRow) domain.ID { return r.lease.Token })
	bulk.Column(set, "end_status", "text",
		func(r *caseRow) string { return string(r.result.Status) })
	bulk.Column(set, "end_code", "text",
		func(r *caseRow) string { return string(r.result.ErrorCode) })
	bulk.Column(set, "end_text", "text", func(r *caseRow) string { return r.result.ErrorText })
}

// reviewVersionGuard requires that the reviews of a change still have the version that was read.
func (s *statement) reviewVersionGuard(changes []*Change) string {
	edits := changeRows(changes, func(c *Change) []domain.Review { return c.ReviewUpdates })
	if len(edits) == 0 {
		return ""
	}
	set := bulk.NewRows(&s.Statement, edits)
	bulk.Column(set, "case_id", "uuid", func(r *domain.Review) domain.ID { return r.CaseID })
	bulk.Column(set, "id", "uuid", func(r *domain.Review) domain.ID { return r.ID })
	bulk.Column(set, "was", "bigint", func(r *domain.Review) int64 { return r.Version - 1 })
	return ` AND NOT EXISTS (SELECT FROM ` + set.From("g") + ` LEFT JOIN reviews v ON v.id = g.id
		AND v.version = g.was
		WHERE g.case_id = c.id AND v.id IS NULL)`
}
