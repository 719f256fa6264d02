package store

import (
	"fmt"
	"strings"
	"time"

	"countersign/domain"
)

// caseRow is a case as a change leaves it, and what guards the change.
type caseRow struct {
	*domain.Case
	marking         string
	expectedVersion int64
	lease           Lease
	result          RunResult
}

// writeCases adds the parts that hold, guard and write the cases; c names the ones that were written, with their last_txid.
func (s *statement) writeCases(changes []*Change, wait string) error {
	rows := make([]caseRow, len(changes))
	for i, change := range changes {
		marking, err := change.Case.Marking.Canonical()
		if err != nil {
			return fmt.Errorf("store: marking of case %s: %w", change.Case.ID, err)
		}
		rows[i] = caseRow{Case: &change.Case, marking: string(marking), expectedVersion: change.ExpectedVersion, result: change.RunResult}
		if change.Lease != nil {
			rows[i].lease = *change.Lease
		}
	}
	set := newUnnestRows(s, rows)
	if changes[0].New {
		addImmutableCaseColumns(set)
		addMutableCaseColumns(set)
		names := strings.Join(set.names, ", ")
		s.addCTE("c", `INSERT INTO cases (%s, last_txid) SELECT %s, pg_current_xact_id() FROM %s RETURNING id, last_txid`,
			names, set.columnList("x", 0), set.fromClause("x"))
		return nil
	}
	addMutableCaseColumns(set)
	sets := make([]string, 0, len(set.names))
	for _, name := range set.names {
		sets = append(sets, name+" = x."+name)
	}
	addColumn(set, "id", "uuid", func(r *caseRow) domain.ID { return r.ID })
	addColumn(set, "was", "bigint", func(r *caseRow) int64 { return r.expectedVersion })
	ended := "k ON k.id = x.id"
	if changes[0].Lease != nil {
		addLeaseColumns(set)
		ended = "own ON own.case_id = x.id"
	}
	s.addCTE("x", "SELECT * FROM %s", set.fromClause("x"))
	// Who holds the case holds all that is its; its version is asked again once the lock is had.
	s.addCTE("k", `SELECT c.id FROM x JOIN cases c ON c.id = x.id WHERE c.version = x.was%s ORDER BY c.id FOR UPDATE OF c%s`,
		s.reviewVersionGuard(changes), wait)
	if changes[0].Lease != nil {
		s.addCTE("own", `UPDATE %s r SET status = x.end_status, ended_at = clock(), error_code = x.end_code, error_text = x.end_text,
			failures = r.failures + (x.end_status <> 'done')::int FROM x JOIN k ON k.id = x.id
			WHERE r.case_id = x.id AND %s AND r.id = x.run_id AND coalesce(r.status, '') = 'leased' AND r.lease_token = x.token
			RETURNING r.case_id`, s.partitionOf("stage_runs"), s.caseIDBounds("r.case_id"))
	}
	s.addCTE("c", `UPDATE cases c SET %s, last_txid = greatest(pg_current_xact_id(), c.last_txid) FROM x JOIN %s
		WHERE c.id = x.id RETURNING c.id, c.last_txid`, strings.Join(sets, ", "), ended)
	return nil
}

// addImmutableCaseColumns adds the columns that never change.
func addImmutableCaseColumns(set *unnestRows[caseRow]) {
	addColumn(set, "id", "uuid", func(r *caseRow) domain.ID { return r.ID })
	addColumn(set, "created_at", "timestamptz", func(r *caseRow) time.Time { return r.CreatedAt })
	addColumn(set, "reference", "text", func(r *caseRow) string { return r.Reference })
	addColumn(set, "process_key", "text", func(r *caseRow) string { return r.ProcessKey })
	addColumn(set, "process_version", "int", func(r *caseRow) int { return r.ProcessVersion })
}

