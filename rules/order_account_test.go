package rules

import (
	"strings"
	"testing"

	"countersign/domain"
)

// An order that pays to another account than its document is judged by the account that is paid, also
// after two persons explained the difference.
func TestTheAccountOfTheOrderIsJudged(t *testing.T) {
	t.Parallel()
	const german, british = "DE89370400440532013000", "GB29NWBK60161331926819"
	for name, row := range map[string]struct {
		document, order string
		changed, abroad bool
	}{
		"the vendor's account":                 {german, german, false, false},
		"another account of the order":         {german, british, true, true},
		"another account of the document":      {british, german, false, false},
		"both pay to another country":          {british, british, true, false}, // the rule iban_country has it
		"no account on the document":           {"", british, true, true},
		"an account that is not an IBAN":       {german, "12-3456789", true, false},
		"an IBAN whose check digits are wrong": {german, "GB30NWBK60161331926819", true, false},
	} {
		input := Input{DocumentType: "remittance", Country: "DE", Fields: []domain.Field{{
			Name: domain.FieldIBAN, Raw: row.document, Normalised: row.document,
			Source: domain.SourceXML, Confidence: 1, Grounded: true}},
			Vendor: VendorHistory{Known: true, Cases: 3, Account: german},
			Order:  &OrderInput{Account: row.order, AmountCovered: true, PayeeCovered: true}}
		findings, _ := validateAndAssess(t, input)
		changed := findRaised(findings, "account_changed")
		if (changed != nil) != row.changed {
			t.Errorf("%s: the account has changed: %+v", name, changed)
		}
		if changed != nil && !strings.Contains(changed.Message, row.order) {
			t.Errorf("%s: %q does not name the account of the order", name, changed.Message)
		}
		if abroad := findRaised(findings, "order_account_country"); (abroad != nil) != row.abroad {
			t.Errorf("%s: in another country: %+v", name, abroad)
		}
	}
}
