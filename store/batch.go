package store

import "context"

// Batcher joins what callers ask at the same time, for commands whose transaction may serve several. Nobody waits for
// company.
type Batcher[Q, A any] struct{ batcher *batcher[Q, A] }

// ErrNotBatched answers a question that a batch transaction could not serve: its caller does it in one of its own.
var ErrNotBatched = errNotBatched

// NewBatcher makes one, whose transactions take their turn with the batch statements of the DB; do answers up to most
// questions. It must give every question an answer or an error.
func NewBatcher[Q, A any](db *DB, most int, do func(ctx context.Context, questions []Q) ([]A, []error)) *Batcher[Q, A] {
	return &Batcher[Q, A]{newWriteBatcher(db.batchers.slots, most, do)}
}

// Do returns the answer. A caller whose context ends before the question was taken has asked nothing; after that the
// answer is waited for.
func (t *Batcher[Q, A]) Do(ctx context.Context, question Q) (A, error) {
	return t.batcher.submit(ctx, question)
}
