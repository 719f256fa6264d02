// Package migrations holds the schema of the one truth, as goose migrations, and applies them.
//
// What may enter: NNNNN_name.sql files, each safe for the code before it and after it, and the runner.
// What never happens here: data of cases, rules in Go, downward migrations.
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

// Versions are those of all migrations that this program knows and needs, in order; there are holes between them.
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

// Newest is the greatest of them.
func Newest() int64 {
	if versions := Versions(); len(versions) > 0 {
		return versions[len(versions)-1]
	}
	return 0
}

// Up applies what is missing, as the schema's owner, and makes the partitions for monthsAhead months. Concurrent calls
// wait for each other on an advisory lock; one of them applies. It returns how many migrations it applied.
func Up(ctx context.Context, ownerURL string, monthsAhead int) (int, error) {
	config, err := pgx.ParseConfig(ownerURL)
	if err != nil {
		return 0, fmt.Errorf("migrations: read the owner's database URL: %w", err)
	}
	db := stdlib.OpenDB(*config)
	defer func() { _ = db.Close() }()
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return 0, fmt.Errorf("migrations: make the lock: %w", err)
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, db, files, goose.WithSessionLocker(locker),
		goose.WithAllowOutofOrder(true)) // branches land in another order than their numbers; no file needs a later one
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
		return fmt.Errorf("migrations: make partitions %d months ahead: %w", monthsAhead, err)
	}
	return nil
}
