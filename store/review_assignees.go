package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

// ReviewWithAssignee is a review with the name of its assignee, "" if it has none.
type ReviewWithAssignee struct {
	domain.Review
	AssigneeName string
}

// extraColumn scans one column after those that the inner scan reads.
type extraColumn struct {
	pgx.CollectableRow
	target any
}

// Scan appends the target.
func (o extraColumn) Scan(targets ...any) error {
	return o.CollectableRow.Scan(append(targets, o.target)...)
}

// ReviewsWithAssignees reads all reviews of the cases in the order they were opened, with their
// assignees' names, in one statement.
func (r Reader) ReviewsWithAssignees(ctx context.Context,
	cases ...domain.ID) ([]ReviewWithAssignee, error) {
	return queryAll(ctx, r.q, "reviews", `SELECT `+reviewRowColumns+`, coalesce(u.name, '')
		FROM reviews r LEFT JOIN users u ON u.id = r.assignee
		WHERE r.case_id = ANY($1) ORDER BY r.case_id, r.created_at, r.seat`,
		func(row pgx.CollectableRow) (ReviewWithAssignee, error) {
			var named ReviewWithAssignee
			var err error
			named.Review, err = scanReview(extraColumn{row, &named.AssigneeName})
			return named, err
		}, cases)
}
