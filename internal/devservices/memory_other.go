//go:build !linux

package devservices

// memoryRoot is empty: this system has no folder in memory.
const memoryRoot = ""

func hasMemory() bool { return false }

func ownFolder(string) bool { return false }
