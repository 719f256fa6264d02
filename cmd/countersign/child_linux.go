package main

import "syscall"

// childAttributes puts a child into a process group of its own and has it leave when the demo dies,
// however that happens.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
