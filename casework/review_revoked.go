package casework

import (
	"countersign/domain"
)

// activeReviews returns the decided reviews whose votes count, in the order in which they were
// opened.
func (c *command) activeReviews() ([]domain.Review, error) {
	exclusions, err := c.loadExclusions()
	if err != nil {
		return nil, err
	}
	var reviews []domain.Review
	for _, review := range c.reviews {
		for _, vote := range exclusions.Votes {
			if vote.ReviewID == review.ID {
				reviews = append(reviews, review)
				break
			}
		}
	}
	return reviews, nil
}

// revokeVotesIfChanged revokes every vote if key facts changed, and returns the reviews of those
// votes.
func (c *command) revokeVotesIfChanged(changed bool) ([]domain.Review, error) {
	if !changed {
		return nil, nil
	}
	if err := c.lockReviews(); err != nil {
		return nil, err
	}
	revoked, err := c.activeReviews()
	if err != nil {
		return nil, err
	}
	return revoked, c.revokeVotes(func(domain.Vote) bool { return true }, "key facts changed")
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

// reopenRevokedSeats opens new seats for the reviews whose votes were revoked by changed key facts, if
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
