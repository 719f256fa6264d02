package workflow

import (
	"strings"
	"testing"

	"countersign/domain"
)

const cautiousDefinition = `
key: cautious
version: 1
on_abandon: seal_abandoned
nodes:
  - {id: start, kind: start, next: route}
  - {id: route, kind: exclusive, branches: [{when: 'country == "IR" || country == "KP" && amount_minor > 100000', to: special}, {when: 'currency == "EUR" && amount_minor < 100000', to: archive}], default: usual}
  - {id: special, kind: review, queue: L2, level: 2, on: {approve: usual, reject: seal_rejected}}
  - {id: usual, kind: review, queue: L1, on: {approve: archive, reject: seal_rejected}}
  - {id: archive, kind: stage, behaviour: archive, outcome: archived, next: archived}
  - {id: seal_rejected, kind: stage, behaviour: archive, outcome: rejected, next: rejected}
  - {id: seal_abandoned, kind: stage, behaviour: archive, outcome: abandoned, next: abandoned}
  - {id: abandoned, kind: end, status: abandoned}
  - {id: archived, kind: end, status: archived}
  - {id: rejected, kind: end, status: rejected}
`

// A gateway takes the edge of a value that counts beside the one in force if that adds reviews, and never
// one that leaves a review out.
func TestGatewayConsidersOtherValues(t *testing.T) {
	t.Parallel()
	def := mustParse(t, cautiousDefinition)
	eur := func(minor int64) domain.Money { return domain.Money{Minor: minor, Currency: "EUR"} }
	for name, row := range map[string]struct {
		country string
		others  []string
		amount  domain.Money
		atRisk  domain.Money
		want    string
	}{
		"one value":                  {"DE", nil, eur(500), domain.Money{}, "archive"},
		"another harmless country":   {"DE", []string{"FR"}, eur(500), domain.Money{}, "archive"},
		"a high-risk country":        {"DE", []string{"FR", "IR"}, eur(500), domain.Money{}, "special"},
		"a harmless one beside it":   {"IR", []string{"DE"}, eur(500), domain.Money{}, "special"},
		"a larger amount":            {"DE", nil, eur(500), eur(200_000), "usual"},
		"another currency":           {"DE", nil, eur(500), domain.Money{Minor: 600, Currency: "USD"}, "usual"},
		"a smaller amount beside it": {"DE", nil, eur(200_000), eur(500), "usual"},
		"a country in its amount":    {"FR", []string{"KP"}, eur(500), eur(200_000), "special"},
		"both":                       {"DE", []string{"IR"}, eur(500), eur(200_000), "special"},
	} {
		facts := clean()
		facts.Country, facts.OtherCountries = row.country, row.others
		facts.Amount, facts.Currency, facts.AmountKnown = row.amount, row.amount.Currency, true
		facts.AtRisk = row.atRisk
		step, err := Advance(def, domain.Marking{}, Event{Kind: Started}, facts)
		if err != nil || step.Marking.Tokens[0].Node != row.want {
			t.Errorf("%s: at %v (%v), want %s", name, step.Marking.Tokens, err, row.want)
		}
	}
}

// A guard that cannot be evaluated for another value fails no case: it was not asked for before.
func TestGuardThatFailsForAnotherValue(t *testing.T) {
	t.Parallel()
	def := mustParse(t, strings.Replace(cautiousDefinition, `country == "IR" || country == "KP" && amount_minor > 100000`,
		`country != "DE" && 1 / (amount_minor - 500) > 0`, 1))
	facts := clean()
	facts.Country, facts.OtherCountries = "DE", []string{"FR"}
	facts.Amount, facts.Currency, facts.AmountKnown = domain.Money{Minor: 500, Currency: "EUR"}, "EUR", true
	step, err := Advance(def, domain.Marking{}, Event{Kind: Started}, facts)
	if err != nil || step.Marking.Tokens[0].Node != "archive" {
		t.Errorf("at %v (%v)", step.Marking.Tokens, err)
	}
}
