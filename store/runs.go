package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

const runColumns = `r.case_id, r.id, r.node, r.visit, r.kind, r.subject, r.attempt, r.queue, r.topic, r.lease_secs, r.run_after, r.status, r.lease_token,
	coalesce(nullif(r.lease_until, '-infinity'), '0001-01-01Z'), r.ring, r.next_ring_at, r.failures, r.expiries, r.worker, r.error_code,
	r.error_text, r.created_at, coalesce(r.ended_at, '0001-01-01Z')`

func runTargets(s *domain.StageRun) []any {
	return []any{&s.CaseID, &s.ID, &s.Node, &s.Visit, &s.Kind, &s.Subject, &s.Attempt, &s.Queue, &s.Topic, (*secondsScanner)(&s.LeaseFor), &s.RunAfter, &s.Status, &s.LeaseToken,
		&s.LeaseUntil, &s.EnqueueCount, &s.NextEnqueueAt, &s.Failures, &s.Expiries, &s.Worker, &s.ErrorCode, &s.ErrorText, &s.CreatedAt, &s.EndedAt}
}

func scanRun(row pgx.CollectableRow) (domain.StageRun, error) {
	var s domain.StageRun
	err := row.Scan(runTargets(&s)...)
	finishRun(&s)
	return s, err
}

// secondsScanner scans a number of seconds into a duration.
type secondsScanner time.Duration

// Scan implements sql.Scanner.
func (s *secondsScanner) Scan(value any) error {
	number, ok := value.(float64)
	if !ok {
		return fmt.Errorf("store: %T is no number of seconds", value)
	}
	*s = secondsScanner(number * float64(time.Second))
	return nil
}

// finishRun puts the times into UTC, so that one that is not set is the zero time.
func finishRun(s *domain.StageRun) {
	for _, at := range []*time.Time{&s.RunAfter, &s.LeaseUntil, &s.NextEnqueueAt, &s.CreatedAt, &s.EndedAt} {
		*at = at.UTC()
	}
}

// RenewLease extends the lease; false when it is no longer ours.
func (t *Tx) RenewLease(ctx context.Context, caseID, runID, token domain.ID, ttl time.Duration) (bool, error) {
	n, err := t.exec(ctx, "renew", `UPDATE `+t.tableFor("stage_runs", caseID)+` SET lease_until = clock() + make_interval(secs => $4)
		WHERE case_id = $1 AND id = $2 AND coalesce(status, '') = 'leased' AND lease_token = $3`, caseID, runID, token, ttl.Seconds())
	return n == 1, err
}

// EndRun ends a leased run that had nothing to change. LeaseLost when it is no longer ours.
func (t *Tx) EndRun(ctx context.Context, run domain.StageRun) error {
	n, err := t.exec(ctx, "end run", `UPDATE stage_runs SET status = 'done', ended_at = clock()
		WHERE case_id = $1 AND id = $2 AND coalesce(status, '') = 'leased' AND lease_token = $3`, run.CaseID, run.ID, run.LeaseToken)
	if err == nil && n == 0 {
		return domain.Errorf(domain.LeaseLost, "The work was taken over by another worker.")
	}
	return err
}

// RequeueIfEarly returns the pending run if it is pending but not due: its task came too early and must be enqueued again.
func (t *Tx) RequeueIfEarly(ctx context.Context, caseID, runID domain.ID) (domain.PendingRun, bool, error) {
	wakes, err := queryAll(ctx, t.q, "not yet", `UPDATE stage_runs r SET ring = ring + 1, next_ring_at = run_after + interval '5 s'
		FROM cases c WHERE r.case_id = $1 AND r.id = $2 AND coalesce(r.status, '') = 'pending' AND r.run_after > clock() AND c.id = $1
		RETURNING `+pendingRunColumns, scanPendingRun, caseID, runID)
	if err != nil || len(wakes) == 0 {
		return domain.PendingRun{}, false, err
	}
	return wakes[0], true, nil
}

