package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

// DuePairEvaluations returns the cases that are due to be evaluated, because another case has claimed a pair
// with them or has their account, or because a pair was cleared: at most limit, the longest due first.
func (r Reader) DuePairEvaluations(ctx context.Context, limit int) ([]domain.ID, error) {
	return queryAll(ctx, r.q, "pair evaluations", `SELECT case_id FROM pair_evaluations WHERE due <= clock()
		GROUP BY case_id ORDER BY min(due), case_id LIMIT $1`, pgx.RowTo[domain.ID], limit)
}

// RequestedPairEvaluations returns those of the cases that are to be evaluated, due or not, in their order.
func (r Reader) RequestedPairEvaluations(ctx context.Context, cases []domain.ID) ([]domain.ID, error) {
	return queryAll(ctx, r.q, "pair evaluations", `SELECT x.id FROM unnest($1::uuid[]) WITH ORDINALITY x (id, n)
		WHERE EXISTS (SELECT FROM pair_evaluations e WHERE e.case_id = x.id) ORDER BY x.n`,
		pgx.RowTo[domain.ID], cases)
}

// EndPairEvaluations removes the requests to evaluate a case. The pairs of the removed ones are committed, so that
// later reads of the transaction see them.
func (t *Tx) EndPairEvaluations(ctx context.Context, id domain.ID) error {
	_, err := t.exec(ctx, "end pair evaluations", `DELETE FROM pair_evaluations WHERE case_id = $1`, id)
	return err
}

// PostponePairEvaluations makes the requests to evaluate a case due later.
func (t *Tx) PostponePairEvaluations(ctx context.Context, id domain.ID, by time.Duration) error {
	_, err := t.exec(ctx, "postpone pair evaluations", `UPDATE pair_evaluations
		SET due = clock() + $2 * interval '1 second' WHERE case_id = $1`, id, by.Seconds())
	return err
}

// RequestAccountEvaluations requests to evaluate open cases of other vendors with an account of the case, and returns
// them. The statement that writes the accounts does so too, but does not see a case that is written at the same
// moment. itself adds the case if there is one of another vendor: it may not have seen that either.
func (t *Tx) RequestAccountEvaluations(ctx context.Context, c domain.Case, itself bool) ([]domain.ID, error) {
	return queryAll(ctx, t.q, "account evaluations", `SELECT * FROM request_account_evaluations($1, $2, $3, $4)`,
		pgx.RowTo[domain.ID], c.Accounts, c.PartyID, c.ID, itself)
}
