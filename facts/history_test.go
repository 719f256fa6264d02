package facts_test

import (
	"slices"
	"testing"

	"countersign/domain"
	"countersign/facts"
)

// set returns what one source said at a revision: pairs of field and value.
func set(source domain.FieldSource, revision int64, pairs ...string) domain.AssertionSet {
	s := domain.AssertionSet{Source: source, Revision: revision, DocumentRevision: 1}
	for i := 0; i < len(pairs); i += 2 {
		s.Assertions = append(s.Assertions,
			domain.Assertion{Field: pairs[i], Value: pairs[i+1], Confidence: 0.9})
	}
	return s
}

// resolving marks every assertion of a set as resolving.
func resolving(s domain.AssertionSet) domain.AssertionSet {
	for i := range s.Assertions {
		s.Assertions[i].Resolves = true
	}
	return s
}

func ofDocument(s domain.AssertionSet, revision int) domain.AssertionSet {
	s.DocumentRevision = revision
	return s
}

func noCountry(string, string) string { return "" }

func TestValueInForce(t *testing.T) {
	t.Parallel()
	const total = domain.FieldTotal
	for name, row := range map[string]struct {
		history facts.History
		want    string
	}{
		"the reading before the declaration": {facts.History{
			set(domain.SourceDeclared, 1, total, "100"), set(domain.SourceOCR, 2, total, "200")},
			"200"},
		"the e-invoice before the reading": {facts.History{
			set(domain.SourceXML, 2, total, "100"), set(domain.SourceOCR, 2, total, "200")}, "100"},
		"a person before everything": {facts.History{set(domain.SourceHuman, 2, total, "300"),
			set(domain.SourceXML, 3, total, "100")}, "300"},
		"the newest of one source": {facts.History{set(domain.SourceHuman, 2, total, "300"),
			set(domain.SourceHuman, 3, total, "400")}, "400"},
		"the newest document, although the older one had an e-invoice": {facts.History{
			set(domain.SourceXML, 2, total, "100"),
			ofDocument(set(domain.SourceOCR, 3, total, "200"), 2)}, "200"},
		"the older document where the newest says nothing": {facts.History{
			set(domain.SourceXML, 2, total, "100"),
			ofDocument(set(domain.SourceOCR, 3, domain.FieldDate, "2026-01-01"), 2)}, "100"},
		"a removed value": {facts.History{set(domain.SourceOCR, 2, total, "200"),
			set(domain.SourceHuman, 3, total, "")}, ""},
	} {
		if got, ok := row.history.InForce(total); !ok || got.Value != row.want {
			t.Errorf("%s: %q in force, want %q", name, got.Value, row.want)
		}
	}
	if _, ok := (facts.History{}).InForce(total); ok {
		t.Error("a value is in force that was never asserted")
	}
}

func TestRiskCountsWhatNobodyResolved(t *testing.T) {
	t.Parallel()
	history := facts.History{
		set(domain.SourceDeclared, 1, domain.FieldTotal, "1200000", domain.FieldCurrency, "USD",
			domain.FieldCountry, "IR"),
		set(domain.SourceOCR, 2, domain.FieldTotal, "717.97", domain.FieldCurrency, "EUR",
			domain.FieldCountry, "DE", domain.FieldVendor, "Acme GmbH"),
		set(domain.SourceHuman, 3, domain.FieldVendor, "Other GmbH"),
	}
	risk := facts.RiskOf(history, noCountry)
	if got, want := risk.Amounts, []domain.Money{{Minor: 71797, Currency: "EUR"},
		{Minor: 120000000, Currency: "USD"}}; !slices.Equal(got, want) {
		t.Errorf("amounts %v, want %v", got, want)
	}
	if !slices.Equal(risk.Countries, []string{"DE", "IR"}) ||
		!slices.Equal(risk.Names, []string{"Acme GmbH", "Other GmbH"}) {
		t.Errorf("countries %v, names %v", risk.Countries, risk.Names)
	}
	resolved := append(history, resolving(set(domain.SourceHuman, 4, domain.FieldTotal, "717.97",
		domain.FieldCurrency, "EUR", domain.FieldCountry, "DE", domain.FieldVendor, "Other GmbH")))
	risk = facts.RiskOf(resolved, noCountry)
	if len(risk.Amounts) != 1 || !slices.Equal(risk.Countries, []string{"DE"}) ||
		!slices.Equal(risk.Names, []string{"Acme GmbH", "Other GmbH"}) {
		t.Errorf("after resolving: amounts %v, countries %v, names %v", risk.Amounts,
			risk.Countries, risk.Names)
	}
}

