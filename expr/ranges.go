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

// Intersect returns what both ranges have in common.
func (r Range) Intersect(other Range) Range {
	return Range{max(r.Min, other.Min), min(r.Max, other.Max)}
}

// Intervals is a set of facts by the ranges of their numbers; a name that is not in it may be anything that the name can be.
type Intervals map[string]Range

// Range returns the range of a name in the intervals.
func (b Intervals) Range(name string) Range {
	if found, ok := b[name]; ok {
		return found
	}
	return numericBounds[name]
}

// Empty reports whether nothing lies in the intervals.
func (b Intervals) Empty() bool {
	for _, found := range b {
		if found.Empty() {
			return true
		}
	}
	return false
}

// maxAlternatives bounds the alternatives of one condition that are told apart.
const maxAlternatives = 64

// numericBounds are the declared names that a span knows, with what they can be.
var numericBounds = map[string]Range{
	"amount_minor": {math.MinInt64, math.MaxInt64}, "base_minor": {math.MinInt64, math.MaxInt64},
	"risk": {0, 100}, "blocking": {0, math.MaxInt64}, "warnings": {0, math.MaxInt64},
	"amount_known": {0, 1}, "has_structured_data": {0, 1},
}

// SatisfiableRanges is what a condition asks of numbers: it can be true only in one of the boxes. Exact tells that it asks nothing else,
// so that it is true everywhere in them.
type SatisfiableRanges struct {
	Alternatives []Intervals
	Exact        bool
}

// SatisfiableRanges returns what the condition asks of numbers, for warnings about conditions that can never be true or that overlap.
func (c *Condition) SatisfiableRanges() SatisfiableRanges { return c.ranges }

var unconstrained = SatisfiableRanges{Alternatives: []Intervals{{}}}

// satisfiableRangesOf reads the span off a type-checked expression; what it does not understand may be true anywhere.
func satisfiableRangesOf(e ast.Expr, negated bool) SatisfiableRanges {
	switch e.Kind() {
	case ast.LiteralKind:
		if truth, ok := e.AsLiteral().Value().(bool); ok {
			if truth != negated {
				return SatisfiableRanges{Alternatives: []Intervals{{}}, Exact: true}
			}
			return SatisfiableRanges{Exact: true}
		}
	case ast.IdentKind:
		if _, known := numericBounds[e.AsIdent()]; known {
			return comparisonRanges(e.AsIdent(), "!=", 0, negated)
		}
	case ast.CallKind:
		call := e.AsCall()
		args := call.Args()
		switch call.FunctionName() {
		case operators.LogicalNot:
			return satisfiableRangesOf(args[0], !negated)
		case operators.LogicalAnd, operators.LogicalOr:
			left, right := satisfiableRangesOf(args[0], negated), satisfiableRangesOf(args[1], negated)
			if (call.FunctionName() == operators.LogicalAnd) != negated {
				return intersectRanges(left, right)
			}
			return uniteRanges(left, right)
		}
		if op, ok := comparisons[call.FunctionName()]; ok && op != "in" {
			return operandRanges(op, args, negated)
		}
	}
	return unconstrained
}

func operandRanges(op string, args []ast.Expr, negated bool) SatisfiableRanges {
	left, right := args[0], args[1]
	if left.Kind() == ast.LiteralKind {
		left, right, op = right, left, swappedOperators[op]
	}
	if left.Kind() != ast.IdentKind || right.Kind() != ast.LiteralKind {
		return unconstrained
	}
	if _, known := numericBounds[left.AsIdent()]; !known {
		return unconstrained
	}
	switch value := right.AsLiteral().Value().(type) {
	case int64:
		return comparisonRanges(left.AsIdent(), op, value, negated)
	case bool:
		number := int64(0)
		if value {
			number = 1
		}
		return comparisonRanges(left.AsIdent(), op, number, negated)
	}
	return unconstrained
}

var negatedOperators = map[string]string{"==": "!=", "!=": "==", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}

// comparisonRanges is the span of one comparison.
func comparisonRanges(name, op string, value int64, negated bool) SatisfiableRanges {
	if negated {
		op = negatedOperators[op]
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
	span := SatisfiableRanges{Exact: true}
	for _, one := range ranges {
		if common := one.Intersect(numericBounds[name]); !common.Empty() {
			span.Alternatives = append(span.Alternatives, Intervals{name: common})
		}
	}
	return span
}

func intersectRanges(left, right SatisfiableRanges) SatisfiableRanges {
	span := SatisfiableRanges{Exact: left.Exact && right.Exact}
	if len(left.Alternatives)*len(right.Alternatives) > maxAlternatives {
		return unconstrained
	}
	for _, one := range left.Alternatives {
		for _, other := range right.Alternatives {
			if common := one.intersect(other); !common.Empty() {
				span.Alternatives = append(span.Alternatives, common)
			}
		}
	}
	return span
}

func uniteRanges(left, right SatisfiableRanges) SatisfiableRanges {
	if len(left.Alternatives)+len(right.Alternatives) > maxAlternatives {
		return unconstrained
	}
	return SatisfiableRanges{Alternatives: append(append([]Intervals(nil), left.Alternatives...), right.Alternatives...), Exact: left.Exact && right.Exact}
}

func (b Intervals) intersect(other Intervals) Intervals {
	common := Intervals{}
	for name, one := range b {
		common[name] = one
	}
	for name, one := range other {
		common[name] = common.Range(name).Intersect(one)
	}
	return common
}

// Overlaps reports whether the boxes have something in common.
func (b Intervals) Overlaps(other Intervals) bool { return !b.intersect(other).Empty() }

// Subtract returns the parts of the box that lie outside the other; they do not overlap.
func (b Intervals) Subtract(other Intervals) []Intervals {
	if b.intersect(other).Empty() {
		return []Intervals{b}
	}
	var parts []Intervals
	rest := b
	for name, cut := range other {
		whole := rest.Range(name)
		if cut.Min > whole.Min {
			parts = append(parts, rest.withRange(name, Range{whole.Min, cut.Min - 1}))
		}
		if cut.Max < whole.Max {
			parts = append(parts, rest.withRange(name, Range{cut.Max + 1, whole.Max}))
		}
		rest = rest.withRange(name, whole.Intersect(cut))
	}
	return parts
}

func (b Intervals) withRange(name string, to Range) Intervals {
	narrow := Intervals{name: to}
	for other, one := range b {
		if other != name {
			narrow[other] = one
		}
	}
	return narrow
}
