package facts

import (
	"slices"

	"countersign/domain"
)

// Covers reports whether the risk basis includes everything of another one: an amount at least as
// large in every currency, every country in each field that has it, every name, tax id, number and date,
// whatever speaks against the payment order, and the same accounts. Names and tax ids that were replaced
// do not count, because rules about a known counterparty judge only the name in force. base converts an amount
// to the base currency.
func (r Risk) Covers(other Risk, base func(domain.Money) int64) bool {
	return r.Largest(base) >= other.Largest(base) && r.coversCountries(other) &&
		includes(without(r.Names, r.ReplacedNames), without(other.Names, other.ReplacedNames)) &&
		includes(without(r.TaxIDs, r.ReplacedTaxIDs), without(other.TaxIDs, other.ReplacedTaxIDs)) &&
		includes(r.Numbers, other.Numbers) &&
		includes(r.Dates, other.Dates) && includes(r.Against, other.Against) &&
		slices.Equal(r.Accounts, other.Accounts)
}

// coversCountries compares the countries of each field. A country that another field has too is not
// covered by that one, because otherwise both could disappear one after the other.
func (r Risk) coversCountries(other Risk) bool {
	return !slices.ContainsFunc(other.CountryRoles, func(o domain.CountryAtRisk) bool {
		return !slices.ContainsFunc(r.CountryRoles, func(c domain.CountryAtRisk) bool {
			return c.Code == o.Code && c.Field == o.Field
		})
	})
}

// Largest returns the amount at risk in the base currency, 0 if no amount is known.
func (r Risk) Largest(base func(domain.Money) int64) int64 {
	var largest int64
	for _, amount := range r.Amounts {
		largest = max(largest, base(amount))
	}
	return largest
}

// without returns the values that are not among the excluded ones.
func without(values, excluded []string) []string {
	if len(excluded) == 0 {
		return values
	}
	return slices.DeleteFunc(slices.Clone(values),
		func(value string) bool { return slices.Contains(excluded, value) })
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

// doubtful reports whether a machine read the value, and with great doubt.
func (e Entry) doubtful() bool {
	return e.Set.Source.IsMachine() && e.Confidence < domain.Doubtful
}

// RiskFields are the fields of a document that the risk basis has. Of these a value that waits for a
// second person may be in force, because the riskier one counts beside it.
var RiskFields = []string{domain.FieldVendor, domain.FieldNumber, domain.FieldDate,
	domain.FieldCurrency, domain.FieldTotal, domain.FieldIBAN, domain.FieldVATID,
	domain.FieldCountry, domain.FieldPayerCountry, domain.FieldPayerAccount,
	domain.FieldDeliveryCountry}

// IsBesideRisk reports whether the risk basis does not have the field. Rules judge only the value in
// force of such a field, so that one that waits for a second person is not in force.
func IsBesideRisk(field string) bool { return !slices.Contains(RiskFields, field) }

// IsOfRiskOfOrder reports whether the risk basis has the value of an order's field: one of a document's
// risk fields, the payer, or the bank, whose country is at risk.
func IsOfRiskOfOrder(field string) bool {
	return !IsBesideRisk(field) || field == domain.FieldPayer || HasCountry(field)
}

// isBesideRisk reports whether a correction replaces values of a field that the risk basis does not
// have. A reading that is no value is not replaced.
func (c Correction) isBesideRisk() bool {
	return IsBesideRisk(c.Field) && slices.ContainsFunc(c.Drops(), Entry.says)
}

// says reports whether the entry states a value, or that a person removed it.
func (e Entry) says() bool {
	return e.Value != "" || e.Set.Source == domain.SourceHuman && e.Undetermined == ""
}

// Contradicts reports whether an asserted value differs from an unresolved one of its field.
func Contradicts(history History, asserted domain.Assertion) bool {
	return slices.ContainsFunc(history.Evidence().Unresolved(asserted.Field),
		func(e Entry) bool { return e.Value != asserted.Value && e.says() })
}

// mayKeepFindings reports whether a value that the page does not show may resolve if no finding
// disappears by it: only fields of the built-in extractor outside the risk basis.
func (c Correction) mayKeepFindings() bool {
	return !c.Own && IsBesideRisk(c.Field)
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
	RulesEasier      NeedsSecondPerson = "rules_easier" // a duplicate or finding would disappear
	CountryChanged   NeedsSecondPerson = "country"      // a country would no longer count
	PartyChanged     NeedsSecondPerson = "counterparty" // a counterparty would no longer count
	SubmitterStated  NeedsSecondPerson = "submitter"    // the submitter of the case entered it
)

// Resolve judges corrections that are made together, such as a total and its currency: whether they
// resolve the earlier assertions of their fields without a second person. They do if the risk basis
// afterwards covers the one before; but for an amount that no longer counts, sameRoute must hold.
// Otherwise every assertion that would no longer count must be a machine's reading, the new values
// must be printed on the page, and sameRoute, which the caller computes, must hold. An account always needs a second person, and so does whatever a person, an
// external program or an e-invoice stated. A field that the risk basis does not have is judged like
// the others, but a value that the page does not show resolves if no finding disappears by it:
// sameRoute then also compares the findings.
func Resolve(
	before, after Risk, base func(domain.Money) int64, corrections []Correction,
	sameRoute func(sameFindings bool) NeedsSecondPerson,
) NeedsSecondPerson {
	if len(before.Accounts) > 0 && !slices.Equal(before.Accounts, after.Accounts) &&
		slices.ContainsFunc(corrections,
			func(c Correction) bool { return c.Field == domain.FieldIBAN }) {
		return AccountChanged
	}
	if after.Covers(before, base) && !slices.ContainsFunc(corrections, Correction.isBesideRisk) {
		// An amount that no longer counts may be that of a duplicate, or its currency or sign may demand
		// a review.
		if !includes(after.Amounts, before.Amounts) {
			return sameRoute(false)
		}
		return NoSecondPerson
	}
	onPage, keepsFindings := true, true
	for _, correction := range corrections {
		dropped := correction.Drops()
		for _, entry := range dropped {
			if !entry.Set.Source.IsMachine() {
				return StatementChanged
			}
		}
		onPage = onPage && (correction.OnPage || len(dropped) == 0)
		keepsFindings = keepsFindings && correction.mayKeepFindings()
	}
	if !onPage && !keepsFindings {
		return NotOnPage
	}
	return sameRoute(!onPage)
}
