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
	persons           []domain.ID
}

// Propose returns the proposal of assertions that follow those of the set. persons are those whose
// earlier values do not confirm it: the reviewer, the delegator if any, and the submitter. kind is the
// document type of the case.
func Propose(
	history History, set domain.AssertionSet, asserted []domain.Assertion, persons []domain.ID,
	kind *domain.DocumentType, countryOf func(field, value string) string,
) Proposal {
	p := Proposal{Earlier: withSet(history, set), persons: persons}
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

// withSet returns the history with a further set, unless that has no assertions.
func withSet(history History, set domain.AssertionSet) History {
	if len(set.Assertions) == 0 {
		return history
	}
	return append(slices.Clone(history), set)
}

// Judge decides whether the corrections resolve: alone by the rules of Resolve, or because another
// person has asserted the same values. A smaller risk basis also needs limits for the largest value:
// mayResolve reports whether those of the reviewer suffice, or with those of one of the people who
// have asserted the same values before.
func (p Proposal) Judge(
	base func(domain.Money) int64, mayResolve func(largest int64, confirmed []domain.ID) bool,
	sameRoute func(sameFindings bool) NeedsSecondPerson,
) NeedsSecondPerson {
	needs := Resolve(p.Before, p.After, base, p.corrections, sameRoute)
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

// confirmed returns the other people who have asserted every value that the corrections replace
// others by, and whether each of these values was asserted by another person.
func (p Proposal) confirmed() (by []domain.ID, each bool) {
	each, first := true, true
	for _, correction := range p.corrections {
		if len(correction.Drops()) == 0 {
			continue
		}
		others := correction.assertedBy(p.persons)
		each = each && len(others) > 0
		if first {
			by, first = others, false
			continue
		}
		by = slices.DeleteFunc(by,
			func(id domain.ID) bool { return !slices.Contains(others, id) })
	}
	return by, each
}

// AssertedBefore reports whether another person than some has asserted the value of the correction.
func (c Correction) AssertedBefore(without []domain.ID) bool {
	return len(c.assertedBy(without)) > 0
}

// assertedBy returns the people, without some, who have asserted the value of the correction.
func (c Correction) assertedBy(without []domain.ID) []domain.ID {
	var people []domain.ID
	for _, entry := range c.Earlier {
		if entry.Set.Source == domain.SourceHuman && entry.Value == c.Value &&
			!slices.Contains(without, entry.Set.By) &&
			(entry.OnBehalfOf == domain.NoID || !slices.Contains(without, entry.OnBehalfOf)) &&
			!slices.Contains(people, entry.Set.By) {
			people = append(people, entry.Set.By)
		}
	}
	return people
}
