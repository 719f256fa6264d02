package rules

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"countersign/domain"
)

// Sentences about fields name them as the forms do, in both languages.
func TestSentencesUseLabels(t *testing.T) {
	t.Parallel()
	input := cleanInvoiceInput()
	input.DocumentType, input.Country, input.Fields = "remittance", "DE", nil
	found, _ := validateAndAssess(t, input)
	finding := findRaised(found, "required_missing")
	if finding == nil {
		t.Fatalf("found %+v", found)
	}
	if !strings.HasSuffix(finding.Message, ": Vendor, IBAN.") {
		t.Errorf("the sentence is %q", finding.Message)
	}
	if got := labels("zh", []string{"due_date", "iban", "cost_centre"}); got !=
		"到期日、IBAN、cost centre" {
		t.Errorf("the Chinese labels are %q", got)
	}
}

// A hidden field disappears from the sentence of a finding, also from one that was stored before
// sentences used labels.
func TestHiddenFieldLeavesTheSentence(t *testing.T) {
	t.Parallel()
	for _, sentence := range []string{"Different values: Vendor, Due date, Country.",
		"Different values: vendor, due date, country."} {
		finding := domain.Finding{Rule: DifferingFieldsRule, Message: sentence,
			Evidence: map[string]string{"fields": "vendor,due_date,country"}}
		shown, any := WithoutFields(finding,
			func(name string) bool { return name == domain.FieldCountry })
		if !any || strings.Contains(strings.ToLower(shown.Message), "country") ||
			!strings.Contains(strings.ToLower(shown.Message), "vendor, due date") {
			t.Errorf("%+v", shown)
		}
	}
}

// A required field whose value only a language model states is missed as without the model.
func TestRequiredFieldOfModelIsMissed(t *testing.T) {
	t.Parallel()
	for _, source := range []domain.FieldSource{domain.SourceLLM, domain.SourceXML} {
		input := cleanInvoiceInput()
		for i := range input.Fields {
			if input.Fields[i].Name == domain.FieldNumber {
				input.Fields[i].Source, input.Fields[i].Confidence = source, domain.ModelConfidence
			}
		}
		found, _ := validateAndAssess(t, input)
		missed := findRaised(found, "required_missing") != nil
		if missed != (source == domain.SourceLLM) {
			t.Errorf("by %s: missed %t", source, missed)
		}
	}
}

// The values of findings have labels in both languages, and the words of a code have texts.
func TestValuesOfFindingsHaveLabels(t *testing.T) {
	t.Parallel()
	for _, language := range []string{"en", "zh"} {
		names := textsOf(t, language, "evidence", "names")
		fields := textsOf(t, language, "fields")
		for _, set := range builtinSets() {
			for _, rule := range set.Rules {
				for _, value := range rule.values {
					if value.name != "parts" && names[value.name] == nil && fields[value.name] == nil {
						t.Errorf("%s: the value %s of %s has no label", language, value.name, rule.ID)
					}
				}
				for name, words := range rule.words {
					texts := textsOf(t, language, "evidence", name)
					for code := range words {
						if texts[code] == nil {
							t.Errorf("%s: the code %s of %s has no text", language, code, name)
						}
					}
				}
			}
		}
	}
}

// textsOf reads a part of a file of the texts of the pages.
func textsOf(t *testing.T, language, file string, path ...string) map[string]any {
	t.Helper()
	content, err := os.ReadFile("../frontend/src/i18n/" + language + "/" + file + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var texts map[string]any
	if err := json.Unmarshal(content, &texts); err != nil {
		t.Fatal(err)
	}
	for _, name := range path {
		texts, _ = texts[name].(map[string]any)
	}
	return texts
}
