package casework

import (
	"countersign/domain"
	"countersign/workflow"
)

// target is the case that a command locks, and the one that the access log names.
type target struct{ caseID, logged domain.ID }

// lockOrStandIn locks the case. For a person, a case that does not exist becomes a stand-in, which is refused after the
// same statements as a case that the person may not see.
func (c *command) lockOrStandIn(caseID domain.ID) error {
	err := c.lock(caseID)
	if !domain.HasCode(err, domain.NotFound) || c.actor.System {
		return err
	}
	now, err := c.tx.Clock(c.ctx)
	c.absent = true
	c.transition.start(domain.AbsentCase(caseID), &workflow.Definition{HasAmount: true}, now)
	return err
}

func noSuchCase() *domain.Error {
	return domain.Errorf(domain.NotFound, "There is no such thing, or you may not see it.")
}
