package expr

import (
	"fmt"
	"strings"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"

	"countersign/domain"
)

// clause is a policy condition in the restricted language: a logical operator over parts, or a
// comparison of two operands.
type clause struct {
	op          string // && || ! == != < <= > >= in
	parts       []clause
	left, right operand
}

// operand is a literal, a name of the user or a column of the row. A column is always the left
// operand.
type operand struct {
	literal any // int64, bool, string, []string or []int64
	user    string
	column  domain.Column
}

var comparisons = map[string]string{
	operators.Equals: "==", operators.NotEquals: "!=", operators.Less: "<",
	operators.LessEquals: "<=", operators.Greater: ">", operators.GreaterEquals: ">=",
	operators.In: "in",
}

var swappedOperators = map[string]string{"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<",
	">=": "<="}

// unsupportedReason explains why the restricted language does not allow an expression: a stable
// reason, the name that it refers to, and a message.
type unsupportedReason struct{ reason, name, message string }

// newUnsupportedReason fills the name into the message if the message has a verb for it.
func newUnsupportedReason(reason, name, message string) *unsupportedReason {
	if strings.Contains(message, "%") {
		message = fmt.Sprintf(message, name)
	}
	return &unsupportedReason{reason, name, message}
}

// toClause converts a type-checked expression to a clause. The reason is not nil if the language
// does not allow it.
func toClause(e ast.Expr) (clause, *unsupportedReason) {
	if e.Kind() != ast.CallKind {
		return booleanClause(e)
	}
	call := e.AsCall()
	switch call.FunctionName() {
	case operators.LogicalAnd:
		return connectiveClause("&&", call.Args())
	case operators.LogicalOr:
		return connectiveClause("||", call.Args())
	case operators.LogicalNot:
		return connectiveClause("!", call.Args())
	}
	op, ok := comparisons[call.FunctionName()]
	if !ok {
		return clause{}, newUnsupportedReason("not_allowed",
			strings.Trim(call.FunctionName(), "_@"), "%s is not allowed in a policy condition")
	}
	return comparisonClause(op, call.Args())
}

func connectiveClause(op string, args []ast.Expr) (clause, *unsupportedReason) {
	joined := clause{op: op}
	for _, arg := range args {
		part, reason := toClause(arg)
		if reason != nil {
			return clause{}, reason
		}
		joined.parts = append(joined.parts, part)
	}
	return joined, nil
}

// booleanClause converts a boolean name or literal to name == true.
func booleanClause(e ast.Expr) (clause, *unsupportedReason) {
	left, reason := toOperand(e)
	if reason != nil {
		return clause{}, reason
	}
	return clause{op: "==", left: left, right: operand{literal: true}}, nil
}

func comparisonClause(op string, args []ast.Expr) (clause, *unsupportedReason) {
	left, reason := toOperand(args[0])
	if reason != nil {
		return clause{}, reason
	}
	right, reason := toOperand(args[1])
	if reason != nil {
		return clause{}, reason
	}
	switch {
	case left.column != "" && right.column != "":
		return clause{}, newUnsupportedReason("two_columns", "",
			"a comparison can use only one review name")
	case op == "in" && right.column != "":
		return clause{}, newUnsupportedReason("in_list", "", "the right side of in must be a list")
	case right.column != "":
		left, right, op = right, left, swappedOperators[op]
	}
	if reason := checkOperands(op, left, right); reason != nil {
		return clause{}, reason
	}
	return clause{op: op, left: left, right: right}, nil
}

// checkOperands checks what CEL's types do not: order only for numbers, lists only after in, valid
// identifiers.
func checkOperands(op string, left, right operand) *unsupportedReason {
	if op == "in" {
		if left.kind() == "list" || right.kind() != "list" {
			return newUnsupportedReason("in_list", "",
				"in needs a single value on the left and a list on the right")
		}
	} else if left.kind() == "list" || right.kind() == "list" {
		return newUnsupportedReason("only_after_in", "", "a list is allowed only after in")
	}
	if op != "==" && op != "!=" && op != "in" && left.kind() != "number" {
		return newUnsupportedReason("numbers_only", op, "%s compares numbers only")
	}
	if left.column == domain.ColSubmitter {
		for _, text := range right.texts() {
			if id, err := domain.ParseID(text); err != nil || id.String() != text {
				return newUnsupportedReason("person_id", text, "%q is not a valid user ID")
			}
		}
	}
	return nil
}

