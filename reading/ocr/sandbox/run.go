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
)

// Limits bound one child; a zero takes the default.
type Limits struct {
	Memory  int64         // bytes of address space, for a Call of writable memory; 1 GB
	CPU     time.Duration // processor time, whole seconds; 20 s
	Wall    time.Duration // wall clock; 40 s
	File    int64         // bytes of one written file; 256 MB
	Disk    int64         // bytes of all files of the job; 512 MB
	Output  int64         // bytes of standard output, and of standard error; 16 MB
	Threads int           // processes and threads of the job's user, where that user is not our own; 64
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

// Spec is one child. Exactly one of Program and Call is set.
type Spec struct {
	// Program is an executable, by path or by name in PATH.
	Program string
	// Call is the name of a function given to Main, run in a child of our own binary.
	Call string
	// Args follow; file names in them are relative to out, inputs are ../in/NAME.
	Args []string
	// Env is the whole environment besides PATH and LANG, as NAME=VALUE.
	Env    []string
	Limits Limits
	// Background runs the child behind others when processors are short.
	Background bool
	// CorrelationID is put into the child's environment and into its log line.
	CorrelationID string
}

// Ending says what ended a child.
type Ending string

// The endings.
const (
	Exited      Ending = "exited"       // by itself, see ExitCode
	Killed      Ending = "killed"       // by a signal that was not ours, see Signal
	CPULimit    Ending = "cpu limit"    // used its processor time
	WallLimit   Ending = "wall limit"   // ran too long by the clock
	OutputLimit Ending = "output limit" // wrote too much to standard output or error
	DiskLimit   Ending = "disk limit"   // wrote too much into its folder
	FileLimit   Ending = "file limit"   // wrote one file too large
	Cancelled   Ending = "cancelled"    // our caller gave up
)

// Result is how a child ended.
type Result struct {
	Ending   Ending
	ExitCode int // -1 unless Exited
	Signal   syscall.Signal
	Stdout   []byte
	Stderr   []byte
	Wall     time.Duration
	CPU      time.Duration // of the child and all it waited for
}

// OK reports an exit by itself with code 0.
func (r Result) OK() bool { return r.Ending == Exited && r.ExitCode == 0 }

// String tells the ending in a few words, for logs and error causes.
func (r Result) String() string {
	switch r.Ending {
	case Exited:
		return fmt.Sprintf("exit code %d", r.ExitCode)
	case Killed:
		return fmt.Sprintf("killed by signal %d (%s)", int(r.Signal), r.Signal)
	}
	return string(r.Ending)
}

// Run runs one child to its end; when it returns, no process of the child is left. The error is about starting it;
// every ending of a started child, also by ctx, is a Result.
func (f *Folder) Run(ctx context.Context, spec Spec) (Result, error) {
	limits := spec.Limits.withDefaults()
	command, err := f.command(spec, limits)
	if err != nil {
		return Result{}, fmt.Errorf("sandbox: %w", err)
	}
	run := &child{folder: f, command: command, limits: limits, background: spec.Background, stop: make(chan Ending, 4)}
	result, err := run.run(ctx)
	if err != nil {
		return Result{}, fmt.Errorf("sandbox: start %s: %w", spec.name(), err)
	}
	f.box.logger.LogAttrs(ctx, slog.LevelInfo, "child ended",
		slog.String("child", spec.name()), slog.String("correlation_id", spec.CorrelationID),
		slog.String("mode", string(f.box.mode)), slog.String("ending", result.String()),
		slog.Duration("wall", result.Wall), slog.Duration("cpu", result.CPU),
		slog.Int("output_bytes", len(result.Stdout)), slog.String("stderr", firstLine(result.Stderr)))
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

// child is one started program and what watches it.
type child struct {
	folder  *Folder
	command *exec.Cmd
	limits  Limits
	stop    chan Ending // the first one says why we killed it

	background bool
}

func (c *child) run(ctx context.Context) (Result, error) {
	stdout, stderr := &limitedBuffer{limit: c.limits.Output, onExceeded: c.outputExceeded}, &limitedBuffer{limit: c.limits.Output, onExceeded: c.outputExceeded}
	c.command.Stdout, c.command.Stderr = stdout, stderr
	c.command.SysProcAttr = c.folder.attributes()
	c.command.WaitDelay = 2 * time.Second
	started := make(chan error, 1)
	ended := make(chan error, 1)
	go func() {
		// The thread that started the child must live as long: its death would kill the child (parent death signal).
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
	for _, file := range c.command.ExtraFiles { // the child has its own
		_ = file.Close()
	}
	if err != nil {
		return Result{}, err
	}
	if c.background {
		const behind = 10
		_ = syscall.Setpriority(syscall.PRIO_PGRP, c.command.Process.Pid, behind) // no promise, only manners
	}
	reason, err := c.watch(ctx, ended)
	killGroup(c.command.Process.Pid) // a straggler of the group, if the first process left one
	result := Result{Stdout: stdout.bytes(), Stderr: stderr.bytes(), Wall: time.Since(begin), ExitCode: -1}
	c.fillResult(&result, reason, err)
	return result, nil
}

// watch waits for the end and kills the whole group when a limit is reached.
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

// fillResult fills in how the child ended from its wait status. A wrapper (bubblewrap) tells a signal of the program as
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
	case result.Signal == syscall.SIGXCPU, result.Signal == syscall.SIGKILL && result.CPU >= c.limits.CPU: // at the hard limit
		result.Ending = CPULimit
	case result.Signal == syscall.SIGXFSZ:
		result.Ending = FileLimit
	case result.Signal != 0:
		result.Ending = Killed
	case err != nil && !errors.As(err, &slow):
		result.Ending = Killed // a straggler kept the pipes open
	default:
		result.Ending, result.ExitCode = Exited, code
	}
}

// killGroup ends every process of the child's group; in mode bubblewrap the namespace dies with its first process.
func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }

// limitedBuffer keeps the first limit bytes and calls over once when there are more.
type limitedBuffer struct {
	mu         sync.Mutex
	buf        bytes.Buffer
	limit      int64
	onExceeded func()
	full       bool
}

// Write keeps what fits; more is an error, which also ends the copying.
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

// environment is the whole environment of a child.
func environment(spec Spec) []string {
	env := []string{"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", "HOME=/nonexistent"}
	if spec.CorrelationID != "" {
		env = append(env, "COUNTERSIGN_CORRELATION_ID="+spec.CorrelationID)
	}
	return append(env, spec.Env...)
}

func selfPath() (string, error) { return os.Executable() }
