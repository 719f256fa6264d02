package casework

import (
	"countersign/domain"
	"countersign/workflow"
)

// target is the case that a command locks and the case that the access log names.
type target struct{ caseID, logged domain.ID }

// lockOrPlaceholder locks the case. If it does not exist, a user gets a placeholder, which is
// refused after the same statements as a case that the user may not see.
func (c *command) lockOrPlaceholder(caseID domain.ID) error {
	err := c.lock(caseID)
	if !domain.HasCode(err, domain.NotFound) || c.actor.System {
		return err
	}
	now, err := c.tx.Clock(c.ctx)
	c.absent = true
	c.start(domain.AbsentCase(caseID), &workflow.Definition{HasAmount: true}, now)
	return err
}

// lockOrAbsent locks the case. One that does not exist is replaced by a placeholder, which is refused
// after the same statements as a case that the user may not read.
func (w *unitOfWork) lockOrAbsent(id domain.ID) (locked domain.Case, absent bool, err error) {
	locked, _, err = w.tx.LockCase(w.ctx, id)
	if !domain.HasCode(err, domain.NotFound) {
		return locked, false, err
	}
	_, err = w.tx.Clock(w.ctx)
	return domain.AbsentCase(id), true, err
}
