package store

import (
	"time"

	"countersign/domain"
)

// addReviewColumns adds the columns that the queue's index copies from the case.
func addReviewColumns(set *unnestRows[domain.Review]) {
	addColumn(set, "party_id", "uuid", func(r *domain.Review) domain.ID { return r.PartyID })
	addColumn(set, "base_minor", "bigint", func(r *domain.Review) int64 { return r.BaseMinor })
	addColumn(set, "amount_known", "bool", func(r *domain.Review) bool { return r.AmountKnown })
	addColumn(set, "band", "int", func(r *domain.Review) int { return r.Band })
	addColumn(set, "document_type", "text", func(r *domain.Review) string { return r.DocumentType })
	addColumn(set, "country", "text", func(r *domain.Review) string { return r.Country })
	addColumn(set, "assignee", "uuid", func(r *domain.Review) domain.ID { return r.Assignee })
	addColumn(set, "status", "text", func(r *domain.Review) string { return string(r.Status) })
	addColumn(set, "claim_by", "timestamptz", func(r *domain.Review) time.Time { return r.ClaimBy })
	addColumn(set, "queue", "text", func(r *domain.Review) string { return r.Queue })
	addColumn(set, "decide_by", "timestamptz", func(r *domain.Review) time.Time { return r.DecideBy })
	addColumn(set, "at_risk_from", "timestamptz", func(r *domain.Review) *time.Time { return nullable(r.AtRiskFrom) })
	addColumn(set, "id", "uuid", func(r *domain.Review) domain.ID { return r.ID })
	addColumn(set, "case_id", "uuid", func(r *domain.Review) domain.ID { return r.CaseID })
}

func (s *statement) insertReviews(reviews []domain.Review) {
	if len(reviews) == 0 {
		return
	}
	set := newUnnestRows(s, reviews)
	addReviewColumns(set)
	addColumn(set, "node", "text", func(r *domain.Review) string { return r.Node })
	addColumn(set, "visit", "int", func(r *domain.Review) int { return r.Visit })
	addColumn(set, "seat", "int", func(r *domain.Review) int { return r.Seat })
	addColumn(set, "level", "int", func(r *domain.Review) int { return r.Level })
	addColumn(set, "duty", "text", func(r *domain.Review) string { return r.Duty })
	addColumn(set, "priority", "int", func(r *domain.Review) int { return r.Priority })
	addColumn(set, "submitter", "uuid", func(r *domain.Review) domain.ID { return r.Submitter })
	s.insertRows("r", "reviews", set.names, set.fromClause("x"), "")
}

func (s *statement) updateReviews(reviews []domain.Review) {
	if len(reviews) == 0 {
		return
	}
	set := newUnnestRows(s, reviews)
	addReviewColumns(set)
	addColumn(set, "claim_until", "timestamptz", func(r *domain.Review) *time.Time { return nullable(r.ClaimUntil) })
	addColumn(set, "claimed_at", "timestamptz", func(r *domain.Review) *time.Time { return nullable(r.ClaimedAt) })
	addColumn(set, "decided_at", "timestamptz", func(r *domain.Review) *time.Time { return nullable(r.DecidedAt) })
	addColumn(set, "paused_at", "timestamptz", func(r *domain.Review) *time.Time { return nullable(r.PausedAt) })
	addColumn(set, "pause_reason", "text", func(r *domain.Review) string { return r.PauseReason })
	addColumn(set, "breaches", "int", func(r *domain.Review) int { return r.Breaches })
	addColumn(set, "left_by", "uuid", func(r *domain.Review) domain.ID { return r.PreviousAssignee })
	addColumn(set, "left_how", "text", func(r *domain.Review) string { return string(r.UnassignCause) })
	addColumn(set, "version", "bigint", func(r *domain.Review) int64 { return r.Version })
	s.addCTE("q", `UPDATE reviews r SET assignee = x.assignee, status = x.status, claim_by = x.claim_by,
		claim_until = coalesce(x.claim_until, '-infinity'), claimed_at = x.claimed_at, decided_at = x.decided_at, version = x.version,
		party_id = x.party_id, base_minor = x.base_minor, amount_known = x.amount_known, band = x.band, document_type = x.document_type,
		country = x.country, queue = x.queue, decide_by = x.decide_by, at_risk_from = x.at_risk_from, paused_at = x.paused_at,
		pause_reason = x.pause_reason, breaches = x.breaches, left_by = x.left_by, left_how = x.left_how FROM c JOIN %s ON x.case_id = c.id WHERE r.id = x.id AND r.case_id = c.id`, set.fromClause("x"))
}
