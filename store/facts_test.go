package store_test

import (
	"reflect"
	"testing"
	"time"

	"countersign/domain"
	"countersign/store"
)

func TestFactsOfRows(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	a, b, barred := domain.NewID(), domain.NewID(), domain.NewID()
	c := domain.Case{ID: domain.NewID(), Submitter: a, Status: domain.InReview,
		DocumentType: "invoice", Country: "DE", BaseMinor: 7, AmountKnown: true,
		PartyID: domain.NewID()}
	review := domain.Review{ID: domain.NewID(), CaseID: c.ID, Queue: "L1", Level: 1, Duty: "kyc",
		Status: domain.ReviewClaimed, Assignee: b,
		ClaimUntil: now.Add(time.Second), BaseMinor: 1, DocumentType: "stale"}
	bars := store.Exclusions{Interested: []domain.ID{a}, Conflicted: []domain.ID{barred},
		Votes: []domain.Vote{{Duty: "kyc", Person: b}, {Duty: "credit", Person: barred}}}

	want := domain.ReviewFacts{ReviewID: review.ID, CaseID: c.ID, Queue: "L1", Level: 1,
		Duty: "kyc", Status: domain.ReviewClaimed, Assignee: b,
		ClaimActive: true, DocumentType: "invoice", Country: "DE", CaseStatus: domain.InReview,
		BaseMinor: 7, AmountKnown: true, HasAmount: true,
		Submitter: a, PartyID: c.PartyID, InterestedIDs: bars.Interested, VotedIDs: []domain.ID{b},
		ConflictedIDs: bars.Conflicted}
	if got := store.NewReviewFacts(c, review, bars, true, now); !reflect.DeepEqual(got, want) {
		t.Errorf("review facts\n%+v, want\n%+v", got, want)
	}
	for name, late := range map[string]domain.Review{
		"a claim whose lease ends this moment": {Status: domain.ReviewClaimed, ClaimUntil: now},
		"an open review": {Status: domain.ReviewOpen,
			ClaimUntil: now.Add(time.Hour)},
	} {
		if store.NewReviewFacts(c, late, bars, true, now).ClaimActive {
			t.Errorf("%s counts as a live claim", name)
		}
	}
	decided, open, cancelled := review, review, review
	decided.Status, open.Status, open.Queue, cancelled.Status = domain.ReviewDecided,
		domain.ReviewOpen, "L2", domain.ReviewCancelled
	wantCase := domain.CaseFacts{CaseID: c.ID, Submitter: a, Status: domain.InReview,
		DocumentType: "invoice", Country: "DE", BaseMinor: 7,
		AmountKnown: true, PartyID: c.PartyID, ConflictedIDs: bars.Conflicted,
		OpenQueues: []string{"L1", "L2"}, Deciders: []domain.ID{b}}
	if got := store.NewCaseFacts(c, []domain.Review{review, decided, open, cancelled},
		bars); !reflect.DeepEqual(got, wantCase) {
		t.Errorf("case facts\n%+v, want\n%+v", got, wantCase)
	}
}
