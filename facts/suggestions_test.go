package facts_test

import (
	"slices"
	"testing"

	"countersign/domain"
	"countersign/facts"
)

// Only what the newest answer states about the newest document is a suggestion, and only while another
// value or none is in force.
func TestSuggestions(t *testing.T) {
	t.Parallel()
	set := func(source domain.FieldSource, document int, of ...domain.Assertion) domain.AssertionSet {
		return domain.AssertionSet{Source: source, DocumentRevision: document, Assertions: of}
	}
	total := func(value string, suggestion bool) domain.Assertion {
		return domain.Assertion{Field: domain.FieldTotal, Value: value, Raw: value,
			Suggestion: suggestion, Grounded: !suggestion}
	}
	unread := domain.Assertion{Field: domain.FieldDate, Raw: "soon", Suggestion: true}
	read := set(domain.SourceText, 1, total("10.00", false))
	for _, one := range []struct {
		name    string
		history facts.History
		want    []string
	}{
		{"none", facts.History{read}, nil},
		{"beside a value", facts.History{read, set(domain.SourceLLM, 1, total("12.00", true))}, []string{"total 12.00"}},
		{"in force anyway", facts.History{read, set(domain.SourceLLM, 1, total("10.00", true))}, nil},
		{"on the page", facts.History{read, set(domain.SourceLLM, 1, total("12.00", false))}, nil},
		{"not readable", facts.History{read, set(domain.SourceLLM, 1, unread)}, []string{"date soon"}},
		{"of an older answer", facts.History{read, set(domain.SourceLLM, 1, total("12.00", true)),
			set(domain.SourceLLM, 1, total("13.00", true))}, []string{"total 13.00"}},
		{"of an older document", facts.History{read, set(domain.SourceLLM, 1, total("12.00", true)),
			set(domain.SourceText, 2, total("11.00", false))}, nil},
		{"of another source", facts.History{read, set(domain.SourceText, 1, total("12.00", true))}, nil},
	} {
		var got []string
		for _, entry := range one.history.Suggestions() {
			got = append(got, entry.Field+" "+entry.Raw)
		}
		if !slices.Equal(got, one.want) {
			t.Errorf("%s: %q instead of %q", one.name, got, one.want)
		}
	}
}
