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

// Of two reviews the one of a higher level or with more votes is asked if any amount leads to it. Of two that
// demand the same, and between countries, the value in force decides, and the author of the process is warned.
func TestGatewayBetweenDifferentReviews(t *testing.T) {
	t.Parallel()
	const between = `
key: between
version: 1
on_abandon: seal_abandoned
nodes:
  - {id: start, kind: start, next: route}
  - {id: route, kind: exclusive, branches: [{when: 'BRANCH', to: special}], default: usual}
  - {id: special, kind: review, queue: L2, SPECIAL, on: {approve: archive, reject: seal_rejected}}
  - {id: usual, kind: review, queue: L1, USUAL, on: {approve: archive, reject: seal_rejected}}
  - {id: archive, kind: stage, behaviour: archive, outcome: archived, next: archived}
  - {id: seal_rejected, kind: stage, behaviour: archive, outcome: rejected, next: rejected}
  - {id: seal_abandoned, kind: stage, behaviour: archive, outcome: abandoned, next: abandoned}
  - {id: abandoned, kind: end, status: abandoned}
  - {id: archived, kind: end, status: archived}
  - {id: rejected, kind: end, status: rejected}
`
	const country, amount, field = `country == "IR"`, `amount_minor > 100000`, `fields["total"] == "2000.00"`
	for name, row := range map[string]struct {
		branch, special, usual string
		low, high              string // where a case waits whose value in force leads to usual, and to special
		warns                  bool
	}{
		"a higher level by country":   {country, "level: 2", "level: 1", "usual", "special", true},
		"a higher level by amount":    {amount, "level: 2", "level: 1", "special", "special", false},
		"a higher level by a field":   {field, "level: 2", "level: 1", "special", "special", false},
		"a lower level by country":    {country, "level: 1", "level: 2", "usual", "special", true},
		"a lower level by amount":     {amount, "level: 1", "level: 2", "usual", "usual", false},
		"more votes":                  {amount, "seats: 2", "seats: 1", "special", "special", false},
		"the same level":              {amount, "level: 2", "level: 2", "usual", "special", true},
		"another duty":                {amount, "level: 2, duty: compliance", "level: 1", "usual", "special", true},
		"more votes of a lower level": {amount, "level: 1, seats: 2", "level: 2", "usual", "special", true},
		"by the risk basis":           {`base_minor > 100000`, "level: 2", "level: 2", "usual", "usual", false},
		"by what is unsure":           {`"country" in unsure_fields`, "level: 2", "level: 2", "usual", "usual", false},
	} {
		def := mustParse(t, strings.NewReplacer("BRANCH", row.branch, "SPECIAL", row.special, "USUAL", row.usual).
			Replace(between))
		if warnings := Warnings(def); (len(warnings) == 1 && warnings[0].Rule == "different_reviews") != row.warns ||
			!row.warns && len(warnings) > 0 {
			t.Errorf("%s: warnings %v", name, warnings)
		}
		for at, want := range map[bool]string{false: row.low, true: row.high} {
			small, large := domain.Money{Minor: 500, Currency: "EUR"}, domain.Money{Minor: 200_000, Currency: "EUR"}
			facts := clean()
			facts.Country, facts.OtherCountries, facts.Amount, facts.AtRisk = "DE", []string{"IR"}, small, large
			if at {
				facts.Country, facts.OtherCountries, facts.Amount, facts.AtRisk = "IR", []string{"DE"}, large, small
			}
			facts.Fields = map[string]string{domain.FieldTotal: facts.Amount.Decimal()}
			facts.Currency, facts.AmountKnown = "EUR", true
			step, err := Advance(def, domain.Marking{}, Event{Kind: Started}, facts)
			if err != nil || step.Marking.Tokens[0].Node != want {
				t.Errorf("%s (special in force: %t): at %v (%v), want %s", name, at, step.Marking.Tokens, err, want)
			}
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
