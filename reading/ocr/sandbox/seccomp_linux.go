package sandbox

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// denied lists system calls that no decoder needs: network, other processes, privileged interfaces
// of the kernel. New processes are denied separately, by the arguments of clone.
var denied = []uint32{
	unix.SYS_SOCKET, unix.SYS_SOCKETPAIR, unix.SYS_CONNECT, unix.SYS_BIND, unix.SYS_LISTEN,
	unix.SYS_ACCEPT,
	unix.SYS_ACCEPT4, unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV,
	unix.SYS_PIDFD_OPEN,
	unix.SYS_PIDFD_GETFD, unix.SYS_PIDFD_SEND_SIGNAL, unix.SYS_MOUNT, unix.SYS_UMOUNT2,
	unix.SYS_PIVOT_ROOT,
	unix.SYS_CHROOT, unix.SYS_OPEN_TREE, unix.SYS_MOVE_MOUNT, unix.SYS_FSOPEN, unix.SYS_FSCONFIG,
	unix.SYS_FSMOUNT,
	unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR, unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_SETSID,
	unix.SYS_SETPGID,
	unix.SYS_KEXEC_LOAD, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE,
	unix.SYS_BPF,
	unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_KEYCTL, unix.SYS_ADD_KEY,
	unix.SYS_REQUEST_KEY,
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	unix.SYS_OPEN_BY_HANDLE_AT,
	unix.SYS_NAME_TO_HANDLE_AT, unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_REBOOT,
	unix.SYS_SETTIMEOFDAY,
	unix.SYS_CLOCK_SETTIME, unix.SYS_ACCT, unix.SYS_QUOTACTL, unix.SYS_PERSONALITY,
	unix.SYS_SETHOSTNAME,
	unix.SYS_MQ_OPEN, unix.SYS_SHMGET, unix.SYS_MSGGET, unix.SYS_SEMGET,
}

const (
	dataNumber = 0  // offsetof(seccomp_data, nr)
	dataArch   = 4  // offsetof(seccomp_data, arch)
	dataArg0   = 16 // low half of args[0], little endian
)

// filter returns the seccomp program. It kills processes of another architecture, fails denied
// calls with EPERM and clone3 with ENOSYS (so that libc falls back to clone), allows clone only for
// threads, and allows all other calls.
func filter() []unix.SockFilter {
	load := func(offset uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
	}
	jump := func(test uint16, value uint32, yes, no uint8) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_JMP | test | unix.BPF_K, K: value, Jt: yes, Jf: no}
	}
	end := func(action uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: action}
	}
	refuse := end(unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM))
	program := []unix.SockFilter{
		load(dataArch), jump(unix.BPF_JEQ, auditArch, 1, 0), end(unix.SECCOMP_RET_KILL_PROCESS),
		load(dataNumber), jump(unix.BPF_JGE, foreignABI, 0, 1), refuse,
	}
	for _, call := range append(denied[:len(denied):len(denied)], deniedHere...) {
		program = append(program, jump(unix.BPF_JEQ, call, 0, 1), refuse)
	}
	return append(program,
		jump(unix.BPF_JEQ, unix.SYS_CLONE3, 0, 1), end(unix.SECCOMP_RET_ERRNO|uint32(unix.ENOSYS)),
		jump(unix.BPF_JEQ, unix.SYS_CLONE, 0, 3),
		load(dataArg0), jump(unix.BPF_JSET, unix.CLONE_THREAD, 1, 0), refuse,
		end(unix.SECCOMP_RET_ALLOW))
}

var filterBytes = sync.OnceValue(func() []byte {
	var out bytes.Buffer
	_ = binary.Write(&out, binary.NativeEndian, filter()) // writing to a Buffer never fails
	return out.Bytes()
})

// filterFile returns the filter as an open file, as bubblewrap requires.
func filterFile() (*os.File, error) {
	descriptor, err := unix.MemfdCreate("seccomp", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("memfd: %w", err)
	}
	file := os.NewFile(uintptr(descriptor), "seccomp")
	if _, err := file.WriteAt(filterBytes(), 0); err != nil {
		_ = file.Close()
		return nil, err
	}
	return file, nil
}

// confineCalls installs the filter for this thread.
func confineCalls() error {
	program := filter()
	short := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	_, _, errno := unix.Syscall(
		unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&short)),
	)
	if errno != 0 {
		return fmt.Errorf("seccomp: %w", errno)
	}
	return nil
}
