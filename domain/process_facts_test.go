package domain_test

import (
	"testing"

	"countersign/domain"
)

// What only a language model states is unknown to guards, and everything else is as it was.
func TestProcessFactsWithoutModels(t *testing.T) {
	t.Parallel()
	amount := domain.Money{Minor: 100, Currency: "EUR"}
	for _, name := range []string{domain.FieldTotal, domain.FieldCurrency, domain.FieldCountry, domain.FieldNumber} {
		for _, source := range []domain.FieldSource{domain.SourceLLM, domain.SourceOCR, domain.SourceHuman} {
			facts := domain.ProcessFacts{Amount: amount, AmountKnown: true, Currency: "EUR", Country: "DE"}
			facts.AddFields([]domain.Field{{Name: name, Normalised: "x", Source: source}})
			known := source != domain.SourceLLM
			if _, has := facts.Fields[name]; has != known {
				t.Errorf("%s by %s: in the fields %t", name, source, has)
			}
			ofAmount := name == domain.FieldTotal || name == domain.FieldCurrency
			if facts.AmountKnown != (known || !ofAmount) ||
				(facts.Currency != "") != (known || name != domain.FieldCurrency) ||
				(facts.Country != "") != (known || name != domain.FieldCountry) {
				t.Errorf("%s by %s: %+v", name, source, facts)
			}
		}
	}
}
