package domain

import "slices"

// The field types that only fields of a document type's own have.
const (
	FieldTypeNumber  FieldType = "number"
	FieldTypeBoolean FieldType = "boolean"
	FieldTypeChoice  FieldType = "choice"
)

// FieldTypes returns every field type.
func FieldTypes() []FieldType {
	return []FieldType{FieldTypeText, FieldTypeMoney, FieldTypeDate, FieldTypeCurrency,
		FieldTypeIBAN, FieldTypeVATID, FieldTypeCountry, FieldTypeNumber, FieldTypeBoolean,
		FieldTypeChoice}
}

// MaxFieldValue is the maximum length of a value that a person enters, in characters.
const MaxFieldValue = 500

// DocumentType is one version of a document type: the fields that its documents have. It is never
// changed after it was parsed.
type DocumentType struct {
	Key string
	// Version is 0 for a type without a published definition, whose documents have the fields of
	// the built-in extractor.
	Version int
	// Title is the name of the type by language ("en", "zh").
	Title  map[string]string
	Fields []DocumentField // in display order
	// Accepts are the kinds (values of FieldKind) that documents of the type may be; empty if none is
	// judged.
	Accepts []string
	// NeverSent are the fields that are never asked of a language model, and whose values are removed
	// from the text that it gets.
	NeverSent []string
}

// DocumentField is a field of a document type.
type DocumentField struct {
	FieldSpec
	Required bool
	// PageLabels are the texts beside or above the value on a page. Only a field of the type's own
	// has them: the others are found by the built-in extractor.
	PageLabels []string
	Options    []FieldOption // of a choice
	MaxLength  int           // of a value, in characters
	// Own says that a version published before the name was built in defined the field itself. The
	// built-in extractor does not fill it.
	Own bool
}

// builtinField returns the field of a row of the table, as a type without a definition has it.
func builtinField(spec FieldSpec) DocumentField {
	return DocumentField{FieldSpec: spec, Options: OptionsOf(spec.Name), MaxLength: MaxFieldValue}
}

// BuiltinField returns the built-in field of the name; false if there is none.
func BuiltinField(name string) (DocumentField, bool) {
	spec, known := FieldSpecOf(name)
	return builtinField(spec), known
}

// OptionsOf returns the values of a built-in field that is a choice, nil for others.
func OptionsOf(name string) []FieldOption {
	if name != FieldKind {
		return nil
	}
	return slices.Clone(documentKinds)
}

// The kinds of documents, as values of FieldKind.
const (
	KindInvoice    = "invoice"
	KindCreditNote = "credit_note"
	KindReceipt    = "receipt"
	KindOrder      = "order"
	KindStatement  = "statement"
	KindReminder   = "reminder"
	KindProForma   = "pro_forma"
	KindContract   = "contract"
	KindOther      = "other"
	// KindNotice is a letter that announces something, such as another bank account.
	KindNotice       = "notice"
	KindBankSlip     = "bank_slip"     // proof that money was transferred
	KindQuotation    = "quotation"     // an offer
	KindDeliveryNote = "delivery_note" // goods without a demand
)

// documentKinds are the values of FieldKind. They are what a document calls itself; the kinds that
// duplicates depend on are DocumentKind, so that a word on the page hides no duplicate.
var documentKinds = []FieldOption{
	{KindInvoice, "Invoice", "发票"}, {KindCreditNote, "Credit note", "贷记单"},
	{KindReceipt, "Receipt", "收据"}, {KindOrder, "Order", "订单"},
	{KindStatement, "Statement of account", "对账单"}, {KindReminder, "Reminder", "催款函"},
	{KindProForma, "Pro-forma invoice", "形式发票"}, {KindContract, "Contract", "合同"},
	{KindNotice, "Letter or notice", "函件或通知"}, {KindBankSlip, "Bank slip", "银行回单"},
	{KindQuotation, "Quotation", "报价单"}, {KindDeliveryNote, "Delivery note", "送货单"},
	{KindOther, "Other", "其他"},
}

// IsDocumentKind reports whether the text is a value of FieldKind.
func IsDocumentKind(kind string) bool {
	return slices.ContainsFunc(documentKinds, func(o FieldOption) bool { return o.Value == kind })
}

// FieldOption is a value of a choice with its labels.
type FieldOption struct{ Value, English, Chinese string }

// IsBuiltin reports whether the built-in extractor fills the field. Amounts, parties, accounts and
// the built-in rules depend on those fields.
func (f DocumentField) IsBuiltin() bool {
	_, builtin := FieldSpecOf(f.Name)
	return builtin && !f.Own
}

// Field returns the field of the name; false if the documents of the type do not have it.
func (t *DocumentType) Field(name string) (DocumentField, bool) {
	for i := range t.Fields {
		if t.Fields[i].Name == name {
			return t.Fields[i], true
		}
	}
	return DocumentField{}, false
}

// Has reports whether the documents of the type have the field.
func (t *DocumentType) Has(name string) bool {
	_, has := t.Field(name)
	return has
}

// HasBuiltin reports whether the documents of the type have the field and the built-in extractor
// fills it.
func (t *DocumentType) HasBuiltin(name string) bool {
	field, has := t.Field(name)
	return has && field.IsBuiltin()
}

// FieldNames returns the names of the fields in display order.
func (t *DocumentType) FieldNames() []string {
	names := make([]string, len(t.Fields))
	for i := range t.Fields {
		names[i] = t.Fields[i].Name
	}
	return names
}

// Required returns the names of the required fields in display order.
func (t *DocumentType) Required() []string {
	names := make([]string, 0, len(t.Fields))
	for i := range t.Fields {
		if t.Fields[i].Required {
			names = append(names, t.Fields[i].Name)
		}
	}
	return names
}

// OwnFields returns the fields that the built-in extractor does not fill.
func (t *DocumentType) OwnFields() []DocumentField {
	return slices.DeleteFunc(slices.Clone(t.Fields), DocumentField.IsBuiltin)
}

// requiredUndefined are the required fields of documents whose type has no definition.
var requiredUndefined = map[string][]string{
	"receipt":    {FieldVendor, FieldDate, FieldTotal},
	"remittance": {FieldVendor, FieldIBAN, FieldTotal},
}

// UndefinedDocumentType returns the type of documents that were submitted before their type had a
// definition, or whose type has none: they have the fields of the built-in extractor.
func UndefinedDocumentType(key string) *DocumentType {
	required, known := requiredUndefined[key]
	if !known {
		required = []string{FieldVendor, FieldNumber, FieldDate, FieldTotal}
	}
	t := &DocumentType{Key: key, Fields: make([]DocumentField, 0, len(fieldSpecs))}
	for _, spec := range fieldSpecs {
		field := builtinField(spec)
		field.Required = slices.Contains(required, spec.Name)
		t.Fields = append(t.Fields, field)
	}
	return t
}

// NoDocumentType returns the error for the key of a document type that is not published.
func NoDocumentType(field, key string) *Error {
	return Invalid(field, "There is no document type %.40q.", key).
		WithRemedy("Choose one of the published document types.")
}
