package workflow

import (
	"fmt"
	"maps"
	"slices"

	"countersign/expr"
)

// maxParts bounds how finely what is left for a branch is cut up before the question is given up.
const maxParts = 256

// Warnings names branches of gateways that are never taken, as far as their guards ask of numbers, and neighbours that
// overlap in part, so that their order decides. A later branch that takes in an earlier one whole (first above 1 000,
// then above 100) is usual and no warning.
func Warnings(def *Definition) []Problem {
	b := builder{def: def}
	for _, node := range def.Nodes {
		if node.Kind == KindExclusive {
			b.branches(node)
		}
	}
	return b.problems
}

func (b *builder) branches(node *Node) {
	var taken []expr.Box // where an earlier branch is true for certain
	for i, edge := range node.Edges {
		span := expr.Span{Boxes: []expr.Box{{}}, Exact: true}
		name := "the default"
		if edge.guard != nil {
			span = edge.guard.Span()
			name = fmt.Sprintf("the branch %q", edge.When)
		}
		switch left, ok := remains(span.Boxes, taken); {
		case len(span.Boxes) == 0:
			b.fault(node, "dead_guard", "%s is never taken: it contradicts itself", name)
		case ok && !left:
			b.fault(node, "dead_guard", "%s is never taken: the branches before it take everything", name)
		case edge.guard != nil:
			b.overlaps(node, i, span)
		}
		if span.Exact {
			taken = append(taken, span.Boxes...)
		}
	}
}

// overlaps compares a branch with those before it that lead elsewhere.
func (b *builder) overlaps(node *Node, at int, span expr.Span) {
	for _, earlier := range node.Edges[:at] {
		if earlier.guard == nil || earlier.To == node.Edges[at].To {
			continue
		}
		other := earlier.guard.Span()
		if !span.Exact || !other.Exact || !slices.Equal(namesOf(span), namesOf(other)) || !meet(span.Boxes, other.Boxes) {
			continue
		}
		if within, ok := remains(other.Boxes, span.Boxes); ok && !within {
			continue // the later one takes in the earlier one whole
		}
		b.fault(node, "overlapping_guard", "the branches %q and %q overlap; where both are true the first one is taken", earlier.When, node.Edges[at].When)
	}
}

// remains reports whether some of the boxes lies outside all that is taken; ok is false when that cannot be told.
func remains(boxes, taken []expr.Box) (left, ok bool) {
	parts := slices.Clone(boxes)
	for _, cut := range taken {
		var next []expr.Box
		for _, part := range parts {
			next = append(next, part.Without(cut)...)
		}
		if parts = next; len(parts) > maxParts {
			return false, false
		}
	}
	return len(parts) > 0, true
}

func meet(boxes, others []expr.Box) bool {
	for _, one := range boxes {
		for _, other := range others {
			if one.Meets(other) {
				return true
			}
		}
	}
	return false
}

// namesOf lists the numbers that a span asks about.
func namesOf(span expr.Span) []string {
	names := map[string]bool{}
	for _, box := range span.Boxes {
		for name := range box {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}
