package extraction

import (
	"testing"

	"countersign/domain"
)

// unsure is the confidence below which a value of a text layer is shown as doubtful.
const unsure = 0.475

// Amounts in lakhs and crores have groups of two digits. Without them the price of one piece would be
// taken for the total.
func TestIndianGroups(t *testing.T) {
	t.Parallel()
	expectForms(t, []form{
		{"a lakh", []string{"Example Castings Pvt. Ltd.", "Housing      250    4,180.00   10,45,000.00",
			"Taxable value 10,45,000.00", "IGST 18% 1,88,100.00", "Grand Total ₹ 12,33,100.00"},
			map[string]string{domain.FieldTotal: "1233100.00", domain.FieldNet: "1045000.00",
				domain.FieldTax: "188100.00"}},
		{"a crore", []string{"Total Rs. 1,23,45,678.90"},
			map[string]string{domain.FieldTotal: "12345678.90"}},
		{"whole rupees", []string{"Total INR 1,23,456"}, map[string]string{domain.FieldTotal: "123456.00"}},
	})
}

// The row of the total is there, but its number is none that can be read: another amount may not pass as
// the total.
func TestATotalThatCannotBeReadIsNoOtherAmount(t *testing.T) {
	t.Parallel()
	for _, lines := range [][]string{
		{"Example Ltd", "Housing 250    4,180.00", "Grand Total 12//33//100"},
		{"Example Ltd", "Consulting 480.00", "Travel 12.50"},
	} {
		if got := read(domain.FieldTotal, lines...); got.Confidence >= unsure {
			t.Errorf("%q: the total %s is sure (%.2f)", lines, got.Normalised, got.Confidence)
		}
	}
}

// The sign of US dollars contains that of Singapore dollars.
func TestDollarsOfTwoCountries(t *testing.T) {
	t.Parallel()
	expectForms(t, []form{
		{"US dollars with the total in local money", []string{"Example Marine Pte Ltd, Singapore 638774",
			"Survey US$ 14,500.00", "GST 9% US$ 1,305.00", "Total US$ 15,805.00",
			"Total in S$ @1.3105 (for GST purposes) S$ 20,712.45"},
			map[string]string{domain.FieldCurrency: "USD", domain.FieldTotal: "15805.00"}},
		{"Singapore dollars", []string{"Survey S$14,500.00", "Total S$15,805.00"},
			map[string]string{domain.FieldCurrency: "SGD"}},
	})
}
