package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"countersign/internal/tracing"
)

// Limits are the limits of one child; zero means the default.
type Limits struct {
	Memory  int64         // bytes of address space, or of writable memory, see Spec; 1 GB
	CPU     time.Duration // processor time, whole seconds; 20 s
	Wall    time.Duration // wall-clock time; 40 s
	File    int64         // bytes of one written file; 256 MB
	Disk    int64         // bytes of all files of the job; 512 MB
	Output  int64         // bytes of standard output, and of standard error; 16 MB
	Threads int           // processes and threads of the job's user, if it has its own; 64
}

func (l Limits) withDefaults() Limits {
	set := func(value *int64, fallback int64) {
		if *value <= 0 {
			*value = fallback
		}
	}
	set(&l.Memory, 1<<30)
	set((*int64)(&l.CPU), int64(20*time.Second))
	set((*int64)(&l.Wall), int64(40*time.Second))
	set(&l.File, 256<<20)
	set(&l.Disk, 512<<20)
	set(&l.Output, 16<<20)
	if l.Threads <= 0 {
		l.Threads = 64
	}
	return l
}

// Spec describes one child. Exactly one of Program and Call is set.
type Spec struct {
	// Program is an executable by path or by name in PATH.
	Program string
	// Call is the name of a function passed to Main, which runs in a child process of this binary.
	Call string
	// Args are the arguments. File names are relative to out; inputs are ../in/NAME.
	Args []string
	// Env is the environment besides PATH and LANG, as NAME=VALUE.
	Env    []string
	Limits Limits
	// ReadOnly are further files that the child may read, by absolute path without links. It finds
	// them under the paths that Folder.Readable returns.
	ReadOnly []string
	// WritableMemory limits the memory that a Program can write instead of its address space, for
	// programs that reserve more than they use. It always holds for a Call.
	WritableMemory bool
	// Background runs the child with lower priority.
	Background bool
	// CorrelationID is added to the child's environment and log line.
	CorrelationID string
	traceparent   string // of the span of the child
}

// Ending is why a child ended.
type Ending string

// The endings.
const (
	Exited      Ending = "exited"       // on its own, see ExitCode
	Killed      Ending = "killed"       // by a signal that this process did not send, see Signal
	CPULimit    Ending = "cpu limit"    // exceeded the limit of processor time
	WallLimit   Ending = "wall limit"   // exceeded the limit of wall-clock time
	OutputLimit Ending = "output limit" // wrote too much to standard output or error
	DiskLimit   Ending = "disk limit"   // wrote too much to its folder
	FileLimit   Ending = "file limit"   // wrote too large a file
	Cancelled   Ending = "cancelled"    // the context was cancelled
)

// Result is the result of a child.
type Result struct {
	Ending   Ending
	ExitCode int // -1 unless Exited
	Signal   syscall.Signal
	Stdout   []byte
	Stderr   []byte
	Wall     time.Duration
	CPU      time.Duration // of the child and its descendants that were waited for
}

// OK reports whether the child exited on its own with code 0.
func (r Result) OK() bool { return r.Ending == Exited && r.ExitCode == 0 }

// String describes the ending for logs and error causes.
func (r Result) String() string {
	switch r.Ending {
	case Exited:
		return fmt.Sprintf("exit code %d", r.ExitCode)
	case Killed:
		return fmt.Sprintf("killed by signal %d (%s)", int(r.Signal), r.Signal)
	}
	return string(r.Ending)
}

// Run runs one child. When it returns, all processes of the child have ended. It returns an error
// only if the child could not be started; every other ending, also by the context, is a Result.
func (f *Folder) Run(ctx context.Context, spec Spec) (Result, error) {
	ctx, span := tracing.Begin(ctx, "child "+spec.name())
	result, err := f.runTraced(ctx, spec)
	ending := ""
	if err != nil || !result.OK() {
		ending = string(result.Ending)
		if ending == "" {
			ending = "not started"
		}
	}
	span.End(ending)
	return result, err
}

// runTraced is Run inside its span.
func (f *Folder) runTraced(ctx context.Context, spec Spec) (Result, error) {
	spec.traceparent = tracing.Traceparent(ctx)
	limits := spec.Limits.withDefaults()
	command, err := f.command(spec, limits)
	if err != nil {
		return Result{}, fmt.Errorf("sandbox: %w", err)
	}
	run := &child{
		folder: f, command: command, limits: limits, background: spec.Background,
		stop: make(chan Ending, 4),
	}
	result, err := run.run(ctx)
	if err != nil {
		return Result{}, fmt.Errorf("sandbox: start %s: %w", spec.name(), err)
	}
	f.box.logger.LogAttrs(
		ctx, slog.LevelInfo, "child ended", slog.String("child", spec.name()),
		slog.String("correlation_id", spec.CorrelationID), slog.String("mode", string(f.box.mode)),
		slog.String("ending", result.String()), slog.Duration("wall", result.Wall),
		slog.Duration("cpu", result.CPU),
		slog.Int(
			"output_bytes", len(result.Stdout),
		),
		slog.String("stderr", firstLine(result.Stderr)),
	)
	return result, nil
}

func (s Spec) name() string {
	if s.Call != "" {
		return "call:" + s.Call
	}
	return filepath.Base(s.Program)
}

func firstLine(text []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	if len(line) > 200 {
		line = line[:200]
	}
	return strings.ToValidUTF8(line, "?")
}

