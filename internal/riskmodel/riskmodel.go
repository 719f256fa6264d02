// Package riskmodel computes the risk basis of a case by the words of the specification, for tests
// that compare the program with it.
//
// What may enter: assertions, and what a test knows about people, limits and routes. What never
// happens here: a call of the program that is compared; that would compare it with itself.
package riskmodel

import (
	"slices"

	"countersign/domain"
)

// confident is the confidence from which a name that a machine read counts for conflicts for ever.
const confident = 0.8

// Fields are the fields of a risk basis whose values count one by one, besides the amount.
var Fields = []string{domain.FieldCountry, domain.FieldVendor, domain.FieldPayer,
	domain.FieldNumber, domain.FieldDate, domain.FieldIBAN}

// Counted is one assertion that still counts.
type Counted struct {
	domain.Assertion
	Source domain.FieldSource
	By     domain.ID
	set    int
}

// Model is what was asserted about a case and still counts: a value that was asserted counts until
// one reviewer may end that, or two of them did.
type Model struct {
	Counting map[string][]Counted // by field
	// Base converts an amount to the base currency.
	Base   func(domain.Money) int64
	stated []string // names that always count for conflicts
	sets   int
}

// New returns a model in which nothing was asserted.
func New(base func(domain.Money) int64) *Model {
	return &Model{Counting: map[string][]Counted{}, Base: base}
}

// Risk are the largest amount in the base currency, and the distinct values by field.
type Risk struct {
	Largest int64
	Values  map[string][]string
}

// Includes reports whether the risk includes a value of a field.
func (r Risk) Includes(field, value string) bool {
	return slices.Contains(r.Values[field], value)
}

// within reports whether everything of a risk is part of another one.
func (r Risk) within(other Risk) bool {
	for field, values := range r.Values {
		for _, value := range values {
			if !other.Includes(field, value) {
				return false
			}
		}
	}
	return r.Largest <= other.Largest
}

// Reviewer is who makes a correction.
type Reviewer struct {
	Persons []domain.ID // the reviewer, and the delegator if any
	// MayResolve reports whether the limits of the persons cover the amount.
	MayResolve func(largest int64) bool
	// SameRoute reports whether the same people decide on both risks, conflicts exclude the same
	// people, and the same duplicates are found.
	SameRoute func(before, after Risk) bool
}

// Add adds the assertions of one source. None ends the effect of another one.
func (m *Model) Add(set domain.AssertionSet) {
	m.sets++
	for _, a := range set.Assertions {
		m.Counting[a.Field] = append(m.Counting[a.Field],
			Counted{a, set.Source, set.By, m.sets})
		if a.Field == domain.FieldVendor && a.Value != "" &&
			(!set.Source.IsMachine() || a.Confidence >= confident) {
			m.stated = append(m.stated, a.Value)
		}
	}
}

// Correct makes corrections of a reviewer. What they replace counts no longer if the risk does not
// fall and no account changes; if one reviewer may do it (readings of machines only, no account, the new value on the page,
// the same route); or if another reviewer has asserted the same. A fall also needs the limit.
func (m *Model) Correct(set domain.AssertionSet, by Reviewer) {
	for _, group := range groups(set.Assertions) {
		own := set
		own.Assertions = group
		m.correct(own, by)
	}
}

// groups returns the assertions that are judged together: a total with its currency, others alone.
func groups(assertions []domain.Assertion) [][]domain.Assertion {
	var found [][]domain.Assertion
	var amount []domain.Assertion
	for _, a := range assertions {
		if a.Field == domain.FieldTotal || a.Field == domain.FieldCurrency {
			amount = append(amount, a)
			continue
		}
		found = append(found, []domain.Assertion{a})
	}
	if len(amount) > 0 {
		found = append(found, amount)
	}
	return found
}

func (m *Model) correct(set domain.AssertionSet, by Reviewer) {
	after := m.clone()
	alone, two, account := true, true, false
	for _, a := range set.Assertions {
		replaced := func(c Counted) bool { return !c.Order && c.Value != a.Value }
		others := slices.DeleteFunc(slices.Clone(m.Counting[a.Field]),
			func(c Counted) bool { return !replaced(c) })
		after.Counting[a.Field] = slices.DeleteFunc(after.Counting[a.Field],
			func(c Counted) bool { return !c.Order })
		if len(others) == 0 {
			continue
		}
		account = account || a.Field == domain.FieldIBAN
		alone = alone && a.Grounded && a.Field != domain.FieldIBAN &&
			!slices.ContainsFunc(others, func(c Counted) bool { return !c.Source.IsMachine() })
		two = two && slices.ContainsFunc(m.Counting[a.Field], func(c Counted) bool {
			return c.Value == a.Value && c.Source == domain.SourceHuman && !c.Order &&
				!slices.Contains(by.Persons, c.By)
		})
	}
	after.Add(set)
	before, result := m.Risk(), after.Risk()
	alone = alone && by.SameRoute(before, result)
	if (account || !before.within(result)) &&
		(!alone && !two || !by.MayResolve(max(before.Largest, result.Largest))) {
		m.Add(set)
		return
	}
	*m = *after
}

// Accept accepts restated values of a payment order: one reviewer whose limit covers the earlier
// ones, of an account two.
func (m *Model) Accept(set domain.AssertionSet, by Reviewer) {
	before := m.Risk()
	for _, a := range set.Assertions {
		two := slices.ContainsFunc(m.Counting[a.Field], func(c Counted) bool {
			return c.Order && c.Source == domain.SourceHuman && c.Value == a.Value &&
				!slices.Contains(by.Persons, c.By)
		})
		if by.MayResolve(before.Largest) && (two || a.Field != domain.FieldIBAN) {
			m.Counting[a.Field] = slices.DeleteFunc(m.Counting[a.Field],
				func(c Counted) bool { return c.Order && c.Value != a.Value })
		}
	}
	m.Add(set)
}

// Risk returns the present risk basis.
func (m *Model) Risk() Risk {
	risk := Risk{Values: map[string][]string{}}
	for _, amount := range m.amounts() {
		risk.Largest = max(risk.Largest, m.Base(amount))
	}
	for _, field := range Fields {
		for _, c := range m.Counting[field] {
			if c.Value != "" && !risk.Includes(field, c.Value) {
				risk.Values[field] = append(risk.Values[field], c.Value)
			}
		}
	}
	for _, name := range m.stated {
		if !risk.Includes(domain.FieldVendor, name) {
			risk.Values[domain.FieldVendor] = append(risk.Values[domain.FieldVendor], name)
		}
	}
	return risk
}

// amounts are the totals in the currency of their set. A total or currency that is alone in its set
// is combined with every other one.
func (m *Model) amounts() (found []domain.Money) {
	totals, currencies := m.Counting[domain.FieldTotal], m.Counting[domain.FieldCurrency]
	has := func(list []Counted, set int) bool {
		return slices.ContainsFunc(list,
			func(c Counted) bool { return c.set == set && c.Value != "" })
	}
	for _, total := range totals {
		for _, currency := range currencies {
			amount, err := domain.ParseMoney(total.Value, currency.Value)
			if err == nil && (total.set == currency.set || !has(currencies, total.set) ||
				!has(totals, currency.set)) {
				found = append(found, amount)
			}
		}
	}
	return found
}

func (m *Model) clone() *Model {
	c := *m
	c.Counting = map[string][]Counted{}
	for field, list := range m.Counting {
		c.Counting[field] = slices.Clone(list)
	}
	c.stated = slices.Clone(m.stated)
	return &c
}
