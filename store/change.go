package store

import (
	"context"
	"strings"
	"time"

	"countersign/domain"
	"countersign/store/bulk"
)

// Lease identifies the leased run that authorizes a worker's step.
type Lease struct {
	RunID domain.ID
	Token domain.ID
}

// RunResult is how the leased run ended.
type RunResult struct {
	Status    domain.RunStatus
	ErrorCode domain.Code
	ErrorText string
}

// StageFindings replaces the findings of one stage. First says that the version of the case that the
// change expects has none of this stage, so that there are none to delete.
type StageFindings struct {
	Stage    string
	Findings []domain.Finding
	First    bool
}

// NodeRuns identifies the runs of a node; Kind "" means those of every kind.
type NodeRuns struct {
	Node string
	Kind domain.RunKind
}

// Change is what one command writes to one case, applied as a single statement: all or nothing. All
// columns of the case row are written if its version is still ExpectedVersion; with a Lease also
// only if the run still has the lease token. The run then ends with RunResult.
type Change struct {
	New             bool // insert the case instead of updating it
	Case            domain.Case
	ExpectedVersion int64
	Lease           *Lease
	RunResult       RunResult
	Events          []domain.Event
	Runs            []domain.StageRun
	// CancelNodes and CancelSubjects cancel every other pending, leased or incident run of these
	// nodes or reviews; CancelAll cancels those of the whole case.
	CancelNodes    []NodeRuns
	CancelSubjects []domain.ID
	CancelAll      bool
	Document       *domain.Document
	Supporting     []domain.SupportingDocument // new ones
	// the revision that was read; ReadAt, StructuredKey and what the pages show are written
	ReadDocument *domain.Document
	Pages        []domain.Page
	Fields       []domain.Field
	// fields of these sources that are not among Fields are deleted
	DeleteFieldSources []domain.FieldSource
	StageFindings      []StageFindings
	Assertions         []domain.AssertionSet
	LineItems          *domain.LineItems // of a reading
	Order              *domain.Order     // a new revision of the payment order
	OrderUse           *domain.OrderUse
	Grounds            []domain.OrderGround // new ones, and stated ones that are now confirmed
	NewReviews         []domain.Review
	ReviewUpdates      []domain.Review // whole rows, written if their version is still Version-1
	Decision           *domain.Decision
	Votes              []domain.Vote
	RevokedDuties      []string // duties whose votes are deleted
	RevokedVotes       []domain.Vote
	Interests          []domain.Interest
	Overrides          []domain.FindingOverride
	Sums               []SumChange
	// Claims are the other cases of the pairs for which the case is to have the finding. The change
	// is not written if another case has, or a reviewer has cleared, one of them.
	Claims []PairClaim
	// ReleasedClaims are the other cases of pairs for which the case has no finding any longer.
	ReleasedClaims []domain.ID
}

// Apply writes the change. It returns false if the case has another version, and LeaseLost if the
// lease is no longer valid; in both cases nothing was written. It waits for a case that another
// transaction has locked.
func (t *Tx) Apply(ctx context.Context, change *Change) (bool, error) {
	if err := t.insertOverrides(ctx, change.Overrides); err != nil {
		return false, err
	}
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
		valid, err := t.holdsLease(ctx, change)
		if err != nil || valid {
			return false, err
		}
	}
	return false, domain.Errorf(domain.LeaseLost, leaseLostMessage)
}

// holdsLease reports whether the change's lease is still valid.
func (t *Tx) holdsLease(ctx context.Context, change *Change) (bool, error) {
	var valid bool
	err := t.q.QueryRow(ctx, `SELECT EXISTS (SELECT FROM `+t.tableFor("stage_runs",
		change.Case.ID)+` r WHERE r.case_id = $1 AND r.id = $2
		AND coalesce(r.status, '') = 'leased' AND r.lease_token = $3)`, change.Case.ID,
		change.Lease.RunID, change.Lease.Token).Scan(&valid)
	return valid, translate(err, "valid")
}

// skipLocked makes a statement skip cases that are locked instead of waiting for them.
const skipLocked = " SKIP LOCKED"