// child is a running program and its supervision.
type child struct {
	folder  *Folder
	command *exec.Cmd
	limits  Limits
	stop    chan Ending // the first one is why the child was killed

	background bool
}

func (c *child) run(ctx context.Context) (Result, error) {
	stdout, stderr := &limitedBuffer{
		limit: c.limits.Output, onExceeded: c.outputExceeded,
	}, &limitedBuffer{
		limit: c.limits.Output, onExceeded: c.outputExceeded,
	}
	c.command.Stdout, c.command.Stderr = stdout, stderr
	c.command.SysProcAttr = c.folder.attributes()
	c.command.WaitDelay = 2 * time.Second
	started := make(chan error, 1)
	ended := make(chan error, 1)
	go func() {
		// The thread must live as long as the child, because the parent death signal is bound to
		// the thread that started it.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if err := c.command.Start(); err != nil {
			started <- err
			return
		}
		started <- nil
		ended <- c.command.Wait()
	}()
	begin := time.Now() //nolint:forbidigo // a duration, never a time of day
	err := <-started
	for _, file := range c.command.ExtraFiles { // the child has its own copies
		_ = file.Close()
	}
	if err != nil {
		return Result{}, err
	}
	if c.background {
		const behind = 10
		_ = syscall.Setpriority(syscall.PRIO_PGRP, c.command.Process.Pid, behind) // best effort
	}
	reason, err := c.watch(ctx, ended)
	killGroup(c.command.Process.Pid) // processes left by the first process of the group
	result := Result{
		Stdout: stdout.bytes(), Stderr: stderr.bytes(), Wall: time.Since(begin),
		ExitCode: -1,
	}
	c.fillResult(&result, reason, err)
	return result, nil
}

// watch waits for the child to end, and kills its process group when a limit is exceeded.
func (c *child) watch(ctx context.Context, ended <-chan error) (Ending, error) {
	wall := time.NewTimer(c.limits.Wall)
	defer wall.Stop()
	disk := time.NewTicker(250 * time.Millisecond)
	defer disk.Stop()
	var reason Ending
	kill := func(why Ending) {
		if reason == "" {
			reason = why
		}
		killGroup(c.command.Process.Pid)
	}
	done := ctx.Done()
	for {
		select {
		case err := <-ended:
			return reason, err
		case why := <-c.stop:
			kill(why)
		case <-wall.C:
			kill(WallLimit)
		case <-done:
			done = nil
			kill(Cancelled)
		case <-disk.C:
			if size, files := c.folder.used(); size > c.limits.Disk || files > 4096 {
				kill(DiskLimit)
			}
		}
	}
}

func (c *child) outputExceeded() {
	select {
	case c.stop <- OutputLimit:
	default:
	}
}

// fillResult sets the ending from the wait status. bubblewrap reports a signal of the program as
// exit code 128 + signal.
func (c *child) fillResult(result *Result, reason Ending, err error) {
	state := c.command.ProcessState
	if state == nil {
		result.Ending = Killed
		return
	}
	result.CPU = state.UserTime() + state.SystemTime()
	status, _ := state.Sys().(syscall.WaitStatus)
	code := state.ExitCode()
	switch {
	case status.Signaled():
		result.Signal = status.Signal()
	case code > 128 && code < 128+65 && c.folder.box.mode == Bubblewrap:
		result.Signal = syscall.Signal(code - 128)
	}
	var slow *exec.ExitError
	switch {
	case reason != "":
		result.Ending = reason
	case result.Signal == syscall.SIGXCPU,
		result.Signal == syscall.SIGKILL && result.CPU >= c.limits.CPU: // at the hard limit
		result.Ending = CPULimit
	case result.Signal == syscall.SIGXFSZ:
		result.Ending = FileLimit
	case result.Signal != 0:
		result.Ending = Killed
	case err != nil && !errors.As(err, &slow):
		result.Ending = Killed // a descendant kept the pipes open
	default:
		result.Ending, result.ExitCode = Exited, code
	}
}

// killGroup kills the process group of the child. With bubblewrap the whole PID namespace ends with
// its first process.
func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }

// limitedBuffer keeps the first limit bytes and calls over once if there are more.
type limitedBuffer struct {
	mu         sync.Mutex
	buf        bytes.Buffer
	limit      int64
	onExceeded func()
	full       bool
}

// Write stores what fits. It returns an error if there is more, which also stops the copying.
func (c *limitedBuffer) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	room := c.limit - int64(c.buf.Len())
	if int64(len(p)) <= room {
		return c.buf.Write(p)
	}
	c.buf.Write(p[:room])
	if !c.full {
		c.full = true
		c.onExceeded()
	}
	return int(room), io.ErrShortWrite
}

func (c *limitedBuffer) bytes() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return bytes.Clone(c.buf.Bytes())
}

// environment returns the complete environment of a child.
func environment(spec Spec) []string {
	env := []string{"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", "HOME=/nonexistent"}
	if spec.CorrelationID != "" {
		env = append(env, "COUNTERSIGN_CORRELATION_ID="+spec.CorrelationID)
	}
	if spec.traceparent != "" {
		env = append(env, "TRACEPARENT="+spec.traceparent)
	}
	return append(env, spec.Env...)
}

func selfPath() (string, error) { return os.Executable() }
