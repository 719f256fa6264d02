package casework

import (
	"countersign/domain"
	"countersign/workflow"
)

// standing are the decided reviews of the case whose votes count, in the order they were opened.
func (c *command) standing() ([]domain.Review, error) {
	bars, err := c.barsOf()
	if err != nil {
		return nil, err
	}
	var reviews []domain.Review
	for _, review := range c.reviews {
		for _, vote := range bars.Votes {
			if vote.ReviewID == review.ID {
				reviews = append(reviews, review)
				break
			}
		}
	}
	return reviews, nil
}

// fellBy makes every vote fall when key facts have changed, and returns the reviews they were given in.
func (c *command) fellBy(changed bool) ([]domain.Review, error) {
	if !changed {
		return nil, nil
	}
	if err := c.lockReviews(); err != nil {
		return nil, err
	}
	fallen, err := c.standing()
	if err != nil {
		return nil, err
	}
	return fallen, c.fell(func(domain.Vote) bool { return true }, "key facts changed")
}

// earlier reports whether one of the reviews stands at a node that the process has left.
func (c *command) earlier(reviews []domain.Review) bool {
	for _, review := range reviews {
		if !c.stands(review) {
			return true
		}
	}
	return false
}

// stands reports whether the process still waits at the review's node, in the same visit.
func (c *command) stands(review domain.Review) bool {
	for _, token := range c.change.Case.Marking.Tokens {
		if token.Node == review.Node && token.Visit == review.Visit {
			return true
		}
	}
	return false
}

// askDifference asks again what changed key facts have taken the ground from: seats of a node where the process still
// waits, or, when a level before it has fallen, that level, on the way that the new values lead. Who has not voted is not
// asked twice.
func (c *command) askDifference(fallen []domain.Review) error {
	if c.earlier(fallen) {
		for _, review := range fallen {
			c.change.CancelSubjects = append(c.change.CancelSubjects, review.ID) // a decision that was going to take effect
		}
		return c.goOnFrom(workflow.Event{Kind: workflow.Entered})
	}
	for _, review := range fallen {
		if err := c.seatAgain(review); err != nil {
			return err
		}
	}
	return nil
}
