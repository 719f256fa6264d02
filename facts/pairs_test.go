package facts_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"countersign/domain"
	"countersign/facts"
)

// reading returns a reading of a document: totals such as "900 EUR", whose page states the currency, "900"
// without one, and "EUR" for a currency that belongs to no total.
func reading(source domain.FieldSource, revision int64, stated ...string) domain.AssertionSet {
	s := set(source, revision)
	for _, text := range stated {
		var total, currency string
		switch n, _ := fmt.Sscan(text, &total, &currency); {
		case n == 2:
			s.Assertions = append(s.Assertions,
				domain.Assertion{Field: domain.FieldTotal, Value: total, Currency: currency, Confidence: 0.4},
				domain.Assertion{Field: domain.FieldCurrency, Value: currency, OfTotals: true, Confidence: 0.4})
		case domain.KnownCurrency(total):
			s.Assertions = append(s.Assertions,
				domain.Assertion{Field: domain.FieldCurrency, Value: total, Confidence: 0.4})
		default:
			s.Assertions = append(s.Assertions,
				domain.Assertion{Field: domain.FieldTotal, Value: total, Confidence: 0.4})
		}
	}
	return s
}

// inherited returns the set as a part, or the correction of an archived case, inherits it.
func inherited(s domain.AssertionSet) domain.AssertionSet {
	s.DocumentRevision, s.Assertions = 0, slices.Clone(s.Assertions)
	for i := range s.Assertions {
		s.Assertions[i].InheritedFrom = domain.ID{7}
	}
	return s
}

