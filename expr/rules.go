package expr

import (
	"fmt"
	"reflect"
	"strconv"
	"sync"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"countersign/domain"
)

// Facts are the values of declared names. A name without an entry has no value, and using it fails.
type Facts map[string]any

// Parent returns nil: there are no outer names.
func (f Facts) Parent() cel.Activation { return nil }

// ResolveName returns the value of a declared name.
func (f Facts) ResolveName(name string) (any, bool) {
	value, known := f[name]
	return value, known
}

var ruleFacts = sync.OnceValue(func() Environment {
	text, number, truth, texts := cel.StringType, cel.IntType, cel.BoolType,
		cel.ListType(cel.StringType)
	var declarations []nameDeclaration
	add := func(kind *cel.Type, names ...string) {
		for _, name := range names {
			declarations = append(declarations, nameDeclaration{name, kind})
		}
	}
	add(text, "document_type", "country", "currency", "currency_written", "amount_text",
		"base_text", "declared_text", "declared_currency", "total_text", "net_text", "tax_text",
		"difference_text", "total_source", "today", "iban", "iban_country", "iban_fault",
		"vat_fault", "account", "account_country", "account_before", "account_vendors", "country_risk", "risk_country", "sum_by", "sum_since", "sum_at",
		"same_number_text", "same_number_earlier", "sum_text", "sum_mark_text", "order_amount_text",
		"order_evidence_text", "order_payee", "order_account", "order_sum_text",
		"order_limit_text", "line_sum_text", "corrected_sum_text", "amount_due_text", "prepaid_text", "bic_country")
	add(truth, "amount_known", "currency_known", "declared_known", "total_known", "net_known",
		"tax_known", "date_known", "due_known", "vendor_looked", "account_changed", "account_new",
		"country_has_ibans", "currency_assumed", "features_known", "kind_mismatch", "order_known",
		"order_amount_differs", "order_amount_unknown", "order_amount_covered",
		"order_payee_covered", "order_exceeded", "line_sum_known",
		"lines_corrected", "corrected_sum_known")
	add(number, "amount_minor", "base_minor", "declared_minor", "total_minor", "net_minor",
		"tax_minor", "difference_minor", "lines", "minor_per_major", "date_age", "due_after",
		"iban_length", "iban_length_due", "vendor_approved", "split_count", "split_base_minor",
		"sum_count", "sum_hours", "line_sum_minor", "corrected_sum_minor")
	add(texts, "unreadable", "differing", "same_number", "same_bytes", "similar_number",
		"same_content", "similar_image", "rejected_before", "linked_cases", "submitted_again", "submitted_again_as", "account_cases", "split_cases",
		"features", "not_printed", "parts", "part_fields", "part_values", "required", "type_fields", "order_other_payees",
		"order_other_accounts", "order_cases", "payable_differs", "tax_rows_differ")
	add(cel.MapType(text, text), "fields", "raw")
	add(cel.MapType(text, truth), "present", "guessed")
	add(cel.MapType(text, cel.DoubleType), "confidence")
	return newEnvironment(declarations, cel.Function("money",
		cel.Overload("money_int_string", []*cel.Type{number, text}, text,
			cel.BinaryBinding(moneyText))))
})

var textList = reflect.TypeFor[[]string]()

// moneyText implements money(minor, currency): the amount as text.
func moneyText(minor, currency ref.Val) ref.Val {
	amount, isNumber := minor.(types.Int)
	code, isText := currency.(types.String)
	if !isNumber || !isText {
		return types.NewErr("money takes a number and a currency")
	}
	return types.String(domain.Money{Minor: int64(amount), Currency: string(code)}.String())
}

