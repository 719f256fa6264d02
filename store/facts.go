package store

import (
	"time"

	"countersign/domain"
)

// NewCaseFacts collects the facts about a case that the policy evaluates.
func NewCaseFacts(c domain.Case, reviews []domain.Review, exclusions Exclusions) domain.CaseFacts {
	facts := domain.CaseFacts{CaseID: c.ID, Submitter: c.Submitter, Status: c.Status,
		DocumentType: c.DocumentType,
		Country:      c.Country, OtherCountries: c.OtherCountries, BaseMinor: c.BaseMinor, AmountKnown: c.AmountKnown,
		PartyID:       c.PartyID,
		ConflictedIDs: exclusions.Conflicted}
	for _, review := range reviews {
		switch review.Status {
		case domain.ReviewOpen, domain.ReviewClaimed:
			facts.OpenQueues = append(facts.OpenQueues, review.Queue)
		case domain.ReviewDecided:
			facts.Deciders = append(facts.Deciders, review.Assignee)
		}
	}
	return facts
}

// NewReviewFacts collects the facts about a review that the policy evaluates.
func NewReviewFacts(c domain.Case, review domain.Review, exclusions Exclusions, hasAmount bool,
	now time.Time) domain.ReviewFacts {
	facts := domain.ReviewFacts{ReviewID: review.ID, CaseID: c.ID, Queue: review.Queue,
		Level: review.Level, Duty: review.Duty,
		Status: review.Status, Assignee: review.Assignee,
		Drawn:        review.Drawn(),
		ClaimActive:  review.Status == domain.ReviewClaimed && review.ClaimUntil.After(now),
		DocumentType: c.DocumentType, Country: c.Country, OtherCountries: c.OtherCountries,
		CaseStatus:  c.Status,
		BaseMinor:   c.BaseMinor,
		AmountKnown: c.AmountKnown, HasAmount: hasAmount, Submitter: c.Submitter,
		PartyID:       c.PartyID,
		InterestedIDs: exclusions.Interested, ConflictedIDs: exclusions.Conflicted}
	// any limit covers the case, but without a limit there is still no right to decide
	if !hasAmount || review.Repairs() {
		facts.HasAmount, facts.AmountKnown, facts.BaseMinor = false, true, 0
	}
	for _, vote := range exclusions.Votes {
		if vote.Duty == review.Duty {
			facts.VotedIDs = append(facts.VotedIDs, vote.Person)
		}
	}
	return facts
}
