package store

import (
	"time"

	"countersign/domain"
)

// Due narrows a list of reviews by their time.
type Due string

// The kinds of due; one that is paused is neither: past its time to decide; or not yet, but nobody took it in time, or less than a fifth is left.
const (
	DueAny     Due = ""
	DueOverdue Due = "overdue"
	DueAtRisk  Due = "at_risk"
)

const (
	overdueReview = `(r.status IN ('open', 'claimed') AND r.paused_at IS NULL AND r.decide_by <= (SELECT clock()))`
	atRiskReview  = `(r.status IN ('open', 'claimed') AND r.paused_at IS NULL AND r.decide_by > (SELECT clock()) AND ((r.status = 'open'
		AND r.claim_by <= (SELECT clock())) OR coalesce(r.at_risk_from, r.decide_by - (r.decide_by - r.created_at) / 5) <= (SELECT clock())))`
)

// atRiskFromExpr is a moment before which the review is not at risk: the column of an index, so without arithmetic. Rows of programs
// that wrote no at_risk_from are looked at always.
const atRiskFromExpr = `least(coalesce(r.at_risk_from, '-infinity'::timestamptz), CASE WHEN r.status = 'open' THEN r.claim_by ELSE 'infinity'::timestamptz END)`

func (d Due) condition() string {
	switch d {
	case DueOverdue:
		return " AND " + overdueReview
	case DueAtRisk:
		return " AND " + atRiskFromExpr + " <= (SELECT clock()) AND " + atRiskReview
	}
	return ""
}

// AtRisk reports whether the review is at risk at the time, as the list judges.
func AtRisk(r domain.Review, now time.Time) bool {
	if Overdue(r, now) || r.Paused() || r.Status != domain.ReviewOpen && r.Status != domain.ReviewClaimed {
		return false
	}
	unclaimed := r.Status == domain.ReviewOpen && !r.ClaimBy.After(now)
	return unclaimed || !r.AtRiskFrom.After(now)
}

// Overdue reports whether the review is undecided past its time.
func Overdue(r domain.Review, now time.Time) bool {
	return (r.Status == domain.ReviewOpen || r.Status == domain.ReviewClaimed) && !r.Paused() && !r.DecideBy.After(now)
}
