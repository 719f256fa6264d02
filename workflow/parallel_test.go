package workflow

import (
	"reflect"
	"testing"

	"countersign/domain"
)

// onboarding returns a case with two reviews in parallel: one with two seats, one with a single
// seat.
func onboarding(t *testing.T) (*Definition, Step) {
	t.Helper()
	def := mustParse(t, definitionOf(parallelReviews))
	step := walk(t, def, domain.ProcessFacts{}, Event{Kind: Started})
	expectTokens(t, step, domain.InReview, domain.Token{Node: "kyc", Visit: 1},
		domain.Token{Node: "credit", Visit: 1})
	return def, step
}

func advanceAll(t *testing.T, def *Definition, step Step, events ...Event) Step {
	t.Helper()
	for _, event := range events {
		next, err := Advance(def, step.Marking, event, domain.ProcessFacts{})
		if err != nil {
			t.Fatalf("%+v: %v", event, err)
		}
		step = next
	}
	return step
}

func expectNoEffects(t *testing.T, step Step) {
	t.Helper()
	if len(step.Effects) > 0 {
		t.Fatalf("unexpected effects %+v", step.Effects)
	}
}

func TestJoinWaitsForEveryBranchAndQuorumForEverySeat(t *testing.T) {
	t.Parallel()
	def, step := onboarding(t)
	step = advanceAll(t, def, step, decided("credit", 1, 1, domain.Approve))
	expectTokens(t, step, domain.InReview, domain.Token{Node: "kyc", Visit: 1},
		domain.Token{Node: "both", Visit: 1})
	expectNoEffects(t, step)
	step = advanceAll(t, def, step, decided("kyc", 1, 2, domain.Approve))
	expectNoEffects(t, step)
	step = advanceAll(t, def, step, decided("kyc", 1, 1, domain.Approve))
	expectTokens(t, step, domain.Approved, domain.Token{Node: "seal", Visit: 1})
	if step.Marking.Notes != nil {
		t.Fatalf("state is left over: %v", step.Marking.Notes)
	}
}

func TestRejectionWithdrawsTheSibling(t *testing.T) {
	t.Parallel()
	def, step := onboarding(t)
	step = advanceAll(t, def, step, decided("kyc", 1, 2, domain.Approve),
		decided("credit", 1, 1, domain.Reject))
	expectTokens(t, step, domain.Settling, domain.Token{Node: "seal_no", Visit: 1})
	if !reflect.DeepEqual(step.Effects[0], CancelReview{Node: "kyc", Visit: 1, Seats: []int{1}}) {
		t.Fatalf("the sibling's open seat is not withdrawn: %+v", step.Effects)
	}
}

func TestReturnEndsBothBranchesAndRestartsThem(t *testing.T) {
	t.Parallel()
	def, step := onboarding(t)
	step = advanceAll(t, def, step, decided("credit", 1, 1, domain.Approve),
		decided("kyc", 1, 1, domain.Return))
	expectTokens(t, step, domain.Returned, domain.Token{Node: Returned, Visit: 1})
	expectEffects(t, step, CancelReview{Node: "kyc", Visit: 1, Seats: []int{2}},
		VotesRevoked{[]string{"approval"}}, SetStatus{domain.Returned})
	step = advanceAll(t, def, step, Event{Kind: Resubmitted})
	expectTokens(t, step, domain.InReview, domain.Token{Node: "kyc", Visit: 2},
		domain.Token{Node: "credit", Visit: 2})
}

func TestMostSpecificProcessor(t *testing.T) {
	t.Parallel()
	keys := []ProcessorKey{
		{Behaviour: domain.BehaviourValidate},
		{Behaviour: domain.BehaviourValidate, DocumentType: "receipt"},
		{Behaviour: domain.BehaviourValidate, Channel: "mail"},
		{Behaviour: domain.BehaviourAssess, Event: "run"},
		{Behaviour: domain.BehaviourValidate, DocumentType: "receipt", Channel: "api"},
	}
	for name, test := range map[string]struct {
		want  ProcessorKey
		index int
		code  domain.Code
	}{
		"only the standard one": {ProcessorKey{Behaviour: domain.BehaviourValidate,
			DocumentType: "invoice", Channel: "web"}, 0, ""},
		"by document type": {ProcessorKey{Behaviour: domain.BehaviourValidate,
			DocumentType: "receipt", Channel: "web"}, 1, ""},
		"by both": {ProcessorKey{Behaviour: domain.BehaviourValidate, DocumentType: "receipt",
			Channel: "api"}, 4, ""},
		"equally specific": {ProcessorKey{Behaviour: domain.BehaviourValidate,
			DocumentType: "receipt", Channel: "mail"}, -1, domain.AmbiguousProcessor},
		"none": {ProcessorKey{Behaviour: "translate"}, -1,
			domain.ProcessorNotFound},
		"other event": {ProcessorKey{Behaviour: domain.BehaviourAssess, Event: "abandon"}, -1,
			domain.ProcessorNotFound},
	} {
		index, err := MostSpecific(keys, test.want)
		if index != test.index || domain.CodeOf(err) != test.code {
			t.Errorf("%s: %d, %v", name, index, err)
		}
	}
	if first, second, ok := FindAmbiguous(keys); !ok || first != 1 || second != 2 {
		t.Errorf("ambiguous: %d, %d, %v", first, second, ok)
	}
	settled := append(keys,
		ProcessorKey{Behaviour: domain.BehaviourValidate, DocumentType: "receipt", Channel: "mail"})
	if _, _, ok := FindAmbiguous(settled); ok {
		t.Error("the more specific key resolves the ambiguity")
	}
}
