package casework

import (
	"countersign/domain"
	"countersign/workflow"
)

// activeReviews are the decided reviews of the case whose votes count, in the order they were opened.
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

// revokeVotesIfChanged revokes every vote when key facts have changed, and returns the reviews they were given in.
func (c *command) revokeVotesIfChanged(changed bool) ([]domain.Review, error) {
	if !changed {
		return nil, nil
	}
	if err := c.lockReviews(); err != nil {
		return nil, err
	}
	fallen, err := c.activeReviews()
	if err != nil {
		return nil, err
	}
	return fallen, c.revokeVotes(func(domain.Vote) bool { return true }, "key facts changed")
}

// anyNodeLeft reports whether one of the reviews stands at a node that the process has left.
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

// reopenAffectedReviews asks again what changed key facts have taken the ground from: seats of a node where the process still
// waits, or, when a level before it has fallen, that level, on the way that the new values lead. Who has not voted is not
// asked twice.
func (c *command) reopenAffectedReviews(fallen []domain.Review) error {
	if c.anyNodeLeft(fallen) {
		for _, review := range fallen {
			c.change.CancelSubjects = append(c.change.CancelSubjects, review.ID) // a decision that was going to take effect
		}
		return c.advanceWithChangedFields(workflow.Event{Kind: workflow.Entered})
	}
	for _, review := range fallen {
		if err := c.reopenSeat(review); err != nil {
			return err
		}
	}
	return nil
}
