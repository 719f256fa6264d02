package facts_test

import (
	"testing"

	"countersign/domain"
	"countersign/facts"
	"pgregory.net/rapid"
)

func minor(m domain.Money) int64 { return m.Minor }

func isOwn(field string) bool {
	_, builtin := domain.FieldSpecOf(field)
	return !builtin
}

// resolve judges a correction of one field on a history.
func resolve(
	history facts.History, field, value string, onPage bool, route facts.NeedsSecondPerson,
) facts.NeedsSecondPerson {
	after := append(append(facts.History{}, history...),
		resolving(set(domain.SourceHuman, 9, field, value)))
	return facts.Resolve(facts.RiskOf(history, noCountry), facts.RiskOf(after, noCountry), minor,
		[]facts.Correction{{Field: field, Value: value, OnPage: onPage, Own: isOwn(field),
			Earlier: history.Unresolved(field)}},
		func(bool) facts.NeedsSecondPerson { return route })
}

func TestWhoMayResolve(t *testing.T) {
	t.Parallel()
	read := facts.History{set(domain.SourceOCR, 2, domain.FieldTotal, "200",
		domain.FieldCurrency, "USD", domain.FieldIBAN, "DE89", domain.FieldVendor, "Acme",
		domain.FieldNumber, "N-1", domain.FieldDate, "2026-01-01")}
	declared := append(facts.History{set(domain.SourceDeclared, 1, domain.FieldTotal, "200",
		domain.FieldCurrency, "USD")}, read...)
	structured := facts.History{set(domain.SourceXML, 2, domain.FieldTotal, "200",
		domain.FieldCurrency, "USD")}
	sums := facts.History{set(domain.SourceOCR, 2, domain.FieldNet, "80"),
		set(domain.SourceHuman, 3, domain.FieldTax, "8")}
	const alone = facts.NoSecondPerson
	for name, row := range map[string]struct {
		history      facts.History
		field, value string
		onPage       bool
		route, want  facts.NeedsSecondPerson
	}{
		"a larger total":              {declared, domain.FieldTotal, "300", false, alone, alone},
		"a misread total":             {read, domain.FieldTotal, "100", true, alone, alone},
		"a total that is not printed": {read, domain.FieldTotal, "100", false, alone, facts.NotOnPage},
		"a declared total":            {declared, domain.FieldTotal, "100", true, alone, facts.StatementChanged},
		"a total of an e-invoice":     {structured, domain.FieldTotal, "100", true, alone, facts.StatementChanged},
		"an easier route":             {read, domain.FieldTotal, "100", true, facts.RouteEasier, facts.RouteEasier},
		"a removed total":             {read, domain.FieldTotal, "", false, alone, facts.NotOnPage},
		"another account":             {read, domain.FieldIBAN, "DE90", true, alone, facts.AccountChanged},
		"another number":              {read, domain.FieldNumber, "N-2", true, alone, alone},
		"an invented number":          {read, domain.FieldNumber, "N-2", false, alone, facts.NotOnPage},
		"a misread name":              {read, domain.FieldVendor, "Acne", true, alone, alone},
		"an invented name":            {read, domain.FieldVendor, "Acne", false, alone, facts.NotOnPage},
		"a hidden conflict":           {read, domain.FieldVendor, "Acne", true, facts.PartyChanged, facts.PartyChanged},
		"another date":                {read, domain.FieldDate, "2026-01-02", true, alone, alone},
		"an invented date":            {read, domain.FieldDate, "2026-01-02", false, alone, facts.NotOnPage},
		"a hidden duplicate":          {read, domain.FieldNumber, "N-2", true, facts.RulesEasier, facts.RulesEasier},
		"the value that was read":     {read, domain.FieldTotal, "200", false, alone, alone},
		"a printed net":               {sums, domain.FieldNet, "90", true, alone, alone},
		"a net that hides nothing":    {sums, domain.FieldNet, "90", false, alone, alone},
		"a net that hides a finding":  {sums, domain.FieldNet, "90", false, facts.RulesEasier, facts.RulesEasier},
		"a tax that a person stated":  {sums, domain.FieldTax, "9", true, alone, facts.StatementChanged},
	} {
		if got := resolve(row.history, row.field, row.value, row.onPage,
			row.route); got != row.want {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
	}
}

// Whatever is asserted in whatever order, the risk basis covers the one before unless the last set
// resolves, and the names that a person stated never leave it.
func TestRiskNeverFallsWithoutResolving(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var history facts.History
		for n := range rapid.IntRange(1, 8).Draw(t, "sets") {
			next := drawSet(t, int64(n+1))
			before := facts.RiskOf(history, noCountry)
			longer := append(append(facts.History{}, history...), next)
			after := facts.RiskOf(longer, noCountry)
			if len(before.Accounts) == 0 {
				after.Accounts = nil // a first account is not another account
			}
			resolves := false
			for _, a := range next.Assertions {
				resolves = resolves || a.Resolves
			}
			before.Accounts, after.Accounts = nil, nil
			if !resolves && !after.Covers(before, minor) {
				t.Fatalf("%+v falls to %+v by %+v", before, after, next)
			}
			for _, name := range before.Names {
				if stated(history, name) && !after.Covers(facts.Risk{Names: []string{name}}, minor) {
					t.Fatalf("the name %q is forgotten by %+v", name, next)
				}
			}
			history = longer
		}
	})
}

