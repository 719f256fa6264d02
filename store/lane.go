package store

import (
	"runtime"
	"time"
)

// lane is where joint statements wait for each other, a place for each that may be under way at once. Postgres does not do
// more by doing many at the same time on the same processors; what waits meanwhile goes together, in fewer and larger ones.
type lane chan struct{}

// patience bounds the wait for a place: one statement that waits for a lock must not hold up all others.
const patience = 50 * time.Millisecond

// newLane has a place for each processor: on more than that the statements would wait for each other anyway.
func newLane() lane { return make(lane, runtime.GOMAXPROCS(0)) }

// pass does the work in a place of the lane, or beside it where none came free in time.
func (l lane) pass(work func()) {
	select {
	case l <- struct{}{}:
		defer func() { <-l }()
	default:
		late := time.NewTimer(patience)
		defer late.Stop()
		select {
		case l <- struct{}{}:
			defer func() { <-l }()
		case <-late.C:
		}
	}
	work()
}
