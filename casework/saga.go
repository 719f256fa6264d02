package casework

import (
	"context"
	"fmt"
	"runtime/debug"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/store"
	"countersign/workflow"
)

// ConnectQueue is the queue of calls to other systems.
const ConnectQueue = "connect"

// behaviourSaga is what a saga is called in the events of stages.
const behaviourSaga = string(workflow.KindSaga)

// Connector makes the calls of sagas. ProcessorNotFound means that nothing was sent; a code of kind invalid that the other
// system refused for good; any other that nobody knows what happened.
type Connector interface {
	Call(ctx context.Context, call domain.SagaCall) (domain.SagaAnswer, error)
}

// sagaSubject tells the runs of a saga's steps apart, forwards and backwards.
func sagaSubject(step int, undo bool) domain.ID {
	subject := domain.ID{14: byte(step), 15: 1}
	if undo {
		subject[15] = 2
	}
	return subject
}

// sagaStepOf reads a subject back.
func sagaStepOf(subject domain.ID) (step int, undo bool) { return int(subject[14]), subject[15] == 2 }

// startStep adds the to-do of one call. The first tells that the saga begins.
func (t *transition) startStep(e workflow.StartStep) {
	t.addRun(domain.StageRun{ID: domain.NewID(), CaseID: t.change.Case.ID, Node: e.Node, Visit: e.Visit, Kind: domain.KindSaga,
		Subject: sagaSubject(e.Step, e.Undo), Attempt: 1, Queue: ConnectQueue, RunAfter: t.now, Status: domain.RunPending, CreatedAt: t.now})
	if e.Step == 1 && !e.Undo {
		t.tell(generated.StageStartedV1{Attempt: 1, Behaviour: behaviourSaga, Node: e.Node, Queue: ConnectQueue, Visit: int64(e.Visit)})
	}
}

// runSaga makes one call under the lease and records what came of it. The call is noted before it is made, and is made again
// with the same key when its answer was lost.
func (h *Hall) runSaga(ctx context.Context, leased store.Leased, worker string) error {
	run := leased.Run
	step, err := h.sagaStep(ctx, leased)
	var answer domain.SagaAnswer
	if err == nil && run.Expiries >= expiryLimit {
		err = domain.Fail(domain.Internal, "%d workers stopped while making this call.", run.Expiries).WithWayOut("Ask an operator for the cause, then retry.")
	} else if err == nil {
		if err := h.db.Alone().BeginSagaStep(ctx, step); err != nil {
			return err
		}
		p := &pass{hall: h, worker: worker, kase: leased.Case, run: run, held: run, now: leased.Now}
		answer, err = h.callOut(ctx, p, step)
	}
	if ctx.Err() != nil {
		return ctx.Err() // the worker is leaving: it hands its runs back
	}
	if domain.HasCode(err, domain.LeaseLost) {
		h.log.InfoContext(ctx, "late answer refused", "case", run.CaseID, "run", run.ID, "correlation_id", leased.Case.CorrelationID)
		return nil
	}
	return h.asMachine(ctx, "saga", run, func(c *command) error { return c.sagaAnswered(run, step, answer, err) })
}

// sagaStep is the record of the run's step, before its call.
func (h *Hall) sagaStep(ctx context.Context, leased store.Leased) (domain.SagaStep, error) {
	run, kase := leased.Run, leased.Case
	number, undo := sagaStepOf(run.Subject)
	step := domain.SagaStep{CaseID: run.CaseID, Node: run.Node, Visit: run.Visit, Step: number, Undo: undo,
		Key: domain.SagaKey(run.CaseID, run.Node, run.Visit, number, undo)}
	def, err := h.definitions.get(ctx, h.db.Reader(), kase.ProcessKey, kase.ProcessVersion)
	if err != nil {
		return step, err
	}
	node, ok := def.Node(run.Node)
	if !ok || number < 1 || number > len(node.Steps) {
		return step, domain.Fail(domain.ProcessorNotFound, "Step %d of %q is not in the process.", number, run.Node)
	}
	step.Name, step.Call = node.Steps[number-1].ID, node.Steps[number-1].Call
	if undo {
		step.Call = node.Steps[number-1].Undo
	}
	return step, nil
}

