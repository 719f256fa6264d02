package extraction_test

import (
	"strings"
	"testing"

	"countersign/domain"
	"countersign/reading/extraction"
)

// countryRead returns the country that is read from lines of text.
func countryRead(hints extraction.Hints, lines ...string) string {
	page := pageOfText(strings.Join(lines, "\n"), domain.SourceText)
	for _, field := range extraction.Extract([]domain.Page{page}, hints) {
		if field.Name == domain.FieldCountry {
			return field.Normalised
		}
	}
	return ""
}

// The destination of an order counts before the bank that pays.
func TestCountryOfAPaymentOrder(t *testing.T) {
	t.Parallel()
	remittance := extraction.Hints{DocumentType: "remittance"}
	for _, c := range []struct {
		name, want string
		hints      extraction.Hints
		lines      []string
	}{
		{"destination", "IR", remittance, []string{"REMITTANCE ORDER", "Beneficiary: Pars Trading Co",
			"Destination: Tehran, Iran", "Amount: EUR 5,000.00"}},
		{"destination by title", "IR", extraction.Hints{}, []string{"Payment Order",
			"Destination country: IRAN (ISLAMIC REPUBLIC OF)", "Amount: EUR 5,000.00"}},
		{"before an IBAN", "IR", remittance, []string{"Debit IBAN: DE89 3704 0044 0532 0130 00",
			"Country of destination: Iran"}},
		{"two columns", "IR", remittance, []string{
			"Destination: Tehran, Iran          Date: 2026-03-01", "Amount: EUR 5.00"}},
		{"label and value apart", "KP", remittance, []string{
			"Beneficiary country        North Korea"}},
		{"value below the label", "SY", remittance, []string{"Beneficiary country", "Syria"}},
		{"Chinese", "KP", remittance, []string{"汇款申请书", "目的国：朝鲜"}},
		{"German", "RU", remittance, []string{"Zahlungsauftrag", "Bestimmungsland: Russische Föderation"}},
		{"address of the beneficiary", "IR", remittance, []string{"Beneficiary: Pars Trading Co",
			"12 Valiasr Ave", "Tehran, Iran", "Amount: EUR 5.00"}},
		{"BIC", "IR", remittance, []string{"Beneficiary bank SWIFT: MELIIRTH", "Amount: EUR 5.00"}},
		{"BICs of two countries", "", remittance, []string{"SWIFT: MELIIRTH", "BIC: DEUTDEFF"}},
		{"two destinations", "", remittance, []string{"Destination: Iran", "Destination: Germany"}},
		{"the payer's country", "", remittance, []string{"Remitter: Acme GmbH", "Country: Germany"}},
		{"a city in a federation", "", remittance, []string{"Destination: Atlanta, Georgia"}},
		{"a city alone", "", remittance, []string{"Destination: Tehran"}},
	} {
		if code := countryRead(c.hints, c.lines...); code != c.want {
			t.Errorf("%s: %q, want %q", c.name, code, c.want)
		}
	}
}

// A mention in running text, a telephone number, the buyer's address and the destination of goods
// are not the seller's country.
func TestCountryOfAnInvoice(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, want string
		lines      []string
	}{
		{"seller's address", "DE", []string{"Acme GmbH", "Hauptstr. 1", "80331 München",
			"Deutschland", "", "", "Invoice No. 5"}},
		{"letterhead in one line", "AT", []string{"Acme GmbH, Ring 1, 1010 Wien, Österreich", "",
			"", "Invoice No. 5"}},
		{"labelled", "VN", []string{"Supplier country: Viet Nam", "Invoice No. 5"}},
		{"plain label", "VN", []string{"Acme Ltd", "Country: Viet Nam", "Invoice No. 5"}},
		{"Greek VAT id", "GR", []string{"Acme", "VAT: EL094259216", "Invoice No. 5"}},
		{"IBAN outside Europe", "AE", []string{"IBAN AE07 0331 2345 6789 0123 456"}},
		{"buyer's country", "", []string{"Invoice No. 5", "Bill to:", "Jane Smith", "Country: Iran"}},
		{"destination of goods", "", []string{"Invoice No. 5", "Destination: Tehran, Iran"}},
		{"running text", "", []string{"Invoice No. 5", "Our office in Iran is closed in March."}},
		{"telephone", "", []string{"Invoice No. 5", "Tel: +98 21 5550123"}},
		{"person and street", "", []string{"Jordan Smith", "12 Georgia Ave", "Invoice No. 5"}},
		{"city in the US", "", []string{"Smith Inc", "1 Peachtree St", "Atlanta, Georgia"}},
		{"word after a label", "", []string{"Country is", "Land in Sicht", "COUNTRY NO 5"}},
	} {
		if code := countryRead(extraction.Hints{}, c.lines...); code != c.want {
			t.Errorf("%s: %q, want %q", c.name, code, c.want)
		}
	}
}

// An e-invoice with an unknown country keeps its text without a value.
func TestCountryOfXML(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{"IR": "IR", "irn": "IR", "ZZ": "", "UK": "GB"} {
		fields, err := extraction.FromXML([]byte(`<Invoice><AccountingSupplierParty><Party><PostalAddress>` +
			`<Country><IdentificationCode>` + raw + `</IdentificationCode></Country></PostalAddress></Party>` +
			`</AccountingSupplierParty></Invoice>`))
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, field := range fields {
			if field.Name == domain.FieldCountry {
				found = field.Raw == raw && field.Normalised == want
			}
		}
		if !found {
			t.Errorf("%s: %+v", raw, fields)
		}
	}
}

func TestNormaliseCountry(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{"de": "DE", "Iran": "IR", "IRN": "IR",
		" Côte  d'Ivoire ": "CI", "伊朗": "IR"} {
		if code, err := extraction.Normalise(domain.FieldCountry, value, ""); code != want || err != nil {
			t.Errorf("%q: %q %v, want %q", value, code, err, want)
		}
	}
}
