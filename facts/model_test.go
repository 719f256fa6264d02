package facts_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"countersign/domain"
	"countersign/facts"
)

// drawModelSet draws what a language model may state: any value, with any mark that it must not use.
func drawModelSet(t *rapid.T, suggestions bool) domain.AssertionSet {
	s := domain.AssertionSet{Source: domain.SourceLLM, Revision: 9,
		DocumentRevision: rapid.IntRange(1, 3).Draw(t, "document of the model")}
	values := map[string][]string{domain.FieldTotal: {"", "1", "10", "99999999"},
		domain.FieldCurrency: {"", "USD", "JPY"}, domain.FieldCountry: {"", "DE", "IR"},
		domain.FieldVendor: {"", "Acme", "Other"}, domain.FieldNumber: {"", "N-1", "N-3"},
		domain.FieldIBAN: {"", "A", "C"}}
	for _, field := range domain.FieldNames() {
		if len(values[field]) == 0 || !rapid.Bool().Draw(t, "the model states "+field) {
			continue
		}
		a := domain.Assertion{Field: field,
			Value:      rapid.SampledFrom(values[field]).Draw(t, "model "+field),
			Confidence: rapid.Float64Range(0, 1).Draw(t, "model confidence"),
			Resolves:   rapid.Bool().Draw(t, "model resolves"),
			Order:      rapid.Bool().Draw(t, "model order"),
			Suggestion: suggestions || rapid.Bool().Draw(t, "suggestion")}
		if a.Value == "" && rapid.Bool().Draw(t, "model undetermined") {
			a.Undetermined = "illegible"
		}
		s.Assertions = append(s.Assertions, a)
	}
	return s
}

// drawOrdered draws a history, sometimes with a payment order.
func drawOrdered(t *rapid.T) facts.History {
	var history facts.History
	if rapid.Bool().Draw(t, "ordered") {
		history = append(history, domain.AssertionSet{Source: domain.SourceDeclared, Revision: 1,
			Assertions: facts.OrderAssertions(domain.Order{Payer: "Payer", Payee: "Acme", Account: "A",
				Country: "DE", Amount: domain.Money{Minor: 1000, Currency: "USD"}})})
	}
	for n := range rapid.IntRange(0, 6).Draw(t, "sets") {
		history = append(history, drawSet(t, int64(n+2)))
	}
	return history
}

// withModel inserts the set at any position.
func withModel(t *rapid.T, history facts.History, set domain.AssertionSet) facts.History {
	at := rapid.IntRange(0, len(history)).Draw(t, "position")
	return slices.Insert(slices.Clone(history), at, set)
}

var modelNeeds = []string{"amount", "currency", "counterparty", "country", "account", "number"}

func inGermany(country string) bool { return country == "DE" }

// Whatever a language model states, wherever in the history: everything of the risk basis stays, every
// difference stays, the values in force of other sources stay, and no fact becomes stated by it.
func TestModelOnlyAdds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		history := drawOrdered(t)
		with := withModel(t, history, drawModelSet(t, false))
		before, after := facts.RiskOf(history, noCountry), facts.RiskOf(with, noCountry)
		requireIncludes(t, "amounts", after.Amounts, before.Amounts)
		requireIncludes(t, "countries", after.Countries, before.Countries)
		requireIncludes(t, "country roles", after.CountryRoles, before.CountryRoles)
		requireIncludes(t, "names", after.Names, before.Names)
		requireIncludes(t, "tax ids", after.TaxIDs, before.TaxIDs)
		requireIncludes(t, "numbers", after.Numbers, before.Numbers)
		requireIncludes(t, "dates", after.Dates, before.Dates)
		requireIncludes(t, "accounts", after.Accounts, before.Accounts)
		requireIncludes(t, "against the order", after.Against, before.Against)
		requireIncludes(t, "order differences", before.Against, after.Against)
		for _, field := range domain.FieldNames() {
			was, known := history.InForce(field)
			is, _ := with.InForce(field)
			if known && (is.Value != was.Value || is.Set.Source != was.Set.Source) {
				t.Fatalf("%s: %q by %s is no longer in force, but %q by %s", field, was.Value,
					was.Set.Source, is.Value, is.Set.Source)
			}
			if len(history.Differences(field)) > 0 {
				requireDifference(t, with, field, history.Differences(field)[0])
			}
		}
		missing, unstated := facts.Missing(history, modelNeeds, domain.ID{1}, inGermany)
		stillMissing, still := facts.Missing(with, modelNeeds, domain.ID{1}, inGermany)
		requireIncludes(t, "missing facts", stillMissing, missing)
		requireIncludes(t, "unstated facts", still, unstated)
		check, ok := facts.CheckOrder(history, nil)
		if modelled, _ := facts.CheckOrder(with, nil); ok && modelled.Covered() != check.Covered() {
			t.Fatal("a language model decided whether the evidence supports the order")
		}
	})
}