// RuleFacts declares the names that rules can use:
//
//	document_type, country, currency, currency_written, today      string; currency "" while unknown
//
// amount_known; amount_minor, base_minor, amount_text, base_text  the case's amount; no value while
// unknown
//
//	declared_known; declared_minor, declared_currency, declared_text  what the submitter stated
//
// total_, net_, tax_ known, minor, text; difference_minor, difference_text  as read; the difference
// is total - net - tax
// lines, minor_per_major              int       line items, at least 1; minor units in one unit of
// the currency
//
//	fields, raw                         map(string, string)   by field name
//	present, guessed                    map(string, bool)     found at all; found only by its label
//	confidence                          map(string, double)   of fields that were read from a page,
//	                                    0 if its words do not state the value
//	currency_assumed                    bool      the currency only follows from other words
//	features_known, features            whether the pages were examined; features of an invoice or
//	                                    receipt that they have
//	kind_mismatch                       bool      the pages look like none of the kinds that the
//	                                    document type accepts
//	not_printed                         list(string)  fields of the e-invoice that its pages do not show
//	parts                               list(string)  the documents that the file seems to contain,
//	empty if it is one: "1", "2-3", "1:left"
//	part_fields, part_values            list(string)  the fields that are uncertain because of them; what
//	each of them states
//	required, type_fields               list(string)  required fields of the document type, except
//	                                    the total and, where accounts have no IBANs, the account; all fields of the type
//	line_sum_known, line_sum_minor, line_sum_text   sum of line items that were read with certainty
//	lines_corrected                     bool      a person changed the line items
//	corrected_sum_known, corrected_sum_minor, corrected_sum_text   sum of the items that a person entered
//	payable_differs; amount_due_text, prepaid_text   the total and the amount due, if that is more than
//	                                    the total or not the total less what was paid before
//	tax_rows_differ                     list(string)  the fields, if taxes by rate do not add up
//	bic_country                         string    "" without a valid BIC
//	unreadable                          list(string)          found, but not a valid date or amount
//
// date_known, date_age; due_known, due_after   days before today; days from the date to the due
// date
// iban, iban_country, iban_fault      string    fault: "" if valid, too_short, form, country,
// length, check_digits
// iban_length, iban_length_due        int       number of characters, and the number required by
// its country
//
//	country_has_ibans                   bool      true also while the country is unknown
//	vat_fault                           string    "" if valid, form, check_digits
//	same_number, same_bytes             list(string)          references of other cases
//	same_number_text, same_number_earlier   the numbers that they have too; those of them that were stated
//	before the one in force
//	similar_number, same_content        list(string)          the number within one character and
//	the same total; the same total and date
//	similar_image, rejected_before      list(string)          nearly the same page; the same document,
//	but rejected or withdrawn before
//	linked_cases                        list(string)          pro-forma invoices or credit notes for
//	the document, or documents for which it is one
//	sum_by, sum_count, sum_hours, sum_since, sum_at, sum_text, sum_mark_text   for a rule with sums: the
//	subject, the number of other documents, the window, its beginning and its end, the sum and the mark
//
// vendor_looked, vendor_approved      whether the vendor was looked up; its documents approved
// before
// split_cases, split_count, split_base_minor    others of this vendor within 24 hours, and the sum
// with this one
// account, account_country            string    the account that is paid: the order's, without an
// order the document's; its country if it is an IBAN
// account_changed, account_before     the account differs from that on the vendor's last approved
// document
// account_new                         the vendor's last approved document has no account
//
//	submitted_again                     list(string)          cases that have the finding about this document
//	and theirs
//	submitted_again_as                  list(string)          these cases with what both documents have in common,
//	as "content:CS-2026-000002"; as the value copies they are shown in words
//	account_cases, account_vendors      list(string), string  a case of each other vendor with the account, and
//	their names
//
//	country_risk, risk_country          string    the highest level of the countries of the case
//	("", elevated or high), and the country that has it
//	differing                           list(string)  fields whose sources state different values
//
// order_known                         bool      the case has a payment order; the fields are then those
// of its evidence, and the amount is the order's
//
//	order_amount_text, order_payee, order_account             string
//	order_amount_differs, order_amount_unknown                bool    the evidence states another
//	amount (order_evidence_text), or none
//	order_other_payees, order_other_accounts                  list(string)  of the evidence
//	order_amount_covered, order_payee_covered                 bool    equal, or a confirmed ground
//	order_exceeded; order_cases, order_sum_text, order_limit_text   the orders on the evidence are
//	more than it supports
func RuleFacts() Environment { return ruleFacts() }

// EvalFacts evaluates the condition for facts by name.
func (c *Condition) EvalFacts(facts Facts) (bool, error) {
	return evaluate(c.program, c.source, facts)
}

// Formula is a compiled expression whose value is a text, a number, a boolean or a list of texts.
// It is safe for concurrent use.
type Formula struct {
	source  string
	program cel.Program
	fields  []string
	texts   []string
}

// CompileFormula compiles a formula over the declared names.
func CompileFormula(source string, declared Environment) (*Formula, error) {
	tree, err := parseAndCheck(source, declared)
	if err != nil {
		return nil, err
	}
	switch kind := tree.OutputType(); {
	case kind.IsExactType(cel.StringType), kind.IsExactType(cel.IntType),
		kind.IsExactType(cel.BoolType), kind.IsExactType(cel.DoubleType),
		kind.IsExactType(cel.ListType(cel.StringType)):
	default:
		return nil, compileError(source,
			"it has the type %s, but a value must be a text, a number, a boolean or a list of texts", kind)
	}
	program, err := newProgram(tree, declared)
	if err != nil {
		return nil, compileError(source, msgNotCompiled).WithCause(err)
	}
	expression := tree.NativeRep().Expr()
	return &Formula{source: source, program: program, fields: fieldsIn(expression),
		texts: literalTexts(expression)}, nil
}

// Eval returns the value as texts: one, or those of a list. Its errors are those of Condition.Eval.
func (f *Formula) Eval(facts Facts) ([]string, error) {
	value, _, err := f.program.Eval(facts)
	if err != nil {
		return nil, evaluationError(f.source, err)
	}
	switch value := value.Value().(type) {
	case string:
		return []string{value}, nil
	case int64:
		return []string{strconv.FormatInt(value, 10)}, nil
	case bool:
		return []string{strconv.FormatBool(value)}, nil
	case float64:
		return []string{strconv.FormatFloat(value, 'f', 2, 64)}, nil
	}
	list, err := value.ConvertToNative(textList)
	if err != nil {
		return nil, evaluationError(f.source,
			fmt.Errorf("the value is not a list of texts: %w", err))
	}
	texts, _ := list.([]string)
	return texts, nil
}
