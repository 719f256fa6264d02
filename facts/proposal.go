package facts

import (
	"slices"

	"countersign/domain"
)

// Proposal is a group of corrections that a reviewer makes together, with everything asserted before
// it.
type Proposal struct {
	// Earlier is everything asserted before the corrections, Resolved the same with corrections that
	// resolve.
	Earlier, Resolved History
	Before, After     Risk
	corrections       []Correction
	by                Proposers
	// afresh is the same proposal without what the acting people entered for these fields before, nil if
	// they entered nothing that counts.
	afresh *Proposal
}

// Proposers are the people whose earlier values do not confirm a proposal.
type Proposers struct {
	Acting    []domain.ID // all accounts of the reviewer, and of the delegator if any
	Submitter domain.ID   // of the case
	// SubmitterAccounts are all accounts of the submitter, and of the submitters of the archived cases that
	// the case corrects, about which they stated what it inherits.
	SubmitterAccounts []domain.ID
	// Persons are the accounts of the people who asserted anything about the case.
	Persons Persons
	// Parts are cases about whose pages alone values were stated that count for a merged file. Such a
	// value is of a part, so that it confirms no value of the file.
	Parts []domain.ID
}

// All returns everyone whose earlier values do not confirm the proposal.
func (p Proposers) All() []domain.ID {
	return slices.Concat(p.Acting, []domain.ID{p.Submitter}, p.SubmitterAccounts)
}

// Propose returns the proposal of assertions that follow those of the set. kind is the document type
// of the case.
func Propose(
	history History, set domain.AssertionSet, asserted []domain.Assertion, by Proposers,
	kind *domain.DocumentType, countryOf func(field, value string) string,
) Proposal {
	p := propose(history, set, asserted, by, kind, countryOf)
	if earlier, entered := withoutOwn(withSet(history, set), asserted, by); entered {
		set.Assertions = nil
		afresh := propose(earlier, set, asserted, by, kind, countryOf)
		p.afresh = &afresh
	}
	return p
}

func propose(
	history History, set domain.AssertionSet, asserted []domain.Assertion, by Proposers,
	kind *domain.DocumentType, countryOf func(field, value string) string,
) Proposal {
	p := Proposal{Earlier: withSet(history, set), by: by}
	set.Assertions = slices.Clone(set.Assertions)
	for _, assertion := range asserted {
		p.corrections = append(p.corrections, Correction{Field: assertion.Field,
			Value: assertion.Value, OnPage: assertion.Grounded,
			Own:     !kind.HasBuiltin(assertion.Field),
			Earlier: p.Earlier.Evidence().Unresolved(assertion.Field)})
		assertion.Resolves = true
		set.Assertions = append(set.Assertions, assertion)
	}
	p.Resolved = withSet(history, set)
	p.Before, p.After = RiskOf(p.Earlier, countryOf), RiskOf(p.Resolved, countryOf)
	return p
}

// withoutOwn returns the history without the values that the acting people entered themselves for the
// fields of the assertions, and whether there are any that count. What the submitter of the case
// entered was declared, and stays.
func withoutOwn(history History, asserted []domain.Assertion, by Proposers) (History, bool) {
	if slices.Contains(by.Acting, by.Submitter) {
		return history, false
	}
	own := func(e Entry) bool {
		return e.Set.Source == domain.SourceHuman && !e.Order && slices.Contains(by.Acting, e.Set.By) &&
			(e.OnBehalfOf == domain.NoID || slices.Contains(by.Acting, e.OnBehalfOf)) &&
			slices.ContainsFunc(asserted, func(a domain.Assertion) bool { return a.Field == e.Field })
	}
	entered := slices.ContainsFunc(asserted, func(a domain.Assertion) bool {
		return slices.ContainsFunc(history.Unresolved(a.Field), own)
	})
	if !entered {
		return history, false
	}
	without := slices.Clone(history)
	for i := range without {
		without[i].Assertions = slices.DeleteFunc(slices.Clone(without[i].Assertions),
			func(a domain.Assertion) bool { return own(Entry{a, &history[i]}) })
	}
	return without, true
}

// withSet returns the history with a further set, unless that has no assertions.
func withSet(history History, set domain.AssertionSet) History {
	if len(set.Assertions) == 0 {
		return history
	}
	return append(slices.Clone(history), set)
}

