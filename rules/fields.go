package rules

import (
	"slices"
	"strings"

	"countersign/domain"
)

// LowConfidence is the confidence below which a key field that a machine read should be looked at by a person; the
// built-in sets ask for the same.
const LowConfidence = lowConfidence

const (
	lowConfidence = 0.60
	receipt       = "receipt"    // no bank account, often no number
	remittance    = "remittance" // an order to pay, not a bill
)

// requiredFields are the fields a document type needs beside the amount, which has a rule of its own.
func requiredFields(documentType string) []string {
	switch documentType {
	case receipt:
		return []string{domain.FieldVendor, domain.FieldDate}
	case remittance:
		return []string{domain.FieldVendor, domain.FieldIBAN}
	}
	return []string{domain.FieldVendor, domain.FieldNumber, domain.FieldDate}
}

// keyFields are the fields whose confidence counts.
var keyFields = []string{domain.FieldVendor, domain.FieldNumber, domain.FieldDate, domain.FieldCurrency, domain.FieldTotal, domain.FieldIBAN}

// Required returns the fields that a document of the type needs, the amount included.
func Required(documentType string) []string {
	return append(requiredFields(documentType), domain.FieldTotal)
}

// IsKeyField reports whether the field's confidence counts.
func IsKeyField(name string) bool { return slices.Contains(keyFields, name) }

// legacyFindingFields names the fields that findings of the time before sets were data are about; later ones list them.
var legacyFindingFields = map[string][]string{
	"amount_missing": {domain.FieldTotal}, "currency_unknown": {domain.FieldCurrency},
	"arithmetic": {domain.FieldNet, domain.FieldTax, domain.FieldTotal}, "date_order": {domain.FieldDate, domain.FieldDueDate},
	"date_future": {domain.FieldDate}, "date_old": {domain.FieldDate}, "iban_check": {domain.FieldIBAN},
	"vat_id_format": {domain.FieldVATID}, "duplicate_number": {domain.FieldNumber, domain.FieldVendor},
	"declared_differs": {domain.FieldTotal}, "iban_country": {domain.FieldIBAN}, "round_amount": {domain.FieldTotal},
	"new_vendor": {domain.FieldVendor}, "high_amount": {domain.FieldTotal},
}

// AffectedFields returns the names of the fields that a finding is about; none where it is about the document as a whole.
func AffectedFields(finding domain.Finding) []string {
	if listed := finding.Evidence["fields"]; listed != "" {
		return strings.Split(listed, ",")
	}
	return legacyFindingFields[finding.Rule]
}
