package store

import (
	"context"
	"time"

	"countersign/domain"
	"countersign/internal/tracing"
	"countersign/store/batch"
)

// Beginning a statement costs Postgres more than writing its rows, so concurrent steps are batched.
// A change whose condition fails is left out without affecting the others; a change that the batch
// left out or could not write is applied individually and gets its own result.
const (
	maxStepBatch  = 64
	maxLeaseBatch = 64
)

// Step writes a worker's step, batched with concurrent ones. It returns what Apply returns: false
// if the case has another version, LeaseLost if the lease is no longer valid; in both cases nothing
// was written. The change must have a lease.
func (db *DB) Step(ctx context.Context, change *Change) (bool, error) {
	ctx, span := tracing.Begin(ctx, "postgres step")
	applied, err := batchedOr(ctx, db.batchers.steps, change,
		func() (bool, error) { return db.Autocommit().Apply(ctx, change) })
	span.End(spanCode(err))
	return applied, err
}

// spanCode returns the code with which a span ends; the message may contain values.
func spanCode(err error) string {
	if err == nil {
		return ""
	}
	return string(domain.CodeOf(err))
}

// writeSteps writes the changes in one statement. A change that was not written has ErrNotBatched.
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

// leaseRequest is a request to lease one run.
type leaseRequest struct {
	caseID, runID, token domain.ID
	worker               string
	ttl                  time.Duration
}
