package expr

import (
	"math"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
)

// Range is a range of integers including both ends. It is empty if Min is above Max. Booleans count
// as 0 and 1.
type Range struct{ Min, Max int64 }

// Empty reports whether the range contains no number.
func (r Range) Empty() bool { return r.Min > r.Max }

// Intersect returns the numbers that are in both ranges.
func (r Range) Intersect(other Range) Range {
	return Range{max(r.Min, other.Min), min(r.Max, other.Max)}
}

// Intervals is a set of facts, described by the range of each name. A name without a range is
// unconstrained.
type Intervals map[string]Range

// Range returns the range of a name.
func (b Intervals) Range(name string) Range {
	if found, ok := b[name]; ok {
		return found
	}
	if found, ok := numericBounds[name]; ok {
		return found
	}
	return Range{math.MinInt64, math.MaxInt64} // of an attribute
}

// Empty reports whether the set is empty.
func (b Intervals) Empty() bool {
	for _, found := range b {
		if found.Empty() {
			return true
		}
	}
	return false
}

// maxAlternatives limits the alternatives of one condition; beyond it the condition counts as
// unconstrained.
const maxAlternatives = 64

// numericBounds are the names whose ranges are tracked, with their possible values.
var numericBounds = map[string]Range{
	"amount_minor": {math.MinInt64, math.MaxInt64}, "base_minor": {math.MinInt64, math.MaxInt64},
	"risk": {0, 100}, "blocking": {0, math.MaxInt64}, "warnings": {0, math.MaxInt64},
	"amount_known": {0, 1}, "has_structured_data": {0, 1},
}

// SatisfiableRanges describes the numbers for which a condition can be true: only within one of the
// alternatives. Exact means that the condition depends on nothing else, so that it is true
// everywhere within them.
type SatisfiableRanges struct {
	Alternatives []Intervals
	Exact        bool
}

// SatisfiableRanges returns the numbers for which the condition can be true, for warnings about
// conditions that can never be true or that overlap.
func (c *Condition) SatisfiableRanges() SatisfiableRanges { return c.ranges }

var unconstrained = SatisfiableRanges{Alternatives: []Intervals{{}}}

// satisfiableRangesOf returns the ranges of a type-checked expression. An expression it does not
// support is unconstrained.
func (d Environment) satisfiableRangesOf(e ast.Expr, negated bool) SatisfiableRanges {
	switch e.Kind() {
	case ast.LiteralKind:
		if truth, ok := e.AsLiteral().Value().(bool); ok {
			if truth != negated {
				return SatisfiableRanges{Alternatives: []Intervals{{}}, Exact: true}
			}
			return SatisfiableRanges{Exact: true}
		}
	case ast.IdentKind:
		if _, known := d.bound(e.AsIdent()); known {
			return d.comparisonRanges(e.AsIdent(), "!=", 0, negated)
		}
	case ast.CallKind:
		call := e.AsCall()
		args := call.Args()
		switch call.FunctionName() {
		case operators.LogicalNot:
			return d.satisfiableRangesOf(args[0], !negated)
		case operators.LogicalAnd, operators.LogicalOr:
			left, right := d.satisfiableRangesOf(args[0], negated),
				d.satisfiableRangesOf(args[1], negated)
			if (call.FunctionName() == operators.LogicalAnd) != negated {
				return intersectRanges(left, right)
			}
			return uniteRanges(left, right)
		case operators.In:
			return d.choiceRanges(args, negated)
		}
		if op, ok := comparisons[call.FunctionName()]; ok && op != "in" {
			return d.operandRanges(op, args, negated)
		}
	}
	return unconstrained
}

func (d Environment) operandRanges(op string, args []ast.Expr, negated bool) SatisfiableRanges {
	left, right := args[0], args[1]
	if left.Kind() == ast.LiteralKind {
		left, right, op = right, left, swappedOperators[op]
	}
	if left.Kind() != ast.IdentKind || right.Kind() != ast.LiteralKind {
		return unconstrained
	}
	if _, known := d.bound(left.AsIdent()); !known {
		return unconstrained
	}
	switch value := right.AsLiteral().Value().(type) {
	case int64:
		return d.comparisonRanges(left.AsIdent(), op, value, negated)
	case string:
		if index, ok := d.choice(left.AsIdent(), value); ok && (op == "==" || op == "!=") {
			return d.comparisonRanges(left.AsIdent(), op, index, negated)
		}
	case bool:
		number := int64(0)
		if value {
			number = 1
		}
		return d.comparisonRanges(left.AsIdent(), op, number, negated)
	}
	return unconstrained
}

var negatedOperators = map[string]string{"==": "!=", "!=": "==", "<": ">=", "<=": ">", ">": "<=",
	">=": "<"}

// comparisonRanges returns the ranges of one comparison.
func (d Environment) comparisonRanges(name, op string, value int64, negated bool) SatisfiableRanges {
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
	result := SatisfiableRanges{Exact: true}
	bound, _ := d.bound(name)
	for _, one := range ranges {
		if common := one.Intersect(bound); !common.Empty() {
			result.Alternatives = append(result.Alternatives, Intervals{name: common})
		}
	}
	return result
}

func intersectRanges(left, right SatisfiableRanges) SatisfiableRanges {
	result := SatisfiableRanges{Exact: left.Exact && right.Exact}
	if len(left.Alternatives)*len(right.Alternatives) > maxAlternatives {
		return unconstrained
	}
	result.Alternatives = Common(left.Alternatives, right.Alternatives)
	return result
}

// Common returns the facts that are in both unions.
func Common(left, right []Intervals) []Intervals {
	var common []Intervals
	for _, one := range left {
		for _, other := range right {
			if both := one.Intersect(other); !both.Empty() {
				common = append(common, both)
			}
		}
	}
	return common
}

// Outside returns the facts of a union that are not in the cut.
func Outside(union []Intervals, cut Intervals) []Intervals {
	var rest []Intervals
	for _, part := range union {
		rest = append(rest, part.Subtract(cut)...)
	}
	return rest
}

func uniteRanges(left, right SatisfiableRanges) SatisfiableRanges {
	if len(left.Alternatives)+len(right.Alternatives) > maxAlternatives {
		return unconstrained
	}
	alternatives := append(append([]Intervals(nil), left.Alternatives...), right.Alternatives...)
	return SatisfiableRanges{Alternatives: alternatives, Exact: left.Exact && right.Exact}
}

// Intersect returns the facts that are in both sets.
func (b Intervals) Intersect(other Intervals) Intervals {
	common := Intervals{}
	for name, one := range b {
		common[name] = one
	}
	for name, one := range other {
		common[name] = common.Range(name).Intersect(one)
	}
	return common
}

// Overlaps reports whether the two sets have facts in common.
func (b Intervals) Overlaps(other Intervals) bool { return !b.Intersect(other).Empty() }

// Subtract returns the parts of the set outside the other; they do not overlap.
func (b Intervals) Subtract(other Intervals) []Intervals {
	if b.Intersect(other).Empty() {
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
