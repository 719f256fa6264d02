package views

import (
	"context"
	"errors"
	"testing"

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
