package config

import (
	"os"
	"runtime/debug"
)

const (
	// gcPercent lets the heap grow to five times what is in use: our programs keep some ten
	// megabytes permanently and discard much soon after use, and the collector took 8 % of a
	// document's time at the runtime's own 100.
	gcPercent = 400
	// memoryLimit makes the collector work harder before a program with much in use grows five
	// times as large.
	memoryLimit = 512 << 20
)

// TuneMemory sets how often garbage is collected. GOGC and GOMEMLIMIT, where set, hold.
func TuneMemory() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
}
