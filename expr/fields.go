package expr

import (
	"slices"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
)

// fieldMaps are the names whose members are named by fields, and fieldLists those that list names of
// fields.
var (
	fieldMaps  = []string{"fields", "raw", "present", "guessed", "confidence"}
	fieldLists = []string{"unreadable", "differing", "not_printed", "unsure_fields", "required",
		"type_fields", "part_fields"}
)

// Fields returns the names of fields that the condition states literally, in alphabetical order.
func (c *Condition) Fields() []string { return slices.Clone(c.fields) }

// Fields returns the names of fields that the formula states literally, in alphabetical order.
func (f *Formula) Fields() []string { return slices.Clone(f.fields) }

// fieldsIn returns the names of fields in a type-checked expression: those by which the maps are
// indexed, those that are looked for in them, and those of a literal list whose elements are.
func fieldsIn(e ast.Expr) []string {
	search := fieldSearch{lists: map[string][]string{}}
	search.collect(e)
	slices.Sort(search.found)
	return slices.Compact(search.found)
}

// fieldSearch collects names of fields. lists has the literal texts over which each variable of a
// macro runs, and over the variables that run over names of fields.
type fieldSearch struct {
	lists map[string][]string
	over  []string
	found []string
}

func (s *fieldSearch) collect(e ast.Expr) {
	switch e.Kind() {
	case ast.ComprehensionKind:
		s.comprehension(e.AsComprehension())
	case ast.CallKind:
		call := e.AsCall()
		s.call(call)
		if call.IsMemberFunction() {
			s.collect(call.Target())
		}
		for _, arg := range call.Args() {
			s.collect(arg)
		}
	case ast.SelectKind:
		part := e.AsSelect()
		if isName(part.Operand(), fieldMaps) {
			s.found = append(s.found, part.FieldName())
		}
		s.collect(part.Operand())
	case ast.ListKind:
		for _, element := range e.AsList().Elements() {
			s.collect(element)
		}
	}
}

func (s *fieldSearch) comprehension(loop ast.ComprehensionExpr) {
	s.collect(loop.IterRange())
	before, overBefore := s.lists[loop.IterVar()], s.over
	s.lists[loop.IterVar()] = literalTexts(loop.IterRange())
	if isName(loop.IterRange(), slices.Concat(fieldMaps, fieldLists)) {
		s.over = append(slices.Clone(s.over), loop.IterVar())
	}
	for _, part := range []ast.Expr{loop.AccuInit(), loop.LoopCondition(), loop.LoopStep(),
		loop.Result()} {
		s.collect(part)
	}
	s.lists[loop.IterVar()], s.over = before, overBefore
}

func (s *fieldSearch) call(call ast.CallExpr) {
	args := call.Args()
	if len(args) != 2 {
		return
	}
	switch call.FunctionName() {
	case operators.Index:
		if isName(args[0], fieldMaps) {
			s.found = append(s.found, s.texts(args[1])...)
		}
	case operators.In:
		if isName(args[1], slices.Concat(fieldMaps, fieldLists)) {
			s.found = append(s.found, s.texts(args[0])...)
		} else if isName(args[0], s.over) {
			s.found = append(s.found, literalTexts(args[1])...)
		}
	case operators.Equals, operators.NotEquals:
		if isName(args[0], s.over) {
			s.found = append(s.found, literalTexts(args[1])...)
		} else if isName(args[1], s.over) {
			s.found = append(s.found, literalTexts(args[0])...)
		}
	}
}

// texts returns the literal texts of an expression: those of the list over which it runs, if it is
// the variable of a macro.
func (s *fieldSearch) texts(e ast.Expr) []string {
	if e.Kind() == ast.IdentKind {
		return s.lists[e.AsIdent()]
	}
	return literalTexts(e)
}

func isName(e ast.Expr, names []string) bool {
	return e.Kind() == ast.IdentKind && slices.Contains(names, e.AsIdent())
}

// Texts returns the texts of a formula that is a literal list of texts.
func (f *Formula) Texts() []string { return slices.Clone(f.texts) }
