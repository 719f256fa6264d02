package domain

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

func TestToBaseRoundsAwayFromZero(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ minor, rate, want int64 }{
		"exact":                      {100, 1_500_000, 150},
		"a part of a cent counts":    {1, 1_000_001, 2},
		"just below a limit":         {99_999, 1_000_001, 100_000},
		"nothing":                    {0, 1_087_500, 0},
		"a tiny rate":                {1, 1, 1},
		"a credit note":              {-1, 1_000_001, -2},
		"beyond an int64":            {MaxMinor, 999_999_999_000_000, MaxMinor},
		"beyond an int64, a credit":  {-MaxMinor, 999_999_999_000_000, -MaxMinor},
		"the largest amount, evenly": {MaxMinor, 1_000_000, MaxMinor},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := (Money{Minor: tc.minor, Currency: "EUR"}).ToBase(tc.rate); got != tc.want {
				t.Errorf("got %d, want %d", got, tc.want)
			}
		})
	}
}

// Splitting an amount over documents never makes the sum smaller, so it brings none below a limit.
func TestSplittingAnAmountNeverLowersItsSum(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.Int64Range(0, 1_000_000_000).Draw(t, "a")
		b := rapid.Int64Range(0, 1_000_000_000).Draw(t, "b")
		rate := rapid.Int64Range(1, 2_000_000_000).Draw(t, "rate")
		whole := Money{Minor: a + b}.ToBase(rate)
		parts := Money{Minor: a}.ToBase(rate) + Money{Minor: b}.ToBase(rate)
		if parts < whole {
			t.Fatalf("%d and %d convert to %d, together to %d", a, b, parts, whole)
		}
		if larger := (Money{Minor: a + 1}).ToBase(rate); larger < (Money{Minor: a}).ToBase(rate) {
			t.Fatalf("%d converts to less than %d", a+1, a)
		}
		exact := new(big.Rat).SetFrac(new(big.Int).Mul(big.NewInt(a), big.NewInt(rate)),
			big.NewInt(1_000_000))
		if new(big.Rat).SetInt64(Money{Minor: a}.ToBase(rate)).Cmp(exact) < 0 {
			t.Fatalf("%d is rounded down", a)
		}
	})
}

func TestCurrenciesInUse(t *testing.T) {
	t.Parallel()
	for code, known := range map[string]bool{"EUR": true, "USD": true, "JPY": true, "KWD": true,
		"": false, "eur": false, "DEM": false, "XYZ": false, "EURO": false} {
		if KnownCurrency(code) != known {
			t.Errorf("%q is known: %t", code, KnownCurrency(code))
		}
	}
	for code, digits := range map[string]int{"USD": 2, "JPY": 0, "KWD": 3} {
		if got, ok := Exponent(code); !ok || got != digits {
			t.Errorf("%s has %d digits, want %d", code, got, digits)
		}
	}
	Currencies()[0] = "changed by a caller"
	for _, code := range Currencies() {
		if !KnownCurrency(code) {
			t.Errorf("%q is listed and not known", code)
		}
	}
}
