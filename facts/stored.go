package facts

import (
	"slices"

	"countersign/domain"
)

// HistoryOf returns everything asserted about a case whose stored sets and present fields are given.
// At the first revision that is what its row declares. A case from before assertions were kept has
// those of its fields.
func HistoryOf(c domain.Case, stored []domain.AssertionSet, present []domain.Field) History {
	if len(stored) > 0 {
		return withDeclaration(c, stored)
	}
	sets := []domain.AssertionSet{Declared(c)}
	if c.FactsRevision > 1 {
		sets = append(sets, BySource(present, c.FactsRevision)...)
	}
	return slices.DeleteFunc(sets,
		func(set domain.AssertionSet) bool { return len(set.Assertions) == 0 })
}

// withDeclaration adds the declaration of a case from before assertions were kept, which has those of
// later readings only.
func withDeclaration(c domain.Case, stored []domain.AssertionSet) History {
	declared := Declared(c)
	if len(declared.Assertions) == 0 || slices.ContainsFunc(stored,
		func(set domain.AssertionSet) bool { return set.Source == domain.SourceDeclared }) {
		return stored
	}
	return append(History{declared}, stored...)
}

// Declared returns what the submitter declared about a new case.
func Declared(c domain.Case) domain.AssertionSet {
	set := domain.AssertionSet{CaseID: c.ID, Revision: 1, Source: domain.SourceDeclared,
		By: c.Submitter, At: c.CreatedAt}
	add := func(field, value string) {
		if value != "" {
			set.Assertions = append(set.Assertions,
				domain.Assertion{Field: field, Raw: value, Value: value, Confidence: 1})
		}
	}
	if c.DeclaredAmount.Currency != "" {
		add(domain.FieldTotal, c.DeclaredAmount.Decimal())
		add(domain.FieldCurrency, c.DeclaredAmount.Currency)
	}
	if c.FactsRevision == 1 {
		add(domain.FieldCountry, c.Country)
	}
	return set
}

// AssertionOf returns the assertion that a field makes.
func AssertionOf(f domain.Field) domain.Assertion {
	return domain.Assertion{Field: f.Name, Raw: f.Raw, Value: f.Normalised,
		Confidence: f.Confidence, Page: f.Page, Box: f.Box, Grounded: f.Grounded,
		LearnedFrom: f.LearnedFrom, Currency: f.Currency, OfTotals: f.OfTotals}
}

// BySource returns the assertions that fields make, one set for each source and person.
func BySource(fields []domain.Field, revision int64) []domain.AssertionSet {
	var sets []domain.AssertionSet
	for _, field := range fields {
		at := slices.IndexFunc(sets, func(s domain.AssertionSet) bool {
			return s.Source == field.Source && s.By == field.SetBy
		})
		if at < 0 {
			at = len(sets)
			sets = append(sets, domain.AssertionSet{Revision: revision, Source: field.Source,
				By: field.SetBy})
		}
		sets[at].Assertions = append(sets[at].Assertions, AssertionOf(field))
	}
	return sets
}
