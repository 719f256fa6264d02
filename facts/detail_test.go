package facts_test

import (
	"slices"
	"testing"

	"countersign/domain"
	"countersign/facts"
)

// The further fields of a document add to the risk basis only the country of its bank: a small amount
// due lowers no amount, and the buyer is no party for whom reviewers could have a conflict of interest.
func TestDetailsDoNotWeakenTheRiskBasis(t *testing.T) {
	t.Parallel()
	countryOf := func(field, value string) string {
		if field == domain.FieldBIC {
			return value[4:6]
		}
		return value[:2]
	}
	plain := []string{domain.FieldVendor, "Acme", domain.FieldTotal, "100000.00",
		domain.FieldCurrency, "EUR", domain.FieldIBAN, "DE89", domain.FieldCountry, "DE"}
	details := []string{domain.FieldBuyer, "Conflicted Ltd", domain.FieldBuyerVATID, "IR1",
		domain.FieldBuyerAddress, "Tehran", domain.FieldPrepaid, "99990.00",
		domain.FieldAmountDue, "10.00", domain.FieldKind, "credit_note"}
	before := facts.RiskOf(facts.History{set(domain.SourceXML, 1, plain...)}, countryOf)
	after := facts.RiskOf(facts.History{set(domain.SourceXML, 1,
		append(slices.Clone(plain), details...)...)}, countryOf)
	if !after.Covers(before, minor) || !before.Covers(after, minor) {
		t.Errorf("the risk basis changed: %+v, %+v", before, after)
	}
	if slices.Contains(after.Names, "Conflicted Ltd") || slices.Contains(after.Countries, "IR") {
		t.Errorf("the buyer counts: %+v", after)
	}
	bank := facts.RiskOf(facts.History{set(domain.SourceXML, 1, append(slices.Clone(plain),
		domain.FieldBIC, "MELIIRTH")...)}, countryOf)
	if !slices.Equal(bank.Countries, []string{"DE", "IR"}) {
		t.Errorf("countries with a bank elsewhere: %v", bank.Countries)
	}
}
