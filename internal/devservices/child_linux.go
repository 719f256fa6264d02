package devservices

import "syscall"

// setParentDeathSignal asks the kernel to signal the child when the thread that started it ends.
func setParentDeathSignal(attr *syscall.SysProcAttr, farewell syscall.Signal) {
	attr.Pdeathsig = farewell
}
