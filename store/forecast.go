package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

// QueueFlow is the backlog of a queue and its throughput since a time.
type QueueFlow struct {
	Opened, Decided int64
	// FirstCase is when the installation got its first case; the present time without one.
	FirstCase time.Time
	// mean time from opening to deadline of the newest thousand reviews
	TimeToDecide time.Duration
	Waiting      []domain.DueCount
	Unclaimed    []domain.DueCount // by the time to claim
}

// QueueFlow counts the undecided reviews of the queue that are due before until, in steps of ten
// minutes, and the reviews opened and decided since the first time. Paused reviews are left out,
// because they cannot become overdue.
func (r Reader) QueueFlow(ctx context.Context, queue string,
	since, until time.Time) (QueueFlow, error) {
	var flow QueueFlow
	var seconds float64
	err := r.q.QueryRow(ctx, `SELECT (SELECT count(*) FROM reviews WHERE queue = $1
		AND created_at > $2),
		(SELECT count(*) FROM reviews WHERE queue = $1 AND status = 'decided' AND decided_at > $2),
		(SELECT coalesce(avg(extract(epoch FROM decide_by - created_at)), 0)::float8
		FROM (SELECT decide_by, created_at FROM reviews
			WHERE queue = $1 AND decide_by < '9999-01-01' ORDER BY created_at DESC LIMIT 1000) r),
		coalesce((SELECT created_at FROM cases ORDER BY id LIMIT 1), clock())`,
		queue, since).Scan(&flow.Opened, &flow.Decided, &seconds, &flow.FirstCase)
	if err != nil {
		return flow, translate(err, "queue flow")
	}
	flow.TimeToDecide = time.Duration(seconds * float64(time.Second))
	flow.Waiting, err = queryAll(ctx, r.q, "waiting",
		`SELECT date_bin('10 minutes', decide_by, '2026-01-01Z') + interval '10 minutes',
		count(*)::float8
		FROM reviews WHERE queue = $1 AND status IN ('open', 'claimed') AND paused_at IS NULL
		AND decide_by <= $2 GROUP BY 1 ORDER BY 1`,
		pgx.RowToStructByPos[domain.DueCount], queue, until)
	if err != nil {
		return flow, err
	}
	flow.Unclaimed, err = queryAll(ctx, r.q, "unclaimed",
		`SELECT claim_by, count(*)::float8 FROM reviews
		WHERE queue = $1 AND status = 'open' AND paused_at IS NULL
		AND claim_by > clock() AND claim_by <= least($2, decide_by) GROUP BY 1 ORDER BY 1`,
		pgx.RowToStructByPos[domain.DueCount], queue, until)
	return flow, err
}
