package devservices

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// The test binary runs itself again as another program: as an ordinary user, or to be killed.
var helper = flag.String("helper", "",
	"run as this helper program instead of the tests: life, linger")

func TestMain(m *testing.M) {
	flag.Parse()
	var err error
	switch *helper {
	case "":
		os.Exit(m.Run())
	case "life":
		err = runLife(flag.Arg(0))
	case "linger":
		err = linger(flag.Arg(0))
	default:
		err = fmt.Errorf("no helper %q", *helper)
	}
	if err != nil {
		fmt.Println("failed:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// runLife starts, uses and stops a server of each kind in the given checkout, as the calling
// account.
func runLife(checkout string) error {
	ctx := context.Background()
	pg, err := StartPostgres(ctx, PostgresOptions{Checkout: checkout, Durable: true})
	if err != nil {
		return err
	}
	if err = keepsData(ctx, pg); err != nil {
		return errors.Join(err, pg.Close())
	}
	if err = pg.Close(); err != nil {
		return err
	}
	if pg, err = StartPostgres(ctx, PostgresOptions{Checkout: checkout,
		Durable: true}); err != nil {
		return fmt.Errorf("second start: %w", err)
	}
	n, err := count(ctx, pg.OwnerURL("life"))
	if err = errors.Join(err, pg.Close()); err != nil || n != 3 {
		return fmt.Errorf("second start found %d rows: %w", n, err)
	}
	for _, kind := range []RedisKind{RedisServer, RedisMiniredis} {
		r, err := StartRedis(ctx, RedisOptions{Checkout: checkout, Kind: kind})
		if err != nil {
			return err
		}
		if err = errors.Join(r.Restart(ctx), r.Close()); err != nil {
			return fmt.Errorf("%s: %w", kind, err)
		}
	}
	fmt.Println("lived", os.Geteuid())
	return nil
}

// keepsData writes a row, and one more after each way of going down and up again.
func keepsData(ctx context.Context, pg *Postgres) error {
	if err := pg.CreateDatabase(ctx, "life"); err != nil {
		return err
	}
	if err := exec1(ctx, pg.OwnerURL("life"),
		"CREATE TABLE t (n int); INSERT INTO t VALUES (1)"); err != nil {
		return err
	}
	port := pg.port
	if err := pg.Restart(ctx); err != nil {
		return fmt.Errorf("restart: %w", err)
	}
	if err := exec1(ctx, pg.OwnerURL("life"), "INSERT INTO t VALUES (2)"); err != nil {
		return err
	}
	if err := errors.Join(pg.Kill(), pg.Start(ctx)); err != nil {
		return fmt.Errorf("start after a crash: %w", err)
	}
	if pg.port != port {
		return fmt.Errorf("the port moved from %d to %d", port, pg.port)
	}
	if err := exec1(ctx, pg.OwnerURL("life"), "INSERT INTO t VALUES (3)"); err != nil {
		return err
	}
	if n, err := count(ctx, pg.OwnerURL("life")); err != nil || n != 3 {
		return fmt.Errorf("%d rows, want 3: %w", n, err)
	}
	return nil
}

// linger starts both servers, says where they are, and waits to be killed. It reports a SIGINT it
// gets, and whether the servers still answer then.
func linger(dir string) error {
	ctx := context.Background()
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt)
	pg, err := StartPostgres(ctx, PostgresOptions{Dir: dir})
	if err != nil {
		return err
	}
	r, err := StartRedis(ctx, RedisOptions{Dir: dir, Kind: RedisServer})
	if err != nil {
		return err
	}
	fmt.Println(pg.admin.Host, r.Addr(), pg.dir, r.dir)
	for range interrupted {
		fmt.Println("after SIGINT:", errors.Join(ping(ctx, pg.URL("postgres")), r.ping(ctx)))
	}
	return nil
}

func exec1(ctx context.Context, dsn, sql string) error {
	return withConn(ctx, dsn, func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, sql)
		return err
	})
}

func count(ctx context.Context, dsn string) (n int, err error) {
	err = withConn(ctx, dsn, func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx,
			"SELECT count(*) FROM t").Scan(&n)
	})
	return n, err
}

// publicDir is a temporary folder that every account may enter.
func publicDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for at := dir; at != os.TempDir() && at != "/"; at = filepath.Dir(at) {
		if err := os.Chmod(at, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// copyFile copies a program so that another account may run it.
func copyFile(t *testing.T, to, from string) {
	t.Helper()
	source, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	target, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = io.Copy(target, source); err == nil {
		err = target.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// startHelper runs this test binary as a helper program and reads its lines.
func startHelper(t *testing.T, binary, name, arg string, attr *syscall.SysProcAttr) (*exec.Cmd,
	*bufio.Scanner) {
	t.Helper()
	cmd := exec.Command(binary, "-helper="+name, arg)
	cmd.SysProcAttr = attr
	cmd.Env = []string{"PATH=/usr/bin:/bin", "HOME=/nonexistent"}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err = cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewScanner(out)
}

// eventually asks until the condition holds; the test fails after a minute.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for !holds() {
		if pause(ctx, 20*time.Millisecond) != nil {
			t.Fatalf("never so: %s", what)
		}
	}
}

func refuses(addr string) bool {
	conn, err := net.DialTimeout("tcp", addr, time.Minute)
	if err == nil {
		_ = conn.Close()
	}
	return err != nil
}

func gone(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, os.ErrNotExist)
}

func hostOf(t *testing.T, dsn string) string {
	t.Helper()
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	return u.Host
}

func wantSentence(t *testing.T, err error, part string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), part) {
		t.Errorf("got %v, want a sentence with %q", err, part)
	}
}
