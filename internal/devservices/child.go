package devservices

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// child is a server process of ours. It runs in a process group of its own, so that Ctrl-C on the
// terminal reaches us first, and it is signalled when we die (see dieWithUs; the guardian covers
// systems without that).
type child struct {
	process *os.Process
	done    chan struct{} // closed when the process has ended
}

// start runs the program as the account, its output going to the log file.
func start(as account, log *os.File, dir string, farewell syscall.Signal, stdin *os.File,
	program string, args ...string) (*child, error) {
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C", "LC_ALL=C", "TZ=UTC"}
	cmd.Stdout, cmd.Stderr = log, log
	if stdin != nil {
		cmd.Stdin = stdin
	}
	cmd.SysProcAttr = attributes(as, farewell)
	started := make(chan error)
	c := &child{done: make(chan struct{})}
	go func() {
		// The farewell signal is tied to the thread that started the child, so that thread stays
		// until the child has ended.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer close(c.done)
		err := cmd.Start()
		c.process = cmd.Process
		started <- err
		if err == nil {
			_ = cmd.Wait()
		}
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", program, err)
	}
	return c, nil
}

// attributes of a child: its own process group, the account, and the signal it gets when we die.
func attributes(as account, farewell syscall.Signal) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setpgid: true}
	if as.dropsPrivileges {
		attr.Credential = &syscall.Credential{Uid: uint32(as.uid), Gid: uint32(as.gid)}
	}
	setParentDeathSignal(attr, farewell)
	return attr
}

// running reports whether the process has not ended yet.
func (c *child) running() bool {
	if c == nil {
		return false
	}
	select {
	case <-c.done:
		return false
	default:
		return true
	}
}

// stop sends each signal in turn, waiting the given time after each, and ends with SIGKILL.
func (c *child) stop(patience time.Duration, signals ...syscall.Signal) {
	if c == nil {
		return
	}
	for _, s := range append(signals, syscall.SIGKILL) {
		_ = c.process.Signal(s) // an ended process is what we want
		timer := time.NewTimer(patience)
		select {
		case <-c.done:
			timer.Stop()
			return
		case <-timer.C:
		}
	}
	<-c.done
}

// poll asks again every few milliseconds until ask says yes, the child ends, or the context does.
func poll(ctx context.Context, c *child, ask func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		// A question may hang, when it reached another server on that port.
		select {
		case <-c.done:
			cancel(errServerEnded)
		case <-ctx.Done():
		}
	}()
	ticker := time.NewTicker(15 * time.Millisecond)
	defer ticker.Stop()
	for {
		err := ask(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			if cause := context.Cause(ctx); errors.Is(cause, errServerEnded) {
				return cause
			}
			return fmt.Errorf("not ready in time: %w", err)
		case <-ticker.C:
		}
	}
}

var errServerEnded = errors.New("the server ended while starting")

// guardianScript waits for a line, which dismisses it, or until its input ends without one, which
// is when we are gone, however we went. Then it stops the server whose pid file is $1, if that pid
// still works in folder $2, by signal $3, and removes folder $4 if one is given.
const guardianScript = `
trap '' INT TERM HUP
read -r dismissed && exit 0
pid=$(head -n 1 "$1" 2>/dev/null)
ours() {
	[ -n "$pid" ] || return 1
	if [ -d /proc/self ]; then [ "$(readlink "/proc/$pid/cwd")" = "$2" ]; else ps -o command= -p "$pid" | grep -qF -- "$2"; fi
}
n=0
while ours "$@" && [ $n -lt 100 ]; do
	[ $n -eq 0 ] && kill -s "$3" "$pid"
	n=$((n + 1)); sleep 0.1
done
ours "$@" && kill -s KILL "$pid" && sleep 0.2
[ -z "$4" ] || rm -rf "$4"
`

// startGuardian starts the guardian of one server. The returned pipe keeps it waiting; see dismiss.
func startGuardian(pidFile, workDir string, signal, remove string) (*os.File, error) {
	reader, writer, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("pipe to the guardian: %w", err)
	}
	defer reader.Close()
	cmd := exec.Command("/bin/sh", "-c", guardianScript, "countersign-guardian", pidFile, workDir,
		signal, remove)
	cmd.Dir = "/"
	cmd.Stdin = reader
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		_ = writer.Close()
		return nil, fmt.Errorf("start the guardian: %w", err)
	}
	go func() { _ = cmd.Wait() }()
	guardianPipes.Store(writer, true)
	return writer, nil
}

// guardianPipes holds the pipes to all guardians: a handle that its program lost sight of must not
// be closed by the garbage collector, which the guardian would take for our death.
var guardianPipes sync.Map

// dismiss sends the guardian home, the server being stopped. It must not come to look at the pid
// file later, when that may be another server's.
func dismiss(guardian *os.File) error {
	if guardian == nil {
		return nil
	}
	guardianPipes.Delete(guardian)
	_, err := guardian.WriteString("done\n")
	if errors.Is(err, syscall.EPIPE) {
		err = nil // already reaped
	}
	return errors.Join(err, guardian.Close())
}
