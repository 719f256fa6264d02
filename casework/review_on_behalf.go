package casework

import (
	"context"

	"countersign/authz"
	"countersign/domain"
)

// addDelegator adds the person acted for to a command: only one who lent their name to the actor, and only as far as they lent
// it. Whether there is no such person or no delegation is not told apart.
func (c *command) addDelegator(people []domain.User) error {
	if c.actor.OnBehalfOf == domain.NoID {
		return nil
	}
	for _, d := range c.persons[0].ReceivedDelegations {
		for _, delegator := range people {
			if d.Giver == c.actor.OnBehalfOf && delegator.ID == d.Giver {
				c.persons = append(c.persons, delegator.AsDelegator(d.Scope))
				return nil
			}
		}
	}
	return domain.Errorf(domain.NotPermitted, "This person has not asked you to stand in for them at this time.").
		WithRemedy("Act in your own name, or ask them for a delegation.")
}

// onBehalfRequest makes a request of one name differ from the same request in another.
func onBehalfRequest(actor domain.Actor, request any) any {
	if actor.OnBehalfOf == domain.NoID {
		return request
	}
	return []any{actor.OnBehalfOf, request}
}

// authorizeCaseRead asks whether the person may read the case, for themselves or on behalf of a delegator.
func (svc *Service) authorizeCaseRead(ctx context.Context, authorizer *authz.Authority, user domain.User, facts domain.CaseFacts) error {
	delegators, err := svc.db.Reader().Delegators(ctx, user)
	if err != nil {
		return err
	}
	return authorizer.AuthorizeCaseRead(user, delegators, facts)
}

// suggestOnBehalf tells who acts in their own name on what they see only in a lent one what to do.
func (c *command) suggestOnBehalf(facts domain.CaseFacts, refusal error) error {
	if len(c.persons) > 1 || !domain.HasCode(refusal, domain.NotFound) {
		return refusal
	}
	delegators, err := c.tx.Delegators(c.ctx, c.persons[0])
	if err != nil || c.absent || len(delegators) == 0 || c.snapshot.authorizer.AuthorizeCaseRead(c.persons[0], delegators, facts) != nil {
		return refusal
	}
	return domain.Errorf(domain.NotPermitted, "In your own name you may not do this.").
		WithRemedy("Do it in the name of the person you stand in for.")
}

// claimFilter admits what the command's person may claim: in the name it is made in.
func (c *command) claimFilter() (domain.Filter, error) {
	if len(c.persons) > 1 {
		return c.snapshot.authorizer.QueueFilterOnBehalfOf(c.persons[0], c.persons[1])
	}
	return c.snapshot.authorizer.QueueFilter(c.persons[0])
}
