package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

// QueueFlow is what waits in a queue and what went through it since a moment.
type QueueFlow struct {
	Opened, Decided int64
	TimeToDecide    time.Duration // mean whole time from opening to the time to decide, of the newest thousand
	Waiting         []domain.DueCount
}

// QueueFlow reads what waits undecided in the queue and is due until the second moment, by ten minutes of its time to decide,
// and how many reviews were opened and decided there since the first. Paused ones are left out: nothing becomes overdue of them.
func (r Reader) QueueFlow(ctx context.Context, queue string, since, until time.Time) (QueueFlow, error) {
	var flow QueueFlow
	var seconds float64
	err := r.q.QueryRow(ctx, `SELECT (SELECT count(*) FROM reviews WHERE queue = $1 AND created_at > $2),
		(SELECT count(*) FROM reviews WHERE queue = $1 AND status = 'decided' AND decided_at > $2),
		(SELECT coalesce(avg(extract(epoch FROM decide_by - created_at)), 0)::float8 FROM (SELECT decide_by, created_at FROM reviews
			WHERE queue = $1 AND decide_by < '9999-01-01' ORDER BY created_at DESC LIMIT 1000) r)`, queue, since).Scan(&flow.Opened, &flow.Decided, &seconds)
	if err != nil {
		return flow, translate(err, "queue flow")
	}
	flow.TimeToDecide = time.Duration(seconds * float64(time.Second))
	flow.Waiting, err = queryAll(ctx, r.q, "waiting", `SELECT date_bin('10 minutes', decide_by, '2026-01-01Z') + interval '10 minutes', count(*)::float8
		FROM reviews WHERE queue = $1 AND status IN ('open', 'claimed') AND paused_at IS NULL AND decide_by <= $2 GROUP BY 1 ORDER BY 1`,
		pgx.RowToStructByPos[domain.DueCount], queue, until)
	return flow, err
}
