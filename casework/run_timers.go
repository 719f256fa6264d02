package casework

import (
	"context"
	"time"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/store"
	"countersign/workflow"
)

// startTimer adds the run of a timer. A boundary timer emits an event only when it fires, because
// the work that it watches has already been recorded.
func (t *transition) startTimer(e workflow.StartTimer) {
	due := t.timerDue(e)
	t.addRun(domain.StageRun{ID: domain.NewID(), CaseID: t.change.Case.ID, Node: e.Node,
		Visit: e.Visit, Kind: domain.RunKindTimer, Attempt: 1,
		Queue: domain.QueueTimers, RunAfter: due, Status: domain.RunPending, CreatedAt: t.now})
	if !e.Boundary {
		t.emit(generated.TimerStartedV1{Due: due, Node: e.Node, Visit: int64(e.Visit)})
	}
}

// timerDue returns when a timer that starts now fires. It counts elapsed time, because a timer has no queue and
// so no calendar.
func (t *transition) timerDue(e workflow.StartTimer) time.Time {
	return t.now.Add(e.After / time.Duration(t.deadlineSpeed))
}

// runTimer advances the process when the timer is due. The run ends in the same transaction, so the
// timer fires once even if its task is delivered repeatedly.
func (svc *Service) runTimer(ctx context.Context, run domain.StageRun) error {
	_, err := withPresentControls(ctx, svc,
		func() (domain.ID, error) { return run.CaseID, nil },
		func(evaluated bool) (struct{}, error) {
			return struct{}{}, svc.fireTimer(ctx, run, evaluated)
		})
	return err
}

func (svc *Service) fireTimer(ctx context.Context, run domain.StageRun, evaluated bool) error {
	return svc.asSystem(ctx, "timer", run, func(c *command) error {
		c.evaluated = evaluated
		event := workflow.Event{Kind: workflow.TimerFired, Node: run.Node, Visit: run.Visit}
		if node, ok := c.def.Node(run.Node); ok && node.Kind == workflow.KindTimer {
			return c.advanceProcess(event,
				generated.TimerFiredV1{Node: run.Node, Visit: int64(run.Visit)})
		}
		if _, ok := c.committeeOf(run.Node); ok { // its votes can decide now
			if err := c.requirePresentControls(); err != nil {
				return err
			}
			if err := c.attributeToCommittee(run.Node, run.Visit); err != nil {
				return err
			}
		}
		return c.advanceProcess(event, generated.WorkTimedOutV1{Node: run.Node,
			Visit: int64(run.Visit)})
	})
}

// asSystem runs fn as the system on the locked case and ends the leased run with it. If the process
// fails to advance, the run becomes an incident; if the case has moved past the run, the run ends
// without an event. fn must not emit before it can fail in these ways. A lost lease changes
// nothing.
func (svc *Service) asSystem(
	ctx context.Context, operation string, run domain.StageRun, fn func(*command) error,
) error {
	_, err := runCaseCommand(ctx, svc, domain.SystemActor(), operation, run.CaseID, Once{}, nil,
		func(c *command) (CaseResult, error) {
			c.automatic = true
			c.change.Lease = &store.Lease{RunID: run.ID, Token: run.LeaseToken}
			c.change.RunResult = store.RunResult{Status: domain.RunDone}
			err := fn(c)
			if err == nil || c.hasChanges() { // a failure after the first event rolls back
				return c.caseResult(), err
			}
			switch domain.CodeOf(err) {
			case domain.StateMismatch:
				err = c.tx.EndRun(c.ctx, run)
			case domain.ExpressionFailed, domain.UnsoundDefinition, domain.InvalidInput,
				domain.OrderUnsupported, domain.OrderRequired, domain.FourEyes:
				c.openIncident(run, err)
				err = nil
			}
			return c.caseResult(), err
		})
	if domain.HasCode(err, domain.LeaseLost) {
		return nil
	}
	if stopsOrder(err) && operation != refusedOperation {
		refused := err
		return svc.asSystem(ctx, refusedOperation, run, func(c *command) error {
			c.openIncident(run, refused)
			return nil
		})
	}
	return err
}

// refusedOperation records that the system may not carry out a step, because the case would pass
// without a payment order that its evidence supports.
const refusedOperation = "refused"
