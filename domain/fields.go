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

// The names of further fields. None of them is part of the risk basis, except countries and those of
// banks: the buyer is not the counterparty, and what was paid before does not lower the total.
const (
	FieldKind         = "document_kind" // see DocumentKinds
	FieldInvoiceCode  = "invoice_code"  // of a Chinese VAT invoice, beside its number
	FieldBuyer        = "buyer"
	FieldBuyerAddress = "buyer_address"
	FieldBuyerVATID   = "buyer_vat_id"
	FieldOrderNumber  = "order_number"  // of the buyer's order
	FieldDeliveryDate = "delivery_date" // of the delivery, or the end of the period of the service
	FieldTaxBreakdown = "tax_breakdown" // see TaxRow
	FieldPrepaid      = "prepaid"
	FieldAmountDue    = "amount_due"
	FieldBIC          = "bic"
	FieldPaymentTerms = "payment_terms"

	FieldPayerCountry    = "payer_country"
	FieldPayerAccount    = "payer_iban"
	FieldDeliveryCountry = "delivery_country"
)

// The names of the values that only a payment order has. Payee, account, BIC, country, amount and
// currency have the names of the document's fields.
const (
	FieldPayer     = "payer"
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
	// Detail says that a form offers the field without a value only on request.
	Detail bool
}

// Fields of which a form shows the line always, and those that it shows with a value.
const (
	inForm = false
	detail = true
)

// fieldSpecs has the fields in display order.
var fieldSpecs = []FieldSpec{
	{FieldVendor, FieldTypeText, "Vendor", "供应商", inForm},
	{FieldVendorAddress, FieldTypeText, "Vendor address", "供应商地址", inForm},
	{FieldBuyer, FieldTypeText, "Buyer", "购买方", detail},
	{FieldBuyerAddress, FieldTypeText, "Buyer address", "购买方地址", detail},
	{FieldInvoiceCode, FieldTypeText, "Invoice code", "发票代码", detail},
	{FieldNumber, FieldTypeText, "Number", "单据号码", inForm},
	{FieldOrderNumber, FieldTypeText, "Order number", "订单号", detail},
	{FieldDate, FieldTypeDate, "Date", "日期", inForm},
	{FieldDeliveryDate, FieldTypeDate, "Delivery date", "交付日期", detail},
	{FieldDueDate, FieldTypeDate, "Due date", "到期日", inForm},
	{FieldCurrency, FieldTypeCurrency, "Currency", "币种", inForm},
	{FieldNet, FieldTypeMoney, "Net amount", "净额", inForm},
	{FieldTax, FieldTypeMoney, "Tax", "税额", inForm},
	{FieldTaxBreakdown, FieldTypeText, "Tax by rate", "分税率税额", detail},
	{FieldTotal, FieldTypeMoney, "Total", "总额", inForm},
	{FieldPrepaid, FieldTypeMoney, "Already paid", "已付金额", detail},
	{FieldAmountDue, FieldTypeMoney, "Amount due", "应付余额", detail},
	{FieldPaymentTerms, FieldTypeText, "Payment terms", "付款条件", detail},
	{FieldIBAN, FieldTypeIBAN, "IBAN", "IBAN", inForm},
	{FieldBIC, FieldTypeText, "BIC", "BIC", detail},
	{FieldVATID, FieldTypeVATID, "VAT number", "增值税号", inForm},
	{FieldBuyerVATID, FieldTypeVATID, "VAT number of the buyer", "购买方税号", detail},
	{FieldCountry, FieldTypeCountry, "Country", "国家/地区", inForm},
	{FieldPayerCountry, FieldTypeCountry, "Country of the payer", "付款方国家/地区", detail},
	{FieldPayerAccount, FieldTypeIBAN, "Account of the payer", "付款方账户", detail},
	{FieldDeliveryCountry, FieldTypeCountry, "Country of delivery", "交付国家/地区", detail},
	{FieldKind, FieldTypeChoice, "Document kind", "单据种类", detail},
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
	// FeatureTender says that the document shows how it was paid: cash and change, a card, a tip.
	FeatureTender = "tender"
	// FeatureNewAccount says that the document announces another bank account of its issuer.
	FeatureNewAccount = "new_account"
	FeatureProse      = "prose" // most lines are running text, as in an article or a letter
)

// PartAmounts are the amounts whose confidence says whether they add up, and not how often such readings
// are right: rules do not compare those that were read by their label alone.
var PartAmounts = []string{FieldNet, FieldTax, FieldTaxBreakdown, FieldPrepaid, FieldAmountDue}