// A total without a currency of its own may be in any currency that was asserted, and a currency
// that was asserted alone belongs to the total in force.
func TestAmountsArePairedCautiously(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		history facts.History
		want    []string
	}{
		"no currency at all": {facts.History{set(domain.SourceOCR, 2, domain.FieldTotal, "10")},
			nil},
		"the declared currency": {facts.History{
			set(domain.SourceDeclared, 1, domain.FieldTotal, "9", domain.FieldCurrency, "USD"),
			set(domain.SourceOCR, 2, domain.FieldTotal, "10")},
			[]string{"9.00 USD", "10.00 USD"}},
		"a currency corrected alone": {facts.History{
			set(domain.SourceOCR, 2, domain.FieldTotal, "10", domain.FieldCurrency, "GBP"),
			set(domain.SourceHuman, 3, domain.FieldCurrency, "JPY")},
			[]string{"10.00 GBP", "10 JPY"}},
		"a currency resolved alone": {facts.History{
			set(domain.SourceOCR, 2, domain.FieldTotal, "10", domain.FieldCurrency, "GBP"),
			resolving(set(domain.SourceHuman, 3, domain.FieldCurrency, "JPY"))},
			[]string{"10 JPY"}},
		"a second reading": {facts.History{
			set(domain.SourceOCR, 2, domain.FieldTotal, "90", domain.FieldCurrency, "GBP",
				domain.FieldTotal, "10", domain.FieldCurrency, "EUR")},
			[]string{"10.00 EUR", "10.00 GBP", "90.00 EUR", "90.00 GBP"}},
		"an unreadable total": {facts.History{
			set(domain.SourceOCR, 2, domain.FieldTotal, "ten", domain.FieldCurrency, "GBP")}, nil},
	} {
		var got []string
		for _, amount := range facts.RiskOf(row.history, noCountry).Amounts {
			got = append(got, amount.String())
		}
		slices.Sort(got)
		slices.Sort(row.want)
		if !slices.Equal(got, row.want) {
			t.Errorf("%s: %v, want %v", name, got, row.want)
		}
	}
}

func TestDifferences(t *testing.T) {
	t.Parallel()
	history := facts.History{
		set(domain.SourceDeclared, 1, domain.FieldTotal, "100"),
		set(domain.SourceOCR, 2, domain.FieldTotal, "200", domain.FieldDate, "",
			domain.FieldNumber, "N-1"),
		set(domain.SourceOCR, 3, domain.FieldDate, "2026-01-01", domain.FieldNumber, "N-1"),
	}
	found := history.Differences(domain.FieldTotal, domain.FieldDate, domain.FieldNumber)
	if len(found) != 1 || found[0].Field != domain.FieldTotal ||
		found[0].Values[0].Value != "200" || found[0].Values[1].Value != "100" {
		t.Errorf("differences %+v", found)
	}
	history = append(history, set(domain.SourceHuman, 4, domain.FieldNumber, ""))
	if found := history.Differences(domain.FieldNumber); len(found) != 1 {
		t.Errorf("a removed value is no difference: %+v", found)
	}
}

// The countries of accounts, tax ids and BICs count beside the stated one, of every source, until they
// are resolved.
func TestCountriesOfCodesCount(t *testing.T) {
	t.Parallel()
	prefix := func(_, value string) string { return value[:2] }
	for _, field := range []string{domain.FieldIBAN, domain.FieldVATID, domain.FieldBIC} {
		for _, source := range []domain.FieldSource{domain.SourceDeclared, domain.SourceXML,
			domain.SourceOCR, domain.SourceHuman} {
			history := facts.History{set(domain.SourceDeclared, 1, domain.FieldCountry, "DE"),
				set(source, 2, field, "IR1")}
			if got := facts.RiskOf(history, prefix).Countries; !slices.Equal(got,
				[]string{"DE", "IR"}) {
				t.Errorf("%s by %s: countries %v", field, source, got)
			}
			history = append(history, resolving(set(domain.SourceHuman, 3, field, "FR1")))
			if got := facts.RiskOf(history, prefix).Countries; !slices.Equal(got,
				[]string{"DE", "FR"}) {
				t.Errorf("%s by %s, resolved: countries %v", field, source, got)
			}
		}
	}
}
