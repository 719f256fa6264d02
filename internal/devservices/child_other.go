//go:build !linux

package devservices

import "syscall"

// setParentDeathSignal does nothing where the kernel has no such signal; the guardian stops the child instead.
func setParentDeathSignal(*syscall.SysProcAttr, syscall.Signal) {}