// A total counts in the currency that its own page or document states. Attacks: everything that could make
// the amount at risk smaller than what was stated keeps the cautious combinations.
func TestTotalsKeepTheirCurrencies(t *testing.T) {
	t.Parallel()
	const ocr, text, human = domain.SourceOCR, domain.SourceText, domain.SourceHuman
	two := reading(ocr, 2, "50000 JPY", "900 EUR")
	declared := set(domain.SourceDeclared, 1, domain.FieldTotal, "70", domain.FieldCurrency, "USD")
	for name, row := range map[string]struct {
		history facts.History
		want    []string
	}{
		"two documents": {facts.History{two}, []string{"900.00 EUR", "50000 JPY"}},
		"the same total in two currencies": {facts.History{reading(ocr, 2, "900 GBP", "900 EUR")},
			[]string{"900.00 EUR", "900.00 GBP"}},
		"without pairs, as before": {facts.History{reading(ocr, 2, "50000", "900", "EUR", "JPY")},
			[]string{"900.00 EUR", "50000.00 EUR", "900 JPY", "50000 JPY"}},
		"a total whose page states no currency": {facts.History{reading(ocr, 2, "95000", "50000 JPY", "900 EUR")},
			[]string{"900.00 EUR", "95000.00 EUR", "50000 JPY", "95000 JPY"}},
		"a currency that belongs to no total": {facts.History{reading(ocr, 2, "GBP", "50000 JPY", "900 EUR")},
			[]string{"900.00 EUR", "900.00 GBP", "50000.00 GBP", "50000 JPY"}},
		"another engine reads a currency that belongs to another total": {
			facts.History{reading(ocr, 2, "JPY", "50000 JPY", "900 EUR")},
			[]string{"900.00 EUR", "900 JPY", "50000 JPY"}},
		"another engine reads another total": {facts.History{reading(ocr, 2, "9000", "50000 JPY", "900 EUR")},
			[]string{"900.00 EUR", "9000.00 EUR", "9000 JPY", "50000 JPY"}},
		"a total that its currency cannot have": {facts.History{reading(ocr, 2, "95000.50 JPY", "900 EUR")},
			[]string{"900.00 EUR", "95000.50 EUR", "900 JPY"}},
		"an unknown currency": {facts.History{set(ocr, 2, domain.FieldTotal, "900", domain.FieldCurrency, "EUR"),
			{Source: ocr, Revision: 3, Assertions: []domain.Assertion{
				{Field: domain.FieldTotal, Value: "95000", Currency: "XQQ"}}}},
			[]string{"900.00 EUR", "95000.00 EUR"}},
		"a declaration keeps its own": {facts.History{declared, two},
			[]string{"900.00 EUR", "50000 JPY", "70.00 USD"}},
		"a declared total alone": {facts.History{set(domain.SourceDeclared, 1, domain.FieldTotal, "70"), two},
			[]string{"70.00 EUR", "900.00 EUR", "70 JPY", "50000 JPY"}},
		"a declared currency alone": {facts.History{set(domain.SourceDeclared, 1, domain.FieldCurrency, "USD"), two},
			[]string{"900.00 EUR", "50000 JPY", "900.00 USD", "50000.00 USD"}},
		"only the total is entered": {facts.History{two, set(human, 3, domain.FieldTotal, "60000")},
			[]string{"900.00 EUR", "60000.00 EUR", "50000 JPY", "60000 JPY"}},
		"only the total is corrected": {facts.History{two, resolving(set(human, 3, domain.FieldTotal, "60000"))},
			[]string{"60000.00 EUR", "60000 JPY"}},
		"an alternative total is chosen without its currency": {
			facts.History{two, resolving(set(human, 3, domain.FieldTotal, "50000"))},
			[]string{"50000.00 EUR", "50000 JPY"}},
		"only the currency is entered": {facts.History{two, set(human, 3, domain.FieldCurrency, "USD")},
			[]string{"900.00 EUR", "50000 JPY", "900.00 USD", "50000.00 USD"}},
		"only the currency is corrected": {facts.History{two, resolving(set(human, 3, domain.FieldCurrency, "USD"))},
			[]string{"900.00 USD", "50000.00 USD"}},
		"an alternative currency is chosen": {facts.History{two, resolving(set(human, 3, domain.FieldCurrency, "EUR"))},
			[]string{"900.00 EUR", "50000.00 EUR"}},
		"the currency is removed": {facts.History{declared, two, resolving(set(human, 3, domain.FieldCurrency, ""))}, nil},
		"both are corrected": {facts.History{two, resolving(set(human, 3, domain.FieldTotal, "50000",
			domain.FieldCurrency, "JPY"))}, []string{"50000 JPY"}},
		"a new document after a correction": {facts.History{two,
			resolving(set(human, 3, domain.FieldTotal, "10", domain.FieldCurrency, "USD")),
			ofDocument(reading(ocr, 4, "80000 JPY", "20 EUR"), 2)},
			[]string{"20.00 EUR", "80000 JPY", "10.00 USD"}},
		"a part inherits the pairs": {facts.History{inherited(two), reading(text, 3, "900", "EUR")},
			[]string{"900.00 EUR", "50000 JPY"}},
		"a part whose currency was corrected before": {facts.History{inherited(two),
			resolving(inherited(set(human, 3, domain.FieldCurrency, "EUR")))},
			[]string{"900.00 EUR", "50000.00 EUR"}},
		"a currency that is stated beside a value of another source": {
			facts.History{set(text, 2, domain.FieldTotal, "900", domain.FieldCurrency, "EUR"),
				{Source: ocr, Revision: 2, DocumentRevision: 1, Assertions: append(reading(ocr, 2, "70 JPY").Assertions,
					domain.Assertion{Field: domain.FieldTotal, Value: "50000", Currency: "EUR"})}},
			[]string{"900.00 EUR", "50000.00 EUR", "70 JPY"}},
		"a scanned page without a currency behind one with a text layer": {
			facts.History{reading(text, 2, "900 EUR"), reading(ocr, 2, "95000", "70 JPY")},
			[]string{"900.00 EUR", "95000.00 EUR", "70 JPY", "95000 JPY"}},
		"a language model pairs nothing": {facts.History{reading(domain.SourceLLM, 2, "50000 JPY", "900 EUR")},
			[]string{"900.00 EUR", "50000.00 EUR", "900 JPY", "50000 JPY"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, amount := range facts.RiskOf(row.history, noCountry).Amounts {
				got = append(got, amount.String())
			}
			slices.Sort(got)
			slices.Sort(row.want)
			if !slices.Equal(got, row.want) {
				t.Errorf("%q, want %q", got, row.want)
			}
		})
	}
}

// The order of a payment keeps its own currency, and the evidence speaks against it with what it states:
// a ground about several invoices is refused if one of them is larger than the order.
func TestPairsOfTheEvidenceOfAnOrder(t *testing.T) {
	t.Parallel()
	order := domain.Order{Payer: "Payer", Payee: "Acme", Account: "A", Country: "DE",
		Amount: domain.Money{Minor: 90000, Currency: "EUR"}}
	history := facts.History{{Source: domain.SourceDeclared, Revision: 1, Assertions: facts.OrderAssertions(order)},
		reading(domain.SourceOCR, 2, "50000 JPY", "900 EUR")}
	check, _ := facts.CheckOrder(history, nil)
	if len(check.Amounts) != 2 || len(check.OtherAmounts) != 1 || check.OtherAmounts[0].Currency != "JPY" {
		t.Errorf("%v, others %v", check.Amounts, check.OtherAmounts)
	}
	if smallest, _ := check.Smallest(minor); smallest.String() != "50000 JPY" {
		t.Errorf("the evidence states %s at least", smallest)
	}
	history = append(history, reading(domain.SourceText, 2, "9000 EUR", "10 GBP"))
	if check, _ = facts.CheckOrder(history, nil); check.Explains(domain.GroundSeveralInvoices) {
		t.Error("an invoice that is larger than the order does not explain it")
	}
}

