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

// Mode is the isolation of children.
type Mode string

// The modes, strongest first.
const (
	// Bubblewrap uses namespaces (no network, own processes, own file system), seccomp and limits.
	Bubblewrap Mode = "bubblewrap"
	// Landlock denies files outside by Landlock, sockets and new processes by seccomp, and sets
	// limits.
	Landlock Mode = "landlock"
	// LimitsOnly sets limits of memory, time and output and a process group. Files and network stay
	// accessible.
	LimitsOnly Mode = "limits"
)

// Options are the options of Open.
type Options struct {
	// Modes are the modes to try, strongest first; empty means Bubblewrap, Landlock. LimitsOnly is
	// tried last if AcceptLimitsOnly is set.
	Modes []Mode
	// AcceptLimitsOnly allows LimitsOnly if bubblewrap and Landlock do not work. It must be an
	// explicit setting.
	AcceptLimitsOnly bool
	// TempRoot is the parent of job folders; empty means that of the system. The user of a job must
	// be able to enter it.
	TempRoot string
	// Concurrent limits the number of open job folders; 0 means 16, at most 64.
	Concurrent int
	Logger     *slog.Logger
}

// Runner runs children in the mode that Open found to work.
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

// Open tests the modes, strongest first, by running a probe, and returns a Runner with the first
// that works. It returns SandboxUnavailable if none works. It removes folders of killed processes
// from TempRoot. Main must have been called before in this process.
func Open(ctx context.Context, o Options) (*Runner, error) {
	if !mainCalled {
		return nil, domain.Errorf(
			domain.SandboxUnavailable, "The program does not call sandbox.Main first in main.",
		)
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
	return nil, domain.Errorf(domain.SandboxUnavailable,
		"No sandbox works on this machine, so no documents can be read.").
		WithRemedy("Install bubblewrap or enable Landlock, or explicitly accept resource limits only.").
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
	if err := os.Chmod(root, 0o711); err != nil { // the job's user may enter but not list it
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

// Mode returns the mode of the Runner.
func (b *Runner) Mode() Mode { return b.mode }

// Unavailable returns why stronger modes do not work, for a warning at start.
func (b *Runner) Unavailable() map[Mode]error { return b.unavailable }

// Root returns the parent folder of the job folders. It has none while no document is being read.
func (b *Runner) Root() string { return b.root }

// Close removes all files of the Runner from disk.
func (b *Runner) Close() error {
	err := os.RemoveAll(b.root)
	return errors.Join(err, b.lock.Close())
}

// verifyMode runs the probe in the current mode and requires that all forbidden operations fail.
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
	if err := os.Chmod(secret, 0o644); err != nil { // readable by everyone, so that only the sandbox can prevent access
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
	result, err := job.Run(
		ctx,
		Spec{
			Call: probeCall, Args: []string{string(b.mode), secret, address},
			Limits: Limits{Wall: 8 * time.Second},
		},
	)
	if err != nil {
		return err
	}
	if !result.OK() {
		return fmt.Errorf("the probe failed: %s %s", result, result.Stderr)
	}
	return nil
}

// stageProgram returns a path of the program that the user of a job can access: the path itself, or
// a copy in the root.
func (b *Runner) stageProgram(program string) (string, error) {
	path, err := exec.LookPath(program)
	if err != nil {
		return "", fmt.Errorf("sandbox: program %s: %w", program, err)
	}
	if path, err = b.stage(path, 0o005); err != nil {
		return "", fmt.Errorf("sandbox: program %s: %w", program, err)
	}
	return path, nil
}

// Readable returns a path by which the children of a job can read the file, for Spec.ReadOnly: the
// path itself without links, or a copy if the user of a job cannot access it.
func (f *Folder) Readable(file string) (string, error) {
	path, err := f.box.stage(file, 0o004)
	if err != nil {
		return "", fmt.Errorf("sandbox: file %s: %w", file, err)
	}
	return path, nil
}

// stage returns the path without links of a file to which everyone has the permissions, or that of a
// copy in the root.
func (b *Runner) stage(path string, permissions os.FileMode) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return "", err
	}
	if reachable(path, permissions) {
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
		return "", err
	}
	b.staged[key] = copied
	return copied, nil
}
