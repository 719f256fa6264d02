package facts

import (
	"cmp"
	"maps"
	"slices"

	"countersign/domain"
)

// amounts pairs each unresolved total with the currency that its own page or document states, otherwise
// with those of its set. A total without a currency of its own is paired with every unresolved currency,
// and a currency asserted alone with every unresolved total, because any of them may be meant.
func (h History) amounts() []domain.Money {
	found := map[domain.Money]bool{}
	add := func(total, currency string) {
		if amount, err := domain.ParseMoney(total, currency); err == nil {
			found[amount] = true
		}
	}
	known := h.pairs()
	for _, total := range known.totals {
		for _, currency := range known.currenciesOf(total) {
			add(total.Value, currency)
		}
	}
	for _, currency := range known.currencies {
		if slices.ContainsFunc(known.totals, func(e Entry) bool { return e.Set == currency.Set }) {
			continue
		}
		for _, total := range known.totals {
			add(total.Value, currency.Value)
		}
	}
	return slices.SortedFunc(maps.Keys(found), func(a, b domain.Money) int {
		return cmp.Or(cmp.Compare(a.Currency, b.Currency), cmp.Compare(a.Minor, b.Minor))
	})
}

// pairs are the unresolved totals and currencies with values.
type pairs struct {
	totals, currencies []Entry
	// settled are the sets from before a person resolved the currency of the document. What their pages
	// state with a total is what the person replaced.
	settled map[*domain.AssertionSet]bool
}

func (h History) pairs() pairs {
	without := func(entries []Entry) []Entry {
		return slices.DeleteFunc(slices.Clone(entries), func(e Entry) bool { return e.Value == "" })
	}
	known := pairs{totals: without(h.Unresolved(domain.FieldTotal)),
		currencies: without(h.Unresolved(domain.FieldCurrency)), settled: map[*domain.AssertionSet]bool{}}
	last := -1
	for _, entry := range h.entries(domain.FieldCurrency) {
		if entry.Resolves && !entry.Order {
			last = h.indexOf(entry.Set)
		}
	}
	for i := range last {
		known.settled[&h[i]] = true
	}
	return known
}

// indexOf returns the place of a set of the history, -1 if it is of another one.
func (h History) indexOf(set *domain.AssertionSet) int {
	for i := range h {
		if &h[i] == set {
			return i
		}
	}
	return -1
}

// stated returns the currency that the page of a total states, "" if none is known, or none that the total
// can have.
func (p pairs) stated(total Entry) string {
	if _, err := domain.ParseMoney(total.Value, total.Currency); err != nil || p.settled[total.Set] {
		return ""
	}
	return total.Currency
}

// currenciesOf returns the currencies in which a total counts.
func (p pairs) currenciesOf(total Entry) []string {
	own := slices.DeleteFunc(slices.Clone(p.currencies), func(e Entry) bool { return e.Set != total.Set })
	free := slices.DeleteFunc(slices.Clone(own), p.isOfTotals)
	switch stated := p.stated(total); {
	case stated != "":
		return append(valuesOf(free), stated)
	case len(own) == 0:
		return valuesOf(p.currencies)
	case len(free) == 0:
		// All currencies of its source belong to other totals, so that its own may be that of another source.
		return valuesOf(slices.DeleteFunc(slices.Clone(p.currencies), func(e Entry) bool {
			return e.Set != total.Set && (!fromDocument(total.Set.Source) || !fromDocument(e.Set.Source) ||
				e.Set.DocumentRevision != total.Set.DocumentRevision)
		}))
	}
	return valuesOf(own)
}

// isOfTotals reports whether a currency is that of totals of its set alone.
func (p pairs) isOfTotals(currency Entry) bool {
	return currency.OfTotals && slices.ContainsFunc(p.totals, func(total Entry) bool {
		return total.Set == currency.Set && p.stated(total) == currency.Value
	})
}

func valuesOf(entries []Entry) []string {
	values := make([]string, 0, len(entries)+1)
	for _, entry := range entries {
		values = append(values, entry.Value)
	}
	return values
}
