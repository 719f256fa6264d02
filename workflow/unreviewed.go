package workflow

import (
	"fmt"
	"maps"
	"math"
	"slices"

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
		problem.Path, problem.Values = path, map[string]string{"node": found.ID}
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
// decides it, with the route from the node at which it continues, or nil. A case that leaves a branch of a
// fork passes its join, because the other branches decide about other questions; left is nil for other cases.
func (b *builder) archivedWithout(
	region expr.Intervals, left, at *Node,
) (*Node, []string) {
	from := map[*Node]*Node{at: nil}
	for open := []*Node{at}; len(open) > 0; {
		node := open[0]
		open = open[1:]
		if node.Outcome == domain.Archived {
			return node, routeTo(node, from)
		}
		for _, target := range unreviewedTargets(node, region) {
			if _, seen := from[target]; seen ||
				!b.leavesBranch(left, target, from) && !arrivesAt(target, from, region) {
				continue
			}
			from[target] = node
			open = append(open, target)
		}
	}
	return nil, nil
}

// arrivesAt reports whether the node is no join, or every branch of the join arrives without a review.
func arrivesAt(target *Node, reached map[*Node]*Node, region expr.Intervals) bool {
	return target.Kind != KindJoin || !slices.ContainsFunc(target.joinSources,
		func(source *Node) bool {
			_, ok := reached[source]
			return !ok || !slices.Contains(unreviewedTargets(source, region), target)
		})
}

// unreviewedTargets returns where a case of the region goes from the node without the decision of a
// reviewer.
func unreviewedTargets(node *Node, region expr.Intervals) []*Node {
	if node.Kind == KindExclusive {
		return possibleBranches(node, region)
	}
	var targets []*Node
	for i := range node.Edges {
		edge := &node.Edges[i]
		decided := node.Kind == KindReview && edge.Trigger == "" &&
			edge.On != string(domain.Repaired)
		if !decided && edge.target != nil {
			targets = append(targets, edge.target)
		}
	}
	return targets
}

// possibleBranches returns the targets of a gateway's branches that a case of the region can take.
func possibleBranches(gateway *Node, region expr.Intervals) []*Node {
	var targets []*Node
	left := []expr.Intervals{region} // what the branches so far do not certainly take
	for i := range gateway.Edges {
		edge := &gateway.Edges[i]
		ranges := expr.SatisfiableRanges{Alternatives: []expr.Intervals{{}}, Exact: true}
		if edge.guard != nil {
			ranges = edge.guard.SatisfiableRanges()
		}
		if edge.target != nil && anyOverlap(left, ranges.Alternatives) {
			targets = append(targets, edge.target)
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
	return targets
}

// routeTo lists the work on the route to the node.
func routeTo(node *Node, from map[*Node]*Node) []string {
	var path []string
	for next, at := node, from[node]; at != nil; next, at = at, from[at] {
		switch at.Kind {
		case KindStage, KindExternal, KindSaga:
			path = append(path, fmt.Sprintf("%s %s", at.ID, OutcomeDone))
		case KindReview:
			path = append(path, at.undecided(next))
		}
	}
	path = append(path, string(Started))
	slices.Reverse(path)
	return path
}

// undecided names how a case comes from the review to the node although no reviewer decides it.
func (n *Node) undecided(next *Node) string {
	for i := range n.Edges {
		if edge := &n.Edges[i]; edge.target == next && edge.On == string(domain.Repaired) {
			return edge.pathLabel(n)
		}
	}
	return eventLabel(Event{Kind: TimerFired, Node: n.ID})
}
