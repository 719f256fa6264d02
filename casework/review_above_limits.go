package casework

import (
	"slices"

	"countersign/authz"
	"countersign/domain"
	"countersign/store"
)

// authorizeUndecidable is authorizeReview for an action that does not carry out anything. If no one may
// decide the review, it is also permitted to those who may claim it to return it or to resolve its
// values, because otherwise the case could not continue.
func (c *command) authorizeUndecidable(action domain.Action, review domain.Review) error {
	refusal := c.authorizeReview(action, review)
	if !domain.HasCode(refusal, domain.ApprovalLimit) && !domain.HasCode(refusal, domain.FourEyes) ||
		c.absent {
		return refusal
	}
	exclusions, err := c.loadExclusions()
	if err != nil {
		return err
	}
	facts := store.NewReviewFacts(c.before, review, *exclusions, c.def.HasAmount, c.now)
	users, err := c.tx.Users(c.ctx, nil)
	if err != nil {
		return err
	}
	relaxed, undecidable := c.snapshot.authorizer.RelaxUndecidable(users, facts, c.personIDs()...)
	if !undecidable {
		return refusal
	}
	if _, err := c.authorizePersons(action, relaxed); err != nil {
		return refusal
	}
	return nil
}

// resolvesAboveLimits reports whether the reviewer resolves an amount above every limit together with
// one of the people who have asserted the same values: both are among those with the highest limits,
// and one of them has the largest.
func (c *command) resolvesAboveLimits(largest int64, confirmed []domain.ID) (bool, error) {
	if len(confirmed) == 0 || c.actor.System {
		return false, nil
	}
	highest, above, err := c.highestAboveLimits(largest)
	return above && slices.ContainsFunc(confirmed, func(other domain.ID) bool {
		return highest.Include(other) &&
			(highest.AnyLargest(other) || highest.AnyLargest(c.personIDs()...))
	}), err
}

// highestAboveLimits returns who has the highest limits, and whether the reviewer is one of them and
// has claimed a review whose amount is above every limit.
func (c *command) highestAboveLimits(largest int64) (authz.HighestLimits, bool, error) {
	var none authz.HighestLimits
	exclusions, err := c.loadExclusions()
	if err != nil {
		return none, false, err
	}
	if err := c.lockReviews(); err != nil {
		return none, false, err
	}
	users, err := c.tx.Users(c.ctx, nil)
	if err != nil {
		return none, false, err
	}
	for _, review := range c.reviews {
		if !isOpen(review) || review.Repairs() || review.Assignee != c.actor.UserID {
			continue
		}
		facts := store.NewReviewFacts(c.before, review, *exclusions, c.def.HasAmount, c.now)
		facts.AmountKnown, facts.BaseMinor = true, max(facts.BaseMinor, largest)
		if len(c.snapshot.authorizer.Eligible(users, domain.ActClaim, facts)) > 0 {
			continue
		}
		highest := c.snapshot.authorizer.HighestLimits(users, facts)
		if highest.Include(c.personIDs()...) {
			return highest, true, nil
		}
	}
	return none, false, nil
}

// otherAccountIDs returns the further accounts of everybody who acts.
func (c *command) otherAccountIDs() []domain.ID {
	var ids []domain.ID
	for _, person := range c.persons {
		ids = append(ids, person.OtherAccounts...)
	}
	return ids
}

// accountIDs returns all accounts of everybody who acts.
func (c *command) accountIDs() []domain.ID { return append(c.personIDs(), c.otherAccountIDs()...) }

// personIDs returns the ids of everybody who acts.
func (c *command) personIDs() []domain.ID {
	ids := make([]domain.ID, 0, len(c.persons))
	for _, person := range c.persons {
		ids = append(ids, person.ID)
	}
	return ids
}
