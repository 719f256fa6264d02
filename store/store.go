// Package store reads and writes Postgres; all SQL is in this package.
//
// What may enter: queries on Reader, which work on a pool or in a transaction; writes on Tx, which
// is obtained from InTx (one transaction) or Autocommit (one statement); the translation of
// SQLSTATEs into domain errors.
// What never happens here: a rule, a permission, a transition, Redis.
package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"countersign/domain"
	"countersign/internal/tracing"
)

// querier is the common interface of a pool and a transaction.
type querier interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// DB is a pool of connections with the application's role.
type DB struct {
	pool       *pgxpool.Pool
	batchers   *batchers
	partitions *partitionCatalog
	// rightsChanged, if set, is called after every commit that changes rights or ends a credential.
	rightsChanged func(context.Context)
}

// OnRightsChange sets the function that is called after every commit by which a user may lose a
// right: a change of rights, or the end of a session or an API token. The call is part of InTx, so
// no command can omit it. Set it before the DB is used.
func (db *DB) OnRightsChange(fn func(context.Context)) { db.rightsChanged = fn }

// Reader executes queries on the pool or inside a transaction.
type Reader struct {
	q        querier
	batchers *batchers // on the pool, for hot queries; nil inside a transaction
	// partitions returns the partitions that a statement can name.
	partitions *partitionCatalog
}

// Tx embeds Reader and adds writes.
type Tx struct {
	Reader
	rightsChanged bool // a write may have removed rights or credentials
}

// plannerSettings configures how statements are planned. The statements are few, prepared and
// selective, so planning one for its values costs more than executing it. A generic plan may be
// made while the tables are empty and a sequential scan looks cheapest; sequential scans are
// disabled because every hot statement has an index. A page of rows is read faster than parallel
// workers start.
var plannerSettings = map[string]string{"plan_cache_mode": "force_generic_plan",
	"enable_seqscan": "off", "enable_mergejoin": "off", "jit": "off",
	"max_parallel_workers_per_gather": "0"}

// Open connects with the application's role. A statement that waits more than 2 s for a lock fails
// with Busy.
func Open(ctx context.Context, url string, maxConns int) (*DB, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("store: read the database URL: %w", err)
	}
	if maxConns > 0 {
		config.MaxConns = int32(min(maxConns, 1000)) //nolint:gosec // bounded
	}
	params := config.ConnConfig.RuntimeParams
	params["lock_timeout"] = "2000"
	params["timezone"] = "UTC"
	for name, value := range plannerSettings {
		if _, chosen := params[name]; !chosen {
			params[name] = value
		}
	}
	params["application_name"] = "countersign"
	params["idle_in_transaction_session_timeout"] = "60000"
	config.AfterConnect = func(_ context.Context, conn *pgx.Conn) error {
		registerIDs(conn.TypeMap())
		registerVectors(conn.TypeMap())
		return nil
	}
	if tracer, ok := tracing.PostgresTracer().(pgx.QueryTracer); ok {
		config.ConnConfig.Tracer = tracer
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("store: open the pool: %w", err)
	}
	db := &DB{pool: pool, partitions: &partitionCatalog{pool: pool}}
	db.batchers = newBatchers(db)
	return db, nil
}

// Close returns after every connection is closed.
func (db *DB) Close() { db.pool.Close() }

// Ping checks that the database responds.
func (db *DB) Ping(ctx context.Context) error { return translate(db.pool.Ping(ctx), "ping") }

// Reader reads outside a transaction.
func (db *DB) Reader() Reader { return Reader{db.pool, db.batchers, db.partitions} }

