package extraction_test

import (
	"strings"
	"testing"

	"countersign/domain"
	"countersign/reading/extraction"
)

// Who is greeted at the top of a letter did not send it.
func TestSalutationIsNoVendor(t *testing.T) {
	t.Parallel()
	for _, greeting := range []string{"Dear colleagues,", "Sehr geehrte Damen und Herren,", "Bonjour Madame,", "Hello team"} {
		page := strings.Join([]string{greeting, "", "please find our bill below.", "", "Kiefer Workshop", "Lindenstrasse 12", "Total 12.00 EUR"}, "\n")
		for _, field := range extraction.Extract([]domain.Page{typed(page, domain.SourceText)}, extraction.Hints{}) {
			if field.Name == domain.FieldVendor && strings.HasPrefix(greeting, field.Raw) {
				t.Errorf("%q was read as the vendor", field.Raw)
			}
		}
	}
}