// What no page shows changes nothing at all.
func TestSuggestionsCountForNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		history := drawOrdered(t)
		with := withModel(t, history, drawModelSet(t, true))
		before, after := facts.RiskOf(history, noCountry), facts.RiskOf(with, noCountry)
		if !after.Covers(before, minor) || !before.Covers(after, minor) ||
			!slices.Equal(before.Amounts, after.Amounts) {
			t.Fatalf("the risk basis %+v became %+v", before, after)
		}
		for _, field := range domain.FieldNames() {
			was, known := history.InForce(field)
			is, still := with.InForce(field)
			if known != still || was.Value != is.Value ||
				len(history.Differences(field)) != len(with.Differences(field)) {
				t.Fatalf("%s: %+v became %+v", field, was.Assertion, is.Assertion)
			}
		}
		missing, unstated := facts.Missing(history, modelNeeds, domain.ID{1}, inGermany)
		missingWith, unstatedWith := facts.Missing(with, modelNeeds, domain.ID{1}, inGermany)
		if !slices.Equal(missing, missingWith) || !slices.Equal(unstated, unstatedWith) {
			t.Fatalf("missing %v %v became %v %v", missing, unstated, missingWith, unstatedWith)
		}
	})
}

// A grounded value fills a field that nothing else fills, and never before a declaration.
func TestModelFillsMissingFields(t *testing.T) {
	t.Parallel()
	model := set(domain.SourceLLM, 3, domain.FieldTotal, "5")
	if got, ok := (facts.History{model}).InForce(domain.FieldTotal); !ok || got.Value != "5" {
		t.Errorf("in force: %+v, %t", got.Assertion, ok)
	}
	declared := facts.History{set(domain.SourceDeclared, 1, domain.FieldTotal, "7"), model}
	if got, _ := declared.InForce(domain.FieldTotal); got.Value != "7" {
		t.Errorf("in force before the declaration: %+v", got.Assertion)
	}
	if differences := declared.Differences(domain.FieldTotal); len(differences) != 1 {
		t.Errorf("the difference is not shown: %+v", differences)
	}
	if len(declared.Of(domain.FieldTotal)) != 2 {
		t.Error("the history of the field lacks the model's value")
	}
}

// A person who enters what the model stated before counts as the one who entered it.
func TestModelTeachesNothing(t *testing.T) {
	t.Parallel()
	model := set(domain.SourceLLM, 2, domain.FieldVendor, "Acme")
	approved := []facts.Approval{{By: domain.ID{7}}}
	if (facts.History{model}).Teaches(domain.FieldVendor, domain.ID{1}, approved, nil) {
		t.Error("the value of a model alone teaches")
	}
	entered := set(domain.SourceHuman, 3, domain.FieldVendor, "Acme")
	entered.By = domain.ID{7}
	if (facts.History{model, entered}).Teaches(domain.FieldVendor, domain.ID{1}, approved, nil) {
		t.Error("the person who entered the value confirmed it themselves")
	}
}

func requireIncludes[T comparable](t *rapid.T, what string, all, some []T) {
	for _, one := range some {
		if !slices.Contains(all, one) {
			t.Fatalf("%s: %v no longer has %v", what, all, one)
		}
	}
}

// requireDifference fails unless the history has every value of an earlier difference.
func requireDifference(t *rapid.T, history facts.History, field string, earlier facts.Difference) {
	found := history.Differences(field)
	for _, value := range earlier.Values {
		if len(found) == 0 || !slices.ContainsFunc(found[0].Values,
			func(e facts.Entry) bool { return e.Value == value.Value }) {
			t.Fatalf("the difference of %s lost %q", field, value.Value)
		}
	}
}
