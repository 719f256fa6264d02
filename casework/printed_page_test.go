package casework

import (
	"strings"
	"testing"

	"countersign/domain"
)

// What a page shows is what a reviewer may take from it alone.
func TestWhatAPageShows(t *testing.T) {
	t.Parallel()
	page := printedPage{kind: &domain.DocumentType{Fields: []domain.DocumentField{
		{FieldSpec: domain.FieldSpec{Name: domain.FieldVendor, Type: domain.FieldTypeText}},
		{FieldSpec: domain.FieldSpec{Name: domain.FieldCurrency, Type: domain.FieldTypeCurrency}},
		{FieldSpec: domain.FieldSpec{Name: domain.FieldTotal, Type: domain.FieldTypeMoney}}}}}
	page.addPage(&domain.Page{Text: strings.Join([]string{"KEDAI PAPAN", "YEW CHUAN SDN BHD", "LOT 276",
		"Total RM15.00", "Change $ 5.00"}, "\n")})
	for _, row := range []struct {
		field, value string
		shown        bool
	}{
		{domain.FieldVendor, "KEDAI PAPAN YEW CHUAN SDN BHD", true},
		{domain.FieldVendor, "Papan Yew Chuan", true},
		{domain.FieldVendor, "KEDAI YEW CHUAN", false},
		{domain.FieldVendor, "KEDAI PAPAN LOT 276", false},
		{domain.FieldCurrency, "MYR", true},
		{domain.FieldCurrency, "USD", false}, // the mark of several currencies
		{domain.FieldCurrency, "EUR", false},
		{domain.FieldTotal, "15.00", true},
		{domain.FieldTotal, "276.00", true},
		{domain.FieldTotal, "5.50", false},
	} {
		if got := page.shows(row.field, row.value, "MYR"); got != row.shown {
			t.Errorf("the page shows %s %q: %v", row.field, row.value, got)
		}
	}
}
