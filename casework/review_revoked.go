package casework

import (
	"countersign/domain"
	"countersign/workflow"
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

// reopenAffectedReviews reopens the reviews whose votes were revoked by changed key facts. If the
// process still waits at their nodes, it opens new seats there. If it has left one of them, it
// re-enters the process on the route that the new values lead to. People who have not voted are not
// asked twice.
func (c *command) reopenAffectedReviews(revoked []domain.Review) error {
	if c.anyNodeLeft(revoked) {
		for _, review := range revoked {
			// cancels a pending effect of the decision
			c.change.CancelSubjects = append(c.change.CancelSubjects, review.ID)
		}
		return c.advanceWithChangedFields(workflow.Event{Kind: workflow.Entered})
	}
	for _, review := range revoked {
		if err := c.reopenSeat(review); err != nil {
			return err
		}
	}
	return nil
}
