package casework

import (
	"countersign/domain"
	"countersign/workflow"
)

// withHiddenVotes returns the moved marking with the verdicts of hidden votes. It refuses to move them
// to a review that does not hide its votes, whose marking and events would show them.
func (m *caseMigration) withHiddenVotes(moved domain.Marking) (domain.Marking, error) {
	for _, review := range m.reviews {
		node, ok := m.to.Node(m.target(review.Node))
		if review.VoteHidden && (!ok || !node.HidesVotes()) {
			return moved, &workflow.Immovable{Reason: workflow.MoveEased, Node: review.Node,
				Message: "The new version would show the hidden votes at " + review.Node + "."}
		}
	}
	cast, err := m.castVotes()
	if err != nil {
		return moved, err
	}
	return workflow.WithVotes(m.to, moved, cast.seatVotes(m.target))
}
