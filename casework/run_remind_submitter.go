package casework

import (
	"context"
	"slices"
	"time"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/workflow"
)

// scheduleSubmitterReminder schedules the reminder of a case that was just returned. It is due after
// elapsed time, because a submitter has no queue and so no calendar.
func (t *transition) scheduleSubmitterReminder() {
	after := t.def.RemindSubmitter
	if after <= 0 {
		return
	}
	c := &t.change.Case
	t.addRun(domain.StageRun{ID: domain.NewID(), CaseID: c.ID, Node: workflow.Returned,
		Visit: c.Marking.Visits[workflow.Returned], Kind: domain.RunKindRemind, Attempt: 1,
		Queue: domain.QueueTimers, RunAfter: t.now.Add(after / time.Duration(t.deadlineSpeed)),
		Status: domain.RunPending, CreatedAt: t.now})
}

// remindSubmitter emits the reminder if the case still waits at the same return. The run ends in the same
// transaction, so repeated deliveries remind once.
func (svc *Service) remindSubmitter(ctx context.Context, run domain.StageRun) error {
	return svc.asSystem(ctx, "remind", run, func(c *command) error {
		waits := slices.ContainsFunc(c.before.Marking.Tokens, func(token domain.Token) bool {
			return token.Node == workflow.Returned && token.Visit == run.Visit
		})
		if !waits || c.def.RemindSubmitter <= 0 {
			return c.tx.EndRun(c.ctx, run)
		}
		c.emit(generated.CaseRemindedV1{After: workflow.ShortDuration(c.def.RemindSubmitter)})
		return nil
	})
}