// Judge decides whether the corrections resolve: alone by the rules of Resolve, because the submitter
// restated their own values and the route stays the same, because the reviewer corrects only what they
// mistyped themselves and the route stays the same, or because another person has asserted the same
// values. A smaller risk basis also needs limits for the largest value:
// mayResolve reports whether those of the reviewer suffice, or with those of one of the people who
// have asserted the same values before.
func (p Proposal) Judge(
	base func(domain.Money) int64, mayResolve func(largest int64, confirmed []domain.ID) bool,
	sameRoute func(sameFindings bool) NeedsSecondPerson,
) NeedsSecondPerson {
	needs := Resolve(p.Before, p.After, base, p.corrections, sameRoute)
	if needs == StatementChanged && p.acceptsRestatement() {
		needs = sameRoute(slices.ContainsFunc(p.corrections,
			func(c Correction) bool { return IsBesideRisk(c.Field) }))
	}
	if (needs == StatementChanged || needs == AccountChanged) && p.afresh != nil {
		needs = p.correctsOwn(base, needs, sameRoute)
	}
	earlier, confirms := p.confirmed()
	if confirms {
		needs = NoSecondPerson
	}
	if needs == NoSecondPerson && !p.After.Covers(p.Before, base) &&
		!mayResolve(max(p.Before.Largest(base), p.After.Largest(base)), earlier) {
		needs = LimitExceeded
	}
	return needs
}

// correctsOwn judges corrections of what the acting people entered themselves: as if they had not entered
// it, but every review, conflict and duplicate because of it must stay. needs is why they would need a
// second person otherwise.
func (p Proposal) correctsOwn(
	base func(domain.Money) int64, needs NeedsSecondPerson,
	sameRoute func(sameFindings bool) NeedsSecondPerson,
) NeedsSecondPerson {
	sameFindings := false
	if Resolve(p.afresh.Before, p.afresh.After, base, p.afresh.corrections,
		func(same bool) NeedsSecondPerson {
			sameFindings = same
			return NoSecondPerson
		}) != NoSecondPerson {
		return needs
	}
	return sameRoute(sameFindings)
}

// confirmed returns the other people who have asserted every value that the corrections replace
// others by, and whether there are any, or no values are replaced. The total of one person in the currency
// of another was asserted by none.
func (p Proposal) confirmed() (by []domain.ID, confirms bool) {
	first := true
	for _, correction := range p.corrections {
		if len(correction.Drops()) == 0 {
			continue
		}
		others := correction.AssertedBy(p.by)
		if first {
			by, first = others, false
			continue
		}
		by = slices.DeleteFunc(by,
			func(id domain.ID) bool { return !slices.Contains(others, id) })
	}
	return by, first || len(by) > 0
}

// acceptsRestatement reports whether a reviewer accepts values by which the submitter replaced their
// own: nothing else than these and machine readings would no longer count.
func (p Proposal) acceptsRestatement() bool {
	if p.by.Submitter == domain.NoID || slices.Contains(p.by.Acting, p.by.Submitter) {
		return false
	}
	bySubmitter := func(e Entry) bool {
		return (e.Set.By == p.by.Submitter || e.OnBehalfOf == p.by.Submitter) &&
			!slices.Contains(p.by.Acting, e.Set.By) && !slices.Contains(p.by.Acting, e.OnBehalfOf)
	}
	return !slices.ContainsFunc(p.corrections, func(c Correction) bool {
		drops := c.Drops()
		stated := newest(c.Earlier, func(e Entry) bool {
			return bySubmitter(e) && e.Set.Source == domain.SourceHuman &&
				!slices.Contains(p.by.Parts, e.InheritedFrom)
		})
		return len(drops) > 0 && (slices.ContainsFunc(drops,
			func(e Entry) bool { return !e.Set.Source.IsMachine() && !bySubmitter(e) }) ||
			stated == nil || stated.Value != c.Value)
	})
}

// newest returns the last of the entries that fulfils the condition, nil if none does.
func newest(entries []Entry, condition func(Entry) bool) *Entry {
	for i := range slices.Backward(entries) {
		if condition(entries[i]) {
			return &entries[i]
		}
	}
	return nil
}

// AssertedBefore reports whether another person than the proposers has asserted the value of the correction.
func (c Correction) AssertedBefore(by Proposers) bool { return len(c.AssertedBy(by)) > 0 }

// AssertedBy returns the people other than the proposers who have asserted the value of the correction. What
// a person has replaced by another value, with whichever account, confirms nothing.
func (c Correction) AssertedBy(by Proposers) []domain.ID {
	var people, seen []domain.ID
	without := by.All()
	for _, entry := range slices.Backward(c.Earlier) {
		if entry.Set.Source != domain.SourceHuman || slices.Contains(by.Parts, entry.InheritedFrom) {
			continue
		}
		person := by.Persons.Of(entry.Set.By)
		replaced := slices.Contains(seen, person)
		seen = append(seen, person, by.Persons.Of(entry.OnBehalfOf))
		if !replaced && entry.Value == c.Value && !slices.Contains(without, entry.Set.By) &&
			(entry.OnBehalfOf == domain.NoID || !slices.Contains(without, entry.OnBehalfOf)) {
			people = append(people, entry.Set.By)
		}
	}
	return people
}
