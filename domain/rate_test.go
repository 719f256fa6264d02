package domain

import (
	"math/big"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestRateMicrosRespectsTheMinorDigitsOfBothCurrencies(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		currency, rate string
		want           int64
	}{
		"two digits, as the base":       {"EUR", "1.0875", 1_087_500},
		"the base itself":               {"USD", "1", 1_000_000},
		"no digits: a yen is 100 cents": {"JPY", "0.0067", 670_000},
		"three digits: a fils":          {"KWD", "3.25", 325_000},
		"blanks around":                 {"EUR", " 1.5 ", 1_500_000},
		"no whole part":                 {"EUR", ".5", 500_000},
		"no fraction after the point":   {"EUR", "2.", 2_000_000},
		"below a micro, rounded up":     {"EUR", "0.000000001", 1},
		"nine decimals, rounded up":     {"EUR", "1.000000001", 1_000_001},
		"the largest whole part":        {"EUR", "999999999", 999_999_999_000_000},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, err := RateMicros(tc.currency, tc.rate); err != nil || got != tc.want {
				t.Errorf("%s %s: got %d %v, want %d", tc.rate, tc.currency, got, err, tc.want)
			}
		})
	}
}

func TestRateMicrosRefusesWhatIsNoRate(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ currency, rate, field string }{
		"an unknown currency":         {"XYZ", "1", "currency"},
		"no currency":                 {"", "1", "currency"},
		"nothing":                     {"EUR", "", "rate"},
		"a point alone":               {"EUR", ".", "rate"},
		"zero":                        {"EUR", "0", "rate"},
		"zero with decimals":          {"EUR", "0.000", "rate"},
		"negative":                    {"EUR", "-1.5", "rate"},
		"signed":                      {"EUR", "+1.5", "rate"},
		"a comma":                     {"EUR", "1,5", "rate"},
		"two points":                  {"EUR", "1.5.2", "rate"},
		"an exponent":                 {"EUR", "1e3", "rate"},
		"not a number":                {"EUR", "NaN", "rate"},
		"a blank inside":              {"EUR", "1 5", "rate"},
		"ten digits":                  {"EUR", "1234567890", "rate"},
		"ten decimals":                {"EUR", "0.0000000001", "rate"},
		"digits of another set":       {"EUR", "１.５", "rate"},
		"too large a rate of the yen": {"JPY", "999999999", "rate"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := RateMicros(tc.currency, tc.rate)
			if !HasCode(err, InvalidInput) || got != 0 {
				t.Fatalf("%q: got %d %v", tc.rate, got, err)
			}
			if field := err.(*Error).Field; field != tc.field {
				t.Errorf("%q: the error is at %q, want %q", tc.rate, field, tc.field)
			}
		})
	}
}

// A stored rate is never below the entered one, otherwise a conversion could bring an amount below a
// limit; and it is less than one micro above.
func TestRateMicrosRoundsUpByLessThanOne(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		currency := rapid.SampledFrom([]string{"EUR", "JPY", "KWD", "USD", "CLF"}).Draw(t, "currency")
		whole := rapid.Int64Range(0, 46_000_000).Draw(t, "whole")
		fraction := rapid.StringMatching(`[0-9]{1,9}`).Draw(t, "fraction")
		text := strconv.FormatInt(whole, 10) + "." + fraction
		exact, _ := new(big.Rat).SetString(text)
		if exact.Sign() == 0 {
			return
		}
		digits, _ := Exponent(currency)
		base, _ := Exponent(BaseCurrency)
		scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(6+base)), nil)
		exact.Mul(exact, new(big.Rat).SetInt(scale))
		exact.Quo(exact, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10),
			big.NewInt(int64(digits)), nil)))
		got, err := RateMicros(currency, text)
		if err != nil {
			t.Fatal(err)
		}
		above := new(big.Rat).Sub(new(big.Rat).SetInt64(got), exact)
		if above.Sign() < 0 || above.Cmp(big.NewRat(1, 1)) >= 0 {
			t.Fatalf("%s %s: %d is %s above", text, currency, got, above.FloatString(9))
		}
	})
}

func TestRateTextIsReadBackToTheSameRate(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		currency := rapid.SampledFrom([]string{"EUR", "JPY", "KWD", "USD"}).Draw(t, "currency")
		micros := rapid.Int64Range(1, 99_999_999_999_999).Draw(t, "micros")
		text := RateText(currency, micros)
		if strings.HasSuffix(text, ".") || strings.HasPrefix(text, ".") {
			t.Fatalf("%d in %s is written %q", micros, currency, text)
		}
		if whole, _, _ := strings.Cut(text, "."); len(whole) > 9 {
			return // cannot be entered either
		}
		if got, err := RateMicros(currency, text); err != nil || got != micros {
			t.Fatalf("%s: %d is written %s and read as %d %v", currency, micros, text, got, err)
		}
	})
}

func TestRateText(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		currency string
		micros   int64
		want     string
	}{
		{"EUR", 1_087_500, "1.0875"}, {"EUR", 1_000_000, "1"}, {"EUR", 1, "0.000001"},
		{"EUR", 12_000_000, "12"}, {"JPY", 670_000, "0.0067"}, {"KWD", 325_000, "3.25"},
		{"EUR", 0, "0"},
	} {
		if got := RateText(tc.currency, tc.micros); got != tc.want {
			t.Errorf("%d in %s: got %q, want %q", tc.micros, tc.currency, got, tc.want)
		}
	}
}
