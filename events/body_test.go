package events_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"countersign/domain"
	"countersign/events"
	"countersign/events/generated"
)

var (
	person = domain.ID{1, 2, 3, 4, 5, 6, 0x70, 8, 0x80, 10, 11, 12, 13, 14, 15, 16}
	sha    = strings.Repeat("ab", 32)
	moment = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
)

// bodies returns examples with realistic values. TestGeneratedExamplesMatchTheirContracts covers every
// contract.
func bodies() []events.Body {
	lim := &generated.LimitChangedV1After{BaseMinor: new(int64(50_000_000))}
	return []events.Body{
		generated.CaseSubmittedV1{Reference: "CS-2026-000001", Process: "document_approval",
			ProcessVersion: 1, DocumentType: "invoice", Channel: "web", FileName: "a<b>.pdf",
			MediaType: "application/pdf", Size: 1, SHA256: sha, DuplicateOf: []domain.ID{person}},
		generated.CaseApprovedV1{Automatic: true},
		generated.CaseRejectedV1{Reason: "not ours"},
		generated.CaseReturnedV1{Reason: "which one?", ReenterAt: "validate"},
		generated.CaseResubmittedV1{Comment: "this one", ReenterAt: "validate"},
		generated.CaseArchivedV1{ManifestKey: "k", ManifestSHA256: sha},
		generated.CaseAbandonedV1{},
		generated.StageStartedV1{Node: "read", Visit: 1, Behaviour: domain.BehaviourRead,
			Attempt: 1, Queue: domain.QueueOCR},
		generated.StageCompletedV1{Node: "assess", Visit: 1, Behaviour: domain.BehaviourAssess,
			Attempt: 1, Outcome: "clean", DurationMS: new(int64(12)),
			Summary: &generated.StageCompletedV1Summary{Pages: new(int64(2)), Risk: new(int64(0)),
				Findings: new(int64(3))}},
		generated.StageRetryingV1{Node: "read", Visit: 1, Attempt: 1, NextAttempt: 2,
			RunAfter: moment, Code: "TimedOut", Message: "It took too long."},
		generated.StageFailedV1{Node: "read", Visit: 1, Attempt: 1, Code: "DamagedFile",
			Message: "The file is damaged."},
		generated.TimerStartedV1{Node: "cool_off", Visit: 1, Due: moment},
		generated.TimerFiredV1{Node: "cool_off", Visit: 1},
		generated.WorkTimedOutV1{Node: "approval", Visit: 2},
		generated.SagaStepDoneV1{Node: "pay", Visit: 1, Step: 2, Name: "pay", Reference: "B-17"},
		generated.SagaStepFailedV1{Node: "pay", Visit: 1, Step: 2, Name: "pay", Code: "Unavailable",
			Message: "The bank did not answer."},
		generated.SagaCompensatedV1{Node: "pay", Visit: 1, Step: 1, Name: "reserve"},
		generated.IncidentOpenedV1{Node: "read", Visit: 1, Attempt: 3, Code: "DamagedFile",
			Message: "The file is damaged.", WayOut: "Send it again.",
			Actions: []string{"retry", "replace", "enter", "abandon"}},
		generated.IncidentResolvedV1{Node: "read", Visit: 1, How: "replace", By: person},
		generated.ReviewOpenedV1{ReviewID: person, Node: "review", Visit: 1, Seat: 1, Queue: "AML",
			Level: 1, Duty: "case", ClaimBy: moment},
		generated.ReviewClaimedV1{ReviewID: person, Assignee: person, ClaimUntil: moment},
		generated.ReviewReleasedV1{ReviewID: person, Reason: "expired"},
		generated.ReviewReassignedV1{ReviewID: person, To: person},
		generated.ReviewAtRiskV1{ReviewID: person, Due: moment},
		generated.ReviewOverdueV1{ReviewID: person, Due: moment, Deadline: "claim_by"},
		generated.ReviewDecidedV1{ReviewID: person, Verdict: "approve",
			Evidence: generated.ReviewDecidedV1Evidence{DocumentSHA256: sha, FactsRevision: 4,
				PolicyVersion: 1}},
		generated.ReviewCancelledV1{ReviewID: person, Reason: "returned"},
		generated.FieldsCorrectedV1{Fields: []generated.FieldsCorrectedV1Field{
			{Name: "total", Before: "1.00", After: "2.00", Source: "human"}}, FactsRevision: 2},
		generated.DocumentReplacedV1{Revision: 2, FileName: "b.pdf", SHA256: sha, Size: 9,
			MediaType: "application/pdf"},
		generated.ReviewPausedV1{ReviewID: person, Reason: "the bank answers on Monday"},
		generated.ReviewResumedV1{ReviewID: person, ClaimBy: moment, DecideBy: moment},
		generated.ReviewMovedV1{ReviewID: person, FromQueue: "L1", ToQueue: "L2", Breaches: 3},
		generated.QueueChangedV1{Queue: "L1", QueueVersion: 2,
			After: generated.QueueChangedV1After{Strategy: "round_robin", Cap: 9,
				Calendar: "office"}},
		generated.CalendarChangedV1{Calendar: "office", Zone: "Europe/Berlin", WeekMinutes: 2400,
			Holidays: 12, CalendarVersion: 1},
		generated.PersonSkillsChangedV1{Person: person, Before: []string{},
			After: []string{"invoice"}},
		generated.CaseReopenedV1{From: "rejected", Reason: "the bank confirmed", By: person,
			ReenterAt: "validate"},
		generated.DecisionUndoneV1{ReviewID: person, Person: person},
		generated.DecisionSettledV1{ReviewID: person, Person: person, Verdict: "approve"},
		generated.VoteFellV1{Person: person, Duty: "case", Why: "the amount changed"},
		generated.UserCreatedV1{UserID: person, Email: "ann@example.org", Name: "Ann"},
		generated.UserChangedV1{UserID: person, Changed: []string{"roles"},
			RolesAfter: []string{"auditor"}, Disabled: new(false)},
		generated.ConflictDeclaredV1{ConflictID: person, Person: person, PartyID: person,
			Reason: "brother"},
		generated.ConflictEndedV1{ConflictID: person, Person: person, PartyID: person},
		generated.LimitChangedV1{Role: "reviewer_l1", Action: "decide", After: lim,
			PolicyVersion: 2},
		generated.PolicyPublishedV1{PolicyVersion: 2, SHA256: sha, Rules: 30},
		generated.PartyGroupedV1{PartyID: person, WithPartyID: person},
		generated.AccountDeclaredV1{Person: person},
		generated.DelegationCreatedV1{DelegationID: person, From: person, To: person,
			ValidFrom: moment, ValidUntil: moment, Queues: []string{"L1"},
			DocumentTypes: []string{"invoice"}, BaseMinor: new(int64(100)), Reason: "holidays"},
		generated.DelegationEndedV1{DelegationID: person, From: person, To: person},
		generated.AbsenceSetV1{AbsenceID: person, Person: person, Substitute: person,
			ValidFrom: moment, ValidUntil: moment},
		generated.AbsenceEndedV1{AbsenceID: person, Person: person},
		generated.PolicyProposedV1{ProposalID: person, BaseVersion: 1, Restores: new(int64(1)),
			Rules: 3, SHA256: sha, Reason: "why"},
		generated.PolicyWithdrawnV1{ProposalID: person},
		generated.RoleDefinedV1{Role: "reviewer_asia", Description: "Asia"},
		generated.ControlProposedV1{Kind: "rate", Key: "EUR", ProposalID: person, By: person,
			Before: "1100000", After: "1200000", Note: "market"},
		generated.ControlWithdrawnV1{Kind: "rate", Key: "EUR", ProposalID: person, By: person,
			ProposedBy: person, Reason: "typing error"},
		generated.CountryRiskChangedV1{Country: "IR", Before: "high", After: "none", By: person,
			ProposedBy: person, ProposalID: person, Reason: "removed from the list"},
		generated.RateChangedV1{Currency: "EUR", Before: 0, After: 1_100_000, By: person},
		generated.ReviewPausedV1{ReviewID: person, Reason: "the bank answers tomorrow"},
		generated.ReviewResumedV1{ReviewID: person, ClaimBy: moment, DecideBy: moment},
		generated.ReviewMovedV1{ReviewID: person, FromQueue: "L1", ToQueue: "L2", Breaches: 3},
		generated.QueueChangedV1{Queue: "L1", QueueVersion: 2,
			After: generated.QueueChangedV1After{Strategy: "pull"}},
		generated.CalendarChangedV1{Calendar: "office", CalendarVersion: 2, Holidays: 1,
			WeekMinutes: 2400, Zone: "Europe/Berlin"},
		generated.PersonSkillsChangedV1{Person: person, Before: []string{}, After: []string{"zh"}},
		generated.DefinitionPublishedV2{Kind: "process", Key: "document_approval",
			DefinitionVersion: 2, Base: 1, SHA256: sha, By: person, RestoredFrom: new(int64(1))},
		generated.DefinitionProposedV1{Kind: "rule_set", Key: "invoices", ProposalID: person,
			By: person, DefinitionVersion: 1, SHA256: sha, Note: "stricter"},
		generated.DefinitionWithdrawnV1{Kind: "process", Key: "document_approval",
			ProposalID: person, By: person, ProposedBy: person, DefinitionVersion: 2},
		generated.DefinitionPublishedV1{Key: "document_approval", DefinitionVersion: 1,
			SHA256: sha},
	}
}

