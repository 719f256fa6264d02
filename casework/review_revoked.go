package casework

import (
	"countersign/domain"
	"countersign/events/generated"
)

// revokeVotesOf revokes the votes given by the decision of one review. The exclusions must be
// loaded.
func (c *command) revokeVotesOf(review domain.Review, why string) {
	for _, vote := range c.exclusions.VotesIn(review.ID) {
		c.change.RevokedVotes = append(c.change.RevokedVotes, vote)
		c.emit(generated.VoteFellV1{Duty: vote.Duty, Person: vote.Person, ReviewID: review.ID,
			Why: why})
	}
}

// anyNodeLeft reports whether the process has left the node of one of the reviews.
func (c *command) anyNodeLeft(reviews []domain.Review) bool {
	for _, review := range reviews {
		if !c.isAtNode(review) {
			return true
		}
	}
	return false
}

// isAtNode reports whether the process still waits at the review's node, in the same visit.
func (c *command) isAtNode(review domain.Review) bool {
	for _, token := range c.change.Case.Marking.Tokens {
		if token.Node == review.Node && token.Visit == review.Visit {
			return true
		}
	}
	return false
}

// reopenRevokedSeats opens new seats for the reviews whose votes were revoked because they no
// longer count, if
// the process still waits at their nodes. The process opens the others when it evaluates its route
// again, at the next decision. People who have not voted are not asked twice.
func (c *command) reopenRevokedSeats(revoked []domain.Review) error {
	for _, review := range revoked {
		if !c.isAtNode(review) {
			continue
		}
		if err := c.reopenSeat(review); err != nil {
			return err
		}
	}
	return nil
}
