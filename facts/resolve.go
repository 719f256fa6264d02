package facts

import (
	"slices"

	"countersign/domain"
)

// Covers reports whether the risk basis includes everything of another one: an amount at least as
// large in every currency, every country, name, tax id, number and date, whatever speaks against the payment
// order, and the same accounts. base converts an amount to the base currency.
func (r Risk) Covers(other Risk, base func(domain.Money) int64) bool {
	return r.Largest(base) >= other.Largest(base) && includes(r.Countries, other.Countries) &&
		includes(r.Names, other.Names) && includes(r.TaxIDs, other.TaxIDs) &&
		includes(r.Numbers, other.Numbers) &&
		includes(r.Dates, other.Dates) && includes(r.Against, other.Against) &&
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

func includes[T comparable](all, some []T) bool {
	return !slices.ContainsFunc(some, func(s T) bool { return !slices.Contains(all, s) })
}

// Correction is a value that a reviewer asserts.
type Correction struct {
	Field string
	Value string // normalised
	// OnPage says that the value is printed on the page of the newest document.
	OnPage bool
	// Own says that only the document type declares the field.
	Own bool
	// Earlier are the unresolved assertions of the field before the correction.
	Earlier []Entry
}

// Drops returns the earlier assertions that would no longer count: those with another value.
func (c Correction) Drops() []Entry {
	return slices.DeleteFunc(slices.Clone(c.Earlier),
		func(e Entry) bool { return e.Value == c.Value })
}

// ReplacesDoubtful reports whether an asserted name takes the place of doubtful readings alone, which
// no one confirmed: the machine itself says that a person has to name the party. The evidence of a
// payment order needs the payee that the order declares, because another name would be a third one.
func ReplacesDoubtful(history History, asserted domain.Assertion) bool {
	order, ordered := history.Order()
	return asserted.Field == domain.FieldVendor && asserted.Value != "" &&
		(!ordered || domain.PartyKey(asserted.Value) == domain.PartyKey(order.Payee)) &&
		!slices.ContainsFunc(history.Evidence().Unresolved(asserted.Field),
			func(e Entry) bool { return !e.doubtful() })
}

// doubtful reports whether a machine read the value without certainty.
func (e Entry) doubtful() bool {
	return e.Set.Source.IsMachine() && e.Confidence < domain.LowConfidence
}

// isBesideRisk reports whether a correction replaces values of a field that the risk basis does not
// have, because only the document type declares it.
func (c Correction) isBesideRisk() bool { return c.Own && len(c.Drops()) > 0 }

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

// Resolve judges corrections that are made together, such as a total and its currency: whether they
// resolve the earlier assertions of their fields without a second person. They do if the risk basis
// afterwards covers the one before. Otherwise every assertion that would no longer count must be a
// machine's reading, the new values must be printed on the page, and sameRoute, which the caller
// computes, must hold. An account always needs a second person, and so does whatever a person, an
// external program or an e-invoice stated.
func Resolve(
	before, after Risk, base func(domain.Money) int64, corrections []Correction,
	sameRoute func() NeedsSecondPerson,
) NeedsSecondPerson {
	if len(before.Accounts) > 0 && !slices.Equal(before.Accounts, after.Accounts) &&
		slices.ContainsFunc(corrections,
			func(c Correction) bool { return c.Field == domain.FieldIBAN }) {
		return AccountChanged
	}
	if after.Covers(before, base) && !slices.ContainsFunc(corrections, Correction.isBesideRisk) {
		return NoSecondPerson
	}
	onPage := true
	for _, correction := range corrections {
		dropped := correction.Drops()
		for _, entry := range dropped {
			if !entry.Set.Source.IsMachine() {
				return StatementChanged
			}
		}
		onPage = onPage && (correction.OnPage || len(dropped) == 0)
	}
	if !onPage {
		return NotOnPage
	}
	return sameRoute()
}