func TestBodiesMatchTheirContracts(t *testing.T) {
	t.Parallel()
	for _, body := range bodies() {
		var event domain.Event
		if err := events.SetBody(&event, body); err != nil {
			t.Fatal(err)
		}
		if err := events.Validate(event.Type, event.SchemaVersion, event.Body); err != nil {
			t.Errorf("%s: %v", event.Body, err)
		}
		canonical, err := domain.Canonicalise(event.Body)
		if err != nil || string(canonical) != string(event.Body) {
			t.Errorf("%s is not canonical (%v)", event.Body, err)
		}
	}
}

func TestValidateRejects(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		kind    domain.EventType
		version int
		body    string
	}{
		"a missing field": {domain.CaseReturned, 1, `{"reason":"why"}`},
		"a wrong type": {domain.ReviewClaimedEvent, 1,
			`{"reviewId":7,"assignee":"x","claimUntil":"y"}`},
		"an invalid uuid": {domain.ReviewCancelledEvent, 1,
			`{"reviewId":"zzz","reason":"r"}`},
		"an invalid time": {domain.ReviewAtRisk, 1,
			`{"reviewId":"` + person.String() + `","due":"tomorrow"}`},
		"an unknown enum value": {domain.IncidentResolved, 1,
			`{"node":"a","visit":1,"how":"x","by":"` + person.String() + `"}`},
		"no JSON":               {domain.CaseAbandoned, 1, `{`},
		"an unknown type":       {"case.unknown", 1, `{}`},
		"a future version":      {domain.CaseAbandoned, 99, `{}`},
		"an erased, empty body": {domain.CaseAbandoned, 1, ``},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := events.Validate(tc.kind, tc.version, []byte(tc.body))
			if !domain.HasCode(err, domain.ValidationFailed) {
				t.Fatalf("got %v", err)
			}
		})
	}
}

