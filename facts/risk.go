package facts

import (
	"slices"

	"countersign/domain"
)

// Confident is the confidence from which a name that a machine read counts for conflicts of
// interest even after it was corrected: a reviewer must not remove their own conflict by correcting
// the name, and a clearly misread name must not exclude anybody for ever.
const Confident = 0.8

// Risk is the risk basis: what rules, limits, conflicts and queues judge.
type Risk struct {
	// Amounts are the distinct unresolved amounts of the document and of the declaration, in the
	// currencies in which they were asserted. The largest of them in the base currency is the
	// amount at risk.
	Amounts []domain.Money
	// Countries are the distinct countries (ISO 3166-1 alpha-2) of the unresolved assertions: those
	// asserted, and those of accounts, banks and tax numbers; sorted.
	Countries []string
	// CountryRoles are the same countries with their roles and sources, sorted.
	CountryRoles []domain.CountryAtRisk
	// Names are the names of the counterparty, and of the payer of an order, that conflicts of
	// interest count: every one that a person or an e-invoice stated at any time, and the readings
	// that are unresolved or confident.
	Names []string
	// TaxIDs are the tax ids of the counterparty, by the same rule as Names.
	TaxIDs []string
	// ReplacedNames and ReplacedTaxIDs are those of Names and TaxIDs that a machine read with
	// confidence and a person replaced. They count for conflicts of interest alone.
	ReplacedNames, ReplacedTaxIDs []string
	// Numbers, Dates and Accounts are the distinct unresolved numbers and dates of the document, and
	// accounts; sorted.
	Numbers, Dates, Accounts []string
	// Against are the values of the evidence that speak against the payment order; empty without
	// an order.
	Against []string
}

// RiskOf computes the risk basis. countryOf returns the country of a normalised account or tax
// number, "" if it has none.
func RiskOf(h History, countryOf func(field, value string) string) Risk {
	roles := h.countryRoles(countryOf)
	risk := Risk{Amounts: h.amounts(), Countries: codesOf(roles), CountryRoles: roles,
		Numbers:  h.Values(domain.FieldNumber),
		Dates:    h.Values(domain.FieldDate),
		Accounts: h.Values(domain.FieldIBAN)}
	risk.Names, risk.ReplacedNames = h.names(domain.FieldVendor, domain.FieldPayer)
	risk.TaxIDs, risk.ReplacedTaxIDs = h.names(domain.FieldVATID)
	if check, ok := CheckOrder(h, nil); ok {
		risk.Against = check.Against()
	}
	return risk
}

// names returns the values of fields that conflicts of interest count; of the first field also those
// that are resolved, if a person or an e-invoice stated them or a machine read them with confidence.
// The latter are also returned as replaced.
func (h History) names(field string, others ...string) (names, replaced []string) {
	names = h.Values(field)
	for _, other := range others {
		names = append(names, h.Values(other)...)
	}
	var read []string
	for _, entry := range h.entries(field) {
		switch {
		case entry.Value == "":
		case !entry.Set.Source.IsMachine():
			names = append(names, entry.Value)
		case entry.Confidence >= Confident:
			read = append(read, entry.Value)
		}
	}
	replaced = slices.DeleteFunc(distinct(slices.Clone(read)),
		func(name string) bool { return slices.Contains(names, name) })
	return distinct(append(names, read...)), replaced
}

// distinct sorts the values and removes repeated ones.
func distinct(values []string) []string {
	slices.Sort(values)
	return slices.Compact(values)
}

// StatesTaxID reports whether one source other than a machine stated the tax id together with the
// name, so that both are of one party.
func (h History) StatesTaxID(name, taxID string) bool {
	for _, entry := range h.entries(domain.FieldVATID) {
		if entry.Value == taxID && !entry.Set.Source.IsMachine() &&
			slices.ContainsFunc(entry.Set.Assertions, func(a domain.Assertion) bool {
				return a.Field == domain.FieldVendor && a.Value == name
			}) {
			return true
		}
	}
	return false
}
