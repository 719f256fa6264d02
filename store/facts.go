package store

import (
	"time"

	"countersign/domain"
)

// CaseFactsOf puts together what the policy may be asked about a case.
func CaseFactsOf(kase domain.Case, reviews []domain.Review, bars Bars) domain.CaseFacts {
	facts := domain.CaseFacts{CaseID: kase.ID, Submitter: kase.Submitter, Status: kase.Status, DocumentType: kase.DocumentType,
		Country: kase.Country, BaseMinor: kase.BaseMinor, AmountKnown: kase.AmountKnown, PartyID: kase.PartyID, ConflictedIDs: bars.Conflicted}
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

// ReviewFactsOf puts together what the policy may be asked about a review.
func ReviewFactsOf(kase domain.Case, review domain.Review, bars Bars, hasAmount bool, now time.Time) domain.ReviewFacts {
	facts := domain.ReviewFacts{ReviewID: review.ID, CaseID: kase.ID, Queue: review.Queue, Level: review.Level, Duty: review.Duty,
		Status: review.Status, Assignee: review.Assignee, ClaimLive: review.Status == domain.ReviewClaimed && review.ClaimUntil.After(now),
		DocumentType: kase.DocumentType, Country: kase.Country, CaseStatus: kase.Status, BaseMinor: kase.BaseMinor,
		AmountKnown: kase.AmountKnown, HasAmount: hasAmount, Submitter: kase.Submitter, PartyID: kase.PartyID,
		InterestedIDs: bars.Interested, ConflictedIDs: bars.Conflicted}
	if !hasAmount { // nothing to measure: every limit covers it, and without any limit there is still no right to decide
		facts.AmountKnown, facts.BaseMinor = true, 0
	}
	for _, vote := range bars.Votes {
		if vote.Duty == review.Duty {
			facts.VotedIDs = append(facts.VotedIDs, vote.Person)
		}
	}
	return facts
}
