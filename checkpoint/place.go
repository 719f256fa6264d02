package checkpoint

import (
	"bytes"
	"context"
	"fmt"

	"countersign/audit"
	"countersign/domain"
)

// Place keeps checkpoints outside of the database.
type Place interface {
	// Name is "folder", "bucket" or "witness".
	Name() string
	// Keep keeps a checkpoint if it continues the newest one in the place. It returns the line with
	// the signature of a witness, else "". It returns a *ForkError if the checkpoint does not continue the newest
	// one.
	Keep(ctx context.Context, checkpoint audit.Checkpoint, note []byte, prove Prove) (string, error)
	// Notes returns the newest checkpoint, and earlier ones as far as the place keeps them. None is
	// no error.
	Notes(ctx context.Context) ([]audit.ExternalNote, error)
}

// Prove proves that the checkpoint that is to be kept continues the one of an older size.
type Prove func(ctx context.Context, older uint64) ([][]byte, error)

// ForkError reports that a checkpoint does not continue the newest one in a place: records, or
// checkpoints in the database, were altered or removed, or the database was restored from a backup.
type ForkError struct {
	Place string
	Kept  uint64 // number of leaves of the newest checkpoint in the place
	Given uint64
}

// Error describes the fork.
func (e *ForkError) Error() string {
	return fmt.Sprintf("the checkpoint of %d leaves does not continue the one of %d leaves in %s", e.Given,
		e.Kept, e.Place)
}

// continues verifies that a checkpoint continues the newest one in the place. It reports whether the
// place has it already.
func continues(ctx context.Context, place string, newest, given audit.Checkpoint, prove Prove) (has bool,
	err error) {
	fork := &ForkError{Place: place, Kept: newest.Size, Given: given.Size}
	switch {
	case newest.Origin != given.Origin:
		return false, domain.Errorf(domain.StateMismatch,
			"The checkpoints in %s are of log %s, not of %s.", place, newest.Origin, given.Origin).
			WithRemedy("Use a place of its own for each installation.")
	case newest.Size > given.Size, given.At.Before(newest.At):
		return false, fork
	case newest.Size == given.Size && bytes.Equal(newest.Root, given.Root):
		return true, nil
	case newest.Size == given.Size:
		return false, fork
	}
	path, err := prove(ctx, newest.Size)
	if err != nil {
		return false, err
	}
	if audit.VerifyConsistency(newest, given, path) != nil {
		return false, fork
	}
	return false, nil
}