// stated reports whether anybody but a machine asserted the name.
func stated(history facts.History, name string) bool {
	for _, entry := range history.Of(domain.FieldVendor) {
		if entry.Value == name && !entry.Set.Source.IsMachine() {
			return true
		}
	}
	return false
}

func drawSet(t *rapid.T, revision int64) domain.AssertionSet {
	source := rapid.SampledFrom([]domain.FieldSource{domain.SourceDeclared, domain.SourceXML,
		domain.SourceOCR, domain.SourceText, domain.SourceExternal,
		domain.SourceHuman}).Draw(t, "source")
	s := domain.AssertionSet{Source: source, Revision: revision,
		DocumentRevision: rapid.IntRange(1, 2).Draw(t, "document")}
	values := map[string][]string{domain.FieldTotal: {"", "10", "20"},
		domain.FieldCurrency: {"", "USD", "JPY"}, domain.FieldCountry: {"", "DE", "IR"},
		domain.FieldVendor: {"", "Acme", "Other"}, domain.FieldNumber: {"", "N-1", "N-2"},
		domain.FieldIBAN: {"", "A", "B"}}
	for _, field := range []string{domain.FieldTotal, domain.FieldCurrency, domain.FieldCountry,
		domain.FieldVendor, domain.FieldNumber, domain.FieldIBAN} {
		if !rapid.Bool().Draw(t, "asserts "+field) {
			continue
		}
		s.Assertions = append(s.Assertions, domain.Assertion{Field: field,
			Value:      rapid.SampledFrom(values[field]).Draw(t, field),
			Confidence: rapid.Float64Range(0, 1).Draw(t, "confidence"),
			Resolves:   source == domain.SourceHuman && rapid.Bool().Draw(t, "resolves")})
	}
	return s
}

// One reviewer replaces a name only if each reading of it is by a machine, and in great
// doubt. The bound of certain values does not matter: a name of 0.5 needs a look, not only one person.
func TestOnlyDoubtfulNamesAreReplacedAlone(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var history facts.History
		want := true
		for n := range rapid.IntRange(1, 4).Draw(t, "readings") {
			source := rapid.SampledFrom([]domain.FieldSource{domain.SourceOCR, domain.SourceText,
				domain.SourceHuman, domain.SourceXML, domain.SourceExternal}).Draw(t, "source")
			read := set(source, int64(n+1), domain.FieldVendor, "Alster Werke GmbH")
			confidence := rapid.Float64Range(0, 1).Draw(t, "confidence")
			read.Assertions[0].Confidence = confidence
			history = append(history, read)
			want = want && source.IsMachine() && confidence < domain.Doubtful
		}
		asserted := domain.Assertion{Field: domain.FieldVendor, Value: "Hafen Logistik GmbH"}
		if got := facts.ReplacesDoubtful(history, asserted); got != want {
			t.Errorf("%t, want %t: %+v", got, want, history)
		}
	})
}
