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

// supported: only limits exist here.
func (b *Box) supported() error {
	if b.mode != LimitsOnly {
		return errors.New("it exists on Linux only")
	}
	return nil
}

func (f *Folder) attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// command starts our own binary, which limits itself and then becomes the program.
func (f *Folder) command(spec Spec, limits Limits) (*exec.Cmd, error) {
	program, args := spec.Program, spec.Args
	self, err := selfPath()
	if err != nil {
		return nil, err
	}
	if spec.Call != "" {
		program, args = self, append([]string{childMark, spec.Call}, spec.Args...)
	}
	path, err := f.box.stage(program)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(launch{Program: path, Args: args, Env: environment(spec), User: f.user,
		CPU: int64(limits.CPU / time.Second), File: limits.File})
	if err != nil {
		return nil, err
	}
	command := exec.Command(self, childMark, "launch", string(text)) //nolint:gosec // our own binary
	command.Dir = f.Out()
	command.Env = []string{"PATH=/usr/bin:/bin"}
	return command, nil
}

// become applies the limits this system knows and turns the process into the program.
func (p launch) become() error {
	if p.User >= 0 {
		if err := errors.Join(syscall.Setgid(p.User), syscall.Setuid(p.User)); err != nil {
			return fmt.Errorf("user %d: %w", p.User, err)
		}
	}
	for resource, value := range map[int]int64{syscall.RLIMIT_CORE: 0, syscall.RLIMIT_FSIZE: p.File, syscall.RLIMIT_CPU: p.CPU} {
		limit := syscall.Rlimit{Cur: uint64(value), Max: uint64(value)}
		if err := syscall.Setrlimit(resource, &limit); err != nil {
			return fmt.Errorf("limit %d: %w", resource, err)
		}
	}
	return fmt.Errorf("exec %s: %w", p.Program, syscall.Exec(p.Program, append([]string{p.Program}, p.Args...), p.Env))
}
