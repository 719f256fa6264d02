package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"countersign/internal/racedetector"
)

// readOnly lists the system paths that programs need: executables, libraries, fonts, OCR models.
var readOnly = []string{"/usr", "/bin", "/sbin", "/lib", "/lib64", "/lib32", "/etc/ld.so.cache",
	"/etc/fonts",
	"/etc/alternatives", "/var/cache/fontconfig", "/opt/homebrew", "/nix/store"}

// supported returns an error if a mode cannot work, without starting a child.
func (b *Runner) supported() error {
	switch b.mode {
	case Bubblewrap:
		for _, program := range []string{"bwrap", "prlimit"} {
			if _, err := exec.LookPath(program); err != nil {
				return fmt.Errorf("%s is not installed", program)
			}
		}
		return nil
	case Landlock:
		return landlockSupported()
	case LimitsOnly:
		return nil
	}
	return errors.New("unknown mode")
}

// attributes returns the process attributes: an own process group, termination with the parent, and
// for bubblewrap the job's user, so that its user namespace maps to an unprivileged user and the
// limits apply to that user.
func (f *Folder) attributes() *syscall.SysProcAttr {
	attributes := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if f.box.mode == Bubblewrap && f.user >= 0 {
		attributes.Credential = &syscall.Credential{Uid: uint32(f.user), Gid: uint32(f.user)}
	}
	return attributes
}

// memoryLimit is the resource that limits a child's memory, by its names for prlimit and for the
// kernel.
type memoryLimit struct {
	kind     string
	resource int
	bytes    int64 // 0 = no limit
}

// command builds the command line for the mode of the Runner.
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
	memory := memoryLimit{kind: "as", resource: unix.RLIMIT_AS, bytes: limits.Memory}
	if spec.Call != "" || spec.WritableMemory { // Go reserves more address space than it uses
		memory.kind, memory.resource = "data", unix.RLIMIT_DATA
	}
	if spec.Call != "" && racedetector.Enabled {
		memory.bytes = 0 // the race detector maps terabytes
	}
	further := append([]string{path}, spec.ReadOnly...)
	if f.box.mode == Bubblewrap {
		return f.bubblewrap(further, args, environment(spec), limits, memory)
	}
	return f.launcher(self, launchPlan{Program: path, Args: args, Env: environment(spec),
		In: f.In(), Out: f.Out(),
		ReadOnly: append(further, readOnly...), User: f.user,
		Confine: f.box.mode == Landlock,
		Memory:  memory.bytes, MemoryLimit: memory.resource, CPU: seconds(limits.CPU),
		File: limits.File, Threads: limits.Threads})
}

// bubblewrap starts the first of the files; the program may read all of them.
func (f *Folder) bubblewrap(files, args, env []string, limits Limits,
	memory memoryLimit) (*exec.Cmd, error) {
	prlimit, err := exec.LookPath("prlimit")
	if err != nil {
		return nil, err
	}
	line := []string{"--core=0", "--fsize=" + number(limits.File),
		"--cpu=" + number(seconds(limits.CPU)) + ":" + number(seconds(limits.CPU)+1)}
	if memory.bytes > 0 {
		line = append(line, "--"+memory.kind+"="+number(memory.bytes))
	}
	if f.user >= 0 { // for the current user the limit would count all other processes; seccomp forbids new ones anyway
		line = append(line, "--nproc="+strconv.Itoa(limits.Threads))
	}
	// With --as-pid-1 bwrap waits for the program. Otherwise bwrap's own init process is left to
	// the init process of the machine, and in containers whose init does not reap children, zombies
	// accumulate.
	line = append(line, "bwrap", "--unshare-all", "--as-pid-1", "--die-with-parent",
		"--new-session", "--clearenv",
		"--uid", "65534", "--gid", "65534", "--hostname", "sandbox", "--proc", "/proc", "--dev",
		"/dev")
	line = append(line, systemMounts()...)
	for _, path := range files {
		if !underAny(path, readOnly) {
			line = append(line, "--ro-bind", path, path)
		}
	}
	line = append(line, "--ro-bind", f.In(), "/job/in", "--bind", f.Out(), "/job/out", "--chdir",
		"/job/out",
		"--remount-ro", "/dev", "--remount-ro", "/") // the root file system is in memory and would otherwise be writable
	for _, pair := range env {
		name, value, _ := strings.Cut(pair, "=")
		line = append(line, "--setenv", name, value)
	}
	filter, err := filterFile()
	if err != nil {
		return nil, err
	}
	line = append(line, "--seccomp", "3", files[0])
	command := exec.Command(prlimit, append(line, args...)...) //nolint:gosec // the program does not depend on the document
	command.Env = []string{"PATH=/usr/bin:/bin"}
	command.ExtraFiles = []*os.File{filter}
	return command, nil
}

// systemMounts mounts the system read-only and keeps links such as /bin -> usr/bin.
func systemMounts() []string {
	var line []string
	for _, path := range readOnly {
		info, err := os.Lstat(path)
		if err != nil {
			continue
		}
		if info.Mode()&os.ModeSymlink != 0 {
			if target, err := os.Readlink(path); err == nil {
				line = append(line, "--symlink", target, path)
			}
			continue
		}
		line = append(line, "--ro-bind", path, path)
	}
	return line
}

func underAny(path string, roots []string) bool {
	for _, root := range roots {
		if path == root || strings.HasPrefix(path, root+"/") {
			return true
		}
	}
	return false
}

func number(value int64) string { return strconv.FormatInt(value, 10) }

func seconds(d time.Duration) int64 { return max(1, int64((d+time.Second-1)/time.Second)) }
