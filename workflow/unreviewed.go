package workflow

import (
	"maps"
	"math"

	"countersign/domain"
	"countersign/expr"
)

// Unreviewed reports that a case of any amount can be archived as approved although no reviewer
// decides it, as far as the guards on its route compare numbers. A process without amounts is
// reported if a case can be archived without a review at all. Publishing needs a confirmation then.
func Unreviewed(def *Definition) []Problem {
	if def.Callable { // its callers decide
		return nil
	}
	b := builder{def: def}
	for _, region := range b.largestCases() {
		maps.Copy(region, def.bounds)
		found, path := b.archivedWithout(region, nil, b.def.start)
		if found == nil {
			continue
		}
		rule, amount := "unreviewed", ", whatever its amount"
		if !b.def.HasAmount {
			rule, amount = "unreviewed_all", ""
		}
		problem := b.addProblem(found, rule,
			"A case can be archived as approved without a review%s.", amount)
		problem.Path, problem.Values = append([]string{string(Started)}, path...), map[string]string{"node": found.ID}
		break
	}
	return b.problems
}

// largestCases returns the facts of the cases that no bound of an amount admits: the largest amounts,
// and unknown ones.
func (b *builder) largestCases() []expr.Intervals {
	if !b.def.HasAmount {
		return []expr.Intervals{{}}
	}
	return []expr.Intervals{
		{"base_minor": {Min: math.MaxInt64 - 1, Max: math.MaxInt64}, "amount_known": {Min: 1, Max: 1}},
		{"amount_known": {Min: 0, Max: 0}},
	}
}

// archivedWithout returns a stage that archives a case of the region as approved before any review
// decides it, with the route from the node at which it continues, or nil. left is as in caseWalk.
func (b *builder) archivedWithout(
	region expr.Intervals, left, at *Node,
) (*Node, []string) {
	w := caseWalk{def: b.def, left: left,
		edges: func(node *Node) []*Edge { return unreviewedEdges(node, region) },
		ends:  func(node *Node) bool { return node.Outcome == domain.Archived }}
	found := w.find(at)
	return found, w.route(found)
}

// unreviewedEdges returns the edges by which a case of the region leaves the node without the decision of a
// reviewer.
func unreviewedEdges(node *Node, region expr.Intervals) []*Edge {
	if node.Kind == KindExclusive {
		return possibleBranches(node, region)
	}
	return node.edgesBy(func(edge *Edge) bool {
		return node.Kind != KindReview || edge.Trigger != "" || edge.On == string(domain.Repaired)
	})
}

// possibleBranches returns the branches of a gateway that a case of the region can take.
func possibleBranches(gateway *Node, region expr.Intervals) []*Edge {
	var possible []*Edge
	left := []expr.Intervals{region} // what the branches so far do not certainly take
	for i := range gateway.Edges {
		edge := &gateway.Edges[i]
		ranges := expr.SatisfiableRanges{Alternatives: []expr.Intervals{{}}, Exact: true}
		if edge.guard != nil {
			ranges = edge.guard.SatisfiableRanges()
		}
		if edge.target != nil && anyOverlap(left, ranges.Alternatives) {
			possible = append(possible, edge)
		}
		if !ranges.Exact {
			continue
		}
		for _, taken := range ranges.Alternatives {
			left = expr.Outside(left, taken)
		}
		if len(left) > maxFragments {
			left = []expr.Intervals{region}
		}
	}
	return possible
}
