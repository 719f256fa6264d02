// Package testsignal lets a test wait for a moment inside running code instead of sleeping.
//
// What may enter: the signal. What never happens here: a decision of the program depending on
// whether anyone waits; in production a signal is never armed and raising it does nothing.
package testsignal

import (
	"time"
)

// waitTimeout is how long a test waits for a moment before it fails.
const waitTimeout = 30 * time.Second

// capacity is how many moments may pass unread; more than that is a test that armed a signal it
// does not read.
const capacity = 1000

// Signal announces moments of type T. The zero value is silent; a program holds one as a field and
// raises it, a test arms it before the program starts.
type Signal[T any] struct {
	moments chan T
	armed   TB
}

// TB is the part of testing.TB that is needed, so that programs do not link package testing.
type TB interface {
	Helper()
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
}

// Arm makes the signal audible to this test. It is called before the code that raises it runs.
func (s *Signal[T]) Arm(tb TB) {
	s.moments = make(chan T, capacity)
	s.armed = tb
}

// Raise announces a moment; it never blocks.
func (s *Signal[T]) Raise(value T) {
	if s.moments == nil {
		return
	}
	select {
	case s.moments <- value:
	default:
		s.armed.Errorf("testsignal: more than %d moments that nobody waited for", capacity)
	}
}

// Moments is the channel of an armed signal, for a select; nil for a silent one.
func (s *Signal[T]) Moments() <-chan T { return s.moments }

// Wait returns the next moment, or fails the test after 30 s.
func (s *Signal[T]) Wait() T {
	s.armed.Helper()
	timer := time.NewTimer(waitTimeout)
	defer timer.Stop()
	select {
	case value := <-s.moments:
		return value
	case <-timer.C:
		var none T
		s.armed.Fatalf("testsignal: waited %s for a moment of type %T", waitTimeout, none)
		return none
	}
}

// WaitFor returns the first moment that fits, passing over others, or fails the test after 30 s.
func (s *Signal[T]) WaitFor(fits func(T) bool) T {
	s.armed.Helper()
	timer := time.NewTimer(waitTimeout)
	defer timer.Stop()
	for passed := 0; ; passed++ {
		select {
		case value := <-s.moments:
			if fits(value) {
				return value
			}
		case <-timer.C:
			var none T
			s.armed.Fatalf("testsignal: waited %s for a fitting moment of type %T; %d others passed", waitTimeout, none, passed)
			return none
		}
	}
}
