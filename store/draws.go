package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

// DrawMark is the amount at risk from which the reviewers of a process are drawn.
type DrawMark struct {
	Process    string
	Version    int    // number of changes; 0 = none was ever set
	BaseMinor  *int64 // in minor units of the base currency; nil for no mark
	Reason     string
	SetBy      domain.ID
	Since      time.Time
	ProposalID domain.ID
}

const drawMarkColumns = `process, version, base_minor, reason, set_by, valid_from, proposal_id`

// DrawMarks reads the present marks of all processes for which one was set.
func (r Reader) DrawMarks(ctx context.Context) ([]DrawMark, error) {
	return queryAll(ctx, r.q, "draw marks", `SELECT DISTINCT ON (process) `+drawMarkColumns+`
		FROM draw_marks ORDER BY process, version DESC`, pgx.RowToStructByPos[DrawMark])
}

// DrawMark reads the present mark of a process; version 0 if none was ever set.
func (r Reader) DrawMark(ctx context.Context, process string) (DrawMark, error) {
	mark, err := queryOne(ctx, r.q, "draw mark", `SELECT `+drawMarkColumns+` FROM draw_marks
		WHERE process = $1 ORDER BY version DESC LIMIT 1`, pgx.RowToStructByPos[DrawMark], process)
	if domain.HasCode(err, domain.NotFound) {
		return DrawMark{Process: process}, nil
	}
	return mark, err
}

// AddDrawMark sets a mark from now on. The database refuses one without a confirmed proposal.
func (t *Tx) AddDrawMark(ctx context.Context, mark DrawMark) error {
	_, err := t.exec(ctx, "draw mark", `INSERT INTO draw_marks (process, version, base_minor,
		reason, set_by, proposal_id) VALUES ($1, $2, $3, $4, $5, $6)`, mark.Process, mark.Version,
		mark.BaseMinor, mark.Reason, mark.SetBy, mark.ProposalID)
	return err
}

// ReviewDraw is one draw of the reviewer of a review.
type ReviewDraw struct {
	ReviewID    domain.ID
	Attempt     int
	CaseID      domain.ID
	Node        string
	Seat        int
	Person      domain.ID
	Candidates  []domain.ID // sorted
	RequestedBy domain.ID   // NoID for a draw that followed without a request
	Kept        bool        // the person took back a decision and keeps the seat
}

const reviewDrawColumns = `review_id, attempt, case_id, node, seat, person, candidates,
	coalesce(requested_by, '00000000-0000-0000-0000-000000000000'), kept`

// ReviewDraws reads the draws of a review, oldest first.
func (r Reader) ReviewDraws(ctx context.Context, reviewID domain.ID) ([]ReviewDraw, error) {
	return queryAll(ctx, r.q, "draws", `SELECT `+reviewDrawColumns+` FROM review_draws
		WHERE review_id = $1 ORDER BY attempt`, pgx.RowToStructByPos[ReviewDraw], reviewID)
}

// DrawsAfter reads the draws after one of a review, ordered by review and attempt, at most limit.
func (r Reader) DrawsAfter(
	ctx context.Context, review domain.ID, attempt, limit int,
) ([]ReviewDraw, error) {
	return queryAll(ctx, r.q, "draws", `SELECT `+reviewDrawColumns+` FROM review_draws
		WHERE (review_id, attempt) > ($1, $2) ORDER BY review_id, attempt LIMIT $3`,
		pgx.RowToStructByPos[ReviewDraw], review, attempt, limit)
}

// EventBodies reads the bodies of all events of a type of a case, in their order.
func (r Reader) EventBodies(ctx context.Context, caseID domain.ID, kind domain.EventType) (
	[]string, error) {
	return queryAll(ctx, r.q, "event bodies", `SELECT body FROM events WHERE case_id = $1
		AND type = $2 ORDER BY seq`, pgx.RowTo[string], caseID, string(kind))
}

// AddReviewDraw stores a draw. It is never changed.
func (t *Tx) AddReviewDraw(ctx context.Context, draw ReviewDraw) error {
	var requestedBy *domain.ID
	if draw.RequestedBy != domain.NoID {
		requestedBy = &draw.RequestedBy
	}
	_, err := t.exec(ctx, "draw", `INSERT INTO review_draws (review_id, attempt, case_id, node, seat,
		person, candidates, requested_by, kept) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		draw.ReviewID, draw.Attempt, draw.CaseID, draw.Node, draw.Seat, draw.Person,
		draw.Candidates, requestedBy, draw.Kept)
	return err
}

// UndrawnReviews returns the open reviews for which no one has been drawn and whose deadlines run, at
// most limit. Their order is random, so that those without an eligible person do not stop the others.
func (r Reader) UndrawnReviews(ctx context.Context, limit int) ([]domain.ID, error) {
	return queryAll(ctx, r.q, "undrawn reviews", `SELECT r.id FROM reviews r
		WHERE r.status = 'open' AND r.draws > 0 AND r.paused_at IS NULL
		AND r.assignee = '00000000-0000-0000-0000-000000000000' ORDER BY random() LIMIT $1`,
		pgx.RowTo[domain.ID], limit)
}
