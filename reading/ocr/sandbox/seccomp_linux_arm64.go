package sandbox

import "golang.org/x/sys/unix"

const (
	auditArch  = unix.AUDIT_ARCH_AARCH64
	foreignABI = 0xffffffff
)

// deniedHere are calls that only this architecture has.
var deniedHere = []uint32{unix.SYS_KEXEC_FILE_LOAD}
