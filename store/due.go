package store

import (
	"time"

	"countersign/domain"
)

// Due selects reviews by their deadlines.
type Due string

// The kinds of Due. A review is at risk if it was not claimed in time or less than a fifth of its
// time is left. Paused reviews have no kind.
const (
	DueAny     Due = ""
	DueOverdue Due = "overdue"
	DueAtRisk  Due = "at_risk"
)

const (
	overdueReview = `(r.status IN ('open', 'claimed') AND r.paused_at IS NULL
	AND r.decide_by <= (SELECT clock()))`
	atRiskReview = `(r.status IN ('open', 'claimed') AND r.paused_at IS NULL
		AND r.decide_by > (SELECT clock()) AND ((r.status = 'open'
		AND r.claim_by <= (SELECT clock())) OR coalesce(r.at_risk_from,
		r.decide_by - (r.decide_by - r.created_at) / 5) <= (SELECT clock())))`
)

// atRiskFromExpr is a time before which the review is not at risk. It is the column of an index, so
// it has no arithmetic. Rows of older programs have no at_risk_from and are always examined.
const atRiskFromExpr = `least(coalesce(r.at_risk_from, '-infinity'::timestamptz),
	CASE WHEN r.status = 'open' THEN r.claim_by ELSE 'infinity'::timestamptz END)`

func (d Due) condition() string {
	switch d {
	case DueOverdue:
		return " AND " + overdueReview
	case DueAtRisk:
		return " AND " + atRiskFromExpr + " <= (SELECT clock()) AND " + atRiskReview
	}
	return ""
}

// AtRisk reports whether the review is at risk at the time, by the same rule as the list.
func AtRisk(r domain.Review, now time.Time) bool {
	if Overdue(r, now) || r.Paused() || r.Status != domain.ReviewOpen &&
		r.Status != domain.ReviewClaimed {
		return false
	}
	unclaimed := r.Status == domain.ReviewOpen && !r.ClaimBy.After(now)
	return unclaimed || !r.AtRiskFrom.After(now)
}

// Overdue reports whether the review is undecided and past its deadline.
func Overdue(r domain.Review, now time.Time) bool {
	return (r.Status == domain.ReviewOpen || r.Status == domain.ReviewClaimed) && !r.Paused() &&
		!r.DecideBy.After(now)
}