// toOperand converts an expression to a literal, a name of the user or a column.
func toOperand(e ast.Expr) (operand, *unsupportedReason) {
	switch e.Kind() {
	case ast.LiteralKind:
		switch value := e.AsLiteral().Value().(type) {
		case int64, bool, string:
			return operand{literal: value}, nil
		}
		return operand{}, newUnsupportedReason("values", "",
			"only integers, texts, true and false are allowed as values")
	case ast.ListKind:
		return listOperand(e.AsList())
	case ast.IdentKind:
		return nameOperand(e.AsIdent())
	case ast.SelectKind:
		if inner := e.AsSelect(); inner.Operand().Kind() == ast.IdentKind && !inner.IsTestOnly() {
			return nameOperand(inner.Operand().AsIdent() + "." + inner.FieldName())
		}
	case ast.CallKind:
		return operand{},
			newUnsupportedReason("inside", strings.Trim(e.AsCall().FunctionName(), "_@"),
				"%s is not allowed inside a comparison")
	}
	return operand{},
		newUnsupportedReason("operands", "",
			"only names, values and lists of values are allowed in a comparison")
}

func nameOperand(name string) (operand, *unsupportedReason) {
	name = strings.TrimPrefix(name, ".")
	for _, column := range reviewColumns {
		if column.name == name {
			return operand{column: column.column}, nil
		}
	}
	for _, user := range userNames {
		if user.name == name {
			return operand{user: name}, nil
		}
	}
	return operand{}, newUnsupportedReason("unknown_name", name, "the name %s is unknown")
}

const msgPlainList = "a list can contain only literals"

func listOperand(list ast.ListExpr) (operand, *unsupportedReason) {
	var texts []string
	var numbers []int64
	for _, element := range list.Elements() {
		if element.Kind() != ast.LiteralKind {
			return operand{}, newUnsupportedReason("list_plain", "", msgPlainList)
		}
		switch value := element.AsLiteral().Value().(type) {
		case string:
			texts = append(texts, value)
		case int64:
			numbers = append(numbers, value)
		default:
			return operand{}, newUnsupportedReason("list_values", "",
				"a list can contain only texts or integers")
		}
	}
	switch {
	case len(list.OptionalIndices()) > 0:
		return operand{}, newUnsupportedReason("list_plain", "", msgPlainList)
	case len(texts) > 0 && len(numbers) > 0:
		return operand{}, newUnsupportedReason("list_mixed", "",
			"a list can contain either texts or numbers, not both")
	case len(texts) == 0 && len(numbers) == 0:
		return operand{}, newUnsupportedReason("list_empty", "", "a list is empty")
	case len(numbers) > 0:
		return operand{literal: numbers}, nil
	}
	return operand{literal: texts}, nil
}

// kind returns the operand's type in the restricted language: number, text, truth or list.
func (o operand) kind() string {
	switch o.column {
	case "":
	case domain.ColLevel, domain.ColBaseMinor:
		return "number"
	case domain.ColAmountKnown:
		return "truth"
	default:
		return "text"
	}
	switch o.user {
	case "":
	case "user.limit_minor":
		return "number"
	case "user.unlimited":
		return "truth"
	case "user.id":
		return "text"
	default:
		return "list"
	}
	switch o.literal.(type) {
	case int64:
		return "number"
	case bool:
		return "truth"
	case string:
		return "text"
	}
	return "list"
}

// texts returns the operand's literal texts.
func (o operand) texts() []string {
	switch value := o.literal.(type) {
	case string:
		return []string{value}
	case []string:
		return value
	}
	return nil
}
