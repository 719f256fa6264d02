package casework

import (
	"context"
	"time"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/store"
	"countersign/workflow"
)

// startTimer adds the to-do that comes when the timer is due. A boundary timer is told of only when it acts: the work it
// watches has been told already.
func (t *transition) startTimer(e workflow.StartTimer) {
	due := t.now.Add(e.After / time.Duration(t.deadlineSpeed)) // whole time: a timer is of no queue
	t.addRun(domain.StageRun{ID: domain.NewID(), CaseID: t.change.Case.ID, Node: e.Node, Visit: e.Visit, Kind: domain.RunKindTimer, Attempt: 1,
		Queue: TimersQueue, RunAfter: due, Status: domain.RunPending, CreatedAt: t.now})
	if !e.Boundary {
		t.emit(generated.TimerStartedV1{Due: due, Node: e.Node, Visit: int64(e.Visit)})
	}
}

// runTimer tells the process that the timer is due. The run ends in the same transaction, so it acts once however often it
// is delivered.
func (svc *Service) runTimer(ctx context.Context, run domain.StageRun) error {
	return svc.asSystem(ctx, "timer", run, func(c *command) error {
		if node, ok := c.def.Node(run.Node); ok && node.Kind == workflow.KindTimer {
			c.emit(generated.TimerFiredV1{Node: run.Node, Visit: int64(run.Visit)})
		} else {
			c.emit(generated.WorkTimedOutV1{Node: run.Node, Visit: int64(run.Visit)})
		}
		return c.advanceProcess(workflow.Event{Kind: workflow.TimerFired, Node: run.Node, Visit: run.Visit})
	})
}

// asSystem runs fn as the system on the locked case and ends the leased run with it. What the process has no answer to is
// an incident of the run; a run that the case has left behind ends without a word. A lost lease changes nothing.
func (svc *Service) asSystem(ctx context.Context, operation string, run domain.StageRun, fn func(*command) error) error {
	_, err := runCaseCommand(ctx, svc, domain.SystemActor(), operation, run.CaseID, Once{}, nil, func(c *command) (CaseResult, error) {
		c.automatic = true
		c.change.Lease = &store.Lease{RunID: run.ID, Token: run.LeaseToken}
		c.change.RunResult = store.RunResult{Status: domain.RunDone}
		err := fn(c)
		switch domain.CodeOf(err) {
		case "":
			return c.caseResult(), nil
		case domain.StateMismatch:
			c.bodies = nil
			return c.caseResult(), c.tx.EndRun(c.ctx, run)
		case domain.ExpressionFailed, domain.UnsoundDefinition, domain.InvalidInput:
			c.bodies = nil
			c.openIncident(run, err)
			return c.caseResult(), nil
		}
		return c.caseResult(), err
	})
	if domain.HasCode(err, domain.LeaseLost) {
		return nil
	}
	return err
}
