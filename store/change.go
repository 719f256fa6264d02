package store

import (
	"context"
	"strings"
	"time"

	"countersign/domain"
)

// Lease names the leased run on whose strength a machine's step is written.
type Lease struct {
	RunID domain.ID
	Token domain.ID
}

// RunResult says how the leased run ended.
type RunResult struct {
	Status    domain.RunStatus
	ErrorCode domain.Code
	ErrorText string
}

// StageFindings replaces what one stage had found before.
type StageFindings struct {
	Stage    string
	Findings []domain.Finding
}

// NodeRuns names the runs of a node; Kind "" means those of every kind.
type NodeRuns struct {
	Node string
	Kind domain.RunKind
}

// Change is one command's writes to one case, applied as a single statement: all or nothing. The case row is written
// whole, guarded by WasVersion; with a Lease also by the lease token of the run, which ends as End says.
type Change struct {
	New             bool // insert the case instead of updating it
	Case            domain.Case
	ExpectedVersion int64
	Lease           *Lease
	RunResult       RunResult
	Events          []domain.Event
	Runs            []domain.StageRun
	// Cancel ends every other pending, leased or incident run of these nodes, or about these reviews; CancelAll those of
	// the whole case.
	CancelNodes        []NodeRuns
	CancelSubjects     []domain.ID
	CancelAll          bool
	Document           *domain.Document
	ReadDocument       *domain.Document // the revision that was read: its ReadAt and StructuredKey are kept
	Pages              []domain.Page
	Fields             []domain.Field
	DeleteFieldSources []domain.FieldSource // fields of these sources that are not among Fields are deleted
	StageFindings      []StageFindings
	NewReviews         []domain.Review // opened
	ReviewUpdates      []domain.Review // whole rows, guarded by the version they had (Version-1)
	Decision           *domain.Decision
	Votes              []domain.Vote
	RevokedDuties      []string // their votes are deleted
	RevokedVotes       []domain.Vote
	Interests          []domain.Interest
}

// Apply writes the change. false means that the case had moved on (another version): nothing was written, read again.
// LeaseLost means that the lease is no longer ours: nothing was written, stop. A case that somebody holds is waited for.
func (t *Tx) Apply(ctx context.Context, change *Change) (bool, error) {
	if err := t.insertDecision(ctx, change); err != nil {
		return false, err
	}
	current, written, err := t.writeChanges(ctx, []*Change{change}, "")
	switch {
	case err != nil:
		return false, err
	case len(written) == 1 || change.Lease == nil:
		return len(written) == 1, nil
	case len(current) == 0:
		held, err := t.holdsLease(ctx, change)
		if err != nil || held {
			return false, err
		}
	}
	return false, domain.Errorf(domain.LeaseLost, "The work was taken over by another worker.")
}

// holdsLease reports whether the change's lease still stands.
func (t *Tx) holdsLease(ctx context.Context, change *Change) (bool, error) {
	var held bool
	err := t.q.QueryRow(ctx, `SELECT EXISTS (SELECT FROM `+t.tableFor("stage_runs", change.Case.ID)+` r WHERE r.case_id = $1 AND r.id = $2
		AND coalesce(r.status, '') = 'leased' AND r.lease_token = $3)`, change.Case.ID, change.Lease.RunID, change.Lease.Token).Scan(&held)
	return held, translate(err, "held")
}

// skipLocked makes a statement leave out cases that somebody holds, in place of waiting for them.
const skipLocked = " SKIP LOCKED"

// writeChanges is the one statement that writes changes of different cases: either all new, or all of cases that stand, and then
// all with a lease or none. What does not hold for one of them (its version, its lease) leaves that one out and touches no
// other; what cannot be stored fails the whole statement. current are the cases that had the version read and could be
// locked, written those that were written.
func (t *Tx) writeChanges(ctx context.Context, changes []*Change, wait string) (current, written []domain.ID, err error) {
	s := t.newStatement(caseIDsOf(changes))
	s.args = make([]any, 0, 128)
	if err := s.writeCases(changes, wait); err != nil {
		return nil, nil, err
	}
	s.insertEvents(changeRows(changes, func(c *Change) []domain.Event { return c.Events }))
	s.cancelRuns(changes)
	s.insertRuns(changeRows(changes, func(c *Change) []domain.StageRun { return c.Runs }))
	if err := s.writeDocuments(changes); err != nil {
		return nil, nil, err
	}
	if err := s.writeFieldsAndFindings(changes); err != nil {
		return nil, nil, err
	}
	s.writeReviewsAndInterests(changes)
	k := "k"
	if changes[0].New {
		k = "c"
	}
	sql := "WITH " + strings.Join(s.parts, ",\n") + "\nSELECT ARRAY(SELECT id FROM " + k + "), ARRAY(SELECT id FROM c)"
	err = t.q.QueryRow(ctx, sql, s.argsWithBufferHint()...).Scan(&current, &written)
	return current, written, translate(err, "apply")
}

