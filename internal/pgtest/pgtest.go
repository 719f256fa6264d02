// Package pgtest gives every test its own Postgres database, cloned from a migrated template, on a
// real server.
//
// What may enter: creating, sharing and dropping databases and servers for tests.
// What never happens here: rows of the business, a fake of Postgres, use of DATABASE_URL. The
// tests' server is TEST_DATABASE_URL, which make test sets for all packages, otherwise one that
// this process starts on first use and stops at its end.
//
// On the shared server a test may do anything to its own database. A test that stops, kills or
// reconfigures a server, or that counts what the whole server does, starts its own with Server.
package pgtest

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"countersign/internal/config"
	"countersign/internal/devservices"
	"countersign/migrations"
)

// monthsAhead is how many monthly partitions a test's schema has; each makes cloning slower.
const monthsAhead = 1

// waitTimeout bounds every wait for the server.
const waitTimeout = 2 * time.Minute

// DB is one test's database.
type DB struct {
	Name string
	// AdminURL is the superuser's, OwnerURL that of countersign_owner, AppURL that of
	// countersign_app.
	AdminURL, OwnerURL, AppURL string
}

// Schema describes how a template is filled. Templates with equal keys are considered equal, over
// all processes.
type Schema struct {
	Key     string
	Migrate func(ctx context.Context, ownerURL string) error
	// Fill adds rows after Migrate; nil adds none.
	Fill func(ctx context.Context, db *DB) error
}

// New returns a database with the newest schema; it is dropped after the test.
func New(tb testing.TB) *DB {
	tb.Helper()
	return NewWith(tb, Newest(tb))
}

// Empty returns a database without a schema, owned by countersign_owner.
func Empty(tb testing.TB) *DB {
	tb.Helper()
	return clone(tb, "template1")
}

// NewWith returns a database with the given schema.
func NewWith(tb testing.TB, schema Schema) *DB {
	tb.Helper()
	return clone(tb, template(tb, schema))
}

// Newest is the schema of package migrations; its key is the hash of the files.
func Newest(tb testing.TB) Schema {
	tb.Helper()
	key, err := newestKey()
	if err != nil {
		tb.Fatalf("pgtest: %v", err)
	}
	return Schema{Key: key, Migrate: func(ctx context.Context, ownerURL string) error {
		_, err := migrations.Up(ctx, ownerURL, monthsAhead)
		return err
	}}
}

var newestKey = sync.OnceValues(func() (string, error) {
	checkout, err := devservices.Checkout()
	if err != nil {
		return "", err
	}
	files, err := filepath.Glob(filepath.Join(checkout, "migrations", "*.sql"))
	if err != nil || len(files) == 0 {
		return "", fmt.Errorf("no migrations in %s: %w", checkout, err)
	}
	hash := sha256.New()
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(hash, "%s %d\n%s", filepath.Base(file), len(text), text)
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
})

// Server starts a Postgres for the test, which may stop, kill and restart it; committed rows
// survive Kill.
func Server(tb testing.TB) *devservices.Postgres {
	tb.Helper()
	server, err := devservices.StartPostgres(tb.Context(),
		devservices.PostgresOptions{InMemory: true})
	if err != nil {
		tb.Fatalf("pgtest: %v", err)
	}
	tb.Cleanup(func() {
		if err := server.Close(); err != nil {
			tb.Errorf("pgtest: %v", err)
		}
	})
	return server
}

// App is a pool of the application role, closed after the test.
func (db *DB) App(tb testing.TB) *pgxpool.Pool { tb.Helper(); return pool(tb, db.AppURL) }

// Owner is a pool of the schema's owner, closed after the test.
func (db *DB) Owner(tb testing.TB) *pgxpool.Pool { tb.Helper(); return pool(tb, db.OwnerURL) }

// Admin is a pool of the superuser, closed after the test.
func (db *DB) Admin(tb testing.TB) *pgxpool.Pool { tb.Helper(); return pool(tb, db.AdminURL) }

func pool(tb testing.TB, dsn string) *pgxpool.Pool {
	tb.Helper()
	p, err := pgxpool.New(tb.Context(), dsn)
	if err != nil {
		tb.Fatalf("pgtest: %v", err)
	}
	tb.Cleanup(p.Close)
	return p
}

