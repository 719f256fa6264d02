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

// NodeRuns names the runs of a node; Kind "" means those of every kind.
type NodeRuns struct {
	Node string
	Kind domain.RunKind
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
	// Cancel ends every other pending, leased or incident run of these nodes, or about these reviews; CancelAll those of
	// the whole case.
	CancelNodes    []NodeRuns
	CancelSubjects []domain.ID
	CancelAll      bool
	Document       *domain.Document
	Read           *domain.Document // the revision that was read: its ReadAt and StructuredKey are kept
	Pages          []domain.Page
	Fields         []domain.Field
	DropFields     []domain.FieldSource // fields of these sources that are not among Fields are deleted
	StageFindings  []StageFindings
	Reviews        []domain.Review // opened
	ReviewEdits    []domain.Review // whole rows, guarded by the version they had (Version-1)
	Decision       *domain.Decision
	Votes          []domain.Vote
	FallenDuties   []string // their votes are deleted
	FallenVotes    []domain.Vote
	Interests      []domain.Interest
}

// Apply writes the change. false means that the case had moved on (another version): nothing was written, read again.
// LeaseLost means that the lease is no longer ours: nothing was written, stop. A case that somebody holds is waited for.
func (t *Tx) Apply(ctx context.Context, change *Change) (bool, error) {
	if err := t.decide(ctx, change); err != nil {
		return false, err
	}
	current, written, err := t.write(ctx, []*Change{change}, "")
	switch {
	case err != nil:
		return false, err
	case len(written) == 1 || change.Lease == nil:
		return len(written) == 1, nil
	case len(current) == 0:
		held, err := t.held(ctx, change)
		if err != nil || held {
			return false, err
		}
	}
	return false, domain.Fail(domain.LeaseLost, "The work was taken over by another worker.")
}

// held reports whether the change's lease still stands.
func (t *Tx) held(ctx context.Context, change *Change) (bool, error) {
	var held bool
	err := t.q.QueryRow(ctx, `SELECT EXISTS (SELECT FROM `+t.at("stage_runs", change.Case.ID)+` r WHERE r.case_id = $1 AND r.id = $2
		AND coalesce(r.status, '') = 'leased' AND r.lease_token = $3)`, change.Case.ID, change.Lease.RunID, change.Lease.Token).Scan(&held)
	return held, translate(err, "held")
}

// skipHeld makes a statement leave out cases that somebody holds, in place of waiting for them.
const skipHeld = " SKIP LOCKED"

// write is the one statement that writes changes of different cases: either all new, or all of cases that stand, and then
// all with a lease or none. What does not hold for one of them (its version, its lease) leaves that one out and touches no
// other; what cannot be stored fails the whole statement. current are the cases that had the version read and could be
// locked, written those that were written.
func (t *Tx) write(ctx context.Context, changes []*Change, wait string) (current, written []domain.ID, err error) {
	s := t.about(casesOf(changes))
	s.args = make([]any, 0, 128)
	if err := s.cases(changes, wait); err != nil {
		return nil, nil, err
	}
	s.events(gathered(changes, func(c *Change) []domain.Event { return c.Events }))
	s.cancel(changes)
	s.runs(gathered(changes, func(c *Change) []domain.StageRun { return c.Runs }))
	if err := s.documents(changes); err != nil {
		return nil, nil, err
	}
	if err := s.judgement(changes); err != nil {
		return nil, nil, err
	}
	s.people(changes)
	k := "k"
	if changes[0].New {
		k = "c"
	}
	sql := "WITH " + strings.Join(s.parts, ",\n") + "\nSELECT ARRAY(SELECT id FROM " + k + "), ARRAY(SELECT id FROM c)"
	err = t.q.QueryRow(ctx, sql, s.roomy()...).Scan(&current, &written)
	return current, written, translate(err, "apply")
}

