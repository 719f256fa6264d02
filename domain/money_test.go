package domain_test

import (
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"countersign/domain"
)

func TestGrouped(t *testing.T) {
	t.Parallel()
	for text, money := range map[string]domain.Money{
		"0.00 EUR": {Currency: "EUR"}, "999.99 EUR": {Minor: 99_999, Currency: "EUR"},
		"1,000.00 EUR":    {Minor: 100_000, Currency: "EUR"},
		"-999.00 EUR":     {Minor: -99_900, Currency: "EUR"},
		"-123,456.78 EUR": {Minor: -12_345_678, Currency: "EUR"},
		"1,234,567 JPY":   {Minor: 1_234_567, Currency: "JPY"},
		"1,234.567 KWD":   {Minor: 1_234_567, Currency: "KWD"},
	} {
		if got := money.FormatGrouped(); got != text {
			t.Errorf("%+v: %s, want %s", money, got, text)
		}
	}
}

// refused means InvalidInput in tables.
const refused = int64(-1 << 62)

func TestParseMoney(t *testing.T) {
	t.Parallel()
	for code, amounts := range map[string]map[string]int64{
		"EUR": {
			"1.234,56": 123_456, "1,234.56": 123_456, "1234.56": 123_456, "1234,56": 123_456,
			"-1": -100, "-1.234,56": -123_456, "0": 0, "-0": 0,
			"-0,5": -50, "0.5": 50, "7": 700, "007": 700, " 12.30\n": 1_230,
			"1.000.000": 100_000_000, "1,000,000": 100_000_000,
			"1\u202f234,50": 123_450, "1\u00a0234,50": 123_450, "1 234,50": 123_450,
			"1 234.5": 123_450, "1'234.50": 123_450, "1’234.50": 123_450,
			"12.3400": 1_234, "0.500": 50, "10000000000000.00": domain.MaxMinor,
			"-10000000000000.00": -domain.MaxMinor,
			"10000000000000.01":  refused, "-10000000000000.01": refused,
			"9223372036854775807": refused, "92233720368547758.08": refused,
			"1.234": refused, "1,234": refused, "-1,234": refused, "1.239": refused,
			"0.005": refused, "12.345": refused, "1,234.567": refused,
			"1.234,567": refused, "1.234.56": refused, "12,34,56": refused, "1,23": 123,
			"1.2.3": refused, "1,234,56": refused,
			"NaN": refused, "Inf": refused, "-Inf": refused, "10^30": refused, "1e30": refused,
			"1e2": refused, "0x10": refused, "1_000": refused,
			strings.Repeat("9", 31): refused, "0." + strings.Repeat("0", 30): 0,
			"0." + strings.Repeat("0", 30) + "1": refused,
			strings.Repeat("9", 400):             refused, strings.Repeat("1,", 400): refused,
			"": refused, " ": refused, "-": refused, ".": refused, ".5": refused, "5.": refused,
			"--1": refused, "+1": refused, "1-": refused,
			"(1)": refused, "1 2": refused, "1  234": refused, "€5": refused, "5 EUR": refused,
			"−1": refused, "١٢": refused, "１２": refused, "1\x00": refused,
		},
		"JPY": {"1500": 1_500, "-1500": -1_500, "1500.0": 1_500, "1,234,500": 1_234_500,
			"1.234.500": 1_234_500, "1500.5": refused, "0.5": refused,
			// It could be 1500 yen, or one and a half in a foreign hand; a person is asked rather
			// than guessed at.
			"1,500": refused, "1.500": refused},
		"KWD": {"12.345": 12_345, "-12.345": -12_345, "1,234.500": 1_234_500,
			"1.234,500": 1_234_500, "0.5": 500, "0,500": 500, "12": 12_000,
			"1234,5": 1_234_500, "12,345": refused, "1.2345": refused, "1,234.5678": refused},
		"INR": {"1,23,456.78": 12_345_678, "12,34,567": 123_456_700, "-1,00,000.00": -10_000_000,
			"1,23,45.67": refused, "1,23,456.789": refused},
		"usd": {"1.50": 150}, " Chf ": {"1'000.05": 100_005},
		"": {"1": refused}, "XXQ": {"1": refused}, "EURO": {"1": refused}, "€": {"1": refused},
	} {
		for text, want := range amounts {
			got, err := domain.ParseMoney(text, code)
			switch {
			case want == refused && !domain.HasCode(err, domain.InvalidInput):
				t.Errorf("%.60q in %q: %v, %v; want it refused", text, code, got, err)
			case want != refused && (err != nil || got.Minor != want ||
				got.Currency != strings.ToUpper(strings.TrimSpace(code))):
				t.Errorf("%.60q in %q: %v, %v; want %d", text, code, got, err, want)
			case err != nil && len(err.Error()) > 300:
				t.Errorf("%.60q in %q: the refusal has %d bytes", text, code, len(err.Error()))
			}
		}
	}
}

func TestWhatIsFormattedIsReadBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		money := domain.Money{
			Minor:    rapid.Int64Range(-domain.MaxMinor, domain.MaxMinor).Draw(t, "minor"),
			Currency: rapid.SampledFrom(domain.Currencies()).Draw(t, "currency"),
		}
		if got, err := domain.ParseMoney(money.Decimal(), money.Currency); err != nil ||
			got != money {
			t.Errorf("%s is read as %v, %v", money, got, err)
		}
		grouped, digits := strings.TrimSuffix(
			money.FormatGrouped(), " "+money.Currency,
		), exponent(
			t, money.Currency,
		)
		got, err := domain.ParseMoney(grouped, money.Currency)
		if digits == 0 &&
			strings.Count(grouped, ",") == 1 { // a single separator without decimals is ambiguous
			if !domain.HasCode(err, domain.InvalidInput) {
				t.Errorf("%s %s is read as %v, %v", grouped, money.Currency, got, err)
			}
		} else if err != nil || got != money {
			t.Errorf("%s %s is read as %v, %v", grouped, money.Currency, got, err)
		}
	})
}

func exponent(t *rapid.T, code string) int {
	digits, ok := domain.Exponent(code)
	if !ok {
		t.Fatalf("%s has no exponent", code)
	}
	return digits
}

// TestNothingIsRounded checks that an accepted amount equals the number in the text, with the last
// separator read as decimal or thousands separator.
func TestNothingIsRounded(t *testing.T) {
	t.Parallel()
	piece := rapid.OneOf(
		rapid.StringMatching(`[0-9]{1,4}`), rapid.StringMatching(`[0-9]{3}`),
		rapid.SampledFrom(
			[]string{".", ",", " ", "'", "\u202f", "\u00a0", "-", "0", "00", "e", "^", "+"},
		),
	)
	loose := rapid.Map(
		rapid.SliceOfN(piece, 1, 12),
		func(parts []string) string { return strings.Join(parts, "") },
	)
	shaped := rapid.StringMatching(`-?[0-9]{1,3}([., '][0-9]{2,3}){0,4}([.,][0-9]{1,5})?`)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(loose, shaped).Draw(t, "text")
		code := rapid.SampledFrom([]string{"EUR", "JPY", "KWD", "INR", "CLF"}).Draw(t, "currency")
		got, err := domain.ParseMoney(text, code)
		if err != nil {
			if !domain.HasCode(err, domain.InvalidInput) || got != (domain.Money{}) {
				t.Errorf("%q: %v, %v", text, got, err)
			}
			return
		}
		value := new(big.Rat).SetFrac(big.NewInt(got.Minor), powerOfTen(exponent(t, code)))
		if value.Cmp(parseDecimal(text, false)) != 0 && value.Cmp(parseDecimal(text, true)) != 0 {
			t.Errorf("%q in %s is read as %s", text, code, got)
		}
	})
}

// parseDecimal returns the number in the text.
func parseDecimal(text string, decimals bool) *big.Rat {
	text = strings.TrimSpace(text)
	digits := strings.Map(func(r rune) rune {
		if r == '-' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, text)
	places := 0
	if at := strings.LastIndexAny(text, ".,"); decimals && at >= 0 {
		places = len(text) - at - 1
	}
	number, ok := new(big.Int).SetString(digits, 10)
	if !ok {
		return new(big.Rat).SetInt(powerOfTen(40)) // not a number; no amount equals this
	}
	return new(big.Rat).SetFrac(number, powerOfTen(places))
}

func powerOfTen(digits int) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil)
}
