package casework

import (
	"context"

	"countersign/authz"
	"countersign/domain"
)

// addDelegator adds the delegator to a command on behalf of another user, limited to the scope of
// the delegation. The error is the same whether the delegator or the delegation does not exist.
func (c *command) addDelegator(people []domain.User) error {
	if c.actor.OnBehalfOf == domain.NoID {
		return nil
	}
	for _, d := range c.persons[0].ReceivedDelegations {
		for _, delegator := range people {
			if d.Delegator == c.actor.OnBehalfOf && delegator.ID == d.Delegator {
				c.persons = append(c.persons, delegator.AsDelegator(d.Scope))
				return nil
			}
		}
	}
	return domain.Errorf(domain.NotPermitted, "You have no active delegation from this person.").
		WithRemedy("Act in your own name, or ask them to create a delegation.")
}

// onBehalfRequest distinguishes a request on behalf of another user from the same request in the
// actor's own name.
func onBehalfRequest(actor domain.Actor, request any) any {
	if actor.OnBehalfOf == domain.NoID {
		return request
	}
	return []any{actor.OnBehalfOf, request}
}

// authorizeCaseRead checks whether the user may read the case, in their own name or on behalf of a
// delegator.
func (svc *Service) authorizeCaseRead(
	ctx context.Context, authorizer *authz.Authority, user domain.User, facts domain.CaseFacts,
) error {
	delegators, err := svc.db.Reader().Delegators(ctx, user)
	if err != nil {
		return err
	}
	return authorizer.AuthorizeCaseRead(user, delegators, facts)
}

// suggestOnBehalf replaces NotFound for a user who may read the case only on behalf of a delegator
// with an error that says so.
func (c *command) suggestOnBehalf(facts domain.CaseFacts, refusal error) error {
	if len(c.persons) > 1 || !domain.HasCode(refusal, domain.NotFound) {
		return refusal
	}
	delegators, err := c.tx.Delegators(c.ctx, c.persons[0])
	if err != nil || c.absent || len(delegators) == 0 ||
		c.snapshot.authorizer.AuthorizeCaseRead(c.persons[0], delegators, facts) != nil {
		return refusal
	}
	return domain.Errorf(domain.NotPermitted, "You may not do this in your own name.").
		WithRemedy("Act on behalf of the person who delegated to you.")
}

// claimFilter returns the filter for reviews that the actor may claim, on behalf of the delegator
// if there is one.
func (c *command) claimFilter() (domain.Filter, error) {
	if len(c.persons) > 1 {
		return c.snapshot.authorizer.QueueFilterOnBehalfOf(c.persons[0], c.persons[1])
	}
	return c.snapshot.authorizer.QueueFilter(c.persons[0])
}
