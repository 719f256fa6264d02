package facts

import (
	"slices"

	"countersign/domain"
)

// comparedWithOrder are the fields of a payment order whose values are compared with the document.
var comparedWithOrder = []string{domain.FieldTotal, domain.FieldCurrency, domain.FieldVendor,
	domain.FieldIBAN, domain.FieldCountry}

// ofDocumentFirst orders the sources of the values of a document: that of the first one is confirmed.
var ofDocumentFirst = []domain.FieldSource{domain.SourceHuman, domain.SourceExternal,
	domain.SourceXML, domain.SourceText, domain.SourceOCR, domain.SourceLLM, domain.SourceDeclared}

// ToConfirm returns the fields among the given ones that are stated with different values, as far as the
// viewer sees them, and of which the viewer can confirm a value. A value of the viewer's own is none:
// they have looked at it. The values of a currency that the amounts show are confirmed with the
// amount. The page of a review computes the same (frontend/src/lib/differences.ts).
func (h History) ToConfirm(viewer Viewer, fields ...string) []string {
	differences := viewer.Differences(h, fields...)
	joined := h.currencyJoined(differences)
	var names []string
	for _, difference := range differences {
		if joined && difference.Field == domain.FieldCurrency {
			continue
		}
		pending := h.waits(difference.Field) ||
			joined && difference.Field == domain.FieldTotal && h.waits(domain.FieldCurrency)
		value, ok := h.confirmable(difference, pending)
		own := ok && value.Set.Source == domain.SourceHuman && value.Set.By == viewer.UserID
		if ok && !own {
			names = append(names, difference.Field)
		}
	}
	return names
}

// currencyJoined reports whether the values of the total show all values of the currency.
func (h History) currencyJoined(differences []Difference) bool {
	valuesOf := func(field string) []Entry {
		for _, difference := range differences {
			if difference.Field == field {
				return difference.Values
			}
		}
		return nil
	}
	totals, currencies := valuesOf(domain.FieldTotal), valuesOf(domain.FieldCurrency)
	for _, currency := range currencies {
		if currency.Value == "" || !slices.ContainsFunc(totals, func(total Entry) bool {
			return h.CurrencyBeside(total) == currency.Value
		}) {
			return false
		}
	}
	return len(totals) > 0 && len(currencies) > 0
}

// waits reports whether the newest value of a field that a person entered waits for a second person.
func (h History) waits(field string) bool {
	entry, _ := h.Entered(field)
	return entry.Pending != ""
}

// confirmable returns the value that a confirmation asserts: the one in force, and beside a payment
// order that of the document, if the document has several. ok is false if there is nothing to confirm:
// that the order differs from its document is explained by a ground.
func (h History) confirmable(difference Difference, pending bool) (value Entry, ok bool) {
	current, others := difference.Values[0], difference.Values[1:]
	ordered := h.hasOrder() && current.Set.Source == domain.SourceDeclared &&
		slices.Contains(comparedWithOrder, difference.Field)
	if !ordered {
		return current, true
	}
	if len(others) < 2 && !pending {
		return value, false
	}
	return slices.MinFunc(others, func(a, b Entry) int {
		return slices.Index(ofDocumentFirst, a.Set.Source) - slices.Index(ofDocumentFirst, b.Set.Source)
	}), true
}
