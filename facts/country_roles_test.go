package facts_test

import (
	"slices"
	"testing"

	"countersign/domain"
	"countersign/facts"
)

// firstLetters returns the first two letters of an account or tax number, and the country of a BIC.
func firstLetters(field, value string) string {
	if field == domain.FieldBIC {
		return value[4:6]
	}
	return value[:2]
}

// Every country of the risk basis has its roles, the fields that have it, and who asserted them. The
// set of countries has all of them.
func TestCountryRoles(t *testing.T) {
	t.Parallel()
	history := facts.History{
		set(domain.SourceDeclared, 0, domain.FieldCountry, "AE"),
		{Source: domain.SourceDeclared, Assertions: facts.OrderAssertions(domain.Order{
			Payer: "Muster Werke GmbH", Payee: "Acme", Account: "TR33", BIC: "MELIIRTH",
			Country: "TR", Amount: domain.Money{Minor: 100, Currency: "EUR"}})},
		set(domain.SourceXML, 1, domain.FieldCountry, "TR", domain.FieldIBAN, "TR33",
			domain.FieldVATID, "FR1", domain.FieldPayerAccount, "DE89",
			domain.FieldDeliveryCountry, "SY"),
		set(domain.SourceHuman, 1, domain.FieldPayerCountry, "CH", domain.FieldVATID, ""),
	}
	risk := facts.RiskOf(history, firstLetters)
	at := func(code string, role domain.CountryRole, field string, source domain.FieldSource) domain.CountryAtRisk {
		return domain.CountryAtRisk{Code: code, Role: role, Field: field, Source: source}
	}
	want := []domain.CountryAtRisk{
		at("AE", domain.CountryDeclared, domain.FieldCountry, domain.SourceDeclared),
		at("CH", domain.CountryOfPayer, domain.FieldPayerCountry, domain.SourceHuman),
		at("DE", domain.CountryOfPayerBank, domain.FieldPayerAccount, domain.SourceXML),
		at("FR", domain.CountryOfTaxID, domain.FieldVATID, domain.SourceXML),
		at("IR", domain.CountryOfPayeeBank, domain.FieldBIC, domain.SourceDeclared),
		at("SY", domain.CountryOfDelivery, domain.FieldDeliveryCountry, domain.SourceXML),
		at("TR", domain.CountryOfDocument, domain.FieldCountry, domain.SourceXML),
		at("TR", domain.CountryOfPayee, domain.FieldCountry, domain.SourceDeclared),
		at("TR", domain.CountryOfPayeeBank, domain.FieldIBAN, domain.SourceDeclared),
		at("TR", domain.CountryOfPayeeBank, domain.FieldIBAN, domain.SourceXML),
	}
	if !slices.Equal(risk.CountryRoles, want) {
		t.Errorf("roles %+v", risk.CountryRoles)
	}
	if !slices.Equal(risk.Countries, []string{"AE", "CH", "DE", "FR", "IR", "SY", "TR"}) {
		t.Errorf("countries %v", risk.Countries)
	}
}

// A reviewer cannot remove a country from one field because another field has it too: otherwise two
// corrections, of which none removes the country, would remove it together.
func TestCountryOfOneFieldDoesNotCoverAnother(t *testing.T) {
	t.Parallel()
	with := func(delivery, bank string) facts.Risk {
		return facts.RiskOf(facts.History{set(domain.SourceXML, 1,
			domain.FieldDeliveryCountry, delivery, domain.FieldPayerAccount, bank)}, firstLetters)
	}
	both := with("IR", "IR1")
	for name, after := range map[string]facts.Risk{"delivery": with("DE", "IR1"),
		"bank": with("IR", "DE1"), "both": with("DE", "DE1")} {
		if after.Covers(both, minor) {
			t.Errorf("%s: %v covers %v", name, after.CountryRoles, both.CountryRoles)
		}
	}
	if !with("IR", "IR2").Covers(both, minor) {
		t.Error("another account in the same country does not cover the first")
	}
}
