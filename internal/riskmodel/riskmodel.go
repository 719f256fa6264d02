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
var Fields = []string{domain.FieldCountry, domain.FieldPayerCountry, domain.FieldDeliveryCountry,
	domain.FieldVendor, domain.FieldPayer, domain.FieldNumber, domain.FieldDate, domain.FieldIBAN,
	domain.FieldBIC, domain.FieldPayerAccount}

// atRisk returns what of a value counts: of a bank and of the payer's account the country.
func atRisk(field, value string) string {
	switch {
	case field == domain.FieldBIC && len(value) >= 8:
		return value[4:6]
	case field == domain.FieldPayerAccount && len(value) > 2:
		return value[:2]
	}
	return value
}

// Counted is one assertion that still counts.
type Counted struct {
	domain.Assertion
	Source domain.FieldSource
	By     domain.ID
	set    int
	// alone says that its set asserted a total without a currency, or a currency without a total.
	alone bool
	// ofPart says that it was stated about a part of a file that was merged again.
	ofPart bool
	// revision is that of the document from which it was read.
	revision int
}

// Model is what was asserted about a case and still counts: a value that was asserted counts until
// one reviewer may end that, or two of them did.
type Model struct {
	Counting map[string][]Counted // by field
	// Base converts an amount to the base currency.
	Base   func(domain.Money) int64
	stated []string // names that a person or an e-invoice stated, which always count
	read   []string // names that a machine read with confidence; once replaced, they count for conflicts alone
	sets   int
	newest int // revision of the document that was read last
	past   []action
}

// action is what was done to a model: assertions, whether a reviewer corrected by them, and whether what
// they replaced counts no longer.
type action struct {
	set               domain.AssertionSet
	corrects, settles bool
	passes            bool // what counts is now about the correction of an archived case, or a part
	ofPart            bool
}

// New returns a model in which nothing was asserted.
func New(base func(domain.Money) int64) *Model {
	return &Model{Counting: map[string][]Counted{}, Base: base}
}

// Risk are the largest amount in the base currency, and the distinct values by field.
type Risk struct {
	Largest int64
	Values  map[string][]string
	// Replaced are the names that count for conflicts alone.
	Replaced []string
}

// Includes reports whether the risk includes a value of a field.
func (r Risk) Includes(field, value string) bool {
	return slices.Contains(r.Values[field], value)
}

// counts reports whether the risk includes a value that does not count for conflicts alone.
func (r Risk) counts(field, value string) bool {
	return r.Includes(field, value) &&
		(field != domain.FieldVendor || !slices.Contains(r.Replaced, value))
}

// within reports whether everything of a risk is part of another one.
func (r Risk) within(other Risk) bool {
	for field, values := range r.Values {
		for _, value := range values {
			if r.counts(field, value) && !other.counts(field, value) {
				return false
			}
		}
	}
	return r.Largest <= other.Largest
}

// Reviewer is who makes a correction.
type Reviewer struct {
	Persons []domain.ID // the reviewer, and the delegator if any
	// Submitter is who submitted the case, NoID if that is not known. Their values confirm none.
	Submitter domain.ID
	// Earlier are the submitters of the archived cases that the case corrects. Their values confirm none
	// either.
	Earlier []domain.ID
	// MayResolve reports whether the limits of the persons cover the amount.
	MayResolve func(largest int64) bool
	// MayResolveWithAnother, if set, reports whether the persons resolve the amount if another person
	// has asserted the same, although no limit covers it.
	MayResolveWithAnother func(largest int64) bool
	// SameRoute reports whether the same people decide on both risks, conflicts exclude the same
	// people, and the same duplicates are found.
	SameRoute func(before, after Risk) bool
}

// resolves reports whether the persons end the effect of values up to the amount. two says that another
// person has asserted the same, and alone that they need none.
func (r Reviewer) resolves(largest int64, alone, two bool) bool {
	return (alone || two) && r.MayResolve(largest) ||
		two && r.MayResolveWithAnother != nil && r.MayResolveWithAnother(largest)
}

// Add adds the assertions of one source. None ends the effect of another one.
func (m *Model) Add(set domain.AssertionSet) {
	m.past = append(m.past, action{set: set})
	m.add(set, false)
}

