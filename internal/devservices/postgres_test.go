package devservices

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"countersign/domain"
)

// servers are npm's binaries and, where the system has one, the distribution's.
func servers() map[string]string {
	found := map[string]string{"pinned": ""}
	if dir := InstalledPostgres(); dir != "" {
		found["installed"] = dir
	}
	return found
}

func TestPostgresLife(t *testing.T) {
	t.Parallel()
	for name, bin := range servers() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			pg, err := StartPostgres(ctx, PostgresOptions{Binaries: bin,
				Settings: map[string]string{"work_mem": "5MB"}})
			if err != nil {
				t.Fatal(err)
			}
			defer pg.Close()
			if err := keepsData(ctx, pg); err != nil {
				t.Error(err)
			}
			if err := pg.CreateDatabase(ctx, "life"); err != nil {
				t.Errorf("a second CreateDatabase: %v", err)
			}
			if err := pg.Start(ctx); err != nil {
				t.Errorf("Start of a running server: %v", err)
			}
			if err := exec1(ctx, pg.AppURL("life"), "SELECT 1"); err != nil {
				t.Errorf("the application's role: %v", err)
			}
			if err := exec1(ctx, pg.AppURL("life"), "CREATE TABLE mine ()"); err == nil {
				t.Error("the application's role made a table")
			}
			if err := pg.Close(); err != nil {
				t.Fatal(err)
			}
			<-pg.Exited()
			if !refuses(hostOf(t, pg.URL(""))) || !gone(pg.dir) {
				t.Error("something is left of a closed throw-away server")
			}
			if err := errors.Join(pg.Close()); err != nil {
				t.Errorf("second Close: %v", err)
			}
			wantSentence(t, pg.Start(ctx), "closed already")
		})
	}
}

func TestPostgresRefusesWrongPasswords(t *testing.T) {
	t.Parallel()
	pg := startTemporary(t)
	wrong := strings.Replace(pg.URL("postgres"), ":"+mustPassword(pg), ":guess", 1)
	if err := ping(t.Context(), wrong); err == nil {
		t.Error("a guessed password was let in")
	}
}

func mustPassword(pg *Postgres) string { password, _ := pg.admin.User.Password(); return password }

func startTemporary(t *testing.T) *Postgres {
	t.Helper()
	pg, err := StartPostgres(t.Context(), PostgresOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pg.Close() })
	return pg
}

func TestPostgresGivenByURL(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	pg := startTemporary(t)
	given, err := StartPostgres(ctx, PostgresOptions{URL: pg.URL("postgres")})
	if err != nil {
		t.Fatal(err)
	}
	if err := given.CreateDatabase(ctx, "ours"); err != nil {
		t.Fatal(err)
	}
	owner, app, err := RoleURLs(pg.URL("postgres"), "ours")
	if err != nil || owner != pg.OwnerURL("ours") || app != given.AppURL("ours") {
		t.Errorf("URLs of the roles differ: %s %s %v", owner, app, err)
	}
	if err := ping(ctx, app); err != nil {
		t.Error(err)
	}
	wantSentence(t, given.Stop(), "not ours to start or stop")
	if err := given.Close(); err != nil {
		t.Error(err)
	}
	if err := ping(ctx, app); err != nil {
		t.Errorf("closing a given server touched it: %v", err)
	}
	_, err = StartPostgres(ctx, PostgresOptions{URL: "nonsense"})
	wantSentence(t, err, "must look like")
}

// durable starts a server that keeps its data in dir.
func durable(t *testing.T, dir string, port int) (*Postgres, error) {
	t.Helper()
	return StartPostgres(t.Context(), PostgresOptions{Dir: dir, Durable: true, Port: port})
}

