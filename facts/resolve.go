package facts

import (
	"slices"

	"countersign/domain"
)

// Covers reports whether the risk basis includes everything of another one: an amount at least as
// large in every currency, and every country, name, number and account. base converts an amount to
// the base currency.
func (r Risk) Covers(other Risk, base func(domain.Money) int64) bool {
	return r.Largest(base) >= other.Largest(base) && includes(r.Countries, other.Countries) &&
		includes(r.Names, other.Names) && includes(r.Numbers, other.Numbers) &&
		slices.Equal(r.Accounts, other.Accounts)
}

// Largest returns the amount at risk in the base currency, 0 if no amount is known.
func (r Risk) Largest(base func(domain.Money) int64) int64 {
	var largest int64
	for _, amount := range r.Amounts {
		largest = max(largest, base(amount))
	}
	return largest
}

func includes(all, some []string) bool {
	return !slices.ContainsFunc(some, func(s string) bool { return !slices.Contains(all, s) })
}

// Correction is a value that a reviewer asserts.
type Correction struct {
	Field string
	Value string // normalised
	// OnPage says that the value is printed on the page of the newest document.
	OnPage bool
}

// NeedsSecondPerson says why a correction cannot resolve a difference alone.
type NeedsSecondPerson string

// The reasons. NoSecondPerson means that one reviewer is enough.
const (
	NoSecondPerson   NeedsSecondPerson = ""
	AccountChanged   NeedsSecondPerson = "account"      // another account would be paid
	StatementChanged NeedsSecondPerson = "statement"    // a person, program or e-invoice stated it
	NotOnPage        NeedsSecondPerson = "not_on_page"  // the page does not show the new value
	RouteEasier      NeedsSecondPerson = "route_easier" // fewer or other people would decide
	LimitExceeded    NeedsSecondPerson = "limit"        // a value is above the reviewer's limit
	RulesEasier      NeedsSecondPerson = "rules_easier" // a duplicate would no longer be found
	CountryChanged   NeedsSecondPerson = "country"      // a country would no longer count
	PartyChanged     NeedsSecondPerson = "counterparty" // a counterparty would no longer count
)

// Resolve judges one correction: whether it resolves the earlier assertions of its field without a
// second person. It does if the risk basis afterwards covers the one before. Otherwise every
// assertion that would no longer count must be a machine's reading, the new value must be printed
// on the page, and sameRoute, which the caller computes, must hold. An account always needs a second
// person, and so does whatever a person, an external program or an e-invoice stated.
func Resolve(
	before, after Risk, base func(domain.Money) int64, dropped []Entry, correction Correction,
	sameRoute func() NeedsSecondPerson,
) NeedsSecondPerson {
	if correction.Field == domain.FieldIBAN && len(before.Accounts) > 0 &&
		!slices.Equal(before.Accounts, after.Accounts) {
		return AccountChanged
	}
	if after.Covers(before, base) {
		return NoSecondPerson
	}
	for _, entry := range dropped {
		if entry.Value != correction.Value && !entry.Set.Source.IsMachine() {
			return StatementChanged
		}
	}
	if !correction.OnPage {
		return NotOnPage
	}
	return sameRoute()
}