const pendingRunColumns = `r.id, r.case_id, r.queue, r.ring, r.run_after, c.correlation_id`

func scanPendingRun(row pgx.CollectableRow) (domain.PendingRun, error) {
	var w domain.PendingRun
	err := row.Scan(&w.RunID, &w.CaseID, &w.Queue, &w.EnqueueCount, &w.RunAfter, &w.CorrelationID)
	w.RunAfter = w.RunAfter.UTC()
	return w, err
}

// ReleaseWorkerRuns returns the leaving worker's leased runs to pending at once; no expiry is counted.
func (t *Tx) ReleaseWorkerRuns(ctx context.Context, worker string) ([]domain.PendingRun, error) {
	return queryAll(ctx, t.q, "hand back", `UPDATE stage_runs r SET status = 'pending', lease_token = '00000000-0000-0000-0000-000000000000',
		lease_until = '-infinity', worker = '', ring = ring + 1, next_ring_at = clock() + interval '5 s'
		FROM cases c WHERE r.status = 'leased' AND r.worker = $1 AND c.id = r.case_id RETURNING `+pendingRunColumns, scanPendingRun, worker)
}

// Sweep rings pending rows whose next ring is due, but those of external stages, which nobody is rung for, and takes back rows whose lease ran out, at most limit of each.
// Locked rows are skipped: whoever holds them is working on them.
func (t *Tx) Sweep(ctx context.Context, limit int) ([]domain.PendingRun, error) {
	const sql = `WITH now AS MATERIALIZED (SELECT clock() AS at),
	due AS (SELECT case_id, id FROM stage_runs WHERE status = 'pending' AND queue <> 'external' AND next_ring_at <= (SELECT at FROM now)
		ORDER BY next_ring_at LIMIT $1 FOR UPDATE SKIP LOCKED),
	dead AS (SELECT case_id, id FROM stage_runs WHERE status = 'leased' AND lease_until <= (SELECT at FROM now)
		ORDER BY lease_until LIMIT $1 FOR UPDATE SKIP LOCKED),
	todo AS (SELECT * FROM due UNION ALL SELECT * FROM dead)
	UPDATE stage_runs r SET status = 'pending', expiries = r.expiries + (r.status = 'leased')::int,
		lease_token = '00000000-0000-0000-0000-000000000000', lease_until = '-infinity', worker = '', ring = r.ring + 1,
		next_ring_at = CASE WHEN r.queue = 'external' THEN '9999-01-01Z'
			ELSE greatest(r.run_after, (SELECT at FROM now)) + make_interval(secs => least(5 * 2 ^ least(r.ring, 10), 60)) END
	FROM todo, cases c WHERE r.case_id = todo.case_id AND r.id = todo.id AND c.id = r.case_id
	RETURNING ` + pendingRunColumns
	return queryAll(ctx, t.q, "sweep", sql, scanPendingRun, limit)
}

// EnqueueAllPending enqueues every pending row again, at most limit, oldest first: Redis was emptied. after continues a former call.
func (t *Tx) EnqueueAllPending(ctx context.Context, after domain.ID, limit int) ([]domain.PendingRun, error) {
	const sql = `WITH todo AS (SELECT case_id, id FROM stage_runs WHERE status = 'pending' AND queue <> 'external' AND id > $1 ORDER BY id LIMIT $2
		FOR UPDATE SKIP LOCKED)
	UPDATE stage_runs r SET ring = r.ring + 1, next_ring_at = greatest(r.run_after, clock()) + interval '5 s'
	FROM todo, cases c WHERE r.case_id = todo.case_id AND r.id = todo.id AND c.id = r.case_id RETURNING ` + pendingRunColumns
	return queryAll(ctx, t.q, "ring all", sql, scanPendingRun, after, limit)
}

