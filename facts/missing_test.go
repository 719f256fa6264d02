package facts

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"countersign/domain"
)

var missingSubmitter = domain.ID{1}

func usesIBAN(country string) bool { return country == "DE" }

func drawHistory(t *rapid.T) History {
	var history History
	for range rapid.IntRange(0, 8).Draw(t, "sets") {
		set := domain.AssertionSet{
			Source: rapid.SampledFrom([]domain.FieldSource{domain.SourceDeclared, domain.SourceOCR,
				domain.SourceXML, domain.SourceHuman, domain.SourceExternal}).Draw(t, "source"),
			By:               domain.ID{rapid.ByteRange(1, 3).Draw(t, "by")},
			DocumentRevision: rapid.IntRange(1, 2).Draw(t, "revision")}
		for range rapid.IntRange(1, 3).Draw(t, "assertions") {
			fact := rapid.SampledFrom(domain.NeededFacts()).Draw(t, "fact")
			assertion := domain.Assertion{Field: domain.FieldOfFact(fact),
				Value:    rapid.SampledFrom([]string{"", "DE", "US"}).Draw(t, "value"),
				Resolves: rapid.Bool().Draw(t, "resolves")}
			if assertion.Value == "" && rapid.Bool().Draw(t, "undetermined") {
				assertion.Undetermined = "illegible"
			}
			set.Assertions = append(set.Assertions, assertion)
		}
		history = append(history, set)
	}
	return history
}

// TestMissingFacts checks over random histories that a missing fact has no value that counts, that
// a fact without one is missing unless it was found impossible to determine, that only needed facts
// are asked for, and that a value by the submitter or the document states the fact.
func TestMissingFacts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		history := drawHistory(t)
		needs := rapid.SliceOfDistinct(rapid.SampledFrom(domain.NeededFacts()),
			rapid.ID[string]).Draw(t, "needs")
		missing, unstated := Missing(history, needs, missingSubmitter, usesIBAN)
		for _, fact := range domain.NeededFacts() {
			values := history.Values(domain.FieldOfFact(fact))
			isMissing, isUnstated := slices.Contains(missing, fact), slices.Contains(unstated, fact)
			asked := slices.Contains(needs, fact) && (fact != domain.FactAccount ||
				slices.Contains(history.Values(domain.FieldCountry), "DE"))
			switch {
			case !asked && isUnstated, isMissing && !isUnstated, isMissing && len(values) > 0:
				t.Fatalf("%s: missing %v, unstated %v, values %v", fact, missing, unstated, values)
			case asked && len(values) == 0 && !isUnstated:
				t.Fatalf("%s has no value and counts as stated", fact)
			case asked && len(values) == 0 && !isMissing &&
				!history.undetermined(domain.FieldOfFact(fact)):
				t.Fatalf("%s has no value and is not missing", fact)
			}
			stated := append(slices.Clone(history), domain.AssertionSet{
				Source: domain.SourceHuman, By: missingSubmitter,
				Assertions: []domain.Assertion{{Field: domain.FieldOfFact(fact), Value: "DE",
					Resolves: true}}})
			if _, after := Missing(stated, needs, missingSubmitter, usesIBAN); slices.Contains(
				after, fact) {
				t.Fatalf("%s is unstated although the submitter stated it", fact)
			}
		}
	})
}

// A reviewer's finding that a value cannot be determined holds for the document that they saw, and
// until a person removes or names the value.
func TestUndeterminedFact(t *testing.T) {
	t.Parallel()
	human := func(revision int, value, undetermined string) domain.AssertionSet {
		return domain.AssertionSet{Source: domain.SourceHuman, By: domain.ID{2},
			DocumentRevision: revision, Assertions: []domain.Assertion{{Field: domain.FieldCountry,
				Value: value, Undetermined: undetermined, Resolves: true}}}
	}
	read := func(revision int) domain.AssertionSet {
		return domain.AssertionSet{Source: domain.SourceOCR, DocumentRevision: revision}
	}
	for name, test := range map[string]struct {
		history           History
		missing, unstated bool
	}{
		"nothing":          {History{read(1)}, true, true},
		"undetermined":     {History{read(1), human(1, "", "no address")}, false, true},
		"another document": {History{read(1), human(1, "", "no address"), read(2)}, true, true},
		"then named":       {History{human(1, "", "no address"), human(1, "US", "")}, false, true},
		"named, removed":   {History{human(1, "US", ""), human(1, "", "")}, true, true},
		"removed after":    {History{human(1, "", "no address"), human(1, "", "")}, true, true},
	} {
		missing, unstated := Missing(test.history, []string{domain.FactCountry}, missingSubmitter,
			usesIBAN)
		if (len(missing) > 0) != test.missing || (len(unstated) > 0) != test.unstated {
			t.Errorf("%s: missing %v, unstated %v", name, missing, unstated)
		}
		if inForce, ok := test.history.InForce(domain.FieldCountry); ok && inForce.Undetermined != "" {
			t.Errorf("%s: a finding is in force as a value", name)
		}
	}
}
