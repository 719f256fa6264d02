package store

import (
	"context"
	"errors"

	"countersign/store/batch"
)

// InOneStatement is Step for changes that always share a statement. As in Step, a change that the
// batch could not write is applied individually.
func (db *DB) InOneStatement(ctx context.Context, changes []*Change) ([]bool, []error) {
	written, errs := db.writeSteps(ctx, changes)
	for i, change := range changes {
		if errors.Is(errs[i], batch.ErrNotBatched) {
			written[i], errs[i] = db.Autocommit().Apply(ctx, change)
		}
	}
	return written, errs
}
