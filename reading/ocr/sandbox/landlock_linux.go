package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// landlockABI returns the Landlock version of the kernel, 0 if there is none.
func landlockABI() int {
	const askVersion = 1
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, askVersion)
	if errno != 0 {
		return 0
	}
	return int(version)
}

func landlockSupported() error {
	if landlockABI() < 1 {
		return errors.New("the kernel does not support Landlock")
	}
	return nil
}

// launcher returns the command that starts this binary as the launcher, which restricts itself and
// then executes the program.
func (f *Folder) launcher(self string, plan launchPlan) (*exec.Cmd, error) {
	text, err := json.Marshal(plan)
	if err != nil {
		return nil, err
	}
	command := exec.Command(
		self, childArgument, "launch", string(text),
	) //nolint:gosec // this binary
	command.Dir = plan.Out
	command.Env = []string{"PATH=/usr/bin:/bin", "GOMAXPROCS=1"}
	return command, nil
}

// exec applies the plan to this process and executes the program. It returns only on failure.
func (p launchPlan) exec() error {
	runtime.LockOSThread()        // Landlock and seccomp apply to this thread, and only this thread survives exec
	debug.SetGCPercent(-1)        // nothing may allocate after the memory limit is set
	image, err := p.prepareExec() // so the arguments of exec are prepared before
	if err != nil {
		return err
	}
	rules := -1
	if p.Confine {
		if rules, err = p.landlockRuleset(); err != nil { // opened before access to folders is restricted
			return err
		}
	}
	if p.User >= 0 {
		if err := errors.Join(syscall.Setgroups(nil), syscall.Setgid(p.User),
			syscall.Setuid(p.User)); err != nil {
			return fmt.Errorf("user %d: %w", p.User, err)
		}
	}
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return fmt.Errorf("parent death signal: %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no new privileges: %w", err)
	}
	if err := p.applyLimits(); err != nil {
		return err
	}
	if p.Confine {
		if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(rules), 0,
			0); errno != 0 {
			return fmt.Errorf("landlock: %w", errno)
		}
		if err := confineCalls(); err != nil {
			return err
		}
	}
	return fmt.Errorf("exec %s: %w", p.Program, image.exec(p.MemoryLimit))
}

// execImage holds the arguments of execve as pointers, and the memory limit to set before it.
type execImage struct {
	path       *byte
	args, env  []*byte
	memory     unix.Rlimit
	hasNoLimit bool
}

func (p launchPlan) prepareExec() (*execImage, error) {
	path, err := unix.BytePtrFromString(p.Program)
	if err != nil {
		return nil, err
	}
	args, err := syscall.SlicePtrFromStrings(append([]string{p.Program}, p.Args...))
	if err != nil {
		return nil, err
	}
	env, err := syscall.SlicePtrFromStrings(p.Env)
	if err != nil {
		return nil, err
	}
	limit := unix.Rlimit{Cur: uint64(p.Memory), Max: uint64(p.Memory)}
	return &execImage{path, args, env, limit, p.Memory <= 0}, nil
}

// exec sets the memory limit and executes the program by two raw system calls, because this process
// may already use more than the limit.
func (i *execImage) exec(resource int) error {
	if !i.hasNoLimit {
		_, _, errno := unix.RawSyscall6(
			unix.SYS_PRLIMIT64, 0, uintptr(resource), uintptr(unsafe.Pointer(&i.memory)), 0, 0, 0,
		)
		if errno != 0 {
			return errno
		}
	}
	_, _, errno := unix.RawSyscall(
		unix.SYS_EXECVE, uintptr(unsafe.Pointer(i.path)), uintptr(unsafe.Pointer(&i.args[0])),
		uintptr(unsafe.Pointer(&i.env[0])),
	)
	return errno
}

// applyLimits sets the resource limits except that of memory.
func (p launchPlan) applyLimits() error {
	limits := map[int][2]int64{
		unix.RLIMIT_CORE: {0, 0}, unix.RLIMIT_FSIZE: {p.File, p.File},
		unix.RLIMIT_CPU: {p.CPU, p.CPU + 1},
	}
	if p.User >= 0 {
		limits[unix.RLIMIT_NPROC] = [2]int64{int64(p.Threads), int64(p.Threads)}
	}
	for resource, limit := range limits {
		value := unix.Rlimit{Cur: uint64(limit[0]), Max: uint64(limit[1])}
		if err := unix.Setrlimit(resource, &value); err != nil {
			return fmt.Errorf("limit %d: %w", resource, err)
		}
	}
	return nil
}

const (
	landlockRead  = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	landlockWrite = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR |
		unix.LANDLOCK_ACCESS_FS_REMOVE_FILE | unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG
	landlockFirst = landlockRead | landlockWrite | unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK | unix.LANDLOCK_ACCESS_FS_MAKE_SYM
)

// landlockRuleset creates a ruleset that denies everything except reading the system and in, and
// writing to out.
func (p launchPlan) landlockRuleset() (int, error) {
	abi := landlockABI()
	write := uint64(landlockWrite)
	handled := unix.LandlockRulesetAttr{Access_fs: landlockFirst}
	size := unsafe.Sizeof(handled.Access_fs)
	if abi >= 2 {
		handled.Access_fs |= unix.LANDLOCK_ACCESS_FS_REFER
	}
	if abi >= 3 {
		handled.Access_fs |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
		write |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if abi >= 4 {
		handled.Access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
		size += unsafe.Sizeof(handled.Access_net)
	}
	if abi >= 5 {
		handled.Access_fs |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if abi >= 6 {
		const abstractSockets, signals = 1, 2
		handled.Scoped = abstractSockets | signals
		size += unsafe.Sizeof(handled.Scoped)
	}
	set, _, errno := unix.Syscall(
		unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&handled)), size, 0,
	)
	if errno != 0 {
		return -1, fmt.Errorf("landlock: %w", errno)
	}
	for _, path := range append([]string{p.In, "/dev/null", "/dev/zero", "/dev/urandom",
		"/dev/random"}, p.ReadOnly...) {
		if err := allow(int(set), path, landlockRead); err != nil {
			return -1, err
		}
	}
	return int(set), allow(int(set), p.Out, landlockRead|write)
}

// allow adds a rule for a path. A path that does not exist needs none.
func allow(set int, path string, access uint64) error {
	file, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("landlock: %s: %w", path, err)
	}
	defer func() { _ = unix.Close(file) }()
	var stat unix.Stat_t
	if err := unix.Fstat(file, &stat); err != nil {
		return err
	}
	if stat.Mode&unix.S_IFMT != unix.S_IFDIR { // only the access rights that apply to files
		access &= unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
			unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: access, Parent_fd: int32(file)}
	_, _, errno := unix.Syscall6(
		unix.SYS_LANDLOCK_ADD_RULE, uintptr(set), unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&rule)), 0, 0, 0,
	)
	if errno != 0 {
		return fmt.Errorf("landlock: rule for %s: %w", path, errno)
	}
	return nil
}
