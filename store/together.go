package store

import "context"

// Together joins what callers ask at the same time, for commands whose transaction may serve several. Nobody waits for
// company.
type Together[Q, A any] struct{ gather *gather[Q, A] }

// ErrAlone answers a question that a joint transaction could not serve: its caller does it in one of its own.
var ErrAlone = errAlone

// NewTogether makes one, whose transactions take their turn with the joint statements of the DB; do answers up to most
// questions. It must give every question an answer or an error.
func NewTogether[Q, A any](db *DB, most int, do func(ctx context.Context, questions []Q) ([]A, []error)) *Together[Q, A] {
	return &Together[Q, A]{writing(db.gathers.lane, most, do)}
}

// Ask returns the answer. A caller whose context ends before the question was taken has asked nothing; after that the
// answer is waited for.
func (t *Together[Q, A]) Ask(ctx context.Context, question Q) (A, error) {
	return t.gather.ask(ctx, question)
}