// gathered are the rows of one kind of all changes.
func gathered[R any](changes []*Change, rows func(*Change) []R) []R {
	if len(changes) == 1 {
		return rows(changes[0])
	}
	all := make([]R, 0, count(changes, rows))
	for _, change := range changes {
		all = append(all, rows(change)...)
	}
	return all
}

func count[R any](changes []*Change, rows func(*Change) []R) (n int) {
	for _, change := range changes {
		n += len(rows(change))
	}
	return n
}

// ofCase is a value with the case it is about.
type ofCase[T any] struct {
	id domain.ID
	it T
}

func ofCases[T any](changes []*Change, rows func(*Change) []T) []ofCase[T] {
	all := make([]ofCase[T], 0, count(changes, rows))
	for _, change := range changes {
		for _, it := range rows(change) {
			all = append(all, ofCase[T]{change.Case.ID, it})
		}
	}
	return all
}

func casesOf(changes []*Change) []domain.ID {
	ids := make([]domain.ID, len(changes))
	for i, change := range changes {
		ids[i] = change.Case.ID
	}
	return ids
}

func (s *statement) events(events []domain.Event) {
	if len(events) == 0 {
		return
	}
	set := newRowSet(s, events)
	column(set, "case_id", "uuid", func(e *domain.Event) domain.ID { return e.Stream })
	column(set, "seq", "bigint", func(e *domain.Event) int64 { return e.Seq })
	column(set, "type", "text", func(e *domain.Event) string { return string(e.Type) })
	column(set, "schema_version", "int", func(e *domain.Event) int { return e.SchemaVersion })
	column(set, "actor", "uuid", func(e *domain.Event) domain.ID { return e.Actor })
	column(set, "on_behalf_of", "uuid", func(e *domain.Event) domain.ID { return e.OnBehalfOf })
	column(set, "correlation_id", "text", func(e *domain.Event) string { return e.CorrelationID })
	column(set, "at", "timestamptz", func(e *domain.Event) time.Time { return e.At })
	column(set, "status_before", "text", func(e *domain.Event) string { return string(e.StatusBefore) })
	column(set, "status_after", "text", func(e *domain.Event) string { return string(e.StatusAfter) })
	column(set, "marking_before", "text", func(e *domain.Event) string { return e.MarkingBefore })
	column(set, "marking_after", "text", func(e *domain.Event) string { return e.MarkingAfter })
	column(set, "prev_hash", "bytea", func(e *domain.Event) []byte { return e.PrevHash })
	column(set, "body_hash", "bytea", func(e *domain.Event) []byte { return e.BodyHash })
	column(set, "hash", "bytea", func(e *domain.Event) []byte { return e.Hash })
	column(set, "salt", "bytea", func(e *domain.Event) []byte { return e.Salt })
	column(set, "body", "text", func(e *domain.Event) []byte { return e.Body })
	// In the order of seq, so that a stream's ids rise with its numbers.
	s.with("e", `INSERT INTO events (%s, txid) SELECT %s, c.last_txid FROM c JOIN %s ON x.case_id = c.id ORDER BY x.seq`,
		strings.Join(set.names, ", "), set.list("x", 0), set.as("x"))
}

// cancelled names the runs that end with a change: of one node, or about one review; neither = all.
type cancelled struct {
	caseID, but, subject domain.ID
	node, kind           string
}

