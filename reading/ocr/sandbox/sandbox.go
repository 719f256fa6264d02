package sandbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"countersign/domain"
)

// Mode says what holds a child back.
type Mode string

// The modes, strongest first.
const (
	// Bubblewrap: namespaces (no network, own processes, own file tree), seccomp, limits.
	Bubblewrap Mode = "bubblewrap"
	// Landlock: the kernel refuses files outside and seccomp refuses sockets and new processes, limits.
	Landlock Mode = "landlock"
	// LimitsOnly: memory, time and output limits and a process group; files and network stay reachable.
	LimitsOnly Mode = "limits"
)

// Options of Open.
type Options struct {
	// Modes to try, strongest first; empty means Bubblewrap, Landlock. LimitsOnly is tried last if AcceptLimitsOnly.
	Modes []Mode
	// AcceptLimitsOnly allows a machine where neither bubblewrap nor Landlock holds. It must be an explicit setting.
	AcceptLimitsOnly bool
	// TempRoot is where job folders are made; empty means the system's. A job's user must be able to pass through it.
	TempRoot string
	// Concurrent bounds open job folders; 0 means 16, at most 64.
	Concurrent int
	Logger     *slog.Logger
}

// Runner runs children in the mode that was proved to hold at Open.
type Runner struct {
	mode        Mode
	root        string
	lock        *os.File
	slots       chan int
	logger      *slog.Logger
	unavailable map[Mode]error

	mu     sync.Mutex
	staged map[string]string
}

// Open proves by really running a child which mode holds, strongest first, and returns a Box of that mode. When none
// does, the error carries SandboxUnavailable. Leftovers of killed processes in TempRoot are removed.
// Main must have been called first in this process.
func Open(ctx context.Context, o Options) (*Runner, error) {
	if !mainCalled {
		return nil, domain.Errorf(domain.SandboxUnavailable, "sandbox.Main must be called first in main")
	}
	box, err := newRunner(o)
	if err != nil {
		return nil, err
	}
	modes := o.Modes
	if len(modes) == 0 {
		modes = []Mode{Bubblewrap, Landlock}
	}
	if o.AcceptLimitsOnly {
		modes = append(modes[:len(modes):len(modes)], LimitsOnly)
	}
	for _, mode := range modes {
		box.mode = mode
		err := box.verifyMode(ctx)
		if err == nil {
			return box, nil
		}
		box.unavailable[mode] = err
	}
	reasons := make([]error, 0, len(modes))
	for _, mode := range modes {
		reasons = append(reasons, fmt.Errorf("%s: %w", mode, box.unavailable[mode]))
	}
	_ = box.Close()
	return nil, domain.Errorf(domain.SandboxUnavailable, "No sandbox holds on this machine, so no document may be read here.").
		WithRemedy("Install bubblewrap or allow Landlock, or accept resource limits alone by the explicit setting.").
		WithCause(errors.Join(reasons...))
}

func newRunner(o Options) (*Runner, error) {
	base := o.TempRoot
	if base == "" {
		base = os.TempDir()
	}
	base, err := filepath.Abs(base)
	if err != nil {
		return nil, fmt.Errorf("sandbox: temp root: %w", err)
	}
	removeStaleRoots(base)
	root, err := os.MkdirTemp(base, rootPrefix)
	if err != nil {
		return nil, fmt.Errorf("sandbox: temp root: %w", err)
	}
	if err := os.Chmod(root, 0o711); err != nil { // a job's user passes through, but cannot list
		return nil, fmt.Errorf("sandbox: temp root: %w", err)
	}
	lock, err := lockRoot(root)
	if err != nil {
		return nil, fmt.Errorf("sandbox: temp root: %w", err)
	}
	count := o.Concurrent
	if count <= 0 {
		count = 16
	}
	count = min(count, maxSlots)
	box := &Runner{root: root, lock: lock, slots: make(chan int, count), logger: o.Logger,
		unavailable: map[Mode]error{}, staged: map[string]string{}}
	if box.logger == nil {
		box.logger = slog.New(slog.DiscardHandler)
	}
	for slot := range count {
		box.slots <- slot
	}
	return box, nil
}

// Mode returns what holds the children back.
func (b *Runner) Mode() Mode { return b.mode }

// Unavailable returns why stronger modes than Mode do not hold here, for a loud line at start.
func (b *Runner) Unavailable() map[Mode]error { return b.unavailable }

// Root is the folder that holds the job folders; it is empty of jobs when nothing is being read.
func (b *Runner) Root() string { return b.root }

// Close removes everything the Box keeps on disk.
func (b *Runner) Close() error {
	err := os.RemoveAll(b.root)
	return errors.Join(err, b.lock.Close())
}

// verifyMode runs the probe child in the present mode and demands that it could do nothing forbidden.
func (b *Runner) verifyMode(ctx context.Context) error {
	if err := b.supported(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	secret := filepath.Join(b.root, "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		return err
	}
	if err := os.Chmod(secret, 0o644); err != nil { // readable by anyone, so that only the sandbox stands in the way
		return err
	}
	defer func() { _ = os.Remove(secret) }()
	listener, address, err := listenProbe(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = listener.Close() }()
	job, err := b.NewFolder(ctx)
	if err != nil {
		return err
	}
	defer job.Close()
	result, err := job.Run(ctx, Spec{Call: probeCall, Args: []string{string(b.mode), secret, address}, Limits: Limits{Wall: 8 * time.Second}})
	if err != nil {
		return err
	}
	if !result.OK() {
		return fmt.Errorf("the probe failed: %s %s", result, result.Stderr)
	}
	return nil
}

// stageProgram returns a path of the program that a job's user can reach: the path itself, or a copy in the root.
func (b *Runner) stageProgram(program string) (string, error) {
	path, err := exec.LookPath(program)
	if err != nil {
		return "", fmt.Errorf("sandbox: program %s: %w", program, err)
	}
	if path, err = filepath.Abs(path); err != nil {
		return "", err
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return "", fmt.Errorf("sandbox: program %s: %w", program, err)
	}
	if reachable(path) {
		return path, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	key := fmt.Sprintf("%s %d %d", path, info.Size(), info.ModTime().UnixNano())
	b.mu.Lock()
	defer b.mu.Unlock()
	if copied, ok := b.staged[key]; ok {
		return copied, nil
	}
	copied, err := copyProgram(path, b.root, len(b.staged))
	if err != nil {
		return "", fmt.Errorf("sandbox: program %s: %w", program, err)
	}
	b.staged[key] = copied
	return copied, nil
}
