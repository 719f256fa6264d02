package rules

import (
	"slices"

	"countersign/domain"
)

// Doubt is a reason for a person to check a field, apart from findings.
type Doubt string

// Doubts.
const (
	DoubtMissing       Doubt = "missing"        // the document type requires the field, and it has no value
	DoubtUnreadable    Doubt = "unreadable"     // what was read could not be normalised
	DoubtLowConfidence Doubt = "low_confidence" // a machine read it with less than LowConfidence
)

// DoubtOf returns the doubt about one field, "" if there is none. The value is nil if the field has none.
func DoubtOf(spec domain.DocumentField, value *domain.Field, required bool) Doubt {
	switch {
	case value.IsEmpty():
		if required {
			return DoubtMissing
		}
	case value.Normalised == "":
		return DoubtUnreadable
	case value.Source.IsMachine() && value.Confidence < LowConfidence &&
		(required || isMarkedField(spec.Name) || !spec.IsBuiltin()):
		return DoubtLowConfidence
	}
	return ""
}

// isMarkedField reports whether a low confidence of a built-in field is a doubt: of the key fields, of the other
// amounts, which people compare with the total or pay, and of the country, which decides who reviews.
func isMarkedField(name string) bool {
	return IsKeyField(name) || slices.Contains([]string{domain.FieldNet, domain.FieldTax, domain.FieldPrepaid,
		domain.FieldAmountDue, domain.FieldCountry}, name)
}

// Doubtful returns the names of the fields of a document from the country with the given doubts. Of the
// fields that are stated elsewhere, as by a payment order, a missing value is no doubt.
func Doubtful(
	kind *domain.DocumentType, country string, fields []domain.Field, elsewhere []string,
	doubts ...Doubt,
) []string {
	required := RequiredIn(kind, country)
	var names []string
	for _, spec := range kind.Fields {
		var value *domain.Field
		if at := slices.IndexFunc(fields, func(f domain.Field) bool {
			return f.Name == spec.Name
		}); at >= 0 {
			value = &fields[at]
		}
		doubt := DoubtOf(spec, value, slices.Contains(required, spec.Name))
		if doubt == DoubtMissing && slices.Contains(elsewhere, spec.Name) {
			continue
		}
		if doubt != "" && slices.Contains(doubts, doubt) {
			names = append(names, spec.Name)
		}
	}
	return names
}
