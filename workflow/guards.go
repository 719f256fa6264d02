package workflow

import (
	"fmt"
	"maps"
	"slices"

	"countersign/expr"
)

// maxFragments limits into how many parts the remainder of a branch is split before the analysis
// gives up.
const maxFragments = 256

// Warnings reports branches of gateways that can never be taken, as far as their guards compare
// numbers, and branches that overlap in part, so that their order matters. A later branch that
// includes an earlier one completely (first above 1 000, then above 100) is common and not
// reported. It also reports gateways at which a value that differs decides between reviews of which neither
// demands more, sagas that can pay without a payment order, committees without a time limit, and new
// documents that are not read.
func Warnings(def *Definition) []Problem {
	b := builder{def: def}
	for _, node := range def.Nodes {
		if node.Kind == KindExclusive {
			b.checkBranches(node)
			b.checkDifferentReviews(node)
		}
	}
	b.checkPaidOrders()
	b.checkCommittees()
	b.checkReplaced()
	return b.problems
}

func (b *builder) checkBranches(node *Node) {
	var covered []expr.Intervals // where an earlier branch is certainly true
	for i, edge := range node.Edges {
		ranges := expr.SatisfiableRanges{Alternatives: []expr.Intervals{b.def.bounds}, Exact: true}
		name := "The default"
		if edge.guard != nil {
			ranges = edge.guard.SatisfiableRanges()
			name = fmt.Sprintf("The branch %q", edge.When)
		}
		switch uncovered, ok := anyUncovered(ranges.Alternatives, covered); {
		case len(ranges.Alternatives) == 0:
			b.addProblem(node, "dead_guard",
				"%s can never be taken because it contradicts itself.", name)
		case ok && !uncovered:
			b.addProblem(node, "dead_guard",
				"%s can never be taken because the earlier branches cover every case.", name)
		case edge.guard != nil:
			b.checkOverlaps(node, i, ranges)
		}
		if ranges.Exact {
			covered = append(covered, ranges.Alternatives...)
		}
	}
}

// checkOverlaps compares a branch with the earlier ones that lead to other nodes.
func (b *builder) checkOverlaps(node *Node, at int, ranges expr.SatisfiableRanges) {
	for _, earlier := range node.Edges[:at] {
		if earlier.guard == nil || earlier.To == node.Edges[at].To {
			continue
		}
		other := earlier.guard.SatisfiableRanges()
		if !ranges.Exact || !other.Exact || !slices.Equal(rangeNames(ranges), rangeNames(other)) ||
			!anyOverlap(ranges.Alternatives, other.Alternatives) {
			continue
		}
		if outside, ok := anyUncovered(other.Alternatives, ranges.Alternatives); ok && !outside {
			continue // the later branch includes the earlier one completely
		}
		b.addProblem(node, "overlapping_guard",
			"The branches %q and %q overlap. If both are true, the first one is taken.",
			earlier.When, node.Edges[at].When)
	}
}

// anyUncovered reports whether some part of the ranges lies outside the covered ones; ok is false
// if that is unknown.
func anyUncovered(ranges, covered []expr.Intervals) (uncovered, ok bool) {
	parts := slices.Clone(ranges)
	for _, cut := range covered {
		if parts = expr.Outside(parts, cut); len(parts) > maxFragments {
			return false, false
		}
	}
	return len(parts) > 0, true
}

func anyOverlap(ranges, others []expr.Intervals) bool {
	for _, one := range ranges {
		for _, other := range others {
			if one.Overlaps(other) {
				return true
			}
		}
	}
	return false
}

// rangeNames lists the names that the ranges constrain.
func rangeNames(ranges expr.SatisfiableRanges) []string {
	names := map[string]bool{}
	for _, intervals := range ranges.Alternatives {
		for name := range intervals {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}
