package facts

import (
	"slices"

	"countersign/domain"
)

// EarlierOrderValue is a field of a payment order for which earlier values still count.
type EarlierOrderValue struct {
	Field  string   // total for an amount with its currency
	Values []string // newest first
	// Accepted are the sets with which reviewers accepted the newest value, which needs one more.
	Accepted []*domain.AssertionSet
}

// EarlierOrderValues returns the fields that Restated names, with their earlier values.
func (h History) EarlierOrderValues() []EarlierOrderValue {
	var found []EarlierOrderValue
	for _, field := range h.Restated() {
		switch field {
		case domain.FieldTotal, domain.FieldCurrency:
			if len(found) == 0 || found[len(found)-1].Field != domain.FieldTotal {
				found = append(found, EarlierOrderValue{Field: domain.FieldTotal,
					Values: h.earlierAmounts()})
			}
		default:
			found = append(found, EarlierOrderValue{Field: field,
				Values: h.earlierValues(field), Accepted: h.accepted(field)})
		}
	}
	return found
}

// earlierValues returns the values of an order's field that count beside the newest one, newest
// first.
func (h History) earlierValues(field string) []string {
	var values []string
	for _, entry := range slices.Backward(h.Unresolved(field)) {
		if entry.Order && !slices.Contains(values, entry.Value) {
			values = append(values, entry.Value)
		}
	}
	if len(values) < 2 {
		return nil
	}
	return values[1:]
}

// earlierAmounts is earlierValues of the amount with its currency.
func (h History) earlierAmounts() []string {
	currencies := h.orderEntries(domain.FieldCurrency)
	newest, _ := h.Order()
	var amounts []string
	for _, total := range slices.Backward(h.Unresolved(domain.FieldTotal)) {
		at := slices.IndexFunc(currencies, func(e Entry) bool { return e.Set == total.Set })
		if !total.Order || at < 0 {
			continue
		}
		text := total.Value + " " + currencies[at].Value
		if text != newest.Amount.String() && !slices.Contains(amounts, text) {
			amounts = append(amounts, text)
		}
	}
	return amounts
}

// accepted returns the sets with which reviewers accepted the newest value of an order's field, one
// of each reviewer.
func (h History) accepted(field string) []*domain.AssertionSet {
	entries := slices.DeleteFunc(slices.Clone(h.Unresolved(field)),
		func(e Entry) bool { return !e.Order })
	var sets []*domain.AssertionSet
	for _, entry := range slices.Backward(entries) {
		if entry.Value != entries[len(entries)-1].Value ||
			entry.Set.Source != domain.SourceHuman {
			break
		}
		if !slices.ContainsFunc(sets, func(s *domain.AssertionSet) bool {
			return s.By == entry.Set.By
		}) {
			sets = append(sets, entry.Set)
		}
	}
	return sets
}
