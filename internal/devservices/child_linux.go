package devservices

import "syscall"

// dieWithUs asks the kernel to signal the child when the thread that started it ends.
func dieWithUs(attr *syscall.SysProcAttr, farewell syscall.Signal) { attr.Pdeathsig = farewell }
