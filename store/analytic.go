package store

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// analyticSettings let Postgres plan a statement over many rows for its values: with hash joins and
// sequential scans, which plannerSettings exclude for statements about a few rows. Parallel workers stay
// off, so that a page of figures takes one processor from the people who work.
const analyticSettings = `SET LOCAL plan_cache_mode = force_custom_plan; SET LOCAL enable_seqscan = on;
	SET LOCAL enable_mergejoin = on; SET LOCAL work_mem = '64MB'`

// beginner is a pool or a transaction.
type beginner interface {
	Begin(ctx context.Context) (pgx.Tx, error)
}

// queryMany is queryAll for statements that read many rows.
func queryMany[T any](ctx context.Context, r Reader, op, sql string, fn pgx.RowToFunc[T],
	args ...any) (items []T, err error) {
	from, ok := r.q.(beginner)
	if !ok {
		return queryAll(ctx, r.q, op, sql, fn, args...)
	}
	tx, err := from.Begin(ctx)
	if err != nil {
		return nil, translate(err, op)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	if _, err := tx.Exec(ctx, analyticSettings); err != nil {
		return nil, translate(err, op)
	}
	return queryAll(ctx, tx, op, sql, fn, args...)
}