// changeRows are the rows of one kind of all changes.
func changeRows[R any](changes []*Change, rows func(*Change) []R) []R {
	if len(changes) == 1 {
		return rows(changes[0])
	}
	all := make([]R, 0, countRows(changes, rows))
	for _, change := range changes {
		all = append(all, rows(change)...)
	}
	return all
}

func countRows[R any](changes []*Change, rows func(*Change) []R) (n int) {
	for _, change := range changes {
		n += len(rows(change))
	}
	return n
}

// caseValue is a value with the case it is about.
type caseValue[T any] struct {
	caseID domain.ID
	value  T
}

func caseValues[T any](changes []*Change, rows func(*Change) []T) []caseValue[T] {
	all := make([]caseValue[T], 0, countRows(changes, rows))
	for _, change := range changes {
		for _, it := range rows(change) {
			all = append(all, caseValue[T]{change.Case.ID, it})
		}
	}
	return all
}

func caseIDsOf(changes []*Change) []domain.ID {
	ids := make([]domain.ID, len(changes))
	for i, change := range changes {
		ids[i] = change.Case.ID
	}
	return ids
}

func (s *statement) insertEvents(events []domain.Event) {
	if len(events) == 0 {
		return
	}
	set := newUnnestRows(s, events)
	addColumn(set, "case_id", "uuid", func(e *domain.Event) domain.ID { return e.Stream })
	addColumn(set, "seq", "bigint", func(e *domain.Event) int64 { return e.Seq })
	addColumn(set, "type", "text", func(e *domain.Event) string { return string(e.Type) })
	addColumn(set, "schema_version", "int", func(e *domain.Event) int { return e.SchemaVersion })
	addColumn(set, "actor", "uuid", func(e *domain.Event) domain.ID { return e.Actor })
	addColumn(set, "on_behalf_of", "uuid", func(e *domain.Event) domain.ID { return e.OnBehalfOf })
	addColumn(set, "correlation_id", "text", func(e *domain.Event) string { return e.CorrelationID })
	addColumn(set, "at", "timestamptz", func(e *domain.Event) time.Time { return e.At })
	addColumn(set, "status_before", "text", func(e *domain.Event) string { return string(e.StatusBefore) })
	addColumn(set, "status_after", "text", func(e *domain.Event) string { return string(e.StatusAfter) })
	addColumn(set, "marking_before", "text", func(e *domain.Event) string { return e.MarkingBefore })
	addColumn(set, "marking_after", "text", func(e *domain.Event) string { return e.MarkingAfter })
	addColumn(set, "prev_hash", "bytea", func(e *domain.Event) []byte { return e.PrevHash })
	addColumn(set, "body_hash", "bytea", func(e *domain.Event) []byte { return e.BodyHash })
	addColumn(set, "hash", "bytea", func(e *domain.Event) []byte { return e.Hash })
	addColumn(set, "salt", "bytea", func(e *domain.Event) []byte { return e.Salt })
	addColumn(set, "body", "text", func(e *domain.Event) []byte { return e.Body })
	// In the order of seq, so that a stream's ids rise with its numbers.
	s.addCTE("e", `INSERT INTO events (%s, txid) SELECT %s, c.last_txid FROM c JOIN %s ON x.case_id = c.id ORDER BY x.seq`,
		strings.Join(set.names, ", "), set.columnList("x", 0), set.fromClause("x"))
}

// runCancellation names the runs that end with a change: of one node, or about one review; neither = all.
type runCancellation struct {
	caseID, exceptRun, subject domain.ID
	node, kind                 string
}

