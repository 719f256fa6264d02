package store

import (
	"context"
	"errors"
)

// AcquireTimeout is how long a batch statement waits for a slot of its semaphore.
const AcquireTimeout = acquireTimeout

// InOneStatement is Step for changes that surely share a statement; what it could not write is done outside the batch, as Step does.
func (db *DB) InOneStatement(ctx context.Context, changes []*Change) ([]bool, []error) {
	written, errs := db.writeSteps(ctx, changes)
	for i, change := range changes {
		if errors.Is(errs[i], errNotBatched) {
			written[i], errs[i] = db.Autocommit().Apply(ctx, change)
		}
	}
	return written, errs
}
