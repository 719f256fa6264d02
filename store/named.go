package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

// NamedReview is a review with the name of who holds it, "" for nobody.
type NamedReview struct {
	domain.Review
	AssigneeName string
}

// oneMore scans a column after those that the inner scan knows.
type oneMore struct {
	pgx.CollectableRow
	target any
}

// Scan adds the target.
func (o oneMore) Scan(targets ...any) error {
	return o.CollectableRow.Scan(append(targets, o.target)...)
}

// NamedReviewsOf reads all reviews of the cases in the order they were opened, with their holders' names: one statement
// where a board would need two.
func (r Reader) NamedReviewsOf(ctx context.Context, cases ...domain.ID) ([]NamedReview, error) {
	return collect(ctx, r.q, "reviews", `SELECT `+reviewRowColumns+`, coalesce(u.name, '') FROM reviews r LEFT JOIN users u ON u.id = r.assignee
		WHERE r.case_id = ANY($1) ORDER BY r.case_id, r.created_at, r.seat`, func(row pgx.CollectableRow) (NamedReview, error) {
		var named NamedReview
		var err error
		named.Review, err = scanReview(oneMore{row, &named.AssigneeName})
		return named, err
	}, cases)
}
