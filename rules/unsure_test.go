package rules

import (
	"slices"
	"strings"
	"testing"

	"countersign/domain"
)

// The fact unsure_fields does not depend on the rule set: a set that someone published earlier does
// not let uncertain values pass.
func TestUnsure(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		change variant
		source domain.FieldSource
		want   []string
	}{
		"certain":                          {variant{}, domain.SourceOCR, nil},
		"confidence 0":                     {variant{Confidence: map[string]float64{"total": 0}}, domain.SourceOCR, []string{"total"}},
		"a doubtful label in a text layer": {variant{Confidence: map[string]float64{"total": 0.57}}, domain.SourceText, []string{"total"}},
		"from an e-invoice":                {variant{Confidence: map[string]float64{"total": 0}}, domain.SourceXML, nil},
		"entered":                          {variant{}, domain.SourceHuman, []string{"vendor", "number", "date", "currency", "total", "iban"}},
		"not stated by the page":           {variant{Inferred: []string{"currency", "date"}}, domain.SourceText, []string{"date", "currency"}},
		"a declared currency":              {variant{Inferred: []string{"currency"}, Declared: "119.00 EUR"}, domain.SourceOCR, nil},
		"another declared currency":        {variant{Inferred: []string{"currency"}, Declared: "119.00 USD"}, domain.SourceOCR, []string{"currency"}},
		"missing":                          {variant{Fields: map[string]*string{"number": nil, "iban": nil}}, domain.SourceOCR, []string{"number"}},
		"unreadable":                       {variant{Unreadable: map[string]string{"date": "9th of Foo"}}, domain.SourceXML, []string{"date"}},
		"different values":                 {variant{Differing: []string{"total"}}, domain.SourceXML, []string{"total"}},
		"the number of a receipt": {variant{DocumentType: "receipt",
			Confidence: map[string]float64{"number": 0}}, domain.SourceOCR, nil},
		"the date of a receipt": {variant{DocumentType: "receipt",
			Confidence: map[string]float64{"date": 0.5}}, domain.SourceOCR, []string{"date"}},
	} {
		input := row.change.input(t)
		for i := range input.Fields {
			input.Fields[i].Source = row.source
		}
		got := Unsure(domain.UndefinedDocumentType(input.DocumentType), input.Fields, input.Declared, input.Differing)
		if !slices.Equal(got, row.want) {
			t.Errorf("%s: %v, want %v", name, got, row.want)
		}
	}
}

// The bound of the built-in sets is that of the fact unsure_fields.
func TestOneBound(t *testing.T) {
	t.Parallel()
	for _, set := range builtinSets() {
		rule, ok := set.Rule("low_confidence")
		if !ok || !strings.Contains(rule.When, "confidence[f] < 0.6)") || LowConfidence != 0.6 {
			t.Errorf("%s: %s", set.Key, rule.When)
		}
	}
}

// A field that a language model filled is unsure, whatever its confidence, even if no rule needs it.
func TestModelFilledFieldIsUnsure(t *testing.T) {
	t.Parallel()
	input := variant{}.input(t)
	input.Fields = append(input.Fields, domain.Field{Name: domain.FieldBuyer, Raw: "Nordkauf", Normalised: "Nordkauf",
		Source: domain.SourceLLM, Grounded: true, Confidence: 1})
	got := Unsure(domain.UndefinedDocumentType(input.DocumentType), input.Fields, input.Declared, nil)
	if !slices.Equal(got, []string{domain.FieldBuyer}) {
		t.Errorf("unsure: %q", got)
	}
}