// writeChanges writes changes of different cases in one statement: either all new cases, or all
// existing ones with a lease each or none. A change with a stale version or a lost lease is left
// out without affecting the others; a value that cannot be stored fails the whole statement.
// current are the cases that had the expected version and could be locked, written those that were
// written.
func (t *Tx) writeChanges(ctx context.Context, changes []*Change,
	wait string) (current, written []domain.ID, err error) {
	s := t.newStatement(caseIDsOf(changes))
	if err := s.writeCases(changes, wait); err != nil {
		return nil, nil, err
	}
	s.insertEvents(changeRows(changes, func(c *Change) []domain.Event { return c.Events }))
	s.cancelRuns(changes)
	s.insertRuns(changeRows(changes, func(c *Change) []domain.StageRun { return c.Runs }))
	if err := s.writeDocuments(changes); err != nil {
		return nil, nil, err
	}
	s.insertSupporting(changeRows(changes,
		func(c *Change) []domain.SupportingDocument { return c.Supporting }))
	if err := s.writeFieldsAndFindings(changes); err != nil {
		return nil, nil, err
	}
	s.insertAssertions(changeRows(changes,
		func(c *Change) []domain.AssertionSet { return c.Assertions }))
	if err := s.insertLineItems(changes); err != nil {
		return nil, nil, err
	}
	s.writeOrders(changes)
	s.writeReviewsAndInterests(changes)
	s.changeSums(changes)
	s.releasePairs(changes)
	s.requestPairEvaluations(changes)
	k := "k"
	if changes[0].New {
		k = "c"
	}
	sql := s.With() + "SELECT ARRAY(SELECT id FROM " + k + "), ARRAY(SELECT id FROM c)"
	err = t.q.QueryRow(ctx, sql, s.Args()...).Scan(&current, &written)
	return current, written, translate(err, "apply")
}

// changeRows returns the rows of one kind of all changes.
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

// caseValue is a value with its case.
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
	set := bulk.NewRows(&s.Statement, events)
	bulk.Column(set, "case_id", "uuid", func(e *domain.Event) domain.ID { return e.Stream })
	bulk.Column(set, "seq", "bigint", func(e *domain.Event) int64 { return e.Seq })
	bulk.Column(set, "type", "text", func(e *domain.Event) string { return string(e.Type) })
	bulk.Column(set, "schema_version", "int", func(e *domain.Event) int { return e.SchemaVersion })
	bulk.Column(set, "actor", "uuid", func(e *domain.Event) domain.ID { return e.Actor })
	bulk.Column(set, "on_behalf_of", "uuid",
		func(e *domain.Event) domain.ID { return e.OnBehalfOf })
	bulk.Column(set, "correlation_id", "text",
		func(e *domain.Event) string { return e.CorrelationID })
	bulk.Column(set, "traceparent", "text",
		func(e *domain.Event) string { return e.Traceparent })
	bulk.Column(set, "at", "timestamptz", func(e *domain.Event) time.Time { return e.At })
	bulk.Column(set, "status_before", "text",
		func(e *domain.Event) string { return string(e.StatusBefore) })
	bulk.Column(set, "status_after", "text",
		func(e *domain.Event) string { return string(e.StatusAfter) })
	bulk.Column(set, "marking_before", "text",
		func(e *domain.Event) string { return e.MarkingBefore })
	bulk.Column(set, "marking_after", "text",
		func(e *domain.Event) string { return e.MarkingAfter })
	bulk.Column(set, "prev_hash", "bytea", func(e *domain.Event) []byte { return e.PrevHash })
	bulk.Column(set, "body_hash", "bytea", func(e *domain.Event) []byte { return e.BodyHash })
	bulk.Column(set, "hash", "bytea", func(e *domain.Event) []byte { return e.Hash })
	bulk.Column(set, "salt", "bytea", func(e *domain.Event) []byte { return e.Salt })
	bulk.Column(set, "body", "text", func(e *domain.Event) string { return string(e.Body) })
	// In the order of seq, so that the ids of a stream's events rise with their seq.
	s.AddCTE("e", `INSERT INTO events (%s, txid) SELECT %s, c.last_txid FROM c
		JOIN %s ON x.case_id = c.id ORDER BY x.seq`,
		strings.Join(set.Names(), ", "), set.List("x"), set.From("x"))
}

