//go:build !linux

package callcost

import "time"

var start = time.Now() //nolint:forbidigo // measures a duration

// threadTime returns the time on the clock, because the system has no processor time per thread.
func threadTime() time.Duration { return time.Since(start) }
