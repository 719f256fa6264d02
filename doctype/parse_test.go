package doctype_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"countersign/doctype"
	"countersign/domain"
)

const report = `key: expense_report
title: {en: Expense report, zh: 费用报销单}
fields:
  - {name: total, required: true}
`

func TestDocumentTypeIsRead(t *testing.T) {
	t.Parallel()
	made, err := doctype.Parse([]byte("accepts: [receipt, invoice]\n" + report + `  - name: vendor
    label: {en: Employee, zh: 员工}
  - name: cost_centre
    type: text
    label: {en: Cost centre, zh: 成本中心}
    required: true
    labels: [Cost centre, 成本中心]
    max_length: 12
  - name: purpose_kind
    type: choice
    label: {en: Occasion, zh: 事由}
    options:
      - {value: travel, label: {en: Travel, zh: 差旅}}
      - {value: meal, label: {en: Meal, zh: 餐饮}}
`))
	if err != nil {
		t.Fatal(err)
	}
	if names := made.FieldNames(); !slices.Equal(names,
		[]string{"total", "vendor", "cost_centre", "purpose_kind"}) {
		t.Errorf("fields %v", names)
	}
	if !slices.Equal(made.Accepts, []string{domain.KindReceipt, domain.KindInvoice}) {
		t.Errorf("accepts %v", made.Accepts)
	}
	if required := made.Required(); !slices.Equal(required, []string{"total", "cost_centre"}) {
		t.Errorf("required %v", required)
	}
	vendor, _ := made.Field("vendor")
	centre, _ := made.Field("cost_centre")
	if vendor.English != "Employee" || vendor.Type != domain.FieldTypeText ||
		vendor.MaxLength != domain.MaxFieldValue || centre.MaxLength != 12 ||
		len(centre.PageLabels) != 2 || centre.IsBuiltin() || made.Version != 1 {
		t.Errorf("%+v %+v", vendor, centre)
	}
}

// Everything by which a type could hide a value from limits, rules or the people who read a form is
// refused with a sentence, its line and its field.
func TestDeceptiveDocumentTypesAreRefused(t *testing.T) {
	t.Parallel()
	own := func(name, kind, english string) string {
		return fmt.Sprintf("  - {name: %s, type: %s, label: {en: %q, zh: %q}}\n", name, kind, english,
			english+"字")
	}
	for name, row := range map[string]struct{ text, says string }{
		"prototype":   {report + own("__proto__", "text", "P"), "line 5: the name"},
		"constructor": {report + own("constructor", "text", "P"), "reserved"},
		"fact":        {report + own("amount", "money", "P"), "reserved"},
		"order":       {report + own("purpose", "text", "P"), "reserved"},
		"own field of a later name": {report + own("order_number", "text", "P"),
			"line 5: order_number: the built-in field has the type text; leave out the type"},
		"choice of a later name": {report + `  - name: document_kind
    options:
      - {value: a, label: {en: A, zh: A}}
      - {value: b, label: {en: B, zh: B}}
`, "the options of a built-in field cannot be changed"},
		"unknown kind":    {"accepts: [invoice, memo]\n" + report, "the document kind \"memo\" is unknown"},
		"kind twice":      {"accepts: [invoice, invoice]\n" + report, "listed twice"},
		"capitals":        {report + own("Total", "money", "P"), "is not valid"},
		"renamed account": {report + own("bank_account", "iban", "Account"), "must have the name iban"},
		"currency":        {report + own("coin", "currency", "Coin"), "must have the name currency"},
		"account by label": {report + own("konto", "text", "Konto (IBAN)"),
			"belongs to the field iban"},
		"account on the page": {report + `  - name: konto
    type: text
    label: {en: Konto, zh: 账}
    labels: [IBAN]
`, "belongs to the field iban"},
		"another total": {report + own("extra", "money", "tOTAL"),
			"the label of the built-in field total"},
		"the label twice": {report + own("a", "text", "Same") + own("b", "text", "same"),
			"has the label"},
		"built-in label of another field": {
			report + "  - {name: net, label: {en: Total amount, zh: 总额}}\n",
			"the label of the built-in field total"},
		"other type": {strings.Replace(report, "name: total,", "name: total, type: text,", 1),
			"line 4: total: the built-in field has the type money"},
		"labels of total": {strings.Replace(report, "required: true", "labels: [Discount]", 1),
			"takes no labels"},
		"short total": {strings.Replace(report, "required: true", "max_length: 2", 1),
			"cannot be limited"},
		"twice":     {report + "  - {name: total}\n", "another field has the same name"},
		"no label":  {report + "  - {name: x, type: text}\n", "label in en is missing"},
		"invisible": {report + own("x", "text", "To\u200btal"), "invisible"},
		"direction": {report + own("x", "text", "a\u202eb"), "invisible"},
		"unknown":   {report + own("x", "json", "X"), `the type "json" is unknown`},
		"language": {report + "  - {name: x, type: text, label: {en: X, zh: Y, de: Z}}\n",
			`the language "de"`},
		"options":     {report + own("x", "choice", "X"), "2 to 50 options"},
		"key":         {strings.Replace(report, "expense_report", "Expense", 1), "the key"},
		"unknown key": {report + "colour: red\n", "line 5: "},
		"tabs":        {report + "\t- {name: net}\n", "line 5: "},
		"anchor":      {report + "  - &a {name: net}\n", "line 5: "},
		"alias":       {report + "  - *a\n", "line 5: "},
		"merge":       {report + "  - {<<: {name: net}}\n", "line 5"},
		"empty":       {"", ""},
		"no fields": {"key: x\ntitle: {en: X, zh: X}\nfields: []\n",
			"1 to 50 fields, not 0"},
	} {
		made, problems := doctype.Check([]byte(row.text))
		if made != nil || len(problems) == 0 || !slices.ContainsFunc(problems,
			func(p doctype.Problem) bool { return strings.Contains(p.String(), row.says) }) {
			t.Errorf("%s: %v", name, problems)
		}
	}
}