// freeAmounts returns every combination of a total and a currency that count.
func freeAmounts(h facts.History) []domain.Money {
	found := map[domain.Money]bool{}
	for _, total := range h.Values(domain.FieldTotal) {
		for _, currency := range h.Values(domain.FieldCurrency) {
			if amount, err := domain.ParseMoney(total, currency); err == nil {
				found[amount] = true
			}
		}
	}
	return slices.Collect(maps.Keys(found))
}

// unpaired returns the history as it was stored before totals kept their currencies.
func unpaired(h facts.History) facts.History {
	plain := slices.Clone(h)
	for i := range plain {
		plain[i].Assertions = slices.Clone(plain[i].Assertions)
		for j := range plain[i].Assertions {
			plain[i].Assertions[j].Currency, plain[i].Assertions[j].OfTotals = "", false
		}
	}
	return plain
}

// Whatever the pages of a file state and whatever others say about it: every amount that a page states
// counts, a total without a currency counts in each, no amount counts that is no combination, and no more
// than before, but for amounts that a page states. rates has a currency below and one above the main one.
func TestPairsNeverFallBelowWhatIsStated(t *testing.T) {
	t.Parallel()
	rates := map[string]int64{"EUR": 100, "JPY": 61, "GBP": 120, "KWD": 30}
	base := func(m domain.Money) int64 { return max(m.Minor, -m.Minor) * rates[m.Currency] }
	currencies := slices.Sorted(maps.Keys(rates))
	totals := []string{"7", "900", "50000", "-80000", "12.50"}
	rapid.Check(t, func(t *rapid.T) {
		sources := []domain.FieldSource{domain.SourceText, domain.SourceOCR}
		var stated, open []string
		var history facts.History
		if rapid.Bool().Draw(t, "declared") {
			history = append(history, set(domain.SourceDeclared, 1, domain.FieldTotal, "70", domain.FieldCurrency, "GBP"))
		}
		free := false
		for n := range rapid.IntRange(1, 2).Draw(t, "readings") {
			var pages []string
			for range rapid.IntRange(1, 4).Draw(t, "pages") {
				text := rapid.SampledFrom(totals).Draw(t, "total")
				if rapid.Bool().Draw(t, "states a currency") {
					text += " " + rapid.SampledFrom(currencies).Draw(t, "currency")
					stated = append(stated, text)
				} else {
					open = append(open, text)
				}
				pages = append(pages, text)
			}
			if rapid.IntRange(0, 3).Draw(t, "free currency") == 0 {
				pages = append(pages, rapid.SampledFrom(currencies).Draw(t, "of no total"))
				free = true
			}
			history = append(history, reading(sources[n], 2, pages...))
		}
		amounts := facts.RiskOf(history, noCountry).Amounts
		require := func(total, currency string) {
			if amount, err := domain.ParseMoney(total, currency); err == nil && !slices.Contains(amounts, amount) {
				t.Fatalf("%s is stated and does not count in %v", amount, amounts)
			}
		}
		var spoken []domain.Money
		for _, text := range stated {
			var total, currency string
			_, _ = fmt.Sscan(text, &total, &currency)
			require(total, currency)
			if amount, err := domain.ParseMoney(total, currency); err == nil {
				spoken = append(spoken, amount)
			}
		}
		before := facts.RiskOf(unpaired(history), noCountry)
		all := freeAmounts(history)
		for _, amount := range amounts {
			if !slices.Contains(all, amount) {
				t.Fatalf("%s is no combination of %v", amount, all)
			}
		}
		after := facts.Risk{Amounts: amounts}
		if len(stated) == 0 && !slices.Equal(amounts, before.Amounts) {
			t.Fatalf("without a stated currency %v became %v", before.Amounts, amounts)
		}
		if len(open) == 0 && !free && len(spoken) == len(stated) {
			if after.Largest(base) > max(before.Largest(base), facts.Risk{Amounts: spoken}.Largest(base)) {
				t.Fatalf("%v is more than %v", amounts, before.Amounts)
			}
		}
		if len(history) == 1 { // of one reading, every total without a currency is in any of the reading
			for _, total := range open {
				for _, currency := range history.Values(domain.FieldCurrency) {
					require(total, currency)
				}
			}
			if len(stated) > 0 && after.Largest(base) > before.Largest(base) {
				t.Fatalf("%v is more than %v", amounts, before.Amounts)
			}
		}
	})
}