func (s *statement) cancelRuns(changes []*Change) {
	var rows []runCancellation
	for _, change := range changes {
		row := runCancellation{caseID: change.Case.ID}
		if change.Lease != nil {
			row.exceptRun = change.Lease.RunID
		}
		if change.CancelAll {
			rows = append(rows, row)
			continue
		}
		for _, node := range change.CancelNodes {
			rows = append(rows, runCancellation{caseID: row.caseID, exceptRun: row.exceptRun, node: node.Node, kind: string(node.Kind)})
		}
		for _, subject := range change.CancelSubjects {
			rows = append(rows, runCancellation{caseID: row.caseID, exceptRun: row.exceptRun, subject: subject})
		}
	}
	if len(rows) == 0 {
		return
	}
	set := newUnnestRows(s, rows)
	addColumn(set, "case_id", "uuid", func(r *runCancellation) domain.ID { return r.caseID })
	addColumn(set, "but", "uuid", func(r *runCancellation) domain.ID { return r.exceptRun })
	addColumn(set, "node", "text", func(r *runCancellation) string { return r.node })
	addColumn(set, "kind", "text", func(r *runCancellation) string { return r.kind })
	addColumn(set, "subject", "uuid", func(r *runCancellation) domain.ID { return r.subject })
	s.addCTE("z", `UPDATE %s r SET status = 'cancelled', ended_at = clock() FROM c JOIN %s ON x.case_id = c.id
		WHERE r.case_id = c.id AND %s AND r.status IN ('pending', 'leased', 'incident') AND r.id <> x.but
		AND CASE WHEN x.node <> '' THEN x.node = r.node AND x.kind IN ('', r.kind) WHEN x.subject <> '00000000-0000-0000-0000-000000000000' THEN x.subject = r.subject
			ELSE true END`, s.partitionOf("stage_runs"), set.fromClause("x"), s.caseIDBounds("r.case_id"))
}

func (s *statement) insertRuns(runs []domain.StageRun) {
	if len(runs) == 0 {
		return
	}
	set := newUnnestRows(s, runs)
	addColumn(set, "case_id", "uuid", func(r *domain.StageRun) domain.ID { return r.CaseID })
	addColumn(set, "id", "uuid", func(r *domain.StageRun) domain.ID { return r.ID })
	addColumn(set, "node", "text", func(r *domain.StageRun) string { return r.Node })
	addColumn(set, "visit", "int", func(r *domain.StageRun) int { return r.Visit })
	addColumn(set, "kind", "text", func(r *domain.StageRun) string { return string(r.Kind) })
	addColumn(set, "subject", "uuid", func(r *domain.StageRun) domain.ID { return r.Subject })
	addColumn(set, "attempt", "int", func(r *domain.StageRun) int { return r.Attempt })
	addColumn(set, "queue", "text", func(r *domain.StageRun) string { return r.Queue })
	addColumn(set, "topic", "text", func(r *domain.StageRun) string { return r.Topic })
	addColumn(set, "lease_secs", "float8", func(r *domain.StageRun) float64 { return r.LeaseFor.Seconds() })
	addColumn(set, "run_after", "timestamptz", func(r *domain.StageRun) time.Time { return r.RunAfter })
	addColumn(set, "status", "text", func(r *domain.StageRun) string { return string(r.Status) })
	addColumn(set, "lease_token", "uuid", func(r *domain.StageRun) domain.ID { return r.LeaseToken })
	addColumn(set, "worker", "text", func(r *domain.StageRun) string { return r.Worker })
	addColumn(set, "next_ring_at", "timestamptz", func(r *domain.StageRun) time.Time {
		if r.Queue == domain.QueueExternal {
			return neverEnqueued
		}
		return laterTime(r.RunAfter, r.CreatedAt).Add(enqueueGrace)
	})
	addColumn(set, "failures", "int", func(r *domain.StageRun) int { return r.Failures })
	addColumn(set, "ended_at", "timestamptz", func(r *domain.StageRun) *time.Time { return nullable(r.EndedAt) })
	addColumn(set, "error_code", "text", func(r *domain.StageRun) string { return string(r.ErrorCode) })
	addColumn(set, "error_text", "text", func(r *domain.StageRun) string { return r.ErrorText })
	plain, names := set.columnList("x", 0), strings.Join(set.names, ", ")
	addColumn(set, "lease_until", "timestamptz", func(r *domain.StageRun) *time.Time {
		if r.Status != domain.RunLeased {
			return nil
		}
		return &r.LeaseUntil
	})
	s.addCTE("y", `INSERT INTO stage_runs (%s, lease_until) SELECT %s, coalesce(x.lease_until, '-infinity') FROM c JOIN %s ON x.case_id = c.id`,
		names, plain, set.fromClause("x"))
}

// enqueueGrace is how long the enqueue after the commit has before the sweeper enqueues again.
const enqueueGrace = 5 * time.Second

// neverEnqueued is the next enqueue of an external stage's run: programs outside come for it by themselves.
var neverEnqueued = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

func laterTime(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
