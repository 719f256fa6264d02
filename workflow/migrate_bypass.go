package workflow

import (
	"slices"

	"countersign/domain"
)

// checkBypassed refuses a case for which the new version has a way to an approval around a review that the
// case has not passed, by a time limit, a failure, a rejection or another outcome, if the old version has no
// such way. The usual route, which is compared otherwise, does not show it.
func (c MovingCase) checkBypassed(ahead []*Node) error {
	for _, node := range ahead {
		target, _ := c.Plan.node(node.ID)
		other := c.To.index[target]
		if other != nil && !node.Repairs() && !approvedWithout(c.From, c.OldFacts, isNode(node)) &&
			approvedWithout(c.To, c.Facts, isNode(other)) {
			return immovable(MoveEased, node.ID,
				"In the new version the case could be approved without %s.", node.ID)
		}
	}
	unreviewed := func(node *Node) bool { return !node.Repairs() }
	if len(ahead) > 0 && !approvedWithout(c.From, c.OldFacts, unreviewed) &&
		approvedWithout(c.To, c.Facts, unreviewed) {
		return immovable(MoveEased, ahead[0].ID,
			"In the new version the case could be approved without any review.")
	}
	return nil
}

// checkAskedAgain refuses to ask for a passed review again with another duty: one person could then give this
// vote and that of a review with the old duty.
func (c MovingCase) checkAskedAgain(node, other *Node) error {
	if other == nil || other.Duty == node.Duty || c.Facts.Verdicts[other.ID] >= other.Quorum {
		return nil
	}
	return immovable(MoveEased, node.ID,
		"The vote at %s would be asked for again with another duty.", node.ID)
}

func isNode(one *Node) func(*Node) bool { return func(node *Node) bool { return node == one } }

// approvedWithout reports whether a case with the facts can be archived as approved although none of the
// reviews is approved: each step ends in any way, and each gateway takes the branch of the facts.
func approvedWithout(def *Definition, facts domain.ProcessFacts, reviews func(*Node) bool) bool {
	w := bypassWalk{stepBuilder: stepOf(def, domain.Marking{}, &facts), reviews: reviews,
		reached: map[*Node]bool{def.start: true}, ways: map[*Node][]*Node{}}
	for open := []*Node{def.start}; len(open) > 0; {
		node := open[0]
		if open = open[1:]; node.Outcome == domain.Archived {
			return true
		}
		for _, target := range w.targets(node) {
			w.ways[target] = append(w.ways[target], node)
			if !w.reached[target] && w.arrives(target) {
				w.reached[target] = true
				open = append(open, target)
			}
		}
	}
	return false
}

// bypassWalk follows every way through a definition except the approvals of the reviews.
type bypassWalk struct {
	*stepBuilder
	reviews func(*Node) bool
	reached map[*Node]bool
	ways    map[*Node][]*Node // the nodes from which a node was reached
}

// targets returns where a case can go from a node.
func (w *bypassWalk) targets(node *Node) []*Node {
	if node.Kind == KindExclusive && !slices.ContainsFunc(node.Edges, usesOutcome) {
		if edge, err := w.guardedEdge(node); err == nil {
			return []*Node{edge.target}
		}
	}
	var targets []*Node
	for i := range node.Edges {
		edge := &node.Edges[i]
		approves := node.Kind == KindReview && edge == node.usualEdge() && w.reviews(node)
		if !approves && edge.target != nil {
			targets = append(targets, edge.target)
		}
	}
	return targets
}

// usesOutcome reports whether the branch depends on how the step before ended.
func usesOutcome(edge Edge) bool {
	return edge.guard != nil && slices.Contains(edge.guard.Names(), "outcome")
}

// arrives reports whether the node is no join, or all its branches arrive.
func (w *bypassWalk) arrives(node *Node) bool {
	return node.Kind != KindJoin || !slices.ContainsFunc(node.joinSources,
		func(source *Node) bool { return !slices.Contains(w.ways[node], source) })
}