// callOut makes the call while the lease is renewed. A panic of a connector is an error of this call.
func (h *Hall) callOut(ctx context.Context, p *pass, step domain.SagaStep) (answer domain.SagaAnswer, err error) {
	if h.ports.Connector == nil {
		return answer, domain.Fail(domain.ProcessorNotFound, "This installation has no way to other systems.")
	}
	fields, err := h.db.Reader().Fields(ctx, step.CaseID)
	if err != nil {
		return answer, err
	}
	plain := plainFields(fields)
	call := domain.SagaCall{Key: step.Key, Operation: step.Call, Reference: p.kase.Reference, Payee: p.kase.Counterparty,
		Account: fieldValue(plain, domain.FieldIBAN), Number: p.kase.DocumentNumber}
	if p.kase.AmountKnown {
		call.Amount = p.kase.Amount
	}
	if step.Undo {
		call.Undoes = domain.SagaKey(step.CaseID, step.Node, step.Visit, step.Step, false)
	}
	defer func() {
		if cause := recover(); cause != nil {
			h.log.ErrorContext(ctx, "connector panicked", "call", step.Call, "case", step.CaseID, "panic", cause, "stack", string(debug.Stack()))
			err = domain.Fail(domain.Unavailable, "The call %s failed in an unforeseen way.", step.Call).Because(fmt.Errorf("panic: %v", cause))
		}
	}()
	err = h.underLease(ctx, p, func(working context.Context) (err error) {
		answer, err = h.ports.Connector.Call(working, call)
		return err
	})
	return answer, err
}

// sagaAnswered records what came of a call and moves the saga on: forwards, or backwards once a call has failed for good. What
// was not sent at all, and taking back that fails, wait for a person.
func (c *command) sagaAnswered(run domain.StageRun, step domain.SagaStep, answer domain.SagaAnswer, failure error) error {
	event := workflow.Event{Kind: workflow.StepEnded, Node: run.Node, Visit: run.Visit, Step: step.Step, Undo: step.Undo}
	step.Status, step.Reference = domain.SagaDone, answer.Reference
	if failure != nil {
		step.Status, step.Reference, step.ErrorCode = domain.SagaFailed, "", domain.CodeOf(failure)
		step.ErrorText, _ = sentence(failure)
	}
	if step.Name != "" {
		if err := c.tx.EndSagaStep(c.ctx, step); err != nil {
			return err
		}
	}
	switch code := domain.CodeOf(failure); {
	case failure == nil && step.Undo:
		c.tell(generated.SagaCompensatedV1{Name: step.Name, Node: run.Node, Step: int64(step.Step), Visit: int64(run.Visit)})
	case failure == nil:
		c.tell(generated.SagaStepDoneV1{Name: step.Name, Node: run.Node, Reference: answer.Reference, Step: int64(step.Step), Visit: int64(run.Visit)})
	case c.hall.retried(c.ctx, c.transition, run, failure):
		return nil
	case step.Undo || code == domain.ProcessorNotFound || code == domain.Internal:
		c.stop(run, failure)
		return nil
	default:
		c.change.End = store.RunEnd{Status: domain.RunFailed, ErrorCode: code, ErrorText: step.ErrorText}
		c.tell(generated.SagaStepFailedV1{Code: string(code), Message: step.ErrorText, Name: step.Name, Node: run.Node,
			Step: int64(step.Step), Visit: int64(run.Visit)})
		event.Kind = workflow.StepFailed
	}
	return c.goOnWithSaga(event)
}

// goOnWithSaga tells the process of a step. When that was the saga's last, its end is told like a stage's.
func (c *command) goOnWithSaga(event workflow.Event) error {
	steps, err := c.tx.SagaSteps(c.ctx, c.before.ID)
	if err != nil {
		return err
	}
	outcome := workflow.SagaDone
	for _, step := range steps {
		if step.Node == event.Node && step.Visit == event.Visit && !step.Undo && step.Status == domain.SagaFailed {
			outcome, c.why = workflow.SagaUndone, step.ErrorText
		}
	}
	if workflow.EndsSaga(c.def, c.before.Marking, event) {
		c.tell(generated.StageCompletedV1{Attempt: 1, Behaviour: behaviourSaga, Node: event.Node, Outcome: outcome, Visit: int64(event.Visit)})
	}
	return c.goOn(event)
}
