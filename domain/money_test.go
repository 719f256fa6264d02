package domain_test

import (
	"testing"

	"countersign/domain"
)

func TestGrouped(t *testing.T) {
	t.Parallel()
	for text, money := range map[string]domain.Money{
		"0.00 EUR": {Currency: "EUR"}, "999.99 EUR": {Minor: 99_999, Currency: "EUR"}, "1,000.00 EUR": {Minor: 100_000, Currency: "EUR"},
		"-999.00 EUR": {Minor: -99_900, Currency: "EUR"}, "-123,456.78 EUR": {Minor: -12_345_678, Currency: "EUR"},
		"1,234,567 JPY": {Minor: 1_234_567, Currency: "JPY"}, "1,234.567 KWD": {Minor: 1_234_567, Currency: "KWD"},
	} {
		if got := money.Grouped(); got != text {
			t.Errorf("%+v: %s, want %s", money, got, text)
		}
	}
}