func (s *statement) cancel(changes []*Change) {
	var rows []cancelled
	for _, change := range changes {
		row := cancelled{caseID: change.Case.ID}
		if change.Lease != nil {
			row.but = change.Lease.RunID
		}
		if change.CancelAll {
			rows = append(rows, row)
			continue
		}
		for _, node := range change.CancelNodes {
			rows = append(rows, cancelled{caseID: row.caseID, but: row.but, node: node.Node, kind: string(node.Kind)})
		}
		for _, subject := range change.CancelSubjects {
			rows = append(rows, cancelled{caseID: row.caseID, but: row.but, subject: subject})
		}
	}
	if len(rows) == 0 {
		return
	}
	set := newRowSet(s, rows)
	column(set, "case_id", "uuid", func(r *cancelled) domain.ID { return r.caseID })
	column(set, "but", "uuid", func(r *cancelled) domain.ID { return r.but })
	column(set, "node", "text", func(r *cancelled) string { return r.node })
	column(set, "kind", "text", func(r *cancelled) string { return r.kind })
	column(set, "subject", "uuid", func(r *cancelled) domain.ID { return r.subject })
	s.with("z", `UPDATE %s r SET status = 'cancelled', ended_at = clock() FROM c JOIN %s ON x.case_id = c.id
		WHERE r.case_id = c.id AND %s AND r.status IN ('pending', 'leased', 'incident') AND r.id <> x.but
		AND CASE WHEN x.node <> '' THEN x.node = r.node AND x.kind IN ('', r.kind) WHEN x.subject <> '00000000-0000-0000-0000-000000000000' THEN x.subject = r.subject
			ELSE true END`, s.table("stage_runs"), set.as("x"), s.bounds("r.case_id"))
}

func (s *statement) runs(runs []domain.StageRun) {
	if len(runs) == 0 {
		return
	}
	set := newRowSet(s, runs)
	column(set, "case_id", "uuid", func(r *domain.StageRun) domain.ID { return r.CaseID })
	column(set, "id", "uuid", func(r *domain.StageRun) domain.ID { return r.ID })
	column(set, "node", "text", func(r *domain.StageRun) string { return r.Node })
	column(set, "visit", "int", func(r *domain.StageRun) int { return r.Visit })
	column(set, "kind", "text", func(r *domain.StageRun) string { return string(r.Kind) })
	column(set, "subject", "uuid", func(r *domain.StageRun) domain.ID { return r.Subject })
	column(set, "attempt", "int", func(r *domain.StageRun) int { return r.Attempt })
	column(set, "queue", "text", func(r *domain.StageRun) string { return r.Queue })
	column(set, "topic", "text", func(r *domain.StageRun) string { return r.Topic })
	column(set, "lease_secs", "float8", func(r *domain.StageRun) float64 { return r.LeaseFor.Seconds() })
	column(set, "run_after", "timestamptz", func(r *domain.StageRun) time.Time { return r.RunAfter })
	column(set, "status", "text", func(r *domain.StageRun) string { return string(r.Status) })
	column(set, "lease_token", "uuid", func(r *domain.StageRun) domain.ID { return r.LeaseToken })
	column(set, "worker", "text", func(r *domain.StageRun) string { return r.Worker })
	column(set, "next_ring_at", "timestamptz", func(r *domain.StageRun) time.Time {
		if r.Queue == domain.QueueExternal {
			return neverRung
		}
		return laterOf(r.RunAfter, r.CreatedAt).Add(firstRingAfter)
	})
	column(set, "failures", "int", func(r *domain.StageRun) int { return r.Failures })
	column(set, "ended_at", "timestamptz", func(r *domain.StageRun) *time.Time { return nullable(r.EndedAt) })
	column(set, "error_code", "text", func(r *domain.StageRun) string { return string(r.ErrorCode) })
	column(set, "error_text", "text", func(r *domain.StageRun) string { return r.ErrorText })
	plain, names := set.list("x", 0), strings.Join(set.names, ", ")
	column(set, "lease_until", "timestamptz", func(r *domain.StageRun) *time.Time {
		if r.Status != domain.RunLeased {
			return nil
		}
		return &r.LeaseUntil
	})
	s.with("y", `INSERT INTO stage_runs (%s, lease_until) SELECT %s, coalesce(x.lease_until, '-infinity') FROM c JOIN %s ON x.case_id = c.id`,
		names, plain, set.as("x"))
}

// firstRingAfter is how long the ring after the commit has before the sweeper rings again.
const firstRingAfter = 5 * time.Second

// neverRung is the next ring of an external stage's run: programs outside come for it by themselves.
var neverRung = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

func laterOf(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