// runCancellation selects runs to cancel: those of a node, those about a review, or, if neither is
// set, all.
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
			rows = append(rows, runCancellation{caseID: row.caseID, exceptRun: row.exceptRun,
				node: node.Node, kind: string(node.Kind)})
		}
		for _, subject := range change.CancelSubjects {
			rows = append(rows, runCancellation{caseID: row.caseID, exceptRun: row.exceptRun,
				subject: subject})
		}
	}
	if len(rows) == 0 {
		return
	}
	set := bulk.NewRows(&s.Statement, rows)
	bulk.Column(set, "case_id", "uuid", func(r *runCancellation) domain.ID { return r.caseID })
	bulk.Column(set, "but", "uuid", func(r *runCancellation) domain.ID { return r.exceptRun })
	bulk.Column(set, "node", "text", func(r *runCancellation) string { return r.node })
	bulk.Column(set, "kind", "text", func(r *runCancellation) string { return r.kind })
	bulk.Column(set, "subject", "uuid", func(r *runCancellation) domain.ID { return r.subject })
	s.AddCTE("z", `UPDATE %s r SET status = 'cancelled', ended_at = clock() FROM c
		JOIN %s ON x.case_id = c.id
		WHERE r.case_id = c.id AND %s AND r.status IN ('pending', 'leased', 'incident')
		AND r.id <> x.but
		AND CASE WHEN x.node <> '' THEN x.node = r.node AND x.kind IN ('', r.kind)
			WHEN x.subject <> '00000000-0000-0000-0000-000000000000' THEN x.subject = r.subject
			ELSE true END`, s.partitionOf("stage_runs"), set.From("x"), s.caseIDBounds("r.case_id"))
}

func (s *statement) insertRuns(runs []domain.StageRun) {
	if len(runs) == 0 {
		return
	}
	set := bulk.NewRows(&s.Statement, runs)
	bulk.Column(set, "case_id", "uuid", func(r *domain.StageRun) domain.ID { return r.CaseID })
	bulk.Column(set, "id", "uuid", func(r *domain.StageRun) domain.ID { return r.ID })
	bulk.Column(set, "node", "text", func(r *domain.StageRun) string { return r.Node })
	bulk.Column(set, "visit", "int", func(r *domain.StageRun) int { return r.Visit })
	bulk.Column(set, "kind", "text", func(r *domain.StageRun) string { return string(r.Kind) })
	bulk.Column(set, "subject", "uuid", func(r *domain.StageRun) domain.ID { return r.Subject })
	bulk.Column(set, "attempt", "int", func(r *domain.StageRun) int { return r.Attempt })
	bulk.Column(set, "queue", "text", func(r *domain.StageRun) string { return r.Queue })
	bulk.Column(set, "topic", "text", func(r *domain.StageRun) string { return r.Topic })
	bulk.Column(set, "lease_secs", "float8",
		func(r *domain.StageRun) float64 { return r.LeaseFor.Seconds() })
	bulk.Column(set, "run_after", "timestamptz",
		func(r *domain.StageRun) time.Time { return r.RunAfter })
	bulk.Column(set, "status", "text", func(r *domain.StageRun) string { return string(r.Status) })
	bulk.Column(set, "lease_token", "uuid",
		func(r *domain.StageRun) domain.ID { return r.LeaseToken })
	bulk.Column(set, "worker", "text", func(r *domain.StageRun) string { return r.Worker })
	bulk.Column(set, "next_ring_at", "timestamptz", func(r *domain.StageRun) time.Time {
		if r.Queue == domain.QueueExternal {
			return neverEnqueued
		}
		return domain.LaterTime(r.RunAfter, r.CreatedAt).Add(enqueueGrace)
	})
	bulk.Column(set, "failures", "int", func(r *domain.StageRun) int { return r.Failures })
	bulk.Column(set, "ended_at", "timestamptz",
		func(r *domain.StageRun) *time.Time { return nullable(r.EndedAt) })
	bulk.Column(set, "error_code", "text",
		func(r *domain.StageRun) string { return string(r.ErrorCode) })
	bulk.Column(set, "error_text", "text", func(r *domain.StageRun) string { return r.ErrorText })
	bulk.Column(set, "traceparent", "text",
		func(r *domain.StageRun) string { return r.Traceparent })
	plain, names := set.List("x"), strings.Join(set.Names(), ", ")
	bulk.Column(set, "lease_until", "timestamptz", func(r *domain.StageRun) *time.Time {
		if r.Status != domain.RunLeased {
			return nil
		}
		return &r.LeaseUntil
	})
	s.AddCTE("y", `INSERT INTO stage_runs (%s, lease_until)
		SELECT %s, coalesce(x.lease_until, '-infinity') FROM c JOIN %s ON x.case_id = c.id`,
		names, plain, set.From("x"))
}

// enqueueGrace is how long after the commit the sweeper waits before it enqueues the run again.
const enqueueGrace = 5 * time.Second

// neverEnqueued is the next enqueue of an external stage's run, which external programs lease by
// themselves.
var neverEnqueued = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
