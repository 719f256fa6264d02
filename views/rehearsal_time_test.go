package views

import (
	"context"
	"errors"
	"testing"
	"time"

	"countersign/store"
)

// A rehearsal whose time is over ends with what it has and says so; one whose request was cancelled fails.
func TestRehearsalEndsInTime(t *testing.T) {
	t.Parallel()
	over, cancel := context.WithCancel(t.Context())
	cancel()
	r := &rehearsal{found: &Rehearsal{Complete: true}}
	if err := r.readCases(t.Context(), over, store.Snapshots{}, store.CaseQuery{}, 5); err != nil ||
		r.found.Complete {
		t.Errorf("complete: %v (%v)", r.found.Complete, err)
	}
	if err := r.readCases(over, over, store.Snapshots{}, store.CaseQuery{}, 5); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// A rehearsal gives other requests as much time as it uses, until its own time is short.
func TestRehearsalPausesAsLongAsItsPagesTake(t *testing.T) {
	t.Parallel()
	r := &rehearsal{}
	if short := r.pause(time.Millisecond); short != rehearsalPause {
		t.Errorf("after a short page: %s", short)
	}
	var all time.Duration
	for range 1000 {
		pause := r.pause(200 * time.Millisecond)
		if all += pause; pause != 200*time.Millisecond && pause != rehearsalPause {
			t.Fatalf("a pause of %s", pause)
		}
	}
	if r.rested > restTime || r.rested < restTime-time.Second || r.pause(time.Hour) != rehearsalPause {
		t.Errorf("pauses of %s in all", r.rested)
	}
}
