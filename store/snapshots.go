package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"countersign/domain"
)

// Snapshots reads on one connection, one snapshot after the other.
type Snapshots struct {
	conn       *pgxpool.Conn
	partitions *partitionCatalog
}

// Alone runs fn on a connection of its own while no program of the installation runs one of the same
// name; otherwise it fails with Busy. Long reads use it, so that they never take more than one connection.
func (r Reader) Alone(ctx context.Context, name string, fn func(Snapshots) error) error {
	pool, ok := r.q.(*pgxpool.Pool)
	if !ok {
		return fmt.Errorf("store: %s runs in a transaction", name)
	}
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return translate(err, name)
	}
	defer conn.Release()
	var locked bool
	if err := conn.QueryRow(ctx, `SELECT pg_try_advisory_lock(hashtext($1))`, name).
		Scan(&locked); err != nil {
		return translate(err, name)
	}
	if !locked {
		return domain.Errorf(domain.Busy, "Another one is running at the moment.").
			WithRemedy("Try again when it has ended.")
	}
	defer func() {
		ctx := context.WithoutCancel(ctx)
		if _, err := conn.Exec(ctx, `SELECT pg_advisory_unlock(hashtext($1))`, name); err != nil {
			_ = conn.Conn().Close(ctx) // which ends the lock as well
		}
	}()
	return fn(Snapshots{conn, r.partitions})
}

// Read runs fn in a read-only transaction that sees one state of the database. Each statement may take
// as long as the limit.
func (s Snapshots) Read(ctx context.Context, limit time.Duration, fn func(Reader) error) error {
	tx, err := s.conn.BeginTx(ctx,
		pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return translate(err, "snapshot")
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	if _, err := tx.Exec(ctx, fmt.Sprintf(`SET LOCAL statement_timeout = %d`,
		limit.Milliseconds())); err != nil {
		return translate(err, "snapshot")
	}
	return fn(Reader{q: tx, partitions: s.partitions})
}

// analysisSettings configure how statements over whole periods are planned. They read a large part of
// their tables, so the general plans of other statements, which look up row by row, take longer.
const analysisSettings = `SET LOCAL plan_cache_mode = force_custom_plan; SET LOCAL enable_seqscan = on;
	SET LOCAL work_mem = '32MB'`

// Analysis runs fn in a read-only transaction that sees one state of the database, with plans for
// statements that read many rows. Inside of a transaction it runs fn there.
func (r Reader) Analysis(ctx context.Context, fn func(Reader) error) error {
	pool, ok := r.q.(*pgxpool.Pool)
	if !ok {
		return fn(r)
	}
	tx, err := pool.BeginTx(ctx,
		pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return translate(err, "analysis")
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	if _, err := tx.Exec(ctx, analysisSettings); err != nil {
		return translate(err, "analysis")
	}
	return fn(Reader{q: tx, partitions: r.partitions})
}
