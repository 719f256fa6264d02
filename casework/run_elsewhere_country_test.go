package casework_test

import (
	"bytes"
	"slices"
	"testing"

	"countersign/domain"
)

// A submitter who writes the bank, the account or the country of a risky payee beside those of a harmless
// one, or on a further page, does not avoid the anti-money-laundering review.
func TestRiskyCountriesAnywhereInAFile(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	first := append(invoiceLines("Alpha Supplies GmbH", "A-1001", "120.00"), "IBAN: "+invoiceAccount,
		"BIC: DEUTDEFF")
	second := invoiceLines("Beta Trading GmbH", "B-2002", "80.00")
	for name, pages := range map[string][][]string{
		"second bank":             {append(slices.Clone(first), "or", "SWIFT code: BMJIIRTH")},
		"bank on the second page": {first, {"Payment details", "BIC: BMJIIRTH"}},
		"bank of another document": {first, append(slices.Clone(second), "IBAN: "+invoiceAccount,
			"BIC: BMJIIRTH")},
		"account in Iran": {append(slices.Clone(first), "or IBAN: IR58 0540 1051 8002 1273 1130 07")},
		"country of document": {append(slices.Clone(first), "Country: Germany"),
			append(slices.Clone(second), "Country: Iran")},
	} {
		env.reader.mu.Lock()
		env.reader.xml, env.reader.lines, env.reader.others = nil, pages[0], pages[1:]
		env.reader.mu.Unlock()
		id := env.submitDeclared(sam, remittance, "remittance", "", "", "DE")
		if record := env.caseByID(id); !slices.Contains(record.Countries(), "IR") {
			t.Errorf("%s: the countries are %v", name, record.Countries())
		}
	}
}

// An order to an account in a country outside the registry of IBANs, whose accounts have the form of IBANs,
// does not avoid the anti-money-laundering review by another country of the payee.
func TestOrderToAnUnregisteredIBAN(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	in := order("500.00", "EUR", "R-1")
	in.Account = "IR580540105180021273113007"
	id := env.mustOrder(sam, in)
	if record := env.caseByID(id); !slices.Contains(record.Countries(), "IR") {
		t.Errorf("the countries are %v", record.Countries())
	}
}

// A further document behind an e-invoice counts with its bank and its account, also if the e-invoice has none.
func TestRiskyCountriesBehindAnEInvoice(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	for name, further := range map[string]string{"bank": "BIC: BMJIIRTH",
		"account": "IBAN: IR58 0540 1051 8002 1273 1130 07", "country": "Country: Iran"} {
		germany := "Country: Germany"
		if name == "country" {
			germany = "Paid by transfer"
		}
		for _, xml := range [][]byte{invoiceXML("120.00", "E-1"), bytes.ReplaceAll(
			invoiceXML("120.00", "E-2"), []byte(invoiceAccount), nil)} {
			env.reader.mu.Lock()
			env.reader.xml, env.reader.lines = xml, nil
			env.reader.others = [][]string{append(invoiceLines("Beta Trading GmbH",
				"B-2002", "80.00"), germany, further)}
			env.reader.mu.Unlock()
			id := env.submitDeclared(sam, remittance, "remittance", "", "", "DE")
			if record := env.caseByID(id); !slices.Contains(record.Countries(), "IR") {
				t.Errorf("%s: the countries are %v", name, record.Countries())
			}
		}
	}
}
