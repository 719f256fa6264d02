package workflow

import (
	"fmt"
	"maps"
	"slices"

	"countersign/expr"
)

// maxFragments bounds how finely what is left for a branch is cut up before the question is given up.
const maxFragments = 256

// Warnings names branches of gateways that are never taken, as far as their guards ask of numbers, and neighbours that
// overlap in part, so that their order decides. A later branch that takes in an earlier one whole (first above 1 000,
// then above 100) is usual and no warning.
func Warnings(def *Definition) []Problem {
	b := builder{def: def}
	for _, node := range def.Nodes {
		if node.Kind == KindExclusive {
			b.checkBranches(node)
		}
	}
	return b.problems
}

func (b *builder) checkBranches(node *Node) {
	var taken []expr.Intervals // where an earlier branch is true for certain
	for i, edge := range node.Edges {
		span := expr.SatisfiableRanges{Alternatives: []expr.Intervals{{}}, Exact: true}
		name := "the default"
		if edge.guard != nil {
			span = edge.guard.SatisfiableRanges()
			name = fmt.Sprintf("the branch %q", edge.When)
		}
		switch left, ok := anyUncovered(span.Alternatives, taken); {
		case len(span.Alternatives) == 0:
			b.addProblem(node, "dead_guard", "%s is never taken: it contradicts itself", name)
		case ok && !left:
			b.addProblem(node, "dead_guard", "%s is never taken: the branches before it take everything", name)
		case edge.guard != nil:
			b.checkOverlaps(node, i, span)
		}
		if span.Exact {
			taken = append(taken, span.Alternatives...)
		}
	}
}

// checkOverlaps compares a branch with those before it that lead elsewhere.
func (b *builder) checkOverlaps(node *Node, at int, span expr.SatisfiableRanges) {
	for _, earlier := range node.Edges[:at] {
		if earlier.guard == nil || earlier.To == node.Edges[at].To {
			continue
		}
		other := earlier.guard.SatisfiableRanges()
		if !span.Exact || !other.Exact || !slices.Equal(rangeNames(span), rangeNames(other)) || !anyOverlap(span.Alternatives, other.Alternatives) {
			continue
		}
		if within, ok := anyUncovered(other.Alternatives, span.Alternatives); ok && !within {
			continue // the later one takes in the earlier one whole
		}
		b.addProblem(node, "overlapping_guard", "the branches %q and %q overlap; where both are true the first one is taken", earlier.When, node.Edges[at].When)
	}
}

// anyUncovered reports whether some of the boxes lies outside all that is taken; ok is false when that cannot be told.
func anyUncovered(boxes, taken []expr.Intervals) (left, ok bool) {
	parts := slices.Clone(boxes)
	for _, cut := range taken {
		var next []expr.Intervals
		for _, part := range parts {
			next = append(next, part.Subtract(cut)...)
		}
		if parts = next; len(parts) > maxFragments {
			return false, false
		}
	}
	return len(parts) > 0, true
}

func anyOverlap(boxes, others []expr.Intervals) bool {
	for _, one := range boxes {
		for _, other := range others {
			if one.Overlaps(other) {
				return true
			}
		}
	}
	return false
}

// rangeNames lists the numbers that a span asks about.
func rangeNames(span expr.SatisfiableRanges) []string {
	names := map[string]bool{}
	for _, box := range span.Alternatives {
		for name := range box {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}
