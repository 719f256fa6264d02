package store

import (
	"runtime"
	"time"
)

// semaphore is where batch statements wait for each other, a place for each that may be under way at once. Postgres does not do
// more by doing many at the same time on the same processors; what waits meanwhile goes together, in fewer and larger ones.
type semaphore chan struct{}

// acquireTimeout bounds the wait for a place: one statement that waits for a lock must not hold up all others.
const acquireTimeout = 50 * time.Millisecond

// newSemaphore has a place for each processor: on more than that the statements would wait for each other anyway.
func newSemaphore() semaphore { return make(semaphore, runtime.GOMAXPROCS(0)) }

// runInSlot does the work in a slot of the semaphore, or beside it where none came free in time.
func (l semaphore) runInSlot(work func()) {
	select {
	case l <- struct{}{}:
		defer func() { <-l }()
	default:
		late := time.NewTimer(acquireTimeout)
		defer late.Stop()
		select {
		case l <- struct{}{}:
			defer func() { <-l }()
		case <-late.C:
		}
	}
	work()
}
