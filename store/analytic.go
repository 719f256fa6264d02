package store

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// analyticSettings let Postgres plan a statement over many rows for its values: with hash joins and
// sequential scans, which plannerSettings exclude for statements about a few rows. Parallel workers stay
// off, so that a page of figures takes one processor from the people who work.
const analyticSettings = `SELECT set_config('plan_cache_mode', 'force_custom_plan', true),
	set_config('enable_seqscan', 'on', true), set_config('enable_mergejoin', 'on', true),
	set_config('work_mem', '64MB', true)`

// batchSender is a pool, or a transaction.
type batchSender interface {
	SendBatch(ctx context.Context, batch *pgx.Batch) pgx.BatchResults
}

// queryMany is queryAll for statements that read many rows. Settings and statement are sent together. Inside
// of a transaction it is queryAll, because the settings would remain for what follows.
func queryMany[T any](ctx context.Context, r Reader, op, sql string, fn pgx.RowToFunc[T],
	args ...any) (items []T, err error) {
	_, inTx := r.q.(pgx.Tx)
	from, ok := r.q.(batchSender)
	if inTx || !ok {
		return queryAll(ctx, r.q, op, sql, fn, args...)
	}
	batch := &pgx.Batch{}
	batch.Queue(`BEGIN READ ONLY`)
	batch.Queue(analyticSettings)
	batch.Queue(sql, args...).Query(func(rows pgx.Rows) (err error) {
		items, err = pgx.CollectRows(rows, fn)
		return err
	})
	batch.Queue(`COMMIT`)
	// A failed statement leaves the transaction open; the pool then closes the connection.
	results := from.SendBatch(ctx, batch)
	return items, translate(results.Close(), op)
}
