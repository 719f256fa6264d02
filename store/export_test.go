package store

import (
	"context"
	"errors"
)

// Patience is how long a joint statement waits for a place in its lane.
const Patience = patience

// InOneStatement is Step for changes that surely share a statement; what it could not write is done alone, as Step does.
func (db *DB) InOneStatement(ctx context.Context, changes []*Change) ([]bool, []error) {
	written, errs := db.steps(ctx, changes)
	for i, change := range changes {
		if errors.Is(errs[i], errAlone) {
			written[i], errs[i] = db.Alone().Apply(ctx, change)
		}
	}
	return written, errs
}
