package casework

import (
	"context"

	"countersign/authz"
	"countersign/domain"
)

// standIn adds the person acted for to a command: only one who lent their name to the actor, and only as far as they lent
// it. Whether there is no such person or no delegation is not told apart.
func (c *command) standIn(people []domain.User) error {
	if c.actor.OnBehalfOf == domain.NoID {
		return nil
	}
	for _, d := range c.persons[0].StandsInFor {
		for _, giver := range people {
			if d.Giver == c.actor.OnBehalfOf && giver.ID == d.Giver {
				c.persons = append(c.persons, giver.Lend(d.Scope))
				return nil
			}
		}
	}
	return domain.Fail(domain.NotPermitted, "This person has not asked you to stand in for them at this time.").
		WithWayOut("Act in your own name, or ask them for a delegation.")
}

// inNameOf makes a request of one name differ from the same request in another.
func inNameOf(actor domain.Actor, request any) any {
	if actor.OnBehalfOf == domain.NoID {
		return request
	}
	return []any{actor.OnBehalfOf, request}
}

// mayReadWith asks whether the person may read the case, in their own name or in one that was lent to them.
func (h *Hall) mayReadWith(ctx context.Context, judge *authz.Authority, user domain.User, facts domain.CaseFacts) error {
	lent, err := h.db.Reader().Lent(ctx, user)
	if err != nil {
		return err
	}
	return judge.MayReadCase(user, lent, facts)
}

// onlyInAnothersName tells who acts in their own name on what they see only in a lent one what to do.
func (c *command) onlyInAnothersName(facts domain.CaseFacts, refusal error) error {
	if len(c.persons) > 1 || !domain.HasCode(refusal, domain.NotFound) {
		return refusal
	}
	lent, err := c.tx.Lent(c.ctx, c.persons[0])
	if err != nil || len(lent) == 0 || c.held.judge.MayReadCase(c.persons[0], lent, facts) != nil {
		return refusal
	}
	return domain.Fail(domain.NotPermitted, "In your own name you may not do this.").
		WithWayOut("Do it in the name of the person you stand in for.")
}

// queueFilter admits what the command's person may claim: in the name it is made in.
func (c *command) queueFilter() (domain.Filter, error) {
	if len(c.persons) > 1 {
		return c.held.judge.QueueFilterFor(c.persons[0], c.persons[1])
	}
	return c.held.judge.QueueFilter(c.persons[0])
}
