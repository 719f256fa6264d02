package devservices

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"countersign/domain"
)

func (p *Postgres) dataDir() string { return filepath.Join(p.dir, "data") }

func (p *Postgres) pidFile() string { return filepath.Join(p.dataDir(), "postmaster.pid") }

func (p *Postgres) hasCluster() bool {
	_, err := os.Stat(filepath.Join(p.dataDir(), "PG_VERSION"))
	return err == nil
}

// makeCluster runs initdb, or reads the password of an existing cluster.
func (p *Postgres) makeCluster(ctx context.Context) error {
	passwordFile := filepath.Join(p.dir, "password")
	if p.hasCluster() {
		if err := p.requireSameMajor(); err != nil {
			return err
		}
		password, err := os.ReadFile(passwordFile)
		if err != nil {
			return fmt.Errorf("password of the private Postgres: %w", err)
		}
		p.admin = adminURL(p.port, string(password))
		return nil
	}
	password := secret()
	if err := errors.Join(os.WriteFile(passwordFile, []byte(password), 0o600),
		p.account.chown(passwordFile)); err != nil {
		return explainIO(fmt.Errorf("password of the private Postgres: %w", err), p.dir)
	}
	// A killed initdb leaves a draft, never half a cluster under the name that is looked for.
	draft := filepath.Join(p.dir, "draft")
	if err := os.RemoveAll(draft); err != nil {
		return fmt.Errorf("new cluster: %w", err)
	}
	args := []string{
		"-D", draft, "-U", adminRole, "--auth=scram-sha-256", "--pwfile=" + passwordFile,
		"--encoding=UTF8",
		"--text-search-config=simple",
	}
	if p.bin.major >= 17 {
		args = append(args, "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C")
	} else {
		args = append(args, "--locale=C")
	}
	if !p.options.Durable {
		args = append(args, "--no-sync")
	}
	if p.bin.major >= 16 && !p.options.Durable {
		args = append(args, "--set=scram_iterations=1") // a connection costs 1 ms less, and thousands are opened
	}
	cmd := exec.CommandContext(ctx, filepath.Join(p.bin.bin, "initdb"), args...)
	cmd.Dir, cmd.Env = p.dir, []string{"PATH=/usr/bin:/bin", "LANG=C", "LC_ALL=C", "TZ=UTC"}
	cmd.SysProcAttr = attributes(p.account, syscall.SIGKILL)
	if out, err := cmd.CombinedOutput(); err != nil {
		return explainText(string(out), p.dir, p.port, fmt.Errorf("initdb: %w: %s", err,
			bytes.TrimSpace(out)))
	}
	if !p.options.Durable {
		SpreadSubdirectories(filepath.Join(draft, "base")) // databases come and go there
	}
	p.admin = adminURL(p.port, password)
	return os.Rename(draft, p.dataDir())
}

// requireSameMajor refuses data that another major version wrote; Postgres cannot read it.
func (p *Postgres) requireSameMajor() error {
	text, err := os.ReadFile(filepath.Join(p.dataDir(), "PG_VERSION"))
	if err != nil {
		return fmt.Errorf("version of the private Postgres: %w", err)
	}
	if made := strings.TrimSpace(string(text)); made != strconv.Itoa(p.bin.major) {
		return domain.Errorf(domain.Unavailable,
			"The data in %s was made by Postgres %s, but the server found here is version %d.",
			p.dir, made, p.bin.major).
			WithRemedy("Run npm ci in frontend to get the pinned server back, or make demo-reset to start with a new database.")
	}
	return nil
}

// boot starts the server process and waits until it answers. It tries again with another port if
// the free one was taken in the meantime, and while the kernel still holds memory of a server that
// was killed.
func (p *Postgres) boot(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	if err := removeStalePID(ctx, p.pidFile(), p.dataDir()); err != nil {
		return err
	}
	for tries := 1; ; tries++ {
		ownChoice := p.port == 0
		if ownChoice {
			port, err := freePort()
			if err != nil {
				return err
			}
			p.port = port
		}
		p.admin.Host = net.JoinHostPort("127.0.0.1", strconv.Itoa(p.port))
		said, err := p.bootOnce(ctx)
		if err == nil {
			return p.startGuardian()
		}
		taken, held := strings.Contains(said, "could not bind"),
			strings.Contains(said, "pre-existing shared memory")
		if ownChoice && taken {
			p.port = 0
		}
		if tries >= 200 || !(held || ownChoice && taken) || pause(ctx, 50*time.Millisecond) != nil {
			return explainText(said, p.dir, p.port, err)
		}
	}
}

