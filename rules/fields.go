package rules

import (
	"maps"
	"slices"
	"strings"

	"countersign/domain"
	"countersign/domain/country"
)

// LowConfidence is the confidence below which an automatically read key field must be checked by a
// person. The built-in sets use the same value.
const LowConfidence = domain.LowConfidence

const (
	receipt = "receipt" // has no bank account and often no number
)

// keyFields are the fields for which a low confidence is reported.
var keyFields = []string{
	domain.FieldVendor, domain.FieldNumber, domain.FieldDate, domain.FieldCurrency,
	domain.FieldTotal, domain.FieldIBAN,
}

// RequiredIn returns the fields that a document of the type needs in a country, as the rules report
// them: an account only where accounts have IBANs.
func RequiredIn(t *domain.DocumentType, code string) []string {
	return slices.DeleteFunc(t.Required(),
		func(name string) bool { return name == domain.FieldIBAN && !hasIBANs(code) })
}

// hasIBANs reports whether accounts of the country have IBANs; those of an unknown country may.
func hasIBANs(code string) bool { return code == "" || country.IBANLength(code) > 0 }

// IsKeyField reports whether a low confidence of the field is reported.
func IsKeyField(name string) bool { return slices.Contains(keyFields, name) }

// Unsure returns the key fields of the document type, and its own required fields, that are not
// certain: missing ones that it needs, those that a machine read with less than LowConfidence or that
// the words of the page do not state, those that a person entered, because nothing but their word
// states them, and those for which different values are asserted. Any field whose value a language model
// filled is unsure too. declared is the amount that the submitter declared.
func Unsure(
	t *domain.DocumentType, fields []domain.Field, declared domain.Money, differing []string,
) []string {
	s := newInputIndex(&Input{Type: t, DocumentType: t.Key, Fields: fields, Declared: declared})
	unsure := []string{}
	for _, name := range DecisiveFields(t) {
		field, _ := t.Field(name)
		optional := t.Key == receipt && !field.Required && name != domain.FieldCurrency
		certainty, read := s.certainty(name)
		switch {
		case optional:
		case s.text(name) == "":
			// Not every country has IBANs; the rules know which.
			if s.hasValue(name) || name == domain.FieldCurrency && s.currency == "" ||
				field.Required && name != domain.FieldIBAN {
				unsure = append(unsure, name)
			}
		case read && certainty < LowConfidence, s.isEntered(name),
			slices.Contains(differing, name):
			unsure = append(unsure, name)
		}
	}
	for i := range fields {
		if fields[i].Source == domain.SourceLLM && !slices.Contains(unsure, fields[i].Name) {
			unsure = append(unsure, fields[i].Name)
		}
	}
	return unsure
}

// DecisiveFields are the key fields that documents of the type have, and its own required fields.
func DecisiveFields(t *domain.DocumentType) []string {
	names := slices.DeleteFunc(slices.Clone(keyFields),
		func(name string) bool { return !t.Has(name) })
	for _, field := range t.Fields {
		if field.Required && !field.IsBuiltin() {
			names = append(names, field.Name)
		}
	}
	return names
}

// legacyFindingFields holds the affected fields of findings that were stored before rule sets were
// data. Later findings list them in their evidence.
var legacyFindingFields = map[string][]string{
	"amount_missing": {domain.FieldTotal}, "currency_unknown": {domain.FieldCurrency},
	"arithmetic": {
		domain.FieldNet, domain.FieldTax, domain.FieldTotal,
	}, "date_order": {domain.FieldDate, domain.FieldDueDate},
	"date_future": {
		domain.FieldDate,
	}, "date_old": {domain.FieldDate}, "iban_check": {domain.FieldIBAN},
	"vat_id_format": {
		domain.FieldVATID,
	}, "duplicate_number": {domain.FieldNumber, domain.FieldVendor},
	"declared_differs": {
		domain.FieldTotal,
	}, "iban_country": {domain.FieldIBAN}, "round_amount": {domain.FieldTotal},
	"new_vendor": {domain.FieldVendor}, "high_amount": {domain.FieldTotal},
}

// AffectedFields returns the names of the fields that a finding is about, none if it is about the
// whole document.
func AffectedFields(finding domain.Finding) []string {
	if listed := finding.Evidence[fieldsKey]; listed != "" {
		return strings.Split(listed, ",")
	}
	return legacyFindingFields[finding.Rule]
}

// DifferingFieldsRule is the rule that reports fields about which statements differ.
const DifferingFieldsRule = "values_differ"

// WithoutFields returns the finding without the hidden fields in its list of fields and in its
// message, and false if it is about no other field.
func WithoutFields(finding domain.Finding, hidden func(string) bool) (domain.Finding, bool) {
	names := AffectedFields(finding)
	kept := slices.DeleteFunc(slices.Clone(names), hidden)
	if len(kept) == len(names) {
		return finding, true
	}
	finding.Message = strings.NewReplacer(labels("en", names), labels("en", kept),
		storedNames(names), storedNames(kept)).Replace(finding.Message)
	finding.Evidence = maps.Clone(finding.Evidence)
	finding.Evidence[fieldsKey] = strings.Join(kept, ",")
	return finding, len(kept) > 0
}
