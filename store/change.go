package store

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"countersign/domain"
)

// Lease names the leased run on whose strength a machine's step is written.
type Lease struct {
	RunID domain.ID
	Token domain.ID
}

// RunEnd says how the leased run ended.
type RunEnd struct {
	Status    domain.RunStatus
	ErrorCode domain.Code
	ErrorText string
}

// StageFindings replaces what one stage had found before.
type StageFindings struct {
	Stage    string
	Findings []domain.Finding
}

// Change is one command's writes to one case, applied as a single statement: all or nothing. The case row is written
// whole, guarded by WasVersion; with a Lease also by the lease token of the run, which ends as End says.
type Change struct {
	New        bool // insert the case instead of updating it
	Case       domain.Case
	WasVersion int64
	Lease      *Lease
	End        RunEnd
	Events     []domain.Event
	Runs       []domain.StageRun
	// Cancel ends every other pending, leased or incident run of these nodes; CancelAll those of the whole case.
	CancelNodes   []string
	CancelAll     bool
	Document      *domain.Document
	Read          *domain.Document // the revision that was read: its ReadAt and StructuredKey are kept
	Pages         []domain.Page
	Fields        []domain.Field
	DropFields    bool // of source other than human, before Fields are written
	StageFindings []StageFindings
	Reviews       []domain.Review // opened
	ReviewEdits   []domain.Review // whole rows, guarded by the version they had (Version-1)
	Decision      *domain.Decision
	Votes         []domain.Vote
	FallenDuties  []string // their votes are deleted
	Interests     []domain.Interest
}

// statement gathers the parts of one data-modifying statement.
type statement struct {
	parts []string
	args  []any
}

func (s *statement) arg(value any) string {
	s.args = append(s.args, value)
	return "$" + strconv.Itoa(len(s.args))
}

func (s *statement) with(name, format string, args ...any) {
	s.parts = append(s.parts, name+" AS ("+fmt.Sprintf(format, args...)+")")
}

// Apply writes the change. false means that the case had moved on (another version): nothing was written, read again.
// LeaseLost means that the lease is no longer ours: nothing was written, stop.
func (t *Tx) Apply(ctx context.Context, change *Change) (bool, error) {
	if err := t.decide(ctx, change); err != nil {
		return false, err
	}
	s := &statement{args: make([]any, 0, 48)}
	if err := s.caseRow(change); err != nil {
		return false, err
	}
	check := "true"
	if change.Lease != nil {
		s.endRun(change)
		// The lease must have stood when the statement began, and still when its row was locked.
		check = "demand(EXISTS (SELECT FROM held) AND (SELECT count(*) FROM own) = (SELECT count(*) FROM c))"
	}
	s.events(change.Events)
	s.cancel(change)
	s.runs(change.Runs)
	if err := s.document(change); err != nil {
		return false, err
	}
	if err := s.judgement(change); err != nil {
		return false, err
	}
	s.people(change)
	sql := "WITH " + strings.Join(s.parts, ",\n") + "\nSELECT (SELECT count(*) FROM c), " + check
	var applied int
	var holds bool
	if err := t.q.QueryRow(ctx, sql, s.args...).Scan(&applied, &holds); err != nil {
		return false, translate(err, "apply")
	}
	return applied == 1, nil
}

var caseRowColumns = []string{"reference", "process_key", "process_version", "document_type", "channel", "counterparty",
	"party_id", "document_number", "country", "amount_minor", "currency", "amount_known", "base_minor", "rate_id",
	"declared_minor", "declared_currency", "marking", "status", "outcome", "outcome_reason", "risk", "submitter", "correlation_id",
	"manifest_key", "version", "facts_revision", "last_seq", "head_hash", "updated_at"}

// firstChanging is where the columns start that an update writes; the ones before never change after birth.
const firstChanging = 3

func (s *statement) caseRow(change *Change) error {
	c := &change.Case
	marking, err := json.Marshal(c.Marking)
	if err != nil {
		return fmt.Errorf("store: marking of case %s: %w", c.ID, err)
	}
	values := []any{c.Reference, c.ProcessKey, c.ProcessVersion, c.DocumentType, string(c.Channel), c.Counterparty, c.PartyID,
		c.DocumentNumber, c.Country, c.Amount.Minor, c.Amount.Currency, c.AmountKnown, c.BaseMinor, c.RateID, c.DeclaredAmount.Minor,
		c.DeclaredAmount.Currency, string(marking), string(c.Status), string(c.Outcome), c.OutcomeReason, c.Risk, c.Submitter, c.CorrelationID,
		c.ManifestKey, c.Version, c.FactsRevision, c.LastSeq, c.HeadHash, c.UpdatedAt}
	if change.New {
		marks := []string{s.arg(c.ID), s.arg(c.CreatedAt)}
		for _, value := range values {
			marks = append(marks, s.arg(value))
		}
		s.with("c", `INSERT INTO cases (id, created_at, %s, last_txid) VALUES (%s, pg_current_xact_id()) RETURNING id, last_txid`,
			strings.Join(caseRowColumns, ", "), strings.Join(marks, ", "))
		return nil
	}
	sets := make([]string, 0, len(values))
	for i := firstChanging; i < len(values); i++ {
		sets = append(sets, caseRowColumns[i]+" = "+s.arg(values[i]))
	}
	guard := ""
	if change.Lease != nil {
		s.with("held", `SELECT FROM stage_runs r WHERE r.case_id = %s AND r.id = %s AND coalesce(r.status, '') = 'leased' AND r.lease_token = %s`,
			s.arg(c.ID), s.arg(change.Lease.RunID), s.arg(change.Lease.Token))
		guard = " AND EXISTS (SELECT FROM held)"
	}
	for _, r := range change.ReviewEdits {
		guard += fmt.Sprintf(" AND (SELECT version FROM reviews WHERE id = %s) = %s", s.arg(r.ID), s.arg(r.Version-1))
	}
	s.with("c", `UPDATE cases SET %s, last_txid = greatest(pg_current_xact_id(), last_txid)
		WHERE id = %s AND version = %s%s RETURNING id, last_txid`, strings.Join(sets, ", "), s.arg(c.ID), s.arg(change.WasVersion), guard)
	return nil
}

