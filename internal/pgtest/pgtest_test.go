package pgtest_test

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"countersign/internal/pgtest"
)

// counting is a small schema that counts how often it is created.
func counting(key string, made *atomic.Int32) pgtest.Schema {
	return pgtest.Schema{Key: key, Migrate: func(ctx context.Context, ownerURL string) error {
		made.Add(1)
		return exec1(ctx, ownerURL,
			"CREATE TABLE t (n int PRIMARY KEY); INSERT INTO t VALUES (1); GRANT SELECT, INSERT ON t TO countersign_app")
	}}
}

func exec1(ctx context.Context, dsn, sql string) error {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, sql)
	return errors.Join(err, conn.Close(ctx))
}

func TestEveryTestHasItsOwnRows(t *testing.T) {
	t.Parallel()
	var made atomic.Int32
	for range 4 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			db := pgtest.NewWith(t, counting("counting", &made))
			app := db.App(t)
			if _, err := app.Exec(t.Context(), "INSERT INTO t VALUES (2)"); err != nil {
				t.Fatal(err)
			}
			var rows int
			if err := app.QueryRow(t.Context(), "SELECT count(*) FROM t").Scan(&rows); err != nil ||
				rows != 2 {
				t.Errorf("%d rows, want 2: %v", rows, err)
			}
			if _, err := app.Exec(t.Context(), "DELETE FROM t"); err == nil {
				t.Error("the application role deleted what it was not granted")
			}
			if _, err := db.Owner(t).Exec(t.Context(), "DELETE FROM t"); err != nil {
				t.Errorf("the owner: %v", err)
			}
		})
	}
	t.Cleanup(func() {
		if n := made.Load(); n > 1 {
			t.Errorf("the template was made %d times in one process", n)
		}
	})
}

func TestDatabasesAreDropped(t *testing.T) {
	t.Parallel()
	var name string
	t.Run("inner", func(t *testing.T) {
		db := pgtest.Empty(t)
		name = db.Name
		if err := db.App(t).Ping(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
	var left bool
	err := pgtest.Empty(t).Admin(t).QueryRow(t.Context(),
		"SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", name).Scan(&left)
	if err != nil || left {
		t.Errorf("the database is still there: %t %v", left, err)
	}
}

// The schema of package migrations, with its two roles.
func TestNewestSchema(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	for _, url := range []string{db.AppURL, db.OwnerURL} {
		if err := exec1(t.Context(), url, "SELECT count(*) FROM cases"); err != nil {
			t.Error(err)
		}
	}
	if err := exec1(t.Context(), db.AppURL, "DELETE FROM events"); err == nil {
		t.Error("the application role may alter the past")
	}
}

func TestServer(t *testing.T) {
	t.Parallel()
	server := pgtest.Server(t)
	if err := errors.Join(server.Kill(), server.Start(t.Context())); err != nil {
		t.Fatal(err)
	}
	if err := exec1(t.Context(), server.URL("postgres"), "SELECT 1"); err != nil {
		t.Error(err)
	}
}

// Processes of several packages share a server and its templates: two more runs of this binary use
// this one.
func TestProcessesShareAServer(t *testing.T) {
	t.Parallel()
	server := pgtest.Server(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var running []*exec.Cmd
	var outputs []*bufio.Scanner
	for range 2 {
		cmd := exec.Command(self,
			"-test.run=^(TestEveryTestHasItsOwnRows|TestNewestSchema|TestDatabasesAreDropped)$",
			"-test.v")
		cmd.Env = append(cmd.Environ(), "TEST_DATABASE_URL="+server.URL("postgres"))
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		running, outputs = append(running, cmd), append(outputs, bufio.NewScanner(out))
	}
	for i, cmd := range running {
		var output strings.Builder
		for outputs[i].Scan() {
			output.WriteString(outputs[i].Text() + "\n")
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v:\n%s", err, output.String())
		}
	}
	conn, err := pgx.Connect(t.Context(), server.URL("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	var left, templates int
	err = conn.QueryRow(t.Context(), `SELECT count(*) FILTER (WHERE NOT datistemplate),
		count(*) FILTER (WHERE datistemplate)
		FROM pg_database WHERE datname LIKE 'ct\_%'`).Scan(&left, &templates)
	if err != nil || left != 0 || templates != 2 {
		t.Errorf("%d databases left, %d templates, want 0 and 2: %v", left, templates, err)
	}
}

func TestAFailedTemplateIsRebuilt(t *testing.T) {
	t.Parallel()
	broken := pgtest.Schema{Key: "broken", Migrate: func(context.Context, string) error {
		return errors.New("no")
	}}
	recorder := &failing{TB: t}
	func() {
		defer func() { _ = recover() }()
		pgtest.NewWith(recorder, broken)
	}()
	if !strings.Contains(recorder.output, "fill it: no") {
		t.Errorf("a failed migration reported %q", recorder.output)
	}
	whole := counting("broken", new(atomic.Int32)) // the same key, now valid
	if err := exec1(t.Context(), pgtest.NewWith(t, whole).AppURL, "SELECT n FROM t"); err != nil {
		t.Error(err)
	}
}

// failing records a Fatalf instead of ending the test.
type failing struct {
	testing.TB
	output string
}

func (f *failing) Helper() {}

func (f *failing) Fatalf(format string, args ...any) {
	f.output = strings.TrimSpace(strings.Join([]string{format, toText(args)}, " "))
	panic(f.output)
}

func toText(args []any) string {
	var text strings.Builder
	for _, arg := range args {
		if err, ok := arg.(error); ok {
			text.WriteString(err.Error())
		}
	}
	return text.String()
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		pgtest.New(b)
	}
}