// Too many fields are one problem, not thousands.
func TestManyFieldsAreOneProblem(t *testing.T) {
	t.Parallel()
	for _, count := range []int{51, 599, 10_000} {
		text := strings.Builder{}
		text.WriteString(report)
		for i := range count - 1 {
			fmt.Fprintf(&text, "  - {name: f%d, type: text, label: {en: F%[1]d, zh: F%[1]d}}\n", i)
		}
		_, problems := doctype.Check([]byte(text.String()))
		if len(problems) != 1 || problems[0].Check != "size" {
			t.Errorf("%d fields: %d problems, first %v", count, len(problems), problems[0])
		}
	}
}

// A published version is read although a later program reserves its names.
func TestPublishedVersionStaysReadable(t *testing.T) {
	t.Parallel()
	text := []byte(report + "  - {name: amount, type: money, label: {en: Sum, zh: 和}}\n")
	if _, err := doctype.Parse(text); !domain.HasCode(err, domain.UnsoundDefinition) {
		t.Errorf("proposed: %v", err)
	}
	if made, err := doctype.ParsePublished(text); err != nil || !made.Has("amount") {
		t.Errorf("published: %v", err)
	}
}

// A field that a version published before its name was built in keeps its meaning: the built-in
// extractor does not fill it, and it is not folded in the form.
func TestPublishedOwnFieldStaysOwn(t *testing.T) {
	t.Parallel()
	text := []byte(report + `  - name: order_number
    type: number
    label: {en: Internal order, zh: 内部订单}
    labels: [Internal order]
  - {name: net, type: money}
  - {name: document_kind}
`)
	if _, err := doctype.Parse(text); !domain.HasCode(err, domain.UnsoundDefinition) {
		t.Errorf("proposed again: %v", err)
	}
	made, err := doctype.ParsePublished(text)
	if err != nil {
		t.Fatal(err)
	}
	own, _ := made.Field("order_number")
	if own.IsBuiltin() || own.Detail || own.Type != domain.FieldTypeNumber ||
		len(own.PageLabels) != 1 || own.English != "Internal order" {
		t.Errorf("the own field became %+v", own)
	}
	if fields := made.OwnFields(); len(fields) != 1 {
		t.Errorf("own fields %v", fields)
	}
	if net, _ := made.Field("net"); !net.IsBuiltin() {
		t.Error("a built-in field with its type became an own one")
	}
	if kind, _ := made.Field("document_kind"); !kind.IsBuiltin() || len(kind.Options) != 13 {
		t.Errorf("the kind has the options %v", kind.Options)
	}
}

// The built-in types of bills have every built-in field, so that a new one is added there too.
func TestBuiltinTypes(t *testing.T) {
	t.Parallel()
	sources, err := doctype.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, source := range sources {
		keys = append(keys, source.Key)
		made, err := doctype.Parse(source.YAML)
		if err != nil {
			t.Fatal(err)
		}
		undefined := domain.UndefinedDocumentType(source.Key)
		if len(made.OwnFields()) > 0 {
			continue
		}
		if !slices.Equal(made.FieldNames(), domain.FieldNames()) ||
			!slices.Equal(made.Required(), undefined.Required()) {
			t.Errorf("%s: fields %v, required %v", source.Key, made.FieldNames(), made.Required())
		}
	}
	if !slices.Equal(keys, []string{"content", "invoice", "merchant_application", "receipt",
		"remittance"}) {
		t.Errorf("types %v", keys)
	}
}
