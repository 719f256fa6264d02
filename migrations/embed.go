// Package migrations holds the database schema as goose migrations and applies them.
//
// Belongs here: NNNNN_name.sql files, each compatible with the program versions before and after
// it, and the runner.
//
// Never here: data of cases, rules in Go, down migrations.
package migrations

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed *.sql
var files embed.FS

// Versions returns the versions of all migrations that this program needs, in ascending order. They
// are not consecutive.
func Versions() []int64 {
	names, err := fs.Glob(files, "*.sql")
	if err != nil {
		return nil
	}
	versions := make([]int64, 0, len(names))
	for _, name := range names {
		digits, _, _ := strings.Cut(name, "_")
		if version, err := strconv.ParseInt(digits, 10, 64); err == nil {
			versions = append(versions, version)
		}
	}
	slices.Sort(versions)
	return versions
}

// Newest returns the highest version.
func Newest() int64 {
	if versions := Versions(); len(versions) > 0 {
		return versions[len(versions)-1]
	}
	return 0
}

// Up applies the pending migrations as the schema's owner and creates the partitions for
// monthsAhead months. An advisory lock serializes concurrent calls. It returns how many migrations
// it applied.
func Up(ctx context.Context, ownerURL string, monthsAhead int) (int, error) {
	config, err := pgx.ParseConfig(ownerURL)
	if err != nil {
		return 0, fmt.Errorf("migrations: read the owner's database URL: %w", err)
	}
	db := stdlib.OpenDB(*config)
	defer func() { _ = db.Close() }()
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return 0, fmt.Errorf("migrations: create the lock: %w", err)
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, db, files, goose.
		// Branches can land out of order; no file depends on a later one.
		WithSessionLocker(locker), goose.WithAllowOutofOrder(true))
	if err != nil {
		return 0, fmt.Errorf("migrations: read the files: %w", err)
	}
	results, err := provider.Up(ctx)
	if err != nil {
		return len(results), fmt.Errorf("migrations: apply: %w", err)
	}
	return len(results), ensurePartitions(ctx, db, monthsAhead)
}

func ensurePartitions(ctx context.Context, db *sql.DB, monthsAhead int) error {
	const query = `SELECT ensure_partitions(clock() + make_interval(months => $1))`
	if _, err := db.ExecContext(ctx, query, monthsAhead); err != nil {
		return fmt.Errorf("migrations: create partitions %d months ahead: %w", monthsAhead, err)
	}
	return nil
}
