package workflow

import (
	"encoding/json"
	"slices"

	"countersign/domain"
)

// Votes is whether the votes of a committee are shown while it is undecided.
type Votes string

// The values of Votes.
const (
	VotesOpen   Votes = "open"
	VotesHidden Votes = "hidden"
)

// HidesVotes reports whether the node is a committee that hides its votes.
func (n *Node) HidesVotes() bool { return n.Votes == VotesHidden }

// HidesVotesAt reports whether a committee that hides its votes is undecided in the marking.
func (d *Definition) HidesVotesAt(marking domain.Marking) bool {
	return slices.ContainsFunc(marking.Tokens, func(token domain.Token) bool {
		node := d.index[token.Node]
		return node != nil && node.HidesVotes()
	})
}

// SeatVote is a vote at a seat of a review in one visit.
type SeatVote struct {
	Node        string
	Visit, Seat int
	Verdict     domain.Verdict
}

// WithVotes returns the marking with the verdicts that WithoutVotes has removed. The engine can only
// step from a marking with all of them.
func WithVotes(def *Definition, marking domain.Marking, votes []SeatVote) (domain.Marking, error) {
	return editVotes(def, marking, func(node *Node, visit int, cast *castVote) error {
		if cast.Verdict != "" {
			return nil
		}
		at := slices.IndexFunc(votes, func(v SeatVote) bool {
			return v.Node == node.ID && v.Visit == visit && v.Seat == cast.Seat
		})
		if at < 0 {
			return domain.Errorf(domain.Internal, "The vote of seat %d at %s is missing.", cast.Seat, node.ID)
		}
		cast.Verdict = votes[at].Verdict
		return nil
	})
}

// WithoutVotes returns the marking without the verdicts of committees that hide them. Events, exports
// and pages show the marking, so it says only which seats have voted.
func WithoutVotes(def *Definition, marking domain.Marking) domain.Marking {
	hidden, _ := editVotes(def, marking, func(node *Node, _ int, cast *castVote) error {
		if node.HidesVotes() {
			cast.Verdict = ""
		}
		return nil
	})
	return hidden
}

// editVotes returns the marking with edited votes of its committees; the given one stays unchanged.
func editVotes(
	def *Definition, marking domain.Marking, edit func(node *Node, visit int, cast *castVote) error,
) (domain.Marking, error) {
	states := nodeStates{byNode: marking.Notes}
	for _, token := range marking.Tokens {
		node := def.index[token.Node]
		if node == nil || !node.Committee() || states.byNode[node.ID] == nil {
			continue
		}
		seats := states.seats(node)
		for i := range seats.Cast {
			if err := edit(node, token.Visit, &seats.Cast[i]); err != nil {
				return marking, err
			}
		}
		if text, err := json.Marshal(seats); err == nil && string(text) != string(states.byNode[node.ID]) {
			states.setSeats(node.ID, seats)
		}
	}
	marking.Notes = states.byNode
	return marking, nil
}

// hasHidden reports whether the verdict of a vote is hidden.
func (s *seatState) hasHidden() bool {
	return slices.ContainsFunc(s.Cast, func(vote castVote) bool { return vote.Verdict == "" })
}