// AddOfPart adds what was stated about a part of the file, after the parts were merged. It ends the effect
// of nothing, and confirms nothing about the file.
func (m *Model) AddOfPart(set domain.AssertionSet) {
	m.past = append(m.past, action{set: set, ofPart: true})
	m.add(set, true)
}

func (m *Model) add(set domain.AssertionSet, ofPart bool) {
	m.sets++
	if set.Source.IsMachine() && set.Source != domain.SourceLLM || set.Source == domain.SourceXML {
		m.newest = max(m.newest, set.DocumentRevision)
	}
	for _, a := range set.Assertions {
		m.Counting[a.Field] = append(m.Counting[a.Field],
			Counted{a, set.Source, set.By, m.sets, isAlone(set, a.Order), ofPart,
				set.DocumentRevision})
		switch {
		case a.Field != domain.FieldVendor || a.Value == "":
		case !set.Source.IsMachine():
			m.stated = append(m.stated, a.Value)
		case a.Confidence >= confident:
			m.read = append(m.read, a.Value)
		}
	}
}

// isAlone reports whether the set does not assert both a total and a currency, of the order or of the
// document.
func isAlone(set domain.AssertionSet, order bool) bool {
	has := func(field string) bool {
		return slices.ContainsFunc(set.Assertions, func(a domain.Assertion) bool {
			return a.Field == field && a.Order == order && a.Value != ""
		})
	}
	return !has(domain.FieldTotal) || !has(domain.FieldCurrency)
}

// Correct makes corrections of a reviewer. What they replace counts no longer if the risk does not
// fall, no account changes, and the route stays the same if an amount counts no longer; if one reviewer may do it (readings of machines only, no account, the new value on the page,
// the same route); or if another reviewer has asserted the same. What the reviewer entered themselves
// is judged as if they had not entered it, if the route stays the same. A fall also needs the limit. Only the
// country of a bank is part of the risk, so that another bank of the same country replaces none alone either.
func (m *Model) Correct(set domain.AssertionSet, by Reviewer) {
	for _, group := range groups(set.Assertions) {
		own := set
		own.Assertions = group
		settles := m.correct(own, by)
		m.past = append(m.past, action{set: own, corrects: true, settles: settles})
	}
}

