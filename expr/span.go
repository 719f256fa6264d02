package expr

import (
	"math"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
)

// Range is a stretch of whole numbers, both ends included; it is empty when Min lies above Max. Truths count as 0 and 1.
type Range struct{ Min, Max int64 }

// Empty reports whether no number lies in the range.
func (r Range) Empty() bool { return r.Min > r.Max }

// Meet returns what both ranges have in common.
func (r Range) Meet(other Range) Range { return Range{max(r.Min, other.Min), min(r.Max, other.Max)} }

// Box is a set of facts by the ranges of their numbers; a name that is not in it may be anything that the name can be.
type Box map[string]Range

// Of returns the range of a name in the box.
func (b Box) Of(name string) Range {
	if found, ok := b[name]; ok {
		return found
	}
	return numbers[name]
}

// Empty reports whether nothing lies in the box.
func (b Box) Empty() bool {
	for _, found := range b {
		if found.Empty() {
			return true
		}
	}
	return false
}

// maxBoxes bounds the alternatives of one condition that are told apart.
const maxBoxes = 64

// numbers are the declared names that a span knows, with what they can be.
var numbers = map[string]Range{
	"amount_minor": {math.MinInt64, math.MaxInt64}, "base_minor": {math.MinInt64, math.MaxInt64},
	"risk": {0, 100}, "blocking": {0, math.MaxInt64}, "warnings": {0, math.MaxInt64},
	"amount_known": {0, 1}, "has_structured_data": {0, 1},
}

// Span is what a condition asks of numbers: it can be true only in one of the boxes. Exact tells that it asks nothing else,
// so that it is true everywhere in them.
type Span struct {
	Boxes []Box
	Exact bool
}

// Span returns what the condition asks of numbers, for warnings about conditions that can never be true or that overlap.
func (c *Condition) Span() Span { return c.span }

var anywhere = Span{Boxes: []Box{{}}}

// spanOf reads the span off a type-checked expression; what it does not understand may be true anywhere.
func spanOf(e ast.Expr, negated bool) Span {
	switch e.Kind() {
	case ast.LiteralKind:
		if truth, ok := e.AsLiteral().Value().(bool); ok {
			if truth != negated {
				return Span{Boxes: []Box{{}}, Exact: true}
			}
			return Span{Exact: true}
		}
	case ast.IdentKind:
		if _, known := numbers[e.AsIdent()]; known {
			return within(e.AsIdent(), "!=", 0, negated)
		}
	case ast.CallKind:
		call := e.AsCall()
		args := call.Args()
		switch call.FunctionName() {
		case operators.LogicalNot:
			return spanOf(args[0], !negated)
		case operators.LogicalAnd, operators.LogicalOr:
			left, right := spanOf(args[0], negated), spanOf(args[1], negated)
			if (call.FunctionName() == operators.LogicalAnd) != negated {
				return both(left, right)
			}
			return either(left, right)
		}
		if op, ok := comparisons[call.FunctionName()]; ok && op != "in" {
			return compared(op, args, negated)
		}
	}
	return anywhere
}

func compared(op string, args []ast.Expr, negated bool) Span {
	left, right := args[0], args[1]
	if left.Kind() == ast.LiteralKind {
		left, right, op = right, left, mirrored[op]
	}
	if left.Kind() != ast.IdentKind || right.Kind() != ast.LiteralKind {
		return anywhere
	}
	if _, known := numbers[left.AsIdent()]; !known {
		return anywhere
	}
	switch value := right.AsLiteral().Value().(type) {
	case int64:
		return within(left.AsIdent(), op, value, negated)
	case bool:
		number := int64(0)
		if value {
			number = 1
		}
		return within(left.AsIdent(), op, number, negated)
	}
	return anywhere
}

var opposite = map[string]string{"==": "!=", "!=": "==", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}

// within is the span of one comparison.
func within(name, op string, value int64, negated bool) Span {
	if negated {
		op = opposite[op]
	}
	whole := Range{math.MinInt64, math.MaxInt64}
	below, above := Range{math.MinInt64, value - 1}, Range{value + 1, math.MaxInt64}
	if value == math.MinInt64 {
		below = Range{0, -1}
	}
	if value == math.MaxInt64 {
		above = Range{0, -1}
	}
	var ranges []Range
	switch op {
	case "==":
		ranges = []Range{{value, value}}
	case "!=":
		ranges = []Range{below, above}
	case "<":
		ranges = []Range{below}
	case "<=":
		ranges = []Range{{math.MinInt64, value}}
	case ">":
		ranges = []Range{above}
	case ">=":
		ranges = []Range{{value, math.MaxInt64}}
	default:
		ranges = []Range{whole}
	}
	span := Span{Exact: true}
	for _, one := range ranges {
		if met := one.Meet(numbers[name]); !met.Empty() {
			span.Boxes = append(span.Boxes, Box{name: met})
		}
	}
	return span
}

func both(left, right Span) Span {
	span := Span{Exact: left.Exact && right.Exact}
	if len(left.Boxes)*len(right.Boxes) > maxBoxes {
		return anywhere
	}
	for _, one := range left.Boxes {
		for _, other := range right.Boxes {
			if met := one.meet(other); !met.Empty() {
				span.Boxes = append(span.Boxes, met)
			}
		}
	}
	return span
}

func either(left, right Span) Span {
	if len(left.Boxes)+len(right.Boxes) > maxBoxes {
		return anywhere
	}
	return Span{Boxes: append(append([]Box(nil), left.Boxes...), right.Boxes...), Exact: left.Exact && right.Exact}
}

func (b Box) meet(other Box) Box {
	met := Box{}
	for name, one := range b {
		met[name] = one
	}
	for name, one := range other {
		met[name] = met.Of(name).Meet(one)
	}
	return met
}

// Meets reports whether the boxes have something in common.
func (b Box) Meets(other Box) bool { return !b.meet(other).Empty() }

// Without returns the parts of the box that lie outside the other; they do not overlap.
func (b Box) Without(other Box) []Box {
	if b.meet(other).Empty() {
		return []Box{b}
	}
	var parts []Box
	rest := b
	for name, cut := range other {
		whole := rest.Of(name)
		if cut.Min > whole.Min {
			parts = append(parts, rest.narrowed(name, Range{whole.Min, cut.Min - 1}))
		}
		if cut.Max < whole.Max {
			parts = append(parts, rest.narrowed(name, Range{cut.Max + 1, whole.Max}))
		}
		rest = rest.narrowed(name, whole.Meet(cut))
	}
	return parts
}

func (b Box) narrowed(name string, to Range) Box {
	narrow := Box{name: to}
	for other, one := range b {
		if other != name {
			narrow[other] = one
		}
	}
	return narrow
}
