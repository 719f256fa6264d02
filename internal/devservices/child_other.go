//go:build !linux

package devservices

import "syscall"

// dieWithUs does nothing where the kernel has no such signal; the guardian stops the child instead.
func dieWithUs(*syscall.SysProcAttr, syscall.Signal) {}
