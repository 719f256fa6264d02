package workflow

import (
	"slices"

	"countersign/domain"
)

// ahead is what happens next to a case behind an edge.
type ahead int

const (
	aheadOther   ahead = iota // the case ends otherwise, or returns to an earlier step
	aheadReview               // a reviewer decides
	aheadArchive              // the case is paid or archived as approved although no reviewer decided
)

// seenEdge returns the edge of a gateway by which a case with supporting documents that no person has looked
// at leaves it: the chosen one, or, if that can lead to a payment or the archive without a review, one that
// leads to a review. No value is read from such documents, so guards about values say nothing about them.
// What later gateways choose is not asked, because the facts can change until then. So what a published
// process is checked for is what happens.
func (p *stepBuilder) seenEdge(gateway *Node, chosen *Edge) *Edge {
	if !p.facts.Unseen {
		return chosen
	}
	w := unseenWalk{def: p.def, known: map[*Node]ahead{gateway: aheadOther}}
	if w.from(chosen.target) != aheadArchive {
		return chosen
	}
	if other := w.reviewed(gateway, chosen); other != nil {
		return other
	}
	return chosen // the payment or the archive refuses it
}

// checkSeen refuses to pay for a case with supporting documents that no person has looked at, and to archive
// it.
func (p *stepBuilder) checkSeen(node *Node) error {
	if p.facts == nil || !p.facts.Unseen || !p.def.settles(node) {
		return nil
	}
	return domain.Errorf(domain.FourEyes,
		"The case has supporting documents, and its process pays or archives it without a review.").
		WithDetail("node", node.ID).WithDetail("reason", "unseen_documents").
		WithRemedy("Move the case to a version of the process with a review, or abandon it.")
}

// settles reports whether a case is archived as approved at the node, or can be paid there and then
// archived without a further review.
func (d *Definition) settles(node *Node) bool {
	return node.Outcome == domain.Archived || node.Kind == KindSaga && reachesArchive(node) || d.MayPay(node.ID)
}

// unseenWalk follows a case with supporting documents, by any branch, until a reviewer decides it or it ends.
type unseenWalk struct {
	def *Definition
	// known are the nodes that were walked. One that is being walked counts as aheadOther.
	known map[*Node]ahead
}

// from returns what happens next to a case that arrives at the node.
func (w *unseenWalk) from(node *Node) ahead {
	if node == nil {
		return aheadOther
	}
	next, known := w.known[node]
	if !known {
		w.known[node] = aheadOther
		next = w.walk(node)
		w.known[node] = next
	}
	return next
}

func (w *unseenWalk) walk(node *Node) ahead {
	switch {
	case node.Kind == KindReview && !node.Repairs():
		return w.fromReview(node)
	case w.def.settles(node):
		return aheadArchive
	case node.Kind == KindExclusive:
		return w.fromGateway(node)
	}
	var found []ahead
	for i := range node.Edges {
		found = append(found, w.from(node.Edges[i].target))
	}
	switch {
	case node.Kind == KindFork && slices.Contains(found, aheadReview):
		return aheadReview // the join waits for it
	case slices.Contains(found, aheadArchive):
		return aheadArchive
	case slices.Contains(found, aheadReview):
		return aheadReview
	}
	return aheadOther
}

// fromReview returns what happens next at a review, which a deadline can end without a decision.
func (w *unseenWalk) fromReview(review *Node) ahead {
	for i := range review.Edges {
		if edge := &review.Edges[i]; edge.Trigger != "" && w.from(edge.target) == aheadArchive {
			return aheadArchive
		}
	}
	return aheadReview
}

// fromGateway returns what happens next behind a gateway, which takes another edge than the one to the
// archive if it has one to a review.
func (w *unseenWalk) fromGateway(gateway *Node) ahead {
	next := aheadReview
	for i := range gateway.Edges {
		edge := &gateway.Edges[i]
		switch w.from(edge.target) {
		case aheadArchive:
			if w.reviewed(gateway, edge) == nil {
				return aheadArchive
			}
		case aheadOther:
			next = aheadOther
		}
	}
	return next
}

// reviewed returns an edge of the gateway that leads to a review, its default first; nil if there is none
// beside the given one.
func (w *unseenWalk) reviewed(gateway *Node, except *Edge) *Edge {
	for i := range slices.Backward(gateway.Edges) {
		edge := &gateway.Edges[i]
		if edge != except && w.from(edge.target) == aheadReview {
			return edge
		}
	}
	return nil
}

// unseenDocuments reports that cases with supporting documents could only be archived unseen, which the
// engine refuses.
func unseenDocuments(def *Definition) []Problem {
	if len(def.Documents) == 0 {
		return nil
	}
	w := unseenWalk{def: def, known: map[*Node]ahead{}}
	if w.from(def.start) != aheadArchive {
		return nil
	}
	b := builder{def: def}
	b.addProblem(nil, "documents_unseen", "The process has supporting documents, and a case can be paid or "+
		"archived as approved without a review of them. Add a review to the route.")
	return b.problems
}
