package expr

import (
	"slices"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
)

// Findings are the rules whose findings the condition waits for, in order of the alphabet: it has another answer when one
// is there. A rule that is only let pass, as in findings.all(f, f.rule in ["a"]), is not among them.
func (c *Condition) Findings() []string { return slices.Clone(c.findings) }

// findingRulesIn reads the rules off a type-checked expression.
func findingRulesIn(e ast.Expr) []string {
	var found []string
	collectFindingRules(e, true, &found)
	slices.Sort(found)
	return slices.Compact(found)
}

// collectFindingRules adds the rules that comparisons of a finding's rule name. In exists and its like, == waits for the finding; in
// all, where every other finding counts too, != does, and == lets it pass. A negation turns that round.
func collectFindingRules(e ast.Expr, equal bool, found *[]string) {
	switch e.Kind() {
	case ast.ComprehensionKind:
		loop := e.AsComprehension()
		collectFindingRules(loop.IterRange(), true, found)
		step := loop.LoopStep()
		collectFindingRules(step, step.Kind() != ast.CallKind || step.AsCall().FunctionName() != operators.LogicalAnd, found)
	case ast.CallKind:
		call := e.AsCall()
		args := call.Args()
		switch op := call.FunctionName(); {
		case op == operators.LogicalNot:
			equal = !equal
		case len(args) != 2:
		case op == operators.NotEquals && !equal, (op == operators.Equals || op == operators.In) && equal:
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

// isFindingRuleName: the expression is the name rule of a finding, not of the fields, the only other names with parts.
func isFindingRuleName(e ast.Expr) bool {
	switch e.Kind() {
	case ast.SelectKind:
		part := e.AsSelect()
		return part.FieldName() == "rule" && !isFieldsName(part.Operand())
	case ast.CallKind:
		call := e.AsCall()
		args := call.Args()
		return call.FunctionName() == operators.Index && len(args) == 2 && slices.Equal(literalTexts(args[1]), []string{"rule"}) && !isFieldsName(args[0])
	}
	return false
}

func isFieldsName(e ast.Expr) bool { return e.Kind() == ast.IdentKind && e.AsIdent() == "fields" }

// literalTexts are the texts of a literal or a list of literals.
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
