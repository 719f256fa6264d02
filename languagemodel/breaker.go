package languagemodel

import (
	"context"
	"sync"
	"time"

	"countersign/domain"
)

// verdict is what a call says about the endpoint.
type verdict int

const (
	works verdict = iota
	fails
	unknown // the caller ended the call
)

// verdictOf judges the endpoint, not the answer: a refusal or a wrong answer shows that it works.
func verdictOf(caller context.Context, failed *failure) verdict {
	switch {
	case failed == nil:
		return works
	case caller.Err() != nil:
		return unknown
	case failed.outcome == Timeout || failed.outcome == Unavailable || failed.outcome == Cut:
		return fails
	}
	return works
}

// breaker is a circuit breaker: after a number of failures in a row it refuses calls for a pause.
// After each pause it lets one call through; if that works, it lets all of them through.
type breaker struct {
	clock domain.Clock
	after int
	pause time.Duration

	mu       sync.Mutex
	failures int // in a row
	until    time.Time
}

// enter reports whether calls are refused, until when, and whether this call is the one that tries.
func (b *breaker) enter() (trial bool, until time.Time, open bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failures < b.after {
		return false, time.Time{}, false
	}
	now := b.clock.Now()
	if now.Before(b.until) {
		return false, b.until, true
	}
	b.until = now.Add(b.pause)
	return true, time.Time{}, false
}

// leave records how a call ended.
func (b *breaker) leave(ended verdict, trial bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case ended == works:
		b.failures = 0
	case ended == fails:
		b.failures++
		b.until = b.clock.Now().Add(b.pause)
	case trial:
		b.until = time.Time{} // the next call tries
	}
}
