package views_test

import (
	"testing"

	"countersign/domain"
	"countersign/facts"
	"countersign/views"
)

// A suggestion about a confidential field is as confidential as its value.
func TestSuggestionsOfConfidentialFields(t *testing.T) {
	t.Parallel()
	history := facts.History{{Source: domain.SourceLLM, DocumentRevision: 1, Assertions: []domain.Assertion{
		{Field: domain.FieldCountry, Value: "IR", Raw: "Iran", Suggestion: true},
		{Field: domain.FieldNumber, Value: "M-1", Raw: "M-1", Suggestion: true}}}}
	all := views.AssertionViewer{Audience: domain.AudienceStaff}.Suggestions(history)
	if len(all) != 2 || all[0].Field != domain.FieldCountry || !all[0].Value.Suggestion ||
		all[0].Value.Resolved || all[0].Value.Source != domain.SourceLLM {
		t.Errorf("with access: %+v", all)
	}
	redacted := views.AssertionViewer{Audience: domain.AudienceStaff, Redacted: true,
		UserID: domain.NewID()}.Suggestions(history)
	for _, one := range redacted {
		if domain.ConfidentialField(one.Field) {
			t.Errorf("without access: %+v", one)
		}
	}
	if len(redacted) != 1 {
		t.Errorf("without access: %+v", redacted)
	}
}
