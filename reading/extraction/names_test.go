package extraction_test

import (
	"strings"
	"testing"

	"countersign/domain"
	"countersign/reading/extraction"
)

// A cover letter without a name precedes the invoice, so the vendor is on the second page.
func TestVendorBehindALetter(t *testing.T) {
	t.Parallel()
	letter := pageOfText(
		"Dear colleagues,\nplease find our bill on the next page.\nKind regards", domain.SourceText,
	)
	invoice := pageOfText(
		"Kiefer Workshop E GmbH\nLindenstrasse 12\nInvoice R-1\nTotal 12.00 EUR", domain.SourceText,
	)
	invoice.Number = 2
	vendor := ""
	for _, field := range extraction.Extract([]domain.Page{letter, invoice}, extraction.Hints{}) {
		if field.Name == domain.FieldVendor {
			vendor = field.Raw
		}
	}
	if vendor != "Kiefer Workshop E GmbH" {
		t.Errorf("the vendor is %q", vendor)
	}
}

// A name in a salutation is not the vendor.
func TestSalutationIsNoVendor(t *testing.T) {
	t.Parallel()
	for _, greeting := range []string{"Dear colleagues,", "Sehr geehrte Damen und Herren,",
		"Bonjour Madame,", "Hello team"} {
		page := strings.Join(
			[]string{
				greeting, "", "please find our bill below.", "", "Kiefer Workshop",
				"Lindenstrasse 12", "Total 12.00 EUR",
			},
			"\n",
		)
		for _, field := range extraction.Extract([]domain.Page{pageOfText(page, domain.SourceText)},
			extraction.Hints{}) {
			if field.Name == domain.FieldVendor && strings.HasPrefix(greeting, field.Raw) {
				t.Errorf("%q was read as the vendor", field.Raw)
			}
		}
	}
}