func (s *statement) endRun(change *Change) {
	s.with("own", `UPDATE stage_runs r SET status = %s, ended_at = clock(), error_code = %s, error_text = %s,
		failures = r.failures + %s FROM c WHERE r.case_id = %s AND r.id = %s AND coalesce(r.status, '') = 'leased' AND r.lease_token = %s RETURNING 1`,
		s.arg(string(change.End.Status)), s.arg(string(change.End.ErrorCode)), s.arg(change.End.ErrorText),
		s.arg(boolToInt(change.End.Status != domain.RunDone)), s.arg(change.Case.ID), s.arg(change.Lease.RunID), s.arg(change.Lease.Token))
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (s *statement) events(events []domain.Event) {
	if len(events) == 0 {
		return
	}
	rows := make([]string, 0, len(events))
	for i := range events {
		e := &events[i]
		marks := []string{s.arg(e.Seq), s.arg(string(e.Type)), s.arg(e.SchemaVersion), s.arg(e.Actor), s.arg(e.OnBehalfOf),
			s.arg(e.CorrelationID), s.arg(e.At), s.arg(string(e.StatusBefore)), s.arg(string(e.StatusAfter)),
			s.arg(markingText(e.MarkingBefore)), s.arg(markingText(e.MarkingAfter)), s.arg(e.PrevHash), s.arg(e.BodyHash),
			s.arg(e.Hash), s.arg(e.Salt), s.arg(string(e.Body))}
		casts := []string{"bigint", "text", "int", "uuid", "uuid", "text", "timestamptz", "text", "text", "text", "text", "bytea",
			"bytea", "bytea", "bytea", "text"}
		if i == 0 { // the first row of VALUES gives the types
			for j := range marks {
				marks[j] += "::" + casts[j]
			}
		}
		rows = append(rows, "("+strings.Join(marks, ", ")+")")
	}
	s.with("e", `INSERT INTO events (case_id, seq, type, schema_version, actor, on_behalf_of, correlation_id, at, status_before,
		status_after, marking_before, marking_after, prev_hash, body_hash, hash, salt, body, txid)
		SELECT c.id, v.*, c.last_txid FROM c, (VALUES %s) v`, strings.Join(rows, ", "))
}

// markingText is the canonical JSON that audit hashes.
func markingText(m domain.Marking) string {
	text, err := m.AppendCanonical(nil)
	if err != nil {
		return "{}" // audit hashed the same marking before, so it has a canonical form
	}
	return string(text)
}

func (s *statement) cancel(change *Change) {
	if !change.CancelAll && len(change.CancelNodes) == 0 {
		return
	}
	own := domain.NoID
	if change.Lease != nil {
		own = change.Lease.RunID
	}
	nodes := ""
	if !change.CancelAll {
		nodes = " AND r.node = ANY(" + s.arg(change.CancelNodes) + "::text[])"
	}
	s.with("k", `UPDATE stage_runs r SET status = 'cancelled', ended_at = clock() FROM c WHERE r.case_id = %s
		AND r.status IN ('pending', 'leased', 'incident') AND r.id <> %s%s`, s.arg(change.Case.ID), s.arg(own), nodes)
}

func (s *statement) runs(runs []domain.StageRun) {
	for i := range runs {
		r := &runs[i]
		leaseUntil, endedAt := "'-infinity'", "NULL"
		if r.Status == domain.RunLeased {
			leaseUntil = s.arg(r.LeaseUntil)
		}
		if !r.EndedAt.IsZero() {
			endedAt = s.arg(r.EndedAt)
		}
		s.with("run"+strconv.Itoa(i), `INSERT INTO stage_runs (case_id, id, node, visit, kind, subject, attempt, queue, run_after, status,
			lease_token, lease_until, worker, next_ring_at, failures, ended_at, error_code, error_text)
			SELECT c.id, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s FROM c`,
			s.arg(r.ID), s.arg(r.Node), s.arg(r.Visit), s.arg(string(r.Kind)), s.arg(r.Subject), s.arg(r.Attempt), s.arg(r.Queue),
			s.arg(r.RunAfter), s.arg(string(r.Status)), s.arg(r.LeaseToken), leaseUntil, s.arg(r.Worker),
			s.arg(laterOf(r.RunAfter, r.CreatedAt).Add(firstRingAfter)), s.arg(r.Failures), endedAt, s.arg(string(r.ErrorCode)), s.arg(r.ErrorText))
	}
}

// firstRingAfter is how long the ring after the commit has before the sweeper rings again.
const firstRingAfter = 5 * time.Second

func laterOf(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
