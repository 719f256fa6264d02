package casework

import (
	"context"

	"countersign/domain"
	"countersign/store"
)

// checkScope refuses an API token that has none of the scopes.
func checkScope(actor domain.Actor, needed ...domain.Action) error {
	return actor.RequireScope(needed...)
}

// inScope checks the scope at the start of a command, before anything is read, and logs a refusal.
func (svc *Service) inScope(
	ctx context.Context, actor domain.Actor, operation string, needed ...domain.Action,
) error {
	err := checkScope(actor, needed...)
	if err != nil {
		svc.logRefusal(ctx, actor, operation, domain.NoID, err)
	}
	return err
}

// scopeFor returns the scope of a command about a user: a change to oneself needs a scope of its
// own.
func scopeFor(actor domain.Actor, person domain.ID, others domain.Action) domain.Action {
	if person == actor.UserID {
		return domain.ScopeAccount
	}
	return others
}

// loadExclusions loads, once, the users who are excluded from the locked case.
func (c *command) loadExclusions() (*store.Exclusions, error) {
	if c.exclusions == nil {
		exclusions, err := c.tx.Exclusions(c.ctx, c.before.ID, c.before.Parties())
		if err != nil {
			return nil, err
		}
		c.exclusions = &exclusions
	}
	return c.exclusions, nil
}

// lockReviews locks, once, the reviews of the locked case.
func (c *command) lockReviews() error {
	if c.reviews != nil {
		return nil
	}
	reviews, err := c.tx.LockReviews(c.ctx, c.before.ID)
	c.reviews = reviews
	return err
}

func (c *command) lockedReview(id domain.ID) (domain.Review, error) {
	if err := c.lockReviews(); err != nil {
		return domain.Review{}, err
	}
	for _, review := range c.reviews {
		if review.ID == id {
			return review, nil
		}
	}
	if c.absent {
		return domain.AbsentReview(id), nil
	}
	return domain.Review{}, domain.NewNotFound()
}

// scope refuses an API token without the scope of the action. Reading needs no scope here, because
// it is checked within commands that require one of their own.
func (c *command) scope(action domain.Action) error {
	if action == domain.ActRead {
		return nil
	}
	return checkScope(c.actor, action)
}

// authorizeCase checks the policy for an action on the case as a whole. Delegation does not apply
// here, so only the actor is checked.
func (c *command) authorizeCase(action domain.Action) error {
	if err := c.scope(action); err != nil {
		return err
	}
	facts, err := c.caseFacts()
	if err != nil {
		return err
	}
	if _, err := c.snapshot.authorizer.AuthorizeCase(c.persons[0], action, facts); err != nil {
		return c.hideUnreadable(facts, err)
	}
	if c.absent {
		return domain.NewNotFound()
	}
	return nil
}

// hideUnreadable replaces a refusal with NotFound if the user's roles can never read the case.
func (c *command) hideUnreadable(facts domain.CaseFacts, refusal error) error {
	if domain.HasCode(refusal, domain.ConflictOfInterest) {
		return refusal
	}
	err := c.snapshot.authorizer.AuthorizeCaseRead(c.persons[0], c.persons[1:], facts)
	if c.absent || err != nil && !domain.HasCode(err, domain.ConflictOfInterest) {
		return domain.NewNotFound()
	}
	return refusal
}

func (c *command) caseFacts() (domain.CaseFacts, error) {
	exclusions, err := c.loadExclusions()
	if err != nil {
		return domain.CaseFacts{}, err
	}
	if err := c.lockReviews(); err != nil {
		return domain.CaseFacts{}, err
	}
	return store.NewCaseFacts(c.before, c.reviews, *exclusions), nil
}

// authorizeReview checks the policy for an action on one review, for the actor and the delegator.
func (c *command) authorizeReview(action domain.Action, review domain.Review) error {
	if err := c.scope(action); err != nil {
		return err
	}
	exclusions, err := c.loadExclusions()
	if err != nil {
		return err
	}
	facts := store.NewReviewFacts(c.before, review, *exclusions, c.def.HasAmount, c.now)
	if _, err = c.authorizePersons(action, facts); err == nil && !c.absent {
		return nil
	}
	caseFacts, factsErr := c.caseFacts()
	if factsErr != nil {
		return factsErr
	}
	return c.suggestOnBehalf(caseFacts, c.hideUnreadable(caseFacts, err))
}

func (c *command) authorizePersons(
	action domain.Action, facts domain.ReviewFacts,
) (domain.Permit, error) {
	if len(c.persons) > 1 {
		return c.snapshot.authorizer.AuthorizeOnBehalfOf(c.persons[0], c.persons[1], action, facts)
	}
	return c.snapshot.authorizer.Authorize(c.persons[0], action, facts)
}