// addMutableCaseColumns adds the columns that are written with every change.
func addMutableCaseColumns(set *unnestRows[caseRow]) {
	addColumn(set, "document_type", "text", func(r *caseRow) string { return r.DocumentType })
	addColumn(set, "channel", "text", func(r *caseRow) string { return string(r.Channel) })
	addColumn(set, "counterparty", "text", func(r *caseRow) string { return r.Counterparty })
	addColumn(set, "party_id", "uuid", func(r *caseRow) domain.ID { return r.PartyID })
	addColumn(set, "document_number", "text", func(r *caseRow) string { return r.DocumentNumber })
	addColumn(set, "country", "text", func(r *caseRow) string { return r.Country })
	addColumn(set, "amount_minor", "bigint", func(r *caseRow) int64 { return r.Amount.Minor })
	addColumn(set, "currency", "text", func(r *caseRow) string { return r.Amount.Currency })
	addColumn(set, "amount_known", "bool", func(r *caseRow) bool { return r.AmountKnown })
	addColumn(set, "base_minor", "bigint", func(r *caseRow) int64 { return r.BaseMinor })
	addColumn(set, "rate_id", "uuid", func(r *caseRow) domain.ID { return r.RateID })
	addColumn(set, "declared_minor", "bigint", func(r *caseRow) int64 { return r.DeclaredAmount.Minor })
	addColumn(set, "declared_currency", "text", func(r *caseRow) string { return r.DeclaredAmount.Currency })
	addColumn(set, "marking", "jsonb", func(r *caseRow) string { return r.marking })
	addColumn(set, "status", "text", func(r *caseRow) string { return string(r.Status) })
	addColumn(set, "outcome", "text", func(r *caseRow) string { return string(r.Outcome) })
	addColumn(set, "outcome_reason", "text", func(r *caseRow) string { return r.OutcomeReason })
	addColumn(set, "risk", "int", func(r *caseRow) int { return r.Risk })
	addColumn(set, "submitter", "uuid", func(r *caseRow) domain.ID { return r.Submitter })
	addColumn(set, "correlation_id", "text", func(r *caseRow) string { return r.CorrelationID })
	addColumn(set, "manifest_key", "text", func(r *caseRow) string { return r.ManifestKey })
	addColumn(set, "version", "bigint", func(r *caseRow) int64 { return r.Version })
	addColumn(set, "facts_revision", "bigint", func(r *caseRow) int64 { return r.FactsRevision })
	addColumn(set, "last_seq", "bigint", func(r *caseRow) int64 { return r.LastSeq })
	addColumn(set, "head_hash", "bytea", func(r *caseRow) []byte { return r.HeadHash })
	addColumn(set, "updated_at", "timestamptz", func(r *caseRow) time.Time { return r.UpdatedAt })
}

func addLeaseColumns(set *unnestRows[caseRow]) {
	addColumn(set, "run_id", "uuid", func(r *caseRow) domain.ID { return r.lease.RunID })
	addColumn(set, "token", "uuid", func(r *caseRow) domain.ID { return r.lease.Token })
	addColumn(set, "end_status", "text", func(r *caseRow) string { return string(r.result.Status) })
	addColumn(set, "end_code", "text", func(r *caseRow) string { return string(r.result.ErrorCode) })
	addColumn(set, "end_text", "text", func(r *caseRow) string { return r.result.ErrorText })
}

// reviewVersionGuard demands that the reviews that a change edits stand at the version that was read.
func (s *statement) reviewVersionGuard(changes []*Change) string {
	edits := changeRows(changes, func(c *Change) []domain.Review { return c.ReviewUpdates })
	if len(edits) == 0 {
		return ""
	}
	set := newUnnestRows(s, edits)
	addColumn(set, "case_id", "uuid", func(r *domain.Review) domain.ID { return r.CaseID })
	addColumn(set, "id", "uuid", func(r *domain.Review) domain.ID { return r.ID })
	addColumn(set, "was", "bigint", func(r *domain.Review) int64 { return r.Version - 1 })
	return ` AND NOT EXISTS (SELECT FROM ` + set.fromClause("g") + ` LEFT JOIN reviews v ON v.id = g.id AND v.version = g.was
		WHERE g.case_id = c.id AND v.id IS NULL)`
}
