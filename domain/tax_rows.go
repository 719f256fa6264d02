package domain

import (
	"cmp"
	"math/big"
	"slices"
	"strings"
)

// TaxRow is the tax of a document at one rate, in minor units of the document's currency.
type TaxRow struct {
	Rate     string // percent, a plain decimal such as "19" or "5.5"
	Net, Tax int64
}

// maxTaxRows bounds the rows, so that they fit into the value of a field.
const maxTaxRows = 16

// FormatTaxRows writes rows as the value of FieldTaxBreakdown, the lowest rate first:
// "7%: 113.03 + 7.91; 19%: 64.46 + 12.25". The digits are those of the currency.
func FormatTaxRows(rows []TaxRow, currency string) string {
	digits, ok := Exponent(currency)
	if !ok {
		digits = 2
	}
	sorted := slices.SortedStableFunc(slices.Values(rows), func(a, b TaxRow) int {
		first, _ := decimalOf(a.Rate)
		second, _ := decimalOf(b.Rate)
		if first == nil || second == nil {
			return cmp.Compare(a.Rate, b.Rate)
		}
		return cmp.Or(first.Cmp(second), cmp.Compare(a.Net, b.Net), cmp.Compare(a.Tax, b.Tax))
	})
	texts := make([]string, len(sorted))
	for i, row := range sorted {
		texts[i] = row.Rate + "%: " + FormatMinor(row.Net, digits) + " + " +
			FormatMinor(row.Tax, digits)
	}
	return strings.Join(texts, "; ")
}

// ParseTaxRows reads the value of FieldTaxBreakdown, as FormatTaxRows writes it. Errors: InvalidInput.
func ParseTaxRows(text, currency string) ([]TaxRow, error) {
	parts := strings.Split(text, ";")
	if len(parts) > maxTaxRows {
		return nil, Invalid(FieldTaxBreakdown, "There are more than %d rates.", maxTaxRows)
	}
	rows := make([]TaxRow, 0, len(parts))
	for _, part := range parts {
		rate, amounts, found := strings.Cut(part, "%:")
		net, tax, both := strings.Cut(amounts, " + ")
		row, ok := taxRow(strings.TrimSpace(rate), net, tax, currency)
		if !found || !both || !ok {
			return nil, Invalid(FieldTaxBreakdown, "%.60q is not a rate with its net amount and tax.",
				strings.TrimSpace(part)).WithRemedy("Write it as 19%%: 100.00 + 19.00; 7%%: 50.00 + 3.50.")
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func taxRow(rate, net, tax, currency string) (row TaxRow, ok bool) {
	percent, ok := decimalOf(rate)
	if !ok || percent.Sign() < 0 || percent.Cmp(big.NewRat(1000, 1)) > 0 || len(rate) > 8 ||
		strings.HasPrefix(rate, "+") {
		return row, false
	}
	base, err := ParseMoney(strings.TrimSpace(net), currency)
	if err != nil {
		return row, false
	}
	levy, err := ParseMoney(strings.TrimSpace(tax), currency)
	if strings.Contains(rate, ".") {
		rate = strings.TrimRight(strings.TrimRight(rate, "0"), ".")
	}
	return TaxRow{Rate: rate, Net: base.Minor, Tax: levy.Minor}, err == nil
}

// AddsUp reports whether the tax is the rate of the net amount, but for the rounding of the given
// number of line items, each by one minor unit at most.
func (r TaxRow) AddsUp(lines int) bool {
	rate, ok := decimalOf(r.Rate)
	if !ok {
		return false
	}
	due := new(big.Rat).Mul(rate, big.NewRat(r.Net, 100))
	difference := due.Sub(due, new(big.Rat).SetInt64(r.Tax))
	return difference.Abs(difference).Cmp(big.NewRat(int64(max(lines, 1)), 1)) <= 0
}

// SumTaxRows returns the sums of the net amounts and of the taxes.
func SumTaxRows(rows []TaxRow) (net, tax int64) {
	for _, row := range rows {
		net, tax = net+row.Net, tax+row.Tax
	}
	return net, tax
}
