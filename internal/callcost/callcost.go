// Package callcost measures the memory and time of one call, for tests that bound what a hostile text may cost.
//
// What may enter: the measurement. What never happens here: a bound, which belongs to the test; use outside of tests.
package callcost

import (
	"runtime"
	"time"
)

// Minimum returns the fewest allocated bytes and the shortest time of five calls, because other tests run
// concurrently, and the result of the last call. The time is that of the processor, as far as the system
// knows it per thread: the time on the clock also contains that of other programs on a busy machine.
func Minimum(call func() error) (bytes uint64, took time.Duration, err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	bytes, took = 1<<62, time.Hour
	for range 5 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		began := threadTime()
		err = call()
		took = min(took, threadTime()-began)
		runtime.ReadMemStats(&after)
		bytes = min(bytes, after.TotalAlloc-before.TotalAlloc)
	}
	return bytes, took, err
}
