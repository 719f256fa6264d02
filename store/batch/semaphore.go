package batch

import (
	"runtime"
	"time"
)

// Semaphore limits how many batches run concurrently. Postgres does not do more by running more
// statements than there are processors; requests that wait for a slot share fewer and larger
// batches.
type Semaphore chan struct{}

// acquireTimeout bounds the wait for a slot, because a statement that waits for a lock must not
// block all others.
const acquireTimeout = 50 * time.Millisecond

// NewSemaphore returns a semaphore with one slot for each processor that Go may use.
func NewSemaphore() Semaphore { return make(Semaphore, runtime.GOMAXPROCS(0)) }

// run does the work in a slot, or without one if none became free within acquireTimeout.
func (s Semaphore) run(work func()) {
	select {
	case s <- struct{}{}:
		defer func() { <-s }()
	default:
		timeout := time.NewTimer(acquireTimeout)
		defer timeout.Stop()
		select {
		case s <- struct{}{}:
			defer func() { <-s }()
		case <-timeout.C:
		}
	}
	work()
}