// without returns the model as it would be if some people had not corrected the fields of a set.
func (m *Model) without(people []domain.ID, set domain.AssertionSet) *Model {
	other := New(m.Base)
	for _, past := range m.past {
		if past.passes {
			other.pass()
			continue
		}
		if past.corrects && slices.Contains(people, past.set.By) {
			past.set.Assertions = slices.DeleteFunc(slices.Clone(past.set.Assertions),
				func(a domain.Assertion) bool {
					return (a.OnBehalfOf == domain.NoID || slices.Contains(people, a.OnBehalfOf)) &&
						slices.ContainsFunc(set.Assertions,
							func(b domain.Assertion) bool { return a.Field == b.Field })
				})
		}
		if past.settles {
			other.settle(past.set)
		}
		other.add(past.set, past.ofPart)
	}
	return other
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

func (m *Model) correct(set domain.AssertionSet, by Reviewer) (settles bool) {
	after := m.clone()
	alone, replaces, account, bank := true, false, false, false
	var confirming []domain.ID
	for _, a := range set.Assertions {
		others := slices.DeleteFunc(slices.Clone(m.Counting[a.Field]),
			func(c Counted) bool { return c.Order || c.Value == a.Value })
		if len(others) == 0 {
			continue
		}
		account = account || a.Field == domain.FieldIBAN
		bank = bank || a.Field == domain.FieldBIC
		alone = alone && (a.Grounded || a.Field == domain.FieldBIC) && a.Field != domain.FieldIBAN &&
			!slices.ContainsFunc(others, func(c Counted) bool { return !c.Source.IsMachine() })
		if others := m.others(by, a, false); replaces {
			confirming = slices.DeleteFunc(confirming,
				func(id domain.ID) bool { return !slices.Contains(others, id) })
		} else {
			confirming, replaces = others, true
		}
	}
	two := !replaces || len(confirming) > 0
	after.settle(set)
	after.add(set, false)
	before, result := m.Risk(), after.Risk()
	alone = (alone || m.without(by.Persons, set).resolvesAlone(set) ||
		!account && m.acceptsStatement(set, by.Submitter)) && by.SameRoute(before, result)
	if bank && !alone && !two || (account || !before.within(result)) &&
		!by.resolves(max(before.Largest, result.Largest), alone, two) ||
		m.hasOtherAmount(after) && !two && !by.SameRoute(before, result) {
		m.add(set, false)
		return false
	}
	*m = *after
	return true
}

// hasOtherAmount reports whether an amount of the model is none of another one.
func (m *Model) hasOtherAmount(than *Model) bool {
	amounts := than.amounts()
	return slices.ContainsFunc(m.amounts(),
		func(amount domain.Money) bool { return !slices.Contains(amounts, amount) })
}

// others returns the other people who have asserted the same about the order or the document, and nothing
// else after it.
func (m *Model) others(by Reviewer, a domain.Assertion, order bool) (people []domain.ID) {
	last := map[domain.ID]string{}
	for _, c := range m.Counting[a.Field] {
		if c.Order != order || c.Source != domain.SourceHuman || c.ofPart {
			continue
		}
		delete(last, c.OnBehalfOf) // who had something else asserted
		delete(last, c.By)
		if !slices.Contains(by.Persons, c.By) && (c.OnBehalfOf == domain.NoID ||
			!slices.Contains(by.Persons, c.OnBehalfOf)) && (order || !c.by(by.Submitter) &&
			!slices.ContainsFunc(by.Earlier, c.by)) {
			last[c.By] = c.Value
		}
	}
	for person, value := range last {
		if value == a.Value {
			people = append(people, person)
		}
	}
	return people
}

// settle ends the effect of the values that a set replaces.
func (m *Model) settle(set domain.AssertionSet) {
	for _, a := range set.Assertions {
		m.Counting[a.Field] = slices.DeleteFunc(m.Counting[a.Field],
			func(c Counted) bool { return !c.Order })
		if a.Field == domain.FieldCurrency {
			m.separate()
		}
	}
}

// resolvesAlone reports whether one reviewer may make the corrections, as far as the values before decide
// that.
func (m *Model) resolvesAlone(set domain.AssertionSet) bool {
	after := m.clone()
	alone, bank := true, false
	for _, a := range set.Assertions {
		bank = bank || a.Field == domain.FieldBIC
		for _, c := range m.Counting[a.Field] {
			if !c.Order && c.Value != a.Value {
				alone = alone && (a.Grounded || bank) && c.Source.IsMachine() &&
					(a.Field != domain.FieldIBAN || c.Value == "")
			}
		}
	}
	after.settle(set)
	after.add(set, false)
	before, result := m.Risk(), after.Risk()
	accounts := func(r Risk) []string { return slices.Sorted(slices.Values(r.Values[domain.FieldIBAN])) }
	return alone || !bank && before.within(result) && slices.Equal(accounts(before), accounts(result))
}

// Accept accepts restated values of a payment order: one reviewer whose limit covers the earlier
// ones, of an account two.
func (m *Model) Accept(set domain.AssertionSet, by Reviewer) {
	before := m.Risk()
	for _, a := range set.Assertions {
		if by.resolves(before.Largest, a.Field != domain.FieldIBAN, len(m.others(by, a, true)) > 0) {
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
			if value := atRisk(field, c.Value); value != "" && !risk.Includes(field, value) {
				risk.Values[field] = append(risk.Values[field], value)
			}
		}
	}
	for _, name := range m.stated {
		if !risk.Includes(domain.FieldVendor, name) {
			risk.Values[domain.FieldVendor] = append(risk.Values[domain.FieldVendor], name)
		}
	}
	for _, name := range m.read {
		if !risk.Includes(domain.FieldVendor, name) {
			risk.Values[domain.FieldVendor] = append(risk.Values[domain.FieldVendor], name)
			risk.Replaced = append(risk.Replaced, name)
		}
	}
	return risk
}

func (m *Model) clone() *Model {
	c := *m
	c.Counting = map[string][]Counted{}
	for field, list := range m.Counting {
		c.Counting[field] = slices.Clone(list)
	}
	c.stated, c.read, c.past = slices.Clone(m.stated), slices.Clone(m.read), slices.Clone(m.past)
	return &c
}
