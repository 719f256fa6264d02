package workflow

import (
	"maps"
	"slices"

	"countersign/domain"
	"countersign/expr"
)

// Cautions reports what a process can do that its publisher must confirm: see Unreviewed, laterUnreviewed and
// unassessed.
func Cautions(def *Definition) []Problem {
	found := Unreviewed(def)
	return slices.Concat(found, laterUnreviewed(def, len(found) > 0), unassessed(def))
}

// laterUnreviewed reports that a case can be archived as approved although the last decision was no approval:
// the review was rejected, its time limit has passed, or the case was returned, its document was replaced, or
// its values were entered. As in Unreviewed, only cases count that no bound of an amount admits. The entries
// are not compared if a new case passes as well, because they say the same.
func laterUnreviewed(def *Definition, newCases bool) []Problem {
	if def.Callable { // its callers decide
		return nil
	}
	b := builder{def: def}
	for _, node := range def.Reviews() {
		for i := range node.Edges {
			edge := &node.Edges[i]
			switch {
			case edge.Trigger == TriggerTimeout && !node.Repairs():
				b.checkLater(node, node, edge.target, "unreviewed_timeout",
					"If the time limit of %s passes, the case is archived as approved without its decision.")
			case edge.On == string(domain.Reject):
				b.checkLater(node, node, edge.target, "unreviewed_reject",
					"A case that %s rejects is archived as approved.")
			case edge.On == string(domain.Return) && !newCases:
				b.checkLater(node, nil, edge.target, "unreviewed_return",
					"A case that %s returns is archived as approved when it is submitted again, without a review.")
			}
		}
	}
	if newCases {
		return b.problems
	}
	b.checkLater(def.index[def.OnReplace], nil, def.index[def.OnReplace], "unreviewed_replace",
		"A case with a new document continues at %s and is archived as approved without a review.")
	b.checkLater(def.index[def.OnEnter], nil, def.index[def.OnEnter], "unreviewed_enter",
		"A case whose values were entered continues at %s and is archived as approved without a review.")
	return b.problems
}

// checkLater reports the node if a case that continues at the target is archived as approved without a review.
// left is the node of a fork's branch that the case leaves, nil if no other work is open.
func (b *builder) checkLater(node, left, target *Node, rule, message string) {
	if node == nil || target == nil {
		return
	}
	for _, region := range b.largestCases() {
		maps.Copy(region, b.def.bounds)
		found, path := b.archivedWithout(region, left, target)
		if found == nil {
			continue
		}
		problem := b.addProblem(node, rule, message, node.ID)
		problem.Path, problem.Values = path, map[string]string{"node": node.ID}
		return
	}
}

// checkCommittees reports committees without a time limit: if too few members vote, nothing happens.
func (b *builder) checkCommittees() {
	for _, node := range b.def.Reviews() {
		if node.Committee() && node.Timeout == 0 {
			b.addProblem(node, "committee_waits", "The committee %s has no time limit: if too few of its "+
				"members vote, the case waits until more do. Add a time limit that leads to another review.", node.ID).
				Values = map[string]string{"node": node.ID}
		}
	}
}

// checkReplaced reports that a document which replaces another one is not read, so that the values of
// the earlier one remain.
func (b *builder) checkReplaced() {
	reads := func(node *Node) bool { return node.Kind == KindStage && node.Behaviour == domain.BehaviourRead }
	first := b.def.index[b.def.OnReplace]
	if b.def.Callable || first == nil || !slices.ContainsFunc(b.def.Nodes, reads) {
		return
	}
	seen, open := map[*Node]bool{first: true}, []*Node{first}
	for len(open) > 0 {
		node := open[len(open)-1]
		open = open[:len(open)-1]
		if reads(node) {
			return
		}
		for _, target := range targetsOf(unreviewedEdges(node, expr.Intervals{})) {
			if !seen[target] {
				seen[target] = true
				open = append(open, target)
			}
		}
	}
	b.addProblem(first, "replaced_unread", "A document that replaces another one is not read, because the "+
		"case continues at %s: the values of the earlier document remain.", first.ID).
		Values = map[string]string{"node": first.ID}
}