func TestDurablePostgresAgainstTheLeftOverOfOthers(t *testing.T) {
	t.Parallel()
	ctx, dir := t.Context(), publicDir(t)
	first, err := durable(t, dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := keepsData(ctx, first); err != nil {
		t.Fatal(err)
	}
	_, err = durable(t, dir, 0)
	wantSentence(t, err, "in use by another running program")
	wantSentence(t, removeData(first.dir), "in use by another running program")

	// Its starter vanishes without stopping it and without a guardian: the next start stops the
	// orphan.
	if err := first.lock.Close(); err != nil {
		t.Fatal(err)
	}
	second, err := durable(t, dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	<-first.child.done

	// It crashes, and its process number now belongs to another process, here this test.
	if err := second.Kill(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(second.pidFile())
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "\n")
	if err := os.WriteFile(second.pidFile(), []byte(strconv.Itoa(os.Getpid())+"\n"+rest),
		0o600); err != nil {
		t.Fatal(err)
	}
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	third, err := durable(t, dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := count(ctx, third.OwnerURL("life")); err != nil || n != 3 {
		t.Errorf("%d rows, want 3: %v", n, err)
	}
	if err := third.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(third.dataDir(), "PG_VERSION"), []byte("12\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	_, err = durable(t, dir, 0)
	wantSentence(t, err, "was made by Postgres 12")

	for range 2 { // what is not there is forgotten too
		if err := removeData(third.dir); err != nil {
			t.Fatal(err)
		}
	}
	fourth, err := durable(t, dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(fourth.CreateDatabase(ctx, "life"), fourth.Close()); err != nil {
		t.Error(err)
	}
}

func TestPostgresOnATakenPort(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	port := listener.Addr().(*net.TCPAddr).Port
	_, err = durable(t, publicDir(t), port)
	wantSentence(t, err, "Port "+strconv.Itoa(port)+" on 127.0.0.1 is in use")
	if !domain.HasCode(err, domain.Unavailable) {
		t.Errorf("code %s", domain.CodeOf(err))
	}
}

func TestPostgresWithASettingItDoesNotKnow(t *testing.T) {
	t.Parallel()
	dir := publicDir(t)
	_, err := StartPostgres(t.Context(), PostgresOptions{Dir: dir,
		Settings: map[string]string{"no_such": "1"}})
	wantSentence(t, err, `unrecognized configuration parameter "no_such"`)
	if left, _ := filepath.Glob(filepath.Join(dir, "postgres-run-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestCancelledStart(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := StartPostgres(ctx, PostgresOptions{Dir: publicDir(t)}); err == nil {
		t.Error("a cancelled start succeeded")
	}
}

// A full disk, and a folder that may not be written: both in one sentence.
func TestFoldersThatWillNotDo(t *testing.T) {
	t.Parallel()
	wantSentence(t, requireFreeSpace(t.TempDir(), 1<<62), "is full")
	wantSentence(t, explainIO(syscall.ENOSPC, "/x"), "The disk that holds /x is full.")
	wantSentence(t, explainIO(syscall.EROFS, "/x"), "cannot be written")
	wantSentence(t, explainText("FATAL: could not write: No space left on device", "/x", 1, nil),
		"is full")
	wantSentence(t, explainText("error while loading shared libraries: libicu", "/x", 1, nil),
		"library")
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := StartPostgres(t.Context(), PostgresOptions{Dir: filepath.Join(file,
		"below")}); err == nil {
		t.Error("a folder below a file was accepted")
	}
}

// A server in memory keeps committed rows over a crash, and leaves nothing behind.
func TestPostgresInMemory(t *testing.T) {
	t.Parallel()
	pg, err := StartPostgres(t.Context(), PostgresOptions{InMemory: true})
	if err != nil {
		t.Fatal(err)
	}
	defer pg.Close()
	if hasMemory() && !strings.HasPrefix(pg.dir, memoryRoot+"/") {
		t.Errorf("the data lies in %s, not in %s", pg.dir, memoryRoot)
	}
	if err := keepsData(t.Context(), pg); err != nil {
		t.Error(err)
	}
	if err := pg.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(pg.dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder %s is left: %v", pg.dir, err)
	}
}