// bootOnce makes one attempt; said is what the server wrote to its log during it.
func (p *Postgres) bootOnce(ctx context.Context) (said string, err error) {
	log, err := os.OpenFile(p.LogFile(), os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
	if err != nil {
		return "", fmt.Errorf("log of Postgres: %w", err)
	}
	defer log.Close()
	before, err := log.Stat()
	if err != nil {
		return "", fmt.Errorf("log of Postgres: %w", err)
	}
	farewell := syscall.SIGINT
	if !p.options.Durable {
		farewell = syscall.SIGQUIT
	}
	p.child, err = start(p.account, log, p.dir, farewell, nil, filepath.Join(p.bin.bin, "postgres"),
		p.arguments()...)
	if err == nil {
		if err = poll(ctx, p.child, func(ctx context.Context) error {
			return ping(ctx,
				p.URL("postgres"))
		}); err == nil {
			return "", nil
		}
		p.child.stop(stopTimeout, syscall.SIGINT)
	}
	text, readErr := os.ReadFile(log.Name())
	if readErr == nil && int64(len(text)) > before.Size() {
		said = string(text[before.Size():])
	}
	return said, fmt.Errorf("start Postgres: %w: %s", err, lastLine(said))
}

// startGuardian starts the guardian once for each handle.
func (p *Postgres) startGuardian() error {
	if p.guardian != nil {
		return nil
	}
	signal, remove := "INT", ""
	if !p.options.Durable {
		signal, remove = "QUIT", p.dir
	}
	var err error
	p.guardian, err = startGuardian(p.pidFile(), p.dataDir(), signal, remove)
	return err
}

// removeStalePID deals with the pid file of a server whose starter is gone: we hold the folder's
// lock, so a server that still runs on this data is an orphan and is stopped; a pid that now
// belongs to something else is forgotten, which Postgres itself would not dare.
func removeStalePID(ctx context.Context, pidFile, workDir string) error {
	text, err := os.ReadFile(pidFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("pid file of an earlier server: %w", err)
	}
	first, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(first))
	if err != nil || pid <= 1 {
		return os.Remove(pidFile)
	}
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGQUIT, syscall.SIGKILL} {
		for wait := 0; wait < 50; wait++ {
			if !runsIn(pid, workDir) {
				return removeIfThere(pidFile)
			}
			if wait == 0 {
				_ = syscall.Kill(pid, signal) // it may have ended this moment
			}
			if err := pause(ctx, 100*time.Millisecond); err != nil {
				return err
			}
		}
	}
	return domain.Errorf(domain.Unavailable, "An earlier private server (process %d) does not end.",
		pid).
		WithRemedy("End it by hand: kill -9 %d.", pid)
}

// runsIn reports whether the process lives and its working folder is dir, as a server's is its data
// folder.
func runsIn(pid int, dir string) bool {
	if _, err := os.Stat("/proc/self"); err == nil {
		at, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid))
		return err == nil && at == dir
	}
	out, err := exec.Command("ps", "-o", "command=", "-p", strconv.Itoa(pid)).Output()
	return err == nil && strings.Contains(string(out), dir)
}

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// pause waits, or returns the context's error if that ends first.
func pause(ctx context.Context, length time.Duration) error {
	timer := time.NewTimer(length)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// freePort asks the kernel for an unused port.
func freePort() (int, error) {
	address, err := FreeAddress()
	return int(address.Port()), err
}

// FreeAddress asks the kernel for an unused address of this machine. Another process may take it
// before the caller does.
func FreeAddress() (netip.AddrPort, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return netip.AddrPort{}, fmt.Errorf("find a free port: %w", err)
	}
	return listener.Addr().(*net.TCPAddr).AddrPort(), listener.Close()
}
