package rules

import (
	"slices"
	"strings"

	"countersign/domain"
)

// FieldReference is a field that a rule reads.
type FieldReference struct {
	Rule  *Rule
	Field string
}

// FieldReferences returns the fields that the rules of the set name literally, by rule.
func (s *Set) FieldReferences() []FieldReference {
	return s.references(func(r *Rule) []string { return r.literalFields() })
}

// FieldsRead returns the fields on which the rules of the set depend: those of FieldReferences, and
// those behind facts such as iban_fault and total_known.
func (s *Set) FieldsRead() []FieldReference {
	return s.references(func(r *Rule) []string {
		names := r.literalFields()
		for _, fact := range r.when.Names() {
			if field := fieldBehind(fact); field != "" {
				names = append(names, field)
			}
		}
		return names
	})
}

func (s *Set) references(fieldsOf func(*Rule) []string) []FieldReference {
	var found []FieldReference
	for _, rule := range s.Rules {
		names := fieldsOf(rule)
		slices.Sort(names)
		for _, name := range slices.Compact(names) {
			found = append(found, FieldReference{rule, name})
		}
	}
	return found
}

// literalFields returns the names of fields in the condition and the formulas.
func (r *Rule) literalFields() []string {
	names := r.when.Fields()
	if r.aboutFields != nil {
		names = append(append(names, r.aboutFields.Fields()...), r.aboutFields.Texts()...)
	}
	for _, value := range r.values {
		names = append(names, value.formula.Fields()...)
	}
	return names
}

// fieldsOfFacts are the fields behind facts with these beginnings.
var fieldsOfFacts = []struct{ prefix, field string }{
	{"iban", domain.FieldIBAN}, {"account_", domain.FieldIBAN}, {"vat_", domain.FieldVATID},
	{"total_", domain.FieldTotal}, {"net_", domain.FieldNet}, {"tax_", domain.FieldTax},
	{"date_", domain.FieldDate}, {"due_", domain.FieldDueDate},
	{"difference_", domain.FieldTotal}, {"amount_", domain.FieldTotal},
	{"base_", domain.FieldTotal}, {"vendor_", domain.FieldVendor},
	{"split_", domain.FieldVendor}, {"same_number", domain.FieldNumber},
	{"similar_number", domain.FieldNumber}, {"same_content", domain.FieldTotal},
}

// fieldBehind returns the field from which a fact is computed, "" if it is none of one field.
func fieldBehind(fact string) string {
	for _, of := range fieldsOfFacts {
		if strings.HasPrefix(fact, of.prefix) {
			return of.field
		}
	}
	return ""
}
