package casework

import (
	"context"

	"countersign/domain"
	"countersign/store"
)

// checkScope refuses an API token that was given none of the scopes.
func checkScope(actor domain.Actor, needed ...domain.Action) error {
	return actor.RequireScope(needed...)
}

// inScope is scope for the beginning of a command, before anything is read; the refusal is noted.
func (svc *Service) inScope(ctx context.Context, actor domain.Actor, operation string, needed ...domain.Action) error {
	err := checkScope(actor, needed...)
	if err != nil {
		svc.logRefusal(ctx, actor, operation, domain.NoID, err)
	}
	return err
}

// about is the scope for a command about a person: acting on oneself has one of its own.
func about(actor domain.Actor, person domain.ID, others domain.Action) domain.Action {
	if person == actor.UserID {
		return domain.ScopeAccount
	}
	return others
}

// loadExclusions loads, once, who is barred from the locked case.
func (c *command) loadExclusions() (*store.Exclusions, error) {
	if c.exclusions == nil {
		exclusions, err := c.tx.Exclusions(c.ctx, c.before.ID, c.before.PartyID)
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
	return domain.Review{}, noSuchCase()
}

// scope refuses an API token without the scope of the action. That the case may be read is asked within commands that have
// a scope of their own.
func (c *command) scope(action domain.Action) error {
	if action == domain.ActRead {
		return nil
	}
	return checkScope(c.actor, action)
}

// authorizeCase asks the policy about the case as such. Nobody stands in for another there; the actor is judged.
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
		return noSuchCase()
	}
	return nil
}

// hideUnreadable answers NotFound in place of a refusal on a case that the person's roles could never read.
func (c *command) hideUnreadable(facts domain.CaseFacts, refusal error) error {
	if domain.HasCode(refusal, domain.ConflictOfInterest) {
		return refusal
	}
	err := c.snapshot.authorizer.AuthorizeCaseRead(c.persons[0], c.persons[1:], facts)
	if c.absent || err != nil && !domain.HasCode(err, domain.ConflictOfInterest) {
		return noSuchCase()
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

// authorizeReview asks the policy about one review, for every person behind the act.
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

func (c *command) authorizePersons(action domain.Action, facts domain.ReviewFacts) (domain.Permit, error) {
	if len(c.persons) > 1 {
		return c.snapshot.authorizer.AuthorizeOnBehalfOf(c.persons[0], c.persons[1], action, facts)
	}
	return c.snapshot.authorizer.Authorize(c.persons[0], action, facts)
}