// InTx runs fn in one transaction and commits when it returns nil. A deadlock or a serialization
// failure is Busy.
func (db *DB) InTx(ctx context.Context, fn func(*Tx) error) error {
	tx, err := db.pool.Begin(ctx)
	if err != nil {
		return translate(err, "begin")
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	written := &Tx{Reader: Reader{q: tx, partitions: db.partitions}}
	if err := fn(written); err != nil {
		return err
	}
	if err := tx.Commit(ctx); err != nil {
		return translate(err, "commit")
	}
	if written.rightsChanged && db.rightsChanged != nil {
		db.rightsChanged(ctx)
	}
	return nil
}

// Autocommit returns a Tx whose statements are each a transaction of their own; workers record
// their steps with it.
func (db *DB) Autocommit() *Tx { return &Tx{Reader: db.Reader()} }

// Schema describes which of the migrations known to a program the database has.
type Schema struct {
	Newest   int64   // greatest applied version, known or not
	Missing  []int64 // known but not applied
	Breaking bool    // an applied, unknown migration is marked as breaking older programs
}

// Schema compares the applied migrations with the known ones one by one, because a migration may be
// applied after one with a greater number.
func (r Reader) Schema(ctx context.Context, known []int64) (Schema, error) {
	const query = `SELECT (SELECT coalesce(max(version_id), 0) FROM goose_db_version
		WHERE is_applied),
		ARRAY(SELECT v FROM unnest($1::bigint[]) AS k(v)
			WHERE NOT EXISTS (SELECT FROM goose_db_version WHERE version_id = v AND is_applied)
			ORDER BY v), EXISTS (SELECT FROM schema_compat WHERE version <> ALL($1::bigint[])
			AND breaking)`
	var schema Schema
	err := r.q.QueryRow(ctx, query, known).Scan(&schema.Newest, &schema.Missing, &schema.Breaking)
	var pgErr *pgconn.PgError
	if errors.As(err, &pgErr) && pgErr.Code == "42P01" {
		return Schema{Missing: known}, nil
	}
	return schema, translate(err, "schema")
}

// RequireSchema returns SchemaTooOld if the database lacks a migration that the program knows, or
// has an unknown one that is marked as breaking.
func (r Reader) RequireSchema(ctx context.Context, known []int64) error {
	schema, err := r.Schema(ctx, known)
	if err != nil {
		return err
	}
	if len(schema.Missing) > 0 {
		refusal := domain.Errorf(domain.SchemaTooOld,
			"The database schema has version %d and lacks migrations that this program needs: %s.",
			schema.Newest, joinVersions(schema.Missing))
		if needed := slices.Max(known); schema.Newest < needed {
			refusal = domain.Errorf(domain.SchemaTooOld,
				"The database schema has version %d, but this program needs version %d.",
				schema.Newest, needed)
		}
		return refusal.WithRemedy(
			"Run `countersign migrate` with the owner's MIGRATE_DATABASE_URL.")
	}
	if schema.Breaking {
		return domain.Errorf(domain.SchemaTooOld,
			"The database schema has version %d, which does not support this older program.",
			schema.Newest).
			WithRemedy("Deploy a newer version of the program.")
	}
	return nil
}

func joinVersions(versions []int64) string {
	words := make([]string, len(versions))
	for i, version := range versions {
		words[i] = strconv.FormatInt(version, 10)
	}
	return strings.Join(words, ", ")
}

// Clock returns the database's time, to the microsecond.
func (r Reader) Clock(ctx context.Context) (time.Time, error) {
	if r.batchers != nil {
		return batched(ctx, r.batchers.clock, struct{}{})
	}
	var now time.Time
	err := r.q.QueryRow(ctx, `SELECT clock()`).Scan(&now)
	return now.UTC(), translate(err, "clock")
}

// queryAll runs a query and scans each row by fn.
func queryAll[T any](ctx context.Context, q querier, op, sql string, fn pgx.RowToFunc[T],
	args ...any) ([]T, error) {
	rows, err := q.Query(ctx, sql, args...)
	if err != nil {
		return nil, translate(err, op)
	}
	items, err := pgx.CollectRows(rows, fn)
	return items, translate(err, op)
}

// queryUpTo is queryAll with room for about as many rows as are expected, of which many or large ones
// are not copied again while they are read.
func queryUpTo[T any](ctx context.Context, q querier, expected int, op, sql string,
	fn pgx.RowToFunc[T], args ...any) ([]T, error) {
	rows, err := q.Query(ctx, sql, args...)
	if err != nil {
		return nil, translate(err, op)
	}
	items, err := pgx.AppendRows(make([]T, 0, expected), rows, fn)
	return items, translate(err, op)
}

// rangeArgs returns the arguments of "= ANY($1) AND … BETWEEN $2 AND $3". The range is redundant,
// but unlike an array it lets a generic plan exclude partitions.
func rangeArgs(ids []domain.ID) []any {
	lowest, highest := idRange(ids)
	return []any{ids, lowest, highest}
}

// idRange returns the smallest and the greatest of the IDs.
func idRange(ids []domain.ID) (lowest, highest domain.ID) {
	for i, id := range ids {
		if i == 0 || bytes.Compare(id[:], lowest[:]) < 0 {
			lowest = id
		}
		if i == 0 || bytes.Compare(id[:], highest[:]) > 0 {
			highest = id
		}
	}
	return lowest, highest
}

// queryOne runs a query that returns at most one row; no row is NotFound.
func queryOne[T any](ctx context.Context, q querier, op, sql string, fn pgx.RowToFunc[T],
	args ...any) (T, error) {
	rows, err := q.Query(ctx, sql, args...)
	if err != nil {
		var zero T
		return zero, translate(err, op)
	}
	item, err := pgx.CollectExactlyOneRow(rows, fn)
	return item, translate(err, op)
}

func (t *Tx) exec(ctx context.Context, op, sql string, args ...any) (int64, error) {
	tag, err := t.q.Exec(ctx, sql, args...)
	return tag.RowsAffected(), translate(err, op)
}
