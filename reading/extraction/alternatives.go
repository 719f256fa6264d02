package extraction

import (
	"slices"

	"countersign/domain"
)

// disputed is the factor for the confidence of a value that the reading of the other engine does not
// lead to. It makes every such value uncertain, so that a person compares it with the page.
const disputed = 0.5

// compare lowers the confidence of the fields for which the alternatives of the words lead to
// another value, takes the better value of each, and returns the other ones.
func (e *Examination) compare(other []domain.Field) {
	byName := func(fields []domain.Field, name string) int {
		return slices.IndexFunc(fields,
			func(f domain.Field) bool { return f.Name == name && f.Normalised != "" })
	}
	for _, name := range domain.FieldNames() {
		at, second := byName(e.Fields, name), byName(other, name)
		switch {
		case second < 0 && at < 0:
		case second < 0:
			e.Fields[at].Confidence *= disputed
		case at < 0 && isPartOfTotal(name) && e.value(domain.FieldTotal) != valueOf(other, domain.FieldTotal):
		case at < 0:
			found := other[second]
			found.Confidence *= disputed
			e.Fields = append(e.Fields, found)
		case e.Fields[at].Normalised == other[second].Normalised:
		default:
			chosen, rest := e.Fields[at], other[second]
			if isBetterReading(rest, chosen) {
				chosen, rest = rest, chosen
			}
			chosen.Confidence *= disputed
			rest.Confidence *= disputed
			e.Fields[at] = chosen
			e.Other = append(e.Other, rest)
		}
	}
	order := domain.FieldNames()
	slices.SortStableFunc(e.Fields, func(a, b domain.Field) int {
		return orderIndex(order, a.Name) - orderIndex(order, b.Name)
	})
}

// isPartOfTotal reports whether a field is meaningful only with the total that it is part of.
func isPartOfTotal(name string) bool {
	return name == domain.FieldNet || name == domain.FieldTax || name == domain.FieldTaxBreakdown ||
		name == domain.FieldPrepaid || name == domain.FieldAmountDue
}

func (e *Examination) value(name string) string { return valueOf(e.Fields, name) }

func valueOf(fields []domain.Field, name string) string {
	at := slices.IndexFunc(fields, func(f domain.Field) bool { return f.Name == name })
	if at < 0 {
		return ""
	}
	return fields[at].Normalised
}

// isBetterReading reports whether a value is better than the one of the words in force: an account
// with right check digits, an amount that other amounts confirm.
func isBetterReading(rest, chosen domain.Field) bool {
	switch chosen.Name {
	case domain.FieldIBAN:
		return ValidIBAN(rest.Normalised) && !ValidIBAN(chosen.Normalised)
	case domain.FieldTotal:
		return rest.Confidence > chosen.Confidence+0.2
	}
	return false
}

// otherReading returns the pages with the alternatives of the disputed words. ok is false, and the
// pages are nil, if there are none. The given pages do not change.
func otherReading(pages []domain.Page) (other []domain.Page, ok bool) {
	if !slices.ContainsFunc(pages, func(p domain.Page) bool {
		return slices.ContainsFunc(p.Words, domain.Word.IsDisputed)
	}) {
		return nil, false
	}
	other = slices.Clone(pages)
	for i := range other {
		words := slices.Clone(other[i].Words)
		for j := range words {
			if words[j].IsDisputed() {
				words[j].Text = words[j].Alternative
			}
		}
		other[i].Words = words
	}
	return other, true
}
