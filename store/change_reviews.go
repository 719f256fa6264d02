package store

import (
	"time"

	"countersign/domain"
)

// reviewFacts adds the columns that the queue's index copies from the case.
func reviewFacts(set *rowSet[domain.Review]) {
	column(set, "party_id", "uuid", func(r *domain.Review) domain.ID { return r.PartyID })
	column(set, "base_minor", "bigint", func(r *domain.Review) int64 { return r.BaseMinor })
	column(set, "amount_known", "bool", func(r *domain.Review) bool { return r.AmountKnown })
	column(set, "band", "int", func(r *domain.Review) int { return r.Band })
	column(set, "document_type", "text", func(r *domain.Review) string { return r.DocumentType })
	column(set, "country", "text", func(r *domain.Review) string { return r.Country })
	column(set, "assignee", "uuid", func(r *domain.Review) domain.ID { return r.Assignee })
	column(set, "status", "text", func(r *domain.Review) string { return string(r.Status) })
	column(set, "claim_by", "timestamptz", func(r *domain.Review) time.Time { return r.ClaimBy })
	column(set, "queue", "text", func(r *domain.Review) string { return r.Queue })
	column(set, "decide_by", "timestamptz", func(r *domain.Review) time.Time { return r.DecideBy })
	column(set, "at_risk_from", "timestamptz", func(r *domain.Review) *time.Time { return nullable(r.AtRiskFrom) })
	column(set, "id", "uuid", func(r *domain.Review) domain.ID { return r.ID })
	column(set, "case_id", "uuid", func(r *domain.Review) domain.ID { return r.CaseID })
}

func (s *statement) openReviews(reviews []domain.Review) {
	if len(reviews) == 0 {
		return
	}
	set := newRowSet(s, reviews)
	reviewFacts(set)
	column(set, "node", "text", func(r *domain.Review) string { return r.Node })
	column(set, "visit", "int", func(r *domain.Review) int { return r.Visit })
	column(set, "seat", "int", func(r *domain.Review) int { return r.Seat })
	column(set, "level", "int", func(r *domain.Review) int { return r.Level })
	column(set, "duty", "text", func(r *domain.Review) string { return r.Duty })
	column(set, "priority", "int", func(r *domain.Review) int { return r.Priority })
	column(set, "submitter", "uuid", func(r *domain.Review) domain.ID { return r.Submitter })
	s.insert("r", "reviews", set.names, set.as("x"), "")
}

func (s *statement) editReviews(reviews []domain.Review) {
	if len(reviews) == 0 {
		return
	}
	set := newRowSet(s, reviews)
	reviewFacts(set)
	column(set, "claim_until", "timestamptz", func(r *domain.Review) *time.Time { return nullable(r.ClaimUntil) })
	column(set, "claimed_at", "timestamptz", func(r *domain.Review) *time.Time { return nullable(r.ClaimedAt) })
	column(set, "decided_at", "timestamptz", func(r *domain.Review) *time.Time { return nullable(r.DecidedAt) })
	column(set, "paused_at", "timestamptz", func(r *domain.Review) *time.Time { return nullable(r.PausedAt) })
	column(set, "pause_reason", "text", func(r *domain.Review) string { return r.PauseReason })
	column(set, "breaches", "int", func(r *domain.Review) int { return r.Breaches })
	column(set, "left_by", "uuid", func(r *domain.Review) domain.ID { return r.LeftBy })
	column(set, "left_how", "text", func(r *domain.Review) string { return string(r.LeftHow) })
	column(set, "version", "bigint", func(r *domain.Review) int64 { return r.Version })
	s.with("q", `UPDATE reviews r SET assignee = x.assignee, status = x.status, claim_by = x.claim_by,
		claim_until = coalesce(x.claim_until, '-infinity'), claimed_at = x.claimed_at, decided_at = x.decided_at, version = x.version,
		party_id = x.party_id, base_minor = x.base_minor, amount_known = x.amount_known, band = x.band, document_type = x.document_type,
		country = x.country, queue = x.queue, decide_by = x.decide_by, at_risk_from = x.at_risk_from, paused_at = x.paused_at,
		pause_reason = x.pause_reason, breaches = x.breaches, left_by = x.left_by, left_how = x.left_how FROM c JOIN %s ON x.case_id = c.id WHERE r.id = x.id AND r.case_id = c.id`, set.as("x"))
}