// TestReadersIgnoreUnknownFields adds an unknown field to every object of every body.
func TestReadersIgnoreUnknownFields(t *testing.T) {
	t.Parallel()
	for _, body := range bodies() {
		encoded, err := events.Encode(body)
		if err != nil {
			t.Fatal(err)
		}
		newer := strings.ReplaceAll(string(encoded), "{", `{"zz_new":{"deep":[1]},`)
		newer = strings.ReplaceAll(newer, ",}", "}")
		kind, version := body.Contract()
		if err := events.Validate(kind, version, []byte(newer)); err != nil {
			t.Errorf("%s from a newer writer is rejected: %v", kind, err)
		}
	}
	newer := `{"reason":"why","reenterAt":"validate","urgency":{"level":3}}`
	read, err := events.Decode[generated.CaseReturnedV1]([]byte(newer))
	if err != nil || read != (generated.CaseReturnedV1{Reason: "why", ReenterAt: "validate"}) {
		t.Fatalf("got %+v, %v", read, err)
	}
}

func TestEncodeIsStable(t *testing.T) {
	t.Parallel()
	got, err := events.Encode(
		map[string]any{"b": 1.0,
			"a": map[string]any{"z": "<é>", "y": json.Number("9007199254740993")}})
	if err != nil || string(got) != `{"a":{"y":9007199254740993,"z":"<é>"},"b":1}` {
		t.Fatalf("got %s, %v", got, err)
	}
	if _, err := events.Encode(func() {}); err == nil {
		t.Fatal("a function was encoded")
	}
}

func BenchmarkSetBody(b *testing.B) {
	body := generated.StageCompletedV1{Node: "read", Visit: 1, Behaviour: domain.BehaviourRead,
		Attempt: 1, Outcome: "done", DurationMS: new(int64(1200))}
	b.ReportAllocs()
	for b.Loop() {
		var event domain.Event
		if err := events.SetBody(&event, body); err != nil {
			b.Fatal(err)
		}
	}
}
