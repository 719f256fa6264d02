package expr

import (
	"slices"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
)

// Findings returns the rules whose findings change the result of the condition, in alphabetical
// order. A rule whose findings it only tolerates, as in findings.all(f, f.rule in ["a"]), is not
// among them.
func (c *Condition) Findings() []string { return slices.Clone(c.findings) }

// findingRulesIn returns the rules of Findings for a type-checked expression.
func findingRulesIn(e ast.Expr) []string {
	var found []string
	collectFindingRules(e, true, &found)
	slices.Sort(found)
	return slices.Compact(found)
}

// collectFindingRules adds the rules that a finding's rule is compared with. In exists and similar
// macros, == looks for the finding; in all, != does, while == tolerates it. A negation swaps the
// two.
func collectFindingRules(e ast.Expr, equal bool, found *[]string) {
	switch e.Kind() {
	case ast.ComprehensionKind:
		loop := e.AsComprehension()
		collectFindingRules(loop.IterRange(), true, found)
		step := loop.LoopStep()
		collectFindingRules(step, step.Kind() != ast.CallKind ||
			step.AsCall().FunctionName() != operators.LogicalAnd, found)
	case ast.CallKind:
		call := e.AsCall()
		args := call.Args()
		switch op := call.FunctionName(); {
		case op == operators.LogicalNot:
			equal = !equal
		case len(args) != 2:
		case op == operators.NotEquals && !equal,
			(op == operators.Equals || op == operators.In) && equal:
			if isFindingRuleName(args[0]) {
				*found = append(*found, literalTexts(args[1])...)
			} else if isFindingRuleName(args[1]) {
				*found = append(*found, literalTexts(args[0])...)
			}
		}
		if call.IsMemberFunction() {
			collectFindingRules(call.Target(), equal, found)
		}
		for _, arg := range args {
			collectFindingRules(arg, equal, found)
		}
	case ast.SelectKind:
		collectFindingRules(e.AsSelect().Operand(), equal, found)
	case ast.ListKind:
		for _, element := range e.AsList().Elements() {
			collectFindingRules(element, equal, found)
		}
	}
}

// isFindingRuleName reports whether the expression is the rule of a finding. Fields are the only
// other names with members.
func isFindingRuleName(e ast.Expr) bool {
	switch e.Kind() {
	case ast.SelectKind:
		part := e.AsSelect()
		return part.FieldName() == "rule" && !isFieldsName(part.Operand())
	case ast.CallKind:
		call := e.AsCall()
		args := call.Args()
		return call.FunctionName() == operators.Index && len(args) == 2 &&
			slices.Equal(literalTexts(args[1]), []string{"rule"}) && !isFieldsName(args[0])
	}
	return false
}

func isFieldsName(e ast.Expr) bool { return e.Kind() == ast.IdentKind && e.AsIdent() == "fields" }

// literalTexts returns the texts of a literal or a list of literals.
func literalTexts(e ast.Expr) []string {
	switch e.Kind() {
	case ast.LiteralKind:
		if text, ok := e.AsLiteral().Value().(string); ok {
			return []string{text}
		}
	case ast.ListKind:
		var texts []string
		for _, element := range e.AsList().Elements() {
			if element.Kind() == ast.LiteralKind {
				texts = append(texts, literalTexts(element)...)
			}
		}
		return texts
	}
	return nil
}
