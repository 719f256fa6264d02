package main

import (
	"strings"
	"testing"
)

// The list contains the seeded rates, in the base currency, and the base currency is always 1.
func TestRatesAreSeededAndListed(t *testing.T) {
	t.Parallel()
	o := newOperatorTool(t)
	for rate, want := range map[string]string{
		"kwd 3.25":        "1 KWD = 3.25 USD from now on\n",
		"JPY 0.0067":      "1 JPY = 0.0067 USD from now on\n",
		"chf .5":          "1 CHF = 0.5 USD from now on\n",
		"gbp 2.":          "1 GBP = 2 USD from now on\n",
		"sek 0.0000001":   "1 SEK = 0.000001 USD from now on\n", // a millionth is the least
		"kzt 1.000000001": "1 KZT = 1.000001 USD from now on\n",
		"usd 1":           "1 USD = 1 USD from now on\n",
	} {
		if got := o.ok(append([]string{"rate", "seed"}, strings.Fields(rate)...)...); got != want {
			t.Errorf("%s: %q, want %q", rate, got, want)
		}
	}
	o.refused(exitUsage, "The rate of the base currency USD is always 1.", "rate", "seed", "usd", "2")
	o.refused(exitFailed, "The currency CHF already has a rate.", "rate", "seed", "CHF", "1.13")
	var list []struct{ Currency, Rate, Base string }
	o.decoded(&list, "rate", "list")
	got := map[string]string{}
	for _, row := range list {
		if row.Base != "USD" || got[row.Currency] != "" {
			t.Errorf("the list has %+v and %s", row, got[row.Currency])
		}
		got[row.Currency] = row.Rate
	}
	for currency, want := range map[string]string{"KWD": "3.25", "JPY": "0.0067", "CHF": "0.5",
		"GBP": "2", "SEK": "0.000001", "USD": "1", "EUR": ""} {
		if got[currency] != want {
			t.Errorf("1 %s is listed as %q, want %q", currency, got[currency], want)
		}
	}
	if table := o.ok("rate", "list"); !strings.HasPrefix(table, "UNIT   IS WORTH\n") ||
		!strings.Contains(table, "1 KWD  3.25 USD\n") {
		t.Errorf("the table is\n%s", table)
	}
}
