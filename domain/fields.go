package domain

import "slices"

// FieldType is the format in which a field's value is entered, stored and shown.
type FieldType string

// The field types.
const (
	FieldTypeText     FieldType = "text"
	FieldTypeMoney    FieldType = "money" // in the case's currency
	FieldTypeDate     FieldType = "date"
	FieldTypeCurrency FieldType = "currency"
	FieldTypeIBAN     FieldType = "iban"
	FieldTypeVATID    FieldType = "vat_id"
	FieldTypeCountry  FieldType = "country"
)

// The names of the fields that the built-in extractor fills.
const (
	FieldVendor        = "vendor"
	FieldVendorAddress = "vendor_address"
	FieldNumber        = "number"
	FieldDate          = "date"
	FieldDueDate       = "due_date"
	FieldCurrency      = "currency"
	FieldNet           = "net"
	FieldTax           = "tax"
	FieldTotal         = "total"
	FieldIBAN          = "iban"
	FieldVATID         = "vat_id"
	FieldCountry       = "country"
)

// The names of the values that only a payment order has. Payee, account, country, amount and
// currency have the names of the document's fields.
const (
	FieldPayer     = "payer"
	FieldBIC       = "bic"
	FieldPurpose   = "purpose"
	FieldReference = "payer_reference"
)

// FieldSpec describes a field of the built-in extractor. Forms, normalisation, the sentences of rules
// and the labels of the pages follow from it.
type FieldSpec struct {
	Name string
	Type FieldType
	// English and Chinese are the labels in forms and in the sentences of rules.
	English, Chinese string
}

// fieldSpecs has the fields in display order.
var fieldSpecs = []FieldSpec{
	{FieldVendor, FieldTypeText, "Vendor", "供应商"},
	{FieldVendorAddress, FieldTypeText, "Vendor address", "供应商地址"},
	{FieldNumber, FieldTypeText, "Number", "单据号码"},
	{FieldDate, FieldTypeDate, "Date", "日期"},
	{FieldDueDate, FieldTypeDate, "Due date", "到期日"},
	{FieldCurrency, FieldTypeCurrency, "Currency", "币种"},
	{FieldNet, FieldTypeMoney, "Net amount", "净额"},
	{FieldTax, FieldTypeMoney, "Tax", "税额"},
	{FieldTotal, FieldTypeMoney, "Total", "总额"},
	{FieldIBAN, FieldTypeIBAN, "IBAN", "IBAN"},
	{FieldVATID, FieldTypeVATID, "VAT number", "增值税号"},
	{FieldCountry, FieldTypeCountry, "Country", "国家/地区"},
}

// FieldSpecs returns the descriptions of the built-in extractor's fields in display order.
func FieldSpecs() []FieldSpec { return slices.Clone(fieldSpecs) }

// neededFacts are the facts that a process can need, with the fields that hold them, in the order
// in which they are asked for.
var neededFacts = []struct{ fact, field string }{
	{"amount", FieldTotal}, {"currency", FieldCurrency}, {"counterparty", FieldVendor},
	{FactCountry, FieldCountry}, {FactAccount, FieldIBAN}, {"number", FieldNumber},
	{"date", FieldDate},
}

// The needed facts that code names.
const (
	FactCountry = "country"
	FactAccount = "account"
)

// NeededFacts returns the facts that a process can need, in the order in which they are asked for.
func NeededFacts() []string {
	facts := make([]string, 0, len(neededFacts))
	for _, needed := range neededFacts {
		facts = append(facts, needed.fact)
	}
	return facts
}

// FieldOfFact returns the field that holds a fact, "" for an unknown fact.
func FieldOfFact(fact string) string {
	for _, needed := range neededFacts {
		if needed.fact == fact {
			return needed.field
		}
	}
	return ""
}

// FieldNames returns the built-in extractor's fields in display order.
func FieldNames() []string {
	names := make([]string, 0, len(fieldSpecs))
	for _, spec := range fieldSpecs {
		names = append(names, spec.Name)
	}
	return names
}

// FieldNamesOf returns the built-in extractor's fields of a type in display order.
func FieldNamesOf(fieldType FieldType) []string {
	var names []string
	for _, spec := range fieldSpecs {
		if spec.Type == fieldType {
			names = append(names, spec.Name)
		}
	}
	return names
}

// FieldSpecOf returns the description of a field; false for a field that the built-in extractor does
// not fill.
func FieldSpecOf(name string) (FieldSpec, bool) {
	for _, spec := range fieldSpecs {
		if spec.Name == name {
			return spec, true
		}
	}
	return FieldSpec{}, false
}

// The features of an invoice or receipt that extraction looks for on the pages of a document.
const (
	FeatureTypeWord = "type_word"       // a word such as invoice, Rechnung or 发票
	FeatureAmount   = "labelled_amount" // an amount with a label of a total
	FeatureDate     = "date"
	FeatureParty    = "party"  // a legal form, a tax or register number, an account
	FeatureDemand   = "demand" // an account or a due date: the document asks for a payment
	FeatureProse    = "prose"  // most lines are running text, as in an article or a letter
)
