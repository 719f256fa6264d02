package sandbox

import "golang.org/x/sys/unix"

const (
	auditArch  = unix.AUDIT_ARCH_AARCH64
	foreignABI = 0xffffffff
)

// deniedHere lists denied calls that exist only on this architecture.
var deniedHere = []uint32{unix.SYS_KEXEC_FILE_LOAD}