// clone creates a database from the template and drops it after the test.
func clone(tb testing.TB, template string) *DB {
	tb.Helper()
	admin := server(tb)
	name := "ct_" + randomName()
	// Copying files took 21 ms for 120 tables on Postgres 18, writing them to the log 58 ms.
	sql := fmt.Sprintf("CREATE DATABASE %s TEMPLATE %s OWNER %s STRATEGY file_copy", name, template,
		devservices.OwnerRole)
	if err := run(admin, sql); err != nil {
		tb.Fatalf("pgtest: make a database: %v", err)
	}
	tb.Cleanup(func() {
		if err := run(admin, fmt.Sprintf("DROP DATABASE IF EXISTS %s WITH (FORCE)",
			name)); err != nil {
			tb.Errorf("pgtest: drop the database: %v", err)
		}
	})
	db, err := database(admin, name)
	if err != nil {
		tb.Fatalf("pgtest: %v", err)
	}
	return db
}

// database derives the URLs of a database on the server.
func database(admin, name string) (*DB, error) {
	owner, app, err := devservices.RoleURLs(admin, name)
	if err != nil {
		return nil, err
	}
	return &DB{Name: name, AdminURL: withDatabase(admin, name), OwnerURL: owner, AppURL: app}, nil
}

func randomName() string {
	var bits [8]byte
	_, _ = rand.Read(bits[:]) // crypto/rand never fails
	return hex.EncodeToString(bits[:])
}

// run executes one statement as superuser, not in the test's context, which ends before its
// cleanup.
func run(admin, sql string) error {
	ctx, cancel := context.WithTimeout(context.Background(), waitTimeout)
	defer cancel()
	conn, err := pgx.Connect(ctx, admin)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, sql)
	return err
}

// withDatabase points a URL at another database.
func withDatabase(dsn, database string) string {
	u, err := url.Parse(dsn)
	if err != nil {
		return dsn // it was parsed before; connecting reports what is wrong
	}
	u.Path = "/" + database
	return u.String()
}

var shared struct {
	sync.Mutex
	url string
	own *devservices.Postgres
	err error
}

// server returns the superuser's URL of the shared server: the configured one, or one that this
// process starts on first use.
func server(tb testing.TB) string {
	tb.Helper()
	shared.Lock()
	defer shared.Unlock()
	if shared.url == "" && shared.err == nil {
		shared.err = startShared()
	}
	if shared.err != nil {
		tb.Fatalf("pgtest: %v", shared.err)
	}
	return shared.url
}

func startShared() error {
	settings, err := config.Load()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), waitTimeout)
	defer cancel()
	started, err := devservices.StartPostgres(ctx,
		devservices.PostgresOptions{URL: settings.Test.DatabaseURL, InMemory: true})
	if err != nil {
		return err
	}
	shared.own, shared.url = started, started.URL("postgres")
	return nil
}

// Stop stops the server of this process, if it started one. The end of the process does so too; a
// package that checks for leaked goroutines in TestMain calls it first.
func Stop() error {
	shared.Lock()
	defer shared.Unlock()
	if shared.own == nil {
		return nil
	}
	own := shared.own
	shared.own, shared.url = nil, ""
	forgetTemplates()
	return own.Close()
}

// Settle waits until the feed has every event that is committed now. Transactions of other databases
// on the server hold the feed back too. The pool is of any database on the server.
func Settle(tb testing.TB, pool *pgxpool.Pool) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), waitTimeout)
	defer cancel()
	var next string
	err := pool.QueryRow(ctx, "SELECT pg_snapshot_xmax(pg_current_snapshot())::text").Scan(&next)
	for settled := false; err == nil && !settled; {
		err = pool.QueryRow(ctx, `SELECT pg_snapshot_xmin(pg_current_snapshot()) >= $1::text::xid8
			OR pg_sleep(0.005) IS NULL`, next).Scan(&settled)
	}
	if err != nil {
		tb.Fatalf("pgtest: wait for the feed: %v", err)
	}
}