// DueRuns returns pending runs of the queues that are due, of each queue at most the given number, those that became due
// first in front. It changes nothing: the lease decides who executes a run.
func (r Reader) DueRuns(ctx context.Context, queues map[string]int) ([]domain.PendingRun, error) {
	names, limits := make([]string, 0, len(queues)), make([]int, 0, len(queues))
	for name, limit := range queues {
		names, limits = append(names, name), append(limits, limit)
	}
	// A row that is due has its next ring within a minute (see Sweep), which keeps the scan to the beginning of the index
	// by next ring: behind it lie the deadlines of every open review.
	const sql = `SELECT ` + pendingRunColumns + ` FROM unnest($1::text[], $2::int[]) AS q (name, most)
		CROSS JOIN LATERAL (SELECT * FROM stage_runs s WHERE s.status = 'pending' AND s.queue = q.name AND s.run_after <= (SELECT clock())
			AND s.next_ring_at <= (SELECT clock()) + interval '1 min' ORDER BY s.next_ring_at LIMIT q.most) r
		JOIN cases c ON c.id = r.case_id`
	return queryAll(ctx, r.q, "due runs", sql, scanPendingRun, names, limits)
}

// Run reads one run; NotFound if there is none.
func (r Reader) Run(ctx context.Context, caseID, runID domain.ID) (domain.StageRun, error) {
	return queryOne(ctx, r.q, "run", `SELECT `+runColumns+` FROM `+r.tableFor("stage_runs", caseID)+` r WHERE r.case_id = $1 AND r.id = $2`, scanRun, caseID, runID)
}

// RunsOf reads the runs of the cases, oldest first.
func (r Reader) RunsOf(ctx context.Context, cases ...domain.ID) ([]domain.StageRun, error) {
	return queryAll(ctx, r.q, "runs", `SELECT `+runColumns+` FROM `+r.tableFor("stage_runs", cases...)+` r WHERE r.case_id = ANY($1)
		AND r.case_id BETWEEN $2 AND $3 ORDER BY r.case_id, r.id`, scanRun, rangeArgs(cases)...)
}

// Incidents reads runs that ended as an incident and were not taken up, newest first, at most limit, of cases the
// filter admits.
func (r Reader) Incidents(ctx context.Context, filter domain.Filter, limit int) ([]domain.StageRun, error) {
	where, args, err := renderCases(filter, []any{limit})
	if err != nil {
		return nil, err
	}
	return queryAll(ctx, r.q, "incidents", `SELECT `+runColumns+` FROM stage_runs r JOIN cases c ON c.id = r.case_id
		WHERE r.status = 'incident' AND c.status = 'incident' AND `+where+` ORDER BY r.ended_at DESC LIMIT $1`, scanRun, args...)
}

// AcquireLeadership takes or keeps the row lease of the name; false when another holds it.
func (t *Tx) AcquireLeadership(ctx context.Context, name, holder string, ttl time.Duration) (bool, error) {
	n, err := t.exec(ctx, "lead", `INSERT INTO leaders (name, holder, until) VALUES ($1, $2, clock() + make_interval(secs => $3))
		ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
		WHERE leaders.holder = excluded.holder OR leaders.until <= clock()`, name, holder, ttl.Seconds())
	return n == 1, err
}

// EnsurePartitions makes the monthly partitions that are missing up to months ahead.
func (t *Tx) EnsurePartitions(ctx context.Context, months int) error {
	_, err := t.exec(ctx, "partitions", `SELECT ensure_partitions(clock() + make_interval(months => $1))`, months)
	return err
}

// QueueAges returns, per queue, how many rows are due and the age of the oldest, for the metrics.
func (r Reader) QueueAges(ctx context.Context) ([]QueueAge, error) {
	return queryAll(ctx, r.q, "queue ages", `SELECT queue, count(*), coalesce(extract(epoch FROM clock() - min(run_after)), 0)::float8
		FROM stage_runs WHERE status = 'pending' AND run_after <= clock() GROUP BY queue`, pgx.RowToStructByPos[QueueAge])
}

// QueueAge is the backlog of one queue.
type QueueAge struct {
	Queue     string
	Due       int64
	OldestSec float64
}
