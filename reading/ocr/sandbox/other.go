//go:build !linux

package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"syscall"
	"time"
)

// supported returns an error for modes other than LimitsOnly.
func (b *Runner) supported() error {
	if b.mode != LimitsOnly {
		return errors.New("it is available on Linux only")
	}
	return nil
}

func (f *Folder) attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// command starts this binary as the launcher, which sets limits and then executes the program.
func (f *Folder) command(spec Spec, limits Limits) (*exec.Cmd, error) {
	program, args := spec.Program, spec.Args
	self, err := selfPath()
	if err != nil {
		return nil, err
	}
	if spec.Call != "" {
		program, args = self, append([]string{childArgument, spec.Call}, spec.Args...)
	}
	path, err := f.box.stageProgram(program)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(launchPlan{
		Program: path, Args: args, Env: environment(spec), User: f.user,
		CPU: int64(limits.CPU / time.Second), File: limits.File,
	})
	if err != nil {
		return nil, err
	}
	command := exec.Command(
		self, childArgument, "launch", string(text),
	) //nolint:gosec // this binary
	command.Dir = f.Out()
	command.Env = []string{"PATH=/usr/bin:/bin"}
	return command, nil
}

// exec sets the limits that this system supports and executes the program. It returns only on
// failure.
func (p launchPlan) exec() error {
	if p.User >= 0 {
		if err := errors.Join(syscall.Setgid(p.User), syscall.Setuid(p.User)); err != nil {
			return fmt.Errorf("user %d: %w", p.User, err)
		}
	}
	limits := map[int]int64{
		syscall.RLIMIT_CORE: 0, syscall.RLIMIT_FSIZE: p.File, syscall.RLIMIT_CPU: p.CPU,
	}
	for resource, value := range limits {
		limit := syscall.Rlimit{Cur: uint64(value), Max: uint64(value)}
		if err := syscall.Setrlimit(resource, &limit); err != nil {
			return fmt.Errorf("limit %d: %w", resource, err)
		}
	}
	args := append([]string{p.Program}, p.Args...)
	return fmt.Errorf("exec %s: %w", p.Program, syscall.Exec(p.Program, args, p.Env))
}
