package store

import (
	"context"
	"time"

	"countersign/domain"
	"countersign/store/batch"
)

// A statement costs Postgres more to begin than its rows cost to write, so what several workers ask at the same time is
// asked together. A row that does not hold is left out without touching the others; what the batch statement refuses as a
// whole, or leaves out, is done anew by its caller alone, where it gets its own answer.
const (
	maxStepBatch  = 64
	maxLeaseBatch = 64
)

// Step writes a machine's step, together with those of others. It answers as Apply does: false means that the case had
// moved on, LeaseLost that the lease is no longer ours; in both cases nothing was written. The change must have a lease.
func (db *DB) Step(ctx context.Context, change *Change) (bool, error) {
	return batchedOr(ctx, db.batchers.steps, change, func() (bool, error) { return db.Autocommit().Apply(ctx, change) })
}

// writeSteps writes the changes in one statement. What was not written is to be done outside a batch.
func (db *DB) writeSteps(ctx context.Context, changes []*Change) ([]bool, []error) {
	_, written, err := db.Autocommit().writeChanges(ctx, changes, skipLocked)
	if domain.HasCode(err, domain.Unavailable) {
		return batch.SameError[bool](len(changes), err)
	}
	values, errs := batch.SameError[bool](len(changes), batch.ErrNotBatched)
	if err != nil {
		return values, errs
	}
	done := make(map[domain.ID]bool, len(written))
	for _, id := range written {
		done[id] = true
	}
	for i, change := range changes {
		if done[change.Case.ID] {
			values[i], errs[i] = true, nil
		}
	}
	return values, errs
}

// leaseRequest asks for one run.
type leaseRequest struct {
	caseID, runID, token domain.ID
	worker               string
	ttl                  time.Duration
}
