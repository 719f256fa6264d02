package workflow

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"countersign/domain"
)

func TestFilteredProcessorsAreChosenByFacts(t *testing.T) {
	t.Parallel()
	keys := []ProcessorKey{
		{Behaviour: domain.BehaviourValidate},
		{Behaviour: domain.BehaviourValidate, Filtered: true},
		{Behaviour: domain.BehaviourValidate, DocumentType: "receipt"},
		{Behaviour: domain.BehaviourAssess, Filtered: true},
		{Behaviour: domain.BehaviourAssess, Filtered: true},
	}
	for name, test := range map[string]struct {
		want  ProcessorKey
		apply []int
		index int
		code  domain.Code
	}{
		"the filter applies": {ProcessorKey{Behaviour: domain.BehaviourValidate,
			DocumentType: "invoice"}, []int{1}, 1, ""},
		"the filter does not apply": {ProcessorKey{Behaviour: domain.BehaviourValidate,
			DocumentType: "invoice"}, nil, 0, ""},
		"a named field weighs more": {ProcessorKey{Behaviour: domain.BehaviourValidate,
			DocumentType: "receipt"}, []int{1}, 2, ""},
		"one of two filters": {ProcessorKey{Behaviour: domain.BehaviourAssess}, []int{4}, 4, ""},
		"two filters apply": {ProcessorKey{Behaviour: domain.BehaviourAssess}, []int{3, 4}, -1,
			domain.AmbiguousProcessor},
		"neither filter applies": {ProcessorKey{Behaviour: domain.BehaviourAssess}, nil, -1,
			domain.ProcessorNotFound},
		"no processor": {ProcessorKey{Behaviour: "translate"}, nil, -1,
			domain.ProcessorNotFound},
		"an empty name is no wildcard": {ProcessorKey{}, nil, -1, domain.ProcessorNotFound},
		"an empty type": {ProcessorKey{Behaviour: domain.BehaviourValidate, DocumentType: "",
			Channel: "web"}, nil, 0, ""},
	} {
		applies := func(index int) bool {
			for _, one := range test.apply {
				if one == index {
					return true
				}
			}
			return false
		}
		index, err := ChooseProcessor(keys, test.want, applies)
		if index != test.index || domain.CodeOf(err) != test.code {
			t.Errorf("%s: %d, %v", name, index, err)
		}
	}
	if err := CheckProcessorKeys(keys); err != nil {
		t.Errorf("filters may exclude each other: %v", err)
	}
	err := CheckProcessorKeys(
		append(keys, ProcessorKey{Behaviour: domain.BehaviourValidate, Channel: "mail"}))
	var clash *domain.Error
	if !errors.As(err, &clash) || clash.Code != domain.AmbiguousProcessor ||
		clash.Detail["behaviour"] != "validate" || clash.Remedy == "" {
		t.Errorf("receipts by mail: %v", err)
	}
	// A filtered key does not resolve the ambiguity, because it may not apply.
	settled := append(keys, ProcessorKey{Behaviour: domain.BehaviourValidate, Channel: "mail"},
		ProcessorKey{Behaviour: domain.BehaviourValidate, DocumentType: "receipt", Channel: "mail",
			Filtered: true})
	if CheckProcessorKeys(settled) == nil {
		t.Error("a filtered key must not resolve the ambiguity")
	}
	if CheckProcessorKeys([]ProcessorKey{{Behaviour: domain.BehaviourRead},
		{Behaviour: domain.BehaviourRead}}) == nil {
		t.Error("the same key was accepted twice")
	}
}

// TestAmbiguityIsFoundAtStart checks that the keys accepted at start-up are never ambiguous for a
// case, and that rejected ones are ambiguous for some case.
func TestAmbiguityIsFoundAtStart(t *testing.T) {
	t.Parallel()
	field := rapid.SampledFrom([]string{"", "a", "b"})
	rapid.Check(t, func(t *rapid.T) {
		var keys []ProcessorKey
		for range rapid.IntRange(1, 6).Draw(t, "keys") {
			keys = append(keys,
				ProcessorKey{Behaviour: field.Draw(t, "behaviour"), Event: field.Draw(t, "event"),
					DocumentType: field.Draw(t, "type"), Channel: field.Draw(t, "channel")})
		}
		clash := false
		values := []string{"a", "b", "other"}
		for _, behaviour := range values {
			for _, event := range values {
				for _, kind := range values {
					for _, channel := range values {
						_, err := MostSpecific(keys,
							ProcessorKey{Behaviour: behaviour, Event: event, DocumentType: kind,
								Channel: channel})
						clash = clash || domain.HasCode(err, domain.AmbiguousProcessor)
					}
				}
			}
		}
		if err := CheckProcessorKeys(keys); (err != nil) != clash {
			t.Fatalf("%+v: start-up reports %v, but some case is ambiguous: %v", keys, err, clash)
		}
	})
}

func TestExpectedStatus(t *testing.T) {
	t.Parallel()
	if err := ExpectStatus(domain.InReview); err != nil {
		t.Errorf("nothing expected: %v", err)
	}
	if err := ExpectStatus(domain.InReview, domain.Returned, domain.InReview); err != nil {
		t.Errorf("one of two: %v", err)
	}
	var refusal *domain.Error
	if err := ExpectStatus(domain.Archived, domain.InReview); !errors.As(err, &refusal) ||
		refusal.Code != domain.StateMismatch ||
		refusal.Detail["status"] != string(domain.Archived) {
		t.Errorf("got %v", err)
	}
}
