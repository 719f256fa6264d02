package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

// ReplayedReview is a review of a period that is replayed with a change.
type ReplayedReview struct {
	ID               domain.ID
	Queue, Process   string
	Person           domain.ID // who decided
	Opened           time.Time
	Claimed, Decided *time.Time
	Due              time.Time
	BaseMinor        int64
	// ByAmount says that an approval of a known amount is asked for, and that no warning or blocking
	// finding asks for it too.
	ByAmount bool
}

// MaxReplayed limits the reviews of one replay.
const MaxReplayed = 150_000

// ReplayedReviews returns the reviews that were undecided at some time of the period, without those
// that were withdrawn or are paused, in the order in which they were opened. hidden are rules whose
// findings do not count. It returns one more than MaxReplayed if there are more.
func (r Reader) ReplayedReviews(ctx context.Context, query StatisticsQuery, hidden []string) (
	[]ReplayedReview, error) {
	s := &statisticsSQL{StatisticsQuery: query}
	where, err := s.reviews()
	if err != nil {
		return nil, err
	}
	from, to := s.arg(s.Days.From()), s.arg(s.Days.To())
	return queryAll(ctx, r.q, "replayed reviews", `SELECT r.id, r.queue, c.process_key,
			CASE WHEN r.status = 'decided' THEN r.assignee
				ELSE '00000000-0000-0000-0000-000000000000' END,
			r.created_at, CASE WHEN r.status = 'decided' THEN r.claimed_at END,
			CASE WHEN r.status = 'decided' THEN r.decided_at END, r.decide_by, r.base_minor,
			r.duty = 'approval' AND r.amount_known AND NOT EXISTS (SELECT FROM findings f
				WHERE f.case_id = r.case_id AND f.severity IN ('warning', 'blocking')
				AND f.rule <> ALL(`+s.arg(hidden)+`::text[]))
		FROM reviews r JOIN cases c ON c.id = r.case_id
		WHERE r.created_at < `+to+` AND (r.status = 'decided' AND r.decided_at >= `+from+`
			OR r.status IN ('open', 'claimed') AND r.paused_at IS NULL) AND `+where+`
		ORDER BY r.created_at, r.id LIMIT `+s.arg(MaxReplayed+1),
		pgx.RowToStructByPos[ReplayedReview], s.args...)
}

// StraightCase is a case that was archived without a review.
type StraightCase struct{ Submitted time.Time }

// StraightCases returns the cases of a process that were submitted in the period, have a known amount
// of at least baseMinor and were archived without a review.
func (r Reader) StraightCases(ctx context.Context, query StatisticsQuery, baseMinor int64) (
	[]StraightCase, error) {
	s := &statisticsSQL{StatisticsQuery: query}
	where, err := s.cases()
	if err != nil {
		return nil, err
	}
	return queryAll(ctx, r.q, "straight cases", `SELECT c.created_at FROM cases c
		WHERE `+s.submitted("c.id")+` AND c.status = 'archived' AND c.amount_known
		AND c.base_minor >= `+s.arg(baseMinor)+`
		AND NOT EXISTS (SELECT FROM reviews r WHERE r.case_id = c.id)
		AND `+notReplaced+` AND `+s.within("c.created_at")+` AND `+where+`
		ORDER BY c.created_at, c.id LIMIT `+s.arg(MaxReplayed),
		pgx.RowToStructByPos[StraightCase], s.args...)
}
