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
	aheadArchive              // the case is archived as approved although no reviewer decided
)

// seenEdge returns the edge of a gateway by which a case with supporting documents that no person has looked
// at leaves it: the chosen one, or, if that leads to the archive without a review, one that leads to a
// review. No value is read from such documents, so guards about values say nothing about them.
func (p *stepBuilder) seenEdge(gateway *Node, chosen *Edge) *Edge {
	if !p.facts.Unseen {
		return chosen
	}
	w := unseenWalk{choose: p.guardedEdge, known: map[*Node]ahead{gateway: aheadOther}}
	if w.from(chosen.target) != aheadArchive {
		return chosen
	}
	if other := w.reviewed(gateway, chosen); other != nil {
		return other
	}
	return chosen // the archive refuses it
}

// checkSeen refuses to archive a case with supporting documents that no person has looked at.
func (p *stepBuilder) checkSeen(archive *Node) error {
	if !p.facts.Unseen {
		return nil
	}
	return domain.Errorf(domain.FourEyes,
		"The case has supporting documents, and its process archives it without a review.").
		WithDetail("node", archive.ID).WithDetail("reason", "unseen_documents").
		WithRemedy("Move the case to a version of the process with a review, or abandon it.")
}

// unseenWalk follows a case with supporting documents until a reviewer decides it or it ends.
type unseenWalk struct {
	choose func(*Node) (*Edge, error) // nil: a gateway takes any branch
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
		return aheadReview
	case node.Outcome == domain.Archived:
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

// fromGateway returns what happens next behind a gateway, which takes another edge than the one to the
// archive if it has one to a review.
func (w *unseenWalk) fromGateway(gateway *Node) ahead {
	if w.choose != nil {
		edge, err := w.choose(gateway)
		if err != nil {
			return aheadOther
		}
		if next := w.from(edge.target); next != aheadArchive {
			return next
		}
		if w.reviewed(gateway, edge) == nil {
			return aheadArchive
		}
		return aheadReview
	}
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
	w := unseenWalk{known: map[*Node]ahead{}}
	if w.from(def.start) != aheadArchive {
		return nil
	}
	b := builder{def: def}
	b.addProblem(nil, "documents_unseen", "The process has supporting documents, and a case can be archived "+
		"as approved without a review of them. Add a review to the route.")
	return b.problems
}
