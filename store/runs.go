package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

// externalQueue is the queue of external stages as an SQL literal. It is not a parameter, because
// the index stage_runs_external covers only this queue.
const externalQueue = `'` + domain.QueueExternal + `'`

const runColumns = `r.case_id, r.id, r.node, r.visit, r.kind, r.subject, r.attempt, r.queue,
	r.topic, r.lease_secs, r.run_after, r.status, r.lease_token,
	coalesce(nullif(r.lease_until, '-infinity'), '0001-01-01Z'), r.ring, r.next_ring_at, r.failures,
	r.expiries, r.worker, r.error_code, r.error_text, r.created_at,
	coalesce(r.ended_at, '0001-01-01Z'), r.traceparent`

func runTargets(s *domain.StageRun) []any {
	return []any{&s.CaseID, &s.ID, &s.Node, &s.Visit, &s.Kind, &s.Subject, &s.Attempt, &s.Queue,
		&s.Topic, (*secondsScanner)(&s.LeaseFor), &s.RunAfter, &s.Status, &s.LeaseToken,
		&s.LeaseUntil, &s.EnqueueCount, &s.NextEnqueueAt, &s.Failures, &s.Expiries, &s.Worker,
		&s.ErrorCode, &s.ErrorText, &s.CreatedAt, &s.EndedAt, &s.Traceparent}
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

// finishRun converts the times to UTC, so that an unset time is the zero time.
func finishRun(s *domain.StageRun) {
	for _, at := range []*time.Time{&s.RunAfter, &s.LeaseUntil, &s.NextEnqueueAt, &s.CreatedAt,
		&s.EndedAt} {
		*at = at.UTC()
	}
}

// RenewLease extends the lease; false if it is no longer valid.
func (t *Tx) RenewLease(ctx context.Context, caseID, runID, token domain.ID,
	ttl time.Duration) (bool, error) {
	n, err := t.exec(ctx, "renew", `UPDATE `+t.tableFor("stage_runs", caseID)+`
		SET lease_until = clock() + make_interval(secs => $4)
		WHERE case_id = $1 AND id = $2 AND coalesce(status, '') = 'leased' AND lease_token = $3`,
		caseID, runID, token, ttl.Seconds())
	return n == 1, err
}

// EndRun ends a leased run that changed nothing. LeaseLost if the lease is no longer valid.
func (t *Tx) EndRun(ctx context.Context, run domain.StageRun) error {
	n, err := t.exec(ctx, "end run", `UPDATE stage_runs SET status = 'done', ended_at = clock()
		WHERE case_id = $1 AND id = $2 AND coalesce(status, '') = 'leased' AND lease_token = $3`,
		run.CaseID, run.ID, run.LeaseToken)
	if err == nil && n == 0 {
		return domain.Errorf(domain.LeaseLost, leaseLostMessage)
	}
	return err
}

// RequeueIfEarly returns a pending run that is not due yet: its task arrived too early and must be
// enqueued again.
func (t *Tx) RequeueIfEarly(ctx context.Context,
	caseID, runID domain.ID) (domain.PendingRun, bool, error) {
	runs, err := queryAll(ctx, t.q, "requeue", `UPDATE stage_runs r SET ring = ring + 1,
		next_ring_at = run_after + interval '5 s'
		FROM cases c WHERE r.case_id = $1 AND r.id = $2 AND coalesce(r.status, '') = 'pending'
		AND r.run_after > clock() AND c.id = $1
		RETURNING `+pendingRunColumns, scanPendingRun, caseID, runID)
	if err != nil || len(runs) == 0 {
		return domain.PendingRun{}, false, err
	}
	return runs[0], true, nil
}

const pendingRunColumns = `r.id, r.case_id, r.queue, r.ring, r.run_after, c.correlation_id,
	r.traceparent`

func scanPendingRun(row pgx.CollectableRow) (domain.PendingRun, error) {
	var w domain.PendingRun
	err := row.Scan(&w.RunID, &w.CaseID, &w.Queue, &w.EnqueueCount, &w.RunAfter, &w.CorrelationID,
		&w.Traceparent)
	w.RunAfter = w.RunAfter.UTC()
	return w, err
}

// ReleaseWorkerRuns makes the leased runs of a stopping worker pending immediately; no expiry is
// counted.
func (t *Tx) ReleaseWorkerRuns(ctx context.Context, worker string) ([]domain.PendingRun, error) {
	return queryAll(ctx, t.q, "release runs", `UPDATE stage_runs r SET status = 'pending',
		lease_token = '00000000-0000-0000-0000-000000000000', lease_until = '-infinity',
		worker = '', ring = ring + 1, next_ring_at = clock() + interval '5 s'
		FROM cases c WHERE r.status = 'leased' AND r.worker = $1 AND c.id = r.case_id
		RETURNING `+pendingRunColumns, scanPendingRun, worker)
}

// Sweep returns pending runs whose next enqueue is due, and makes runs with an expired lease
// pending again, at most limit of each. It leaves out external stages, which are not enqueued, and
// skips locked rows, because another transaction is working on them.
func (t *Tx) Sweep(ctx context.Context, limit int) ([]domain.PendingRun, error) {
	const sql = `WITH now AS MATERIALIZED (SELECT clock() AS at),
	due AS (SELECT case_id, id FROM stage_runs
	WHERE status = 'pending' AND queue <> ` + externalQueue + `
	AND next_ring_at <= (SELECT at FROM now)
		ORDER BY next_ring_at LIMIT $1 FOR UPDATE SKIP LOCKED),
	dead AS (SELECT case_id, id FROM stage_runs WHERE status = 'leased'
	AND lease_until <= (SELECT at FROM now)
		ORDER BY lease_until LIMIT $1 FOR UPDATE SKIP LOCKED),
	todo AS (SELECT * FROM due UNION ALL SELECT * FROM dead)
	UPDATE stage_runs r SET status = 'pending', expiries = r.expiries + (r.status = 'leased')::int,
		lease_token = '00000000-0000-0000-0000-000000000000', lease_until = '-infinity',
		worker = '', ring = r.ring + 1,
		next_ring_at = CASE WHEN r.queue = ` + externalQueue + ` THEN '9999-01-01Z'
			ELSE greatest(r.run_after, (SELECT at FROM now)) + make_interval(secs => least(5 * 2 ^
			least(r.ring, 10), 60)) END
	FROM todo, cases c WHERE r.case_id = todo.case_id AND r.id = todo.id AND c.id = r.case_id
	RETURNING ` + pendingRunColumns
	return queryAll(ctx, t.q, "sweep", sql, scanPendingRun, limit)
}

// EnqueueAllPending marks every pending run to be enqueued again, at most limit, oldest first,
// after the given one: Redis lost its tasks.
func (t *Tx) EnqueueAllPending(ctx context.Context, after domain.ID,
	limit int) ([]domain.PendingRun, error) {
	const sql = `WITH todo AS (SELECT case_id, id FROM stage_runs WHERE status = 'pending'
		AND queue <> ` + externalQueue + ` AND id > $1 ORDER BY id LIMIT $2
		FOR UPDATE SKIP LOCKED)
	UPDATE stage_runs r SET ring = r.ring + 1,
	next_ring_at = greatest(r.run_after, clock()) + interval '5 s'
	FROM todo, cases c WHERE r.case_id = todo.case_id AND r.id = todo.id AND c.id = r.case_id
	RETURNING ` + pendingRunColumns
	return queryAll(ctx, t.q, "enqueue all", sql, scanPendingRun, after, limit)
}

// DueRuns returns due pending runs of the queues, at most the given number of each, earliest due
// first. It changes nothing: the lease decides who executes a run.
func (r Reader) DueRuns(ctx context.Context, queues map[string]int) ([]domain.PendingRun, error) {
	names, limits := make([]string, 0, len(queues)), make([]int, 0, len(queues))
	for name, limit := range queues {
		names, limits = append(names, name), append(limits, limit)
	}
	// A due run's next enqueue is within a minute (see Sweep). This limits the scan to the
	// beginning of the index; behind it are the deadlines of every open review.
	const sql = `SELECT ` + pendingRunColumns +
		` FROM unnest($1::text[], $2::int[]) AS q (name, most)
		CROSS JOIN LATERAL (SELECT * FROM stage_runs s WHERE s.status = 'pending'
		AND s.queue = q.name AND s.run_after <= (SELECT clock())
			AND s.next_ring_at <= (SELECT clock()) + interval '1 min' ORDER BY s.next_ring_at
			LIMIT q.most) r
		JOIN cases c ON c.id = r.case_id`
	return queryAll(ctx, r.q, "due runs", sql, scanPendingRun, names, limits)
}

// Run reads one run; NotFound if there is none.
func (r Reader) Run(ctx context.Context, caseID, runID domain.ID) (domain.StageRun, error) {
	return queryOne(ctx, r.q, "run", `SELECT `+runColumns+` FROM `+r.tableFor("stage_runs",
		caseID)+` r WHERE r.case_id = $1 AND r.id = $2`, scanRun, caseID, runID)
}

// RunsOf reads the runs of the cases, oldest first.
func (r Reader) RunsOf(ctx context.Context, cases ...domain.ID) ([]domain.StageRun, error) {
	return queryAll(ctx, r.q, "runs", `SELECT `+runColumns+` FROM `+r.tableFor("stage_runs",
		cases...)+` r WHERE r.case_id = ANY($1)
		AND r.case_id BETWEEN $2 AND $3 ORDER BY r.case_id, r.id`, scanRun, rangeArgs(cases)...)
}

// Incidents reads unresolved incidents of cases that the filter admits, newest first, at most
// limit.
func (r Reader) Incidents(ctx context.Context, filter domain.Filter,
	limit int) ([]domain.StageRun, error) {
	where, args, err := renderCases(filter, []any{limit})
	if err != nil {
		return nil, err
	}
	return queryAll(ctx, r.q, "incidents", `SELECT `+runColumns+` FROM stage_runs r
		JOIN cases c ON c.id = r.case_id
		WHERE r.status = 'incident' AND c.status = 'incident' AND `+where+` ORDER BY r.ended_at DESC
		LIMIT $1`, scanRun, args...)
}

// AcquireLeadership acquires or extends the row lease with the name; false if another holder has
// it.
func (t *Tx) AcquireLeadership(ctx context.Context, name, holder string,
	ttl time.Duration) (bool, error) {
	n, err := t.exec(ctx, "lead", `INSERT INTO leaders (name, holder, until)
		VALUES ($1, $2, clock() + make_interval(secs => $3))
		ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
		WHERE leaders.holder = excluded.holder OR leaders.until <= clock()`, name, holder,
		ttl.Seconds())
	return n == 1, err
}

// EnsurePartitions creates the missing monthly partitions up to the given number of months ahead.
func (t *Tx) EnsurePartitions(ctx context.Context, months int) error {
	_, err := t.exec(ctx, "partitions",
		`SELECT ensure_partitions(clock() + make_interval(months => $1))`, months)
	return err
}

// QueueAges returns the number of due runs per queue and the age of the oldest, for metrics.
func (r Reader) QueueAges(ctx context.Context) ([]QueueAge, error) {
	return queryAll(ctx, r.q, "queue ages",
		`SELECT queue, count(*), coalesce(extract(epoch FROM clock() - min(run_after)), 0)::float8
		FROM stage_runs WHERE status = 'pending' AND run_after <= clock() GROUP BY queue`,
		pgx.RowToStructByPos[QueueAge])
}

// QueueAge is the backlog of one queue.
type QueueAge struct {
	Queue     string
	Due       int64
	OldestSec float64
}
