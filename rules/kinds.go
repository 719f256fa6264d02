package rules

import (
	"slices"

	"countersign/domain"
)

// kindMismatch reports whether the pages look like none of the kinds that the document type accepts. A
// document that names no kind is accepted if it has an amount, where the type has one, and a label of a
// total, a date, a party or a word for invoices; running text, such as an article, needs the word, the
// date and the party.
func (s *inputIndex) kindMismatch() bool {
	kind := s.documentType()
	if s.Features == nil || len(kind.Accepts) == 0 {
		return false
	}
	has := func(feature string) bool { return slices.Contains(s.Features, feature) }
	named, prose := domain.NamedKind(s.Features), has(domain.FeatureProse)
	switch {
	case named == "" && slices.Contains(kind.Accepts, domain.KindOther):
		return false
	case named != "" && !slices.Contains(kind.Accepts, named):
		return true
	case kind.Has(domain.FieldTotal) && !has(domain.FeatureMoney) && !has(domain.FeatureAmount):
		return true
	case prose:
		return named == "" && !has(domain.FeatureTypeWord) || !has(domain.FeatureDate) ||
			!has(domain.FeatureParty)
	}
	return named == "" && !has(domain.FeatureAmount) && !has(domain.FeatureTypeWord) &&
		!has(domain.FeatureDate) && !has(domain.FeatureParty)
}
