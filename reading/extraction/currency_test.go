package extraction_test

import (
	"testing"

	"countersign/domain"
	"countersign/reading/extraction"
)

// The decimals of the currency decide how amounts are read. Ambiguous amounts have no value.
func TestAmountsInTheDecimalsOfTheirCurrency(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		page, currency   string
		net, tax, totals string
	}{
		{"Net amount KWD 10.000\nTax KWD 2.345\nTotal KWD 12.345", "KWD", "10.000", "2.345",
			"12.345"},
		{"Net amount 10.000 KWD\nTax 2.345 KWD\nTotal 12.345 KWD", "KWD", "10.000", "2.345",
			"12.345"},
		{"Total KWD 0.500", "KWD", "", "", "0.500"},
		{"Total KWD 1,234.500", "KWD", "", "", "1234.500"},
		{"Total OMR 1,234,567.891", "OMR", "", "", "1234567.891"},
		{"Example Sdn Bhd 12\nTotal RM 12.34", "MYR", "", "", "12.34"},
		{"Total KWD 1,500", "KWD", "", "", ""}, // ambiguous: 1500 or 1.5
		{"Total JPY 1,500", "JPY", "", "", "1500"},
		{"Total JPY 1,500.50", "JPY", "", "", ""},
		{"Total 1,500円", "JPY", "", "", "1500"},
		{"Total EUR 1.234,56", "EUR", "", "", "1234.56"},
		{"Total EUR 1.234", "EUR", "", "", "1234.00"},
		{"Total EUR 0.125", "EUR", "", "", ""},
		{"Total EUR 1.234.567,891", "EUR", "", "", ""},
		{"Total USD 1,234.500", "USD", "", "", ""},
		{"Total SEK 1 234,50", "SEK", "", "", "1234.50"},
		{"Total PLN 99,90", "PLN", "", "", "99.90"},
	} {
		fields := extraction.Extract(
			[]domain.Page{pageOfText("Example Works\n"+c.page, domain.SourceText)},
			extraction.Hints{},
		)
		for name, want := range map[string]string{domain.FieldCurrency: c.currency,
			domain.FieldNet: c.net, domain.FieldTax: c.tax, domain.FieldTotal: c.totals} {
			if got := value(fields, name); got != want {
				t.Errorf("%q: %s is %q, want %q", c.page, name, got, want)
			}
		}
	}
}

// One sign means yen or yuan.
func TestYenOrYuan(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		page  string
		hints extraction.Hints
		code  string
		sure  bool
	}{
		{"Total ¥1,500", extraction.Hints{}, "CNY", false},
		{"Total ¥1,500", extraction.Hints{Country: "JP"}, "JPY", true},
		{"Total ¥1,500", extraction.Hints{Currency: "JPY"}, "JPY", true},
		{"Total ¥1,500", extraction.Hints{Country: "CN"}, "CNY", true},
		{"Total ¥1,500\n合計 1,500円", extraction.Hints{}, "JPY", true},
		{"价税合计 ¥1,500.00", extraction.Hints{Country: "JP"}, "CNY", true},
	} {
		for _, field := range extraction.Extract([]domain.Page{pageOfText("Example Works\n"+c.page,
			domain.SourceText)}, c.hints) {
			if field.Name == domain.FieldCurrency &&
				(field.Normalised != c.code || (field.Confidence > 0.5) != c.sure) {
				t.Errorf("%q %+v: %s at %.2f", c.page, c.hints, field.Normalised, field.Confidence)
			}
		}
	}
}
