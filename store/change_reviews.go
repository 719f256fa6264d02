package store

import (
	"time"

	"countersign/domain"
	"countersign/store/bulk"
)

// addReviewColumns adds the columns that the queue's index copies from the case.
func addReviewColumns(set *bulk.Rows[domain.Review]) {
	bulk.Column(set, "party_id", "uuid", func(r *domain.Review) domain.ID { return r.PartyID })
	bulk.Column(set, "base_minor", "bigint", func(r *domain.Review) int64 { return r.BaseMinor })
	bulk.Column(set, "amount_known", "bool", func(r *domain.Review) bool { return r.AmountKnown })
	bulk.Column(set, "band", "int", func(r *domain.Review) int { return r.Band })
	bulk.Column(set, "document_type", "text",
		func(r *domain.Review) string { return r.DocumentType })
	bulk.Column(set, "country", "text", func(r *domain.Review) string { return r.Country })
	bulk.ArrayColumn(set, "other_countries", "text",
		func(r *domain.Review) string { return textArray(r.OtherCountries) })
	bulk.ArrayColumn(set, "other_party_ids", "uuid",
		func(r *domain.Review) string { return idArray(r.OtherPartyIDs) })
	bulk.Column(set, "draws", "int", func(r *domain.Review) int { return r.Draws })
	bulk.Column(set, "assignee", "uuid", func(r *domain.Review) domain.ID { return r.Assignee })
	bulk.Column(set, "status", "text", func(r *domain.Review) string { return string(r.Status) })
	bulk.Column(set, "claim_by", "timestamptz",
		func(r *domain.Review) time.Time { return r.ClaimBy })
	bulk.Column(set, "queue", "text", func(r *domain.Review) string { return r.Queue })
	bulk.Column(set, "decide_by", "timestamptz",
		func(r *domain.Review) time.Time { return r.DecideBy })
	bulk.Column(set, "at_risk_from", "timestamptz",
		func(r *domain.Review) *time.Time { return nullable(r.AtRiskFrom) })
	bulk.Column(set, "id", "uuid", func(r *domain.Review) domain.ID { return r.ID })
	bulk.Column(set, "case_id", "uuid", func(r *domain.Review) domain.ID { return r.CaseID })
}

func (s *statement) insertReviews(reviews []domain.Review) {
	if len(reviews) == 0 {
		return
	}
	set := bulk.NewRows(&s.Statement, reviews)
	addReviewColumns(set)
	bulk.Column(set, "node", "text", func(r *domain.Review) string { return r.Node })
	bulk.Column(set, "visit", "int", func(r *domain.Review) int { return r.Visit })
	bulk.Column(set, "seat", "int", func(r *domain.Review) int { return r.Seat })
	bulk.Column(set, "level", "int", func(r *domain.Review) int { return r.Level })
	bulk.Column(set, "duty", "text", func(r *domain.Review) string { return r.Duty })
	bulk.Column(set, "priority", "int", func(r *domain.Review) int { return r.Priority })
	bulk.Column(set, "submitter", "uuid", func(r *domain.Review) domain.ID { return r.Submitter })
	s.insertRows("r", "reviews", set.Names(), set.List("x"), set.From("x"),
		"")
}

func (s *statement) updateReviews(reviews []domain.Review) {
	if len(reviews) == 0 {
		return
	}
	set := bulk.NewRows(&s.Statement, reviews)
	addReviewColumns(set)
	bulk.Column(set, "claim_until", "timestamptz",
		func(r *domain.Review) *time.Time { return nullable(r.ClaimUntil) })
	bulk.Column(set, "claimed_at", "timestamptz",
		func(r *domain.Review) *time.Time { return nullable(r.ClaimedAt) })
	bulk.Column(set, "decided_at", "timestamptz",
		func(r *domain.Review) *time.Time { return nullable(r.DecidedAt) })
	bulk.Column(set, "paused_at", "timestamptz",
		func(r *domain.Review) *time.Time { return nullable(r.PausedAt) })
	bulk.Column(set, "pause_reason", "text", func(r *domain.Review) string { return r.PauseReason })
	bulk.Column(set, "breaches", "int", func(r *domain.Review) int { return r.Breaches })
	bulk.Column(set, "left_by", "uuid",
		func(r *domain.Review) domain.ID { return r.PreviousAssignee })
	bulk.Column(set, "left_how", "text",
		func(r *domain.Review) string { return string(r.UnassignCause) })
	bulk.Column(set, "version", "bigint", func(r *domain.Review) int64 { return r.Version })
	bulk.Column(set, "vote_hidden", "bool", func(r *domain.Review) bool { return r.VoteHidden })
	s.AddCTE("q", `UPDATE reviews r SET assignee = x.assignee, status = x.status,
		claim_by = x.claim_by, claim_until = coalesce(x.claim_until, '-infinity'),
		claimed_at = x.claimed_at, decided_at = x.decided_at, version = x.version,
		party_id = x.party_id, base_minor = x.base_minor, amount_known = x.amount_known,
		band = x.band, document_type = x.document_type, country = x.country,
		other_countries = x.other_countries::text[],
		other_party_ids = x.other_party_ids::uuid[], queue = x.queue,
		decide_by = x.decide_by, at_risk_from = x.at_risk_from, paused_at = x.paused_at,
		pause_reason = x.pause_reason, breaches = x.breaches, left_by = x.left_by,
		left_how = x.left_how, draws = x.draws, vote_hidden = x.vote_hidden
		FROM c JOIN %s ON x.case_id = c.id WHERE r.id = x.id
		AND r.case_id = c.id`, set.From("x"))
}
