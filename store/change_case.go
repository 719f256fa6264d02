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
	marking string
	was     int64
	lease   Lease
	end     RunEnd
}

// cases adds the parts that hold, guard and write the cases; c names the ones that were written, with their last_txid.
func (s *statement) cases(changes []*Change, wait string) error {
	rows := make([]caseRow, len(changes))
	for i, change := range changes {
		marking, err := change.Case.Marking.Canonical()
		if err != nil {
			return fmt.Errorf("store: marking of case %s: %w", change.Case.ID, err)
		}
		rows[i] = caseRow{Case: &change.Case, marking: string(marking), was: change.WasVersion, end: change.End}
		if change.Lease != nil {
			rows[i].lease = *change.Lease
		}
	}
	set := newRowSet(s, rows)
	if changes[0].New {
		caseBirth(set)
		caseState(set)
		names := strings.Join(set.names, ", ")
		s.with("c", `INSERT INTO cases (%s, last_txid) SELECT %s, pg_current_xact_id() FROM %s RETURNING id, last_txid`,
			names, set.list("x", 0), set.as("x"))
		return nil
	}
	caseState(set)
	sets := make([]string, 0, len(set.names))
	for _, name := range set.names {
		sets = append(sets, name+" = x."+name)
	}
	column(set, "id", "uuid", func(r *caseRow) domain.ID { return r.ID })
	column(set, "was", "bigint", func(r *caseRow) int64 { return r.was })
	ended := "k ON k.id = x.id"
	if changes[0].Lease != nil {
		guardedByLease(set)
		ended = "own ON own.case_id = x.id"
	}
	s.with("x", "SELECT * FROM %s", set.as("x"))
	// Who holds the case holds all that is its; its version is asked again once the lock is had.
	s.with("k", `SELECT c.id FROM x JOIN cases c ON c.id = x.id WHERE c.version = x.was%s ORDER BY c.id FOR UPDATE OF c%s`,
		s.reviewGuard(changes), wait)
	if changes[0].Lease != nil {
		s.with("own", `UPDATE %s r SET status = x.end_status, ended_at = clock(), error_code = x.end_code, error_text = x.end_text,
			failures = r.failures + (x.end_status <> 'done')::int FROM x JOIN k ON k.id = x.id
			WHERE r.case_id = x.id AND %s AND r.id = x.run_id AND coalesce(r.status, '') = 'leased' AND r.lease_token = x.token
			RETURNING r.case_id`, s.table("stage_runs"), s.bounds("r.case_id"))
	}
	s.with("c", `UPDATE cases c SET %s, last_txid = greatest(pg_current_xact_id(), c.last_txid) FROM x JOIN %s
		WHERE c.id = x.id RETURNING c.id, c.last_txid`, strings.Join(sets, ", "), ended)
	return nil
}

// caseBirth adds the columns that never change.
func caseBirth(set *rowSet[caseRow]) {
	column(set, "id", "uuid", func(r *caseRow) domain.ID { return r.ID })
	column(set, "created_at", "timestamptz", func(r *caseRow) time.Time { return r.CreatedAt })
	column(set, "reference", "text", func(r *caseRow) string { return r.Reference })
	column(set, "process_key", "text", func(r *caseRow) string { return r.ProcessKey })
	column(set, "process_version", "int", func(r *caseRow) int { return r.ProcessVersion })
}

// caseState adds the columns that are written with every change.
func caseState(set *rowSet[caseRow]) {
	column(set, "document_type", "text", func(r *caseRow) string { return r.DocumentType })
	column(set, "channel", "text", func(r *caseRow) string { return string(r.Channel) })
	column(set, "counterparty", "text", func(r *caseRow) string { return r.Counterparty })
	column(set, "party_id", "uuid", func(r *caseRow) domain.ID { return r.PartyID })
	column(set, "document_number", "text", func(r *caseRow) string { return r.DocumentNumber })
	column(set, "country", "text", func(r *caseRow) string { return r.Country })
	column(set, "amount_minor", "bigint", func(r *caseRow) int64 { return r.Amount.Minor })
	column(set, "currency", "text", func(r *caseRow) string { return r.Amount.Currency })
	column(set, "amount_known", "bool", func(r *caseRow) bool { return r.AmountKnown })
	column(set, "base_minor", "bigint", func(r *caseRow) int64 { return r.BaseMinor })
	column(set, "rate_id", "uuid", func(r *caseRow) domain.ID { return r.RateID })
	column(set, "declared_minor", "bigint", func(r *caseRow) int64 { return r.DeclaredAmount.Minor })
	column(set, "declared_currency", "text", func(r *caseRow) string { return r.DeclaredAmount.Currency })
	column(set, "marking", "jsonb", func(r *caseRow) string { return r.marking })
	column(set, "status", "text", func(r *caseRow) string { return string(r.Status) })
	column(set, "outcome", "text", func(r *caseRow) string { return string(r.Outcome) })
	column(set, "outcome_reason", "text", func(r *caseRow) string { return r.OutcomeReason })
	column(set, "risk", "int", func(r *caseRow) int { return r.Risk })
	column(set, "submitter", "uuid", func(r *caseRow) domain.ID { return r.Submitter })
	column(set, "correlation_id", "text", func(r *caseRow) string { return r.CorrelationID })
	column(set, "manifest_key", "text", func(r *caseRow) string { return r.ManifestKey })
	column(set, "version", "bigint", func(r *caseRow) int64 { return r.Version })
	column(set, "facts_revision", "bigint", func(r *caseRow) int64 { return r.FactsRevision })
	column(set, "last_seq", "bigint", func(r *caseRow) int64 { return r.LastSeq })
	column(set, "head_hash", "bytea", func(r *caseRow) []byte { return r.HeadHash })
	column(set, "updated_at", "timestamptz", func(r *caseRow) time.Time { return r.UpdatedAt })
}

func guardedByLease(set *rowSet[caseRow]) {
	column(set, "run_id", "uuid", func(r *caseRow) domain.ID { return r.lease.RunID })
	column(set, "token", "uuid", func(r *caseRow) domain.ID { return r.lease.Token })
	column(set, "end_status", "text", func(r *caseRow) string { return string(r.end.Status) })
	column(set, "end_code", "text", func(r *caseRow) string { return string(r.end.ErrorCode) })
	column(set, "end_text", "text", func(r *caseRow) string { return r.end.ErrorText })
}

// reviewGuard demands that the reviews that a change edits stand at the version that was read.
func (s *statement) reviewGuard(changes []*Change) string {
	edits := gathered(changes, func(c *Change) []domain.Review { return c.ReviewEdits })
	if len(edits) == 0 {
		return ""
	}
	set := newRowSet(s, edits)
	column(set, "case_id", "uuid", func(r *domain.Review) domain.ID { return r.CaseID })
	column(set, "id", "uuid", func(r *domain.Review) domain.ID { return r.ID })
	column(set, "was", "bigint", func(r *domain.Review) int64 { return r.Version - 1 })
	return ` AND NOT EXISTS (SELECT FROM ` + set.as("g") + ` LEFT JOIN reviews v ON v.id = g.id AND v.version = g.was
		WHERE g.case_id = c.id AND v.id IS NULL)`
}
