package sandbox

import "golang.org/x/sys/unix"

const (
	auditArch = unix.AUDIT_ARCH_X86_64
	// Call numbers from foreignABI are calls of the x32 ABI, which would bypass the list.
	foreignABI = 0x40000000
)

// deniedHere lists denied calls that exist only on this architecture.
var deniedHere = []uint32{
	unix.SYS_FORK, unix.SYS_VFORK, unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_MODIFY_LDT,
	unix.SYS_KEXEC_FILE_LOAD,
}
