package facts_test

import (
	"testing"

	"countersign/domain"
	"countersign/facts"
	"pgregory.net/rapid"
)

func usd(minor int64) domain.Money { return domain.Money{Minor: minor, Currency: "USD"} }

func seen() facts.Coverage {
	return facts.Coverage{Revision: 3, BaseMinor: 900, Limit: 1000, Amount: usd(500),
		Others: []domain.Money{usd(900)}, Countries: []string{"DE", "FR"},
		PartyID: domain.ID{1}, Parties: []domain.ID{{1}, {2}}, Numbers: []string{"N-1"},
		Account: "DE89", Values: map[string]string{"due_date": "2026-12-01"}}
}

func TestWhatAVoteCovers(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		change func(*facts.Coverage)
		want   bool
	}{
		"nothing":             {func(*facts.Coverage) {}, true},
		"a later revision":    {func(c *facts.Coverage) { c.Revision = 9 }, true},
		"a lower amount":      {func(c *facts.Coverage) { c.Amount, c.BaseMinor = usd(100), 100 }, true},
		"an amount seen":      {func(c *facts.Coverage) { c.Amount = usd(900) }, true},
		"an unseen amount":    {func(c *facts.Coverage) { c.Amount = usd(600) }, false},
		"a credit":            {func(c *facts.Coverage) { c.Amount = usd(-100) }, false},
		"another currency":    {func(c *facts.Coverage) { c.Amount.Currency = "JPY" }, false},
		"no amount":           {func(c *facts.Coverage) { c.Amount = domain.Money{} }, false},
		"a higher rate":       {func(c *facts.Coverage) { c.BaseMinor = 1000 }, true},
		"above the limit":     {func(c *facts.Coverage) { c.BaseMinor = 1001 }, false},
		"a higher amount":     {func(c *facts.Coverage) { c.BaseMinor, c.Others = 950, []domain.Money{usd(950)} }, false},
		"fewer countries":     {func(c *facts.Coverage) { c.Countries = []string{"FR"} }, true},
		"another country":     {func(c *facts.Coverage) { c.Countries = []string{"DE", "IR"} }, false},
		"fewer parties":       {func(c *facts.Coverage) { c.Parties = c.Parties[:1] }, true},
		"another party":       {func(c *facts.Coverage) { c.Parties = []domain.ID{{1}, {3}} }, false},
		"another payee":       {func(c *facts.Coverage) { c.PartyID = domain.ID{2} }, false},
		"another number":      {func(c *facts.Coverage) { c.Numbers = []string{"N-2"} }, false},
		"another account":     {func(c *facts.Coverage) { c.Account = "DE90" }, false},
		"another key value":   {func(c *facts.Coverage) { c.Values = map[string]string{"due_date": "2027-01-01"} }, false},
		"no key value":        {func(c *facts.Coverage) { c.Values = nil }, false},
		"one more key value":  {func(c *facts.Coverage) { c.Values = map[string]string{"due_date": "2026-12-01", "x": "1"} }, false},
		"one more assertion":  {func(c *facts.Coverage) { c.Others = append(c.Others, usd(800)) }, true},
		"the risk is removed": {func(c *facts.Coverage) { c.Others, c.BaseMinor = nil, 500 }, true},
	} {
		present := seen()
		row.change(&present)
		text, err := seen().Encode()
		if err != nil {
			t.Fatal(err)
		}
		stored, ok := facts.DecodeCoverage(text)
		if got := stored.Covers(present); !ok || got != row.want {
			t.Errorf("%s: %v, want %v", name, got, row.want)
		}
	}
	for _, text := range []string{"", "{}", "[", `{"base": 5}`} {
		if _, ok := facts.DecodeCoverage(text); ok {
			t.Errorf("%q is decoded", text)
		}
	}
}

// If one coverage covers a second and that a third, it covers the third: votes do not come to cover
// more by small steps.
func TestCoverageIsTransitive(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) facts.Coverage {
			amounts := rapid.SliceOfN(rapid.Int64Range(-3, 3), 1, 3).Draw(t, name+" amounts")
			c := facts.Coverage{Revision: 1, Amount: usd(amounts[0]),
				Countries: rapid.SliceOfN(rapid.SampledFrom([]string{"DE", "IR"}), 0, 2).
					Draw(t, name+" countries"),
				Account: rapid.SampledFrom([]string{"", "A"}).Draw(t, name+" account")}
			for _, minor := range amounts {
				c.BaseMinor = max(c.BaseMinor, minor, -minor)
				c.Others = append(c.Others, usd(minor))
			}
			c.Limit = c.BaseMinor // the rates do not change
			return c
		}
		a, b, c := draw("a"), draw("b"), draw("c")
		if a.Covers(b) && b.Covers(c) && !a.Covers(c) && c.BaseMinor > a.BaseMinor {
			t.Fatalf("%+v covers %+v, that %+v", a, b, c)
		}
		if !a.Covers(a) {
			t.Fatalf("%+v does not cover itself", a)
		}
	})
}
