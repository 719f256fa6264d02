package casework

import (
	"context"
	"fmt"
	"runtime/debug"

	"countersign/domain"
	"countersign/events"
	"countersign/events/generated"
	"countersign/store"
	"countersign/workflow"
)

// behaviourSaga is the behaviour of sagas in stage events.
const behaviourSaga = string(workflow.KindSaga)

// Connector makes the calls of sagas. ProcessorNotFound means that nothing was sent, a code of kind
// invalid that the other system refused permanently, and any other code that the effect of the call
// is unknown.
type Connector interface {
	Call(ctx context.Context, call domain.SagaCall) (domain.SagaResult, error)
}

// sagaSubject returns the subject that distinguishes the runs of a saga's steps and of their
// compensations.
func sagaSubject(step int, undo bool) domain.ID {
	subject := domain.ID{14: byte(step), 15: 1}
	if undo {
		subject[15] = 2
	}
	return subject
}

// parseSagaSubject reverses sagaSubject.
func parseSagaSubject(subject domain.ID) (step int, undo bool) {
	return int(subject[14]), subject[15] == 2
}

// startSagaStep adds the run of one call. The first step also emits the start of the saga.
func (t *transition) startSagaStep(e workflow.StartStep) {
	t.addRun(domain.StageRun{ID: domain.NewID(), CaseID: t.change.Case.ID, Node: e.Node,
		Visit: e.Visit, Kind: domain.RunKindSaga,
		Subject: sagaSubject(e.Step, e.Undo), Attempt: 1, Queue: domain.QueueConnect,
		RunAfter: t.now,
		Status:   domain.RunPending, CreatedAt: t.now})
	if e.Step == 1 && !e.Undo {
		t.emit(generated.StageStartedV1{Attempt: 1, Behaviour: behaviourSaga, Node: e.Node,
			Queue: domain.QueueConnect, Visit: int64(e.Visit)})
	}
}

// runSaga makes one call under the lease and records its result. The step is recorded before the
// call; if the answer is lost, the call is repeated with the same key.
func (svc *Service) runSaga(ctx context.Context, leased store.LeasedRun, worker string) error {
	run := leased.Run
	step, err := svc.loadSagaStep(ctx, leased)
	if err == nil {
		var corrects domain.ID
		if corrects, err = svc.db.Reader().Corrects(ctx, run.CaseID); err != nil {
			return err
		}
		if corrects != domain.NoID {
			return svc.asSystem(ctx, "saga", run,
				func(c *command) error { return c.skipSagaCall(run, step) })
		}
	}
	var answer domain.SagaResult
	if err == nil && run.Expiries >= maxLeaseExpiries {
		err = domain.Errorf(domain.Internal, "%d workers stopped during this call.", run.Expiries).
			WithRemedy("Ask an operator for the cause, then retry.")
	} else if err == nil {
		p := &stageSession{svc: svc, worker: worker, record: leased.Case, run: run, leasedRun: run,
			now: leased.Now}
		if err := svc.beginSagaStep(ctx, p, step); domain.HasCode(err, domain.LeaseLost) {
			return nil
		} else if err != nil {
			return err
		}
		answer, err = svc.callConnector(ctx, p, step)
	}
	if ctx.Err() != nil {
		return ctx.Err() // the worker is stopping and releases its runs
	}
	if domain.HasCode(err, domain.LeaseLost) {
		svc.log.InfoContext(ctx, "late answer refused", "case", run.CaseID, "run", run.ID,
			"correlation_id", leased.Case.CorrelationID)
		return nil
	}
	return svc.asSystem(ctx, "saga", run,
		func(c *command) error { return c.recordSagaCall(run, step, answer, err) })
}

// beginSagaStep records the step. Before the first one the case is checked again, unless an earlier
// lease may have made the call.
func (svc *Service) beginSagaStep(
	ctx context.Context, p *stageSession, step domain.SagaStep,
) error {
	if step.Step == 1 && !step.Undo && p.run.Attempt == 1 && p.run.Expiries == 0 {
		if err := svc.stopRelease(ctx, p); err != nil {
			return err
		}
	}
	return svc.db.Autocommit().BeginSagaStep(ctx, step)
}

// loadSagaStep builds the record of a step before its call.
func (svc *Service) loadSagaStep(ctx context.Context,
	leased store.LeasedRun) (domain.SagaStep, error) {
	run, c := leased.Run, leased.Case
	number, undo := parseSagaSubject(run.Subject)
	step := domain.SagaStep{CaseID: run.CaseID, Node: run.Node, Visit: run.Visit, Step: number,
		Undo: undo,
		Key:  domain.SagaKey(run.CaseID, run.Node, run.Visit, number, undo)}
	def, err := svc.definitions.get(ctx, svc.db.Reader(), c.ProcessKey, c.ProcessVersion)
	if err != nil {
		return step, err
	}
	node, ok := def.Node(run.Node)
	if !ok || number < 1 || number > len(node.Steps) {
		return step, domain.Errorf(domain.ProcessorNotFound,
			"Step %d of %q does not exist in the process.", number, run.Node)
	}
	step.Name, step.Call = node.Steps[number-1].ID, node.Steps[number-1].Call
	if undo {
		step.Call = node.Steps[number-1].Undo
	}
	return step, nil
}

// callConnector makes the call while the lease is renewed. A panic of the connector becomes an
// error of the call.
func (svc *Service) callConnector(
	ctx context.Context, p *stageSession, step domain.SagaStep,
) (answer domain.SagaResult, err error) {
	if svc.ports.Connector == nil {
		return answer, domain.Errorf(domain.ProcessorNotFound,
			"This installation has no connector to other systems.")
	}
	call, err := svc.sagaCall(ctx, p.record, step)
	if err != nil {
		return answer, err
	}
	if step.Undo {
		call.Undoes = domain.SagaKey(step.CaseID, step.Node, step.Visit, step.Step, false)
	}
	defer func() {
		if cause := recover(); cause != nil {
			svc.log.ErrorContext(ctx, "connector panicked", "call", step.Call, "case", step.CaseID,
				"panic", cause, "stack", string(debug.Stack()))
			err = domain.Errorf(domain.Unavailable, "The call %s failed unexpectedly.", step.Call).
				WithCause(fmt.Errorf("panic: %v", cause))
		}
	}()
	err = svc.withLease(ctx, p, func(leaseCtx context.Context) (err error) {
		answer, err = svc.ports.Connector.Call(leaseCtx, call)
		return err
	})
	return answer, err
}

// sagaCall returns the values of a call: those of the payment order, or of the document of a case
// without one.
func (svc *Service) sagaCall(
	ctx context.Context, c domain.Case, step domain.SagaStep,
) (domain.SagaCall, error) {
	call := domain.SagaCall{Key: step.Key, Operation: step.Call, Reference: c.Reference,
		CorrelationID: c.CorrelationID, Payee: c.Counterparty, Number: c.DocumentNumber}
	if c.AmountKnown {
		call.Amount = c.Amount
	}
	if c.OrderRevision > 0 {
		orders, err := svc.db.Reader().Orders(ctx, c.ID)
		if err != nil {
			return call, err
		}
		order := orders[0]
		call.Payee, call.Account, call.Amount = order.Payee, order.Account, order.Amount
		call.BIC, call.Order = order.BIC, order.Reference
		return call, nil
	}
	fields, err := svc.db.Reader().Fields(ctx, c.ID)
	call.Account = fieldValue(fieldsFromRows(fields), domain.FieldIBAN)
	return call, err
}

// skipSagaCall advances the saga of a correction case without a call. The archived case has made it,
// so another call would pay a second time. The database refuses the call, too.
func (c *command) skipSagaCall(run domain.StageRun, step domain.SagaStep) error {
	return c.advanceSaga(workflow.Event{Kind: workflow.StepEnded, Node: run.Node, Visit: run.Visit,
		Step: step.Step, Undo: step.Undo}, generated.SagaStepSkippedV1{Name: step.Name,
		Node: run.Node, Step: int64(step.Step), Visit: int64(run.Visit)})
}

// recordSagaCall records the result of a call and advances the saga: forwards, or backwards after a
// permanent failure. A call that was never sent and a failed compensation open an incident.
func (c *command) recordSagaCall(
	run domain.StageRun, step domain.SagaStep, answer domain.SagaResult, failure error,
) error {
	event := workflow.Event{Kind: workflow.StepEnded, Node: run.Node, Visit: run.Visit,
		Step: step.Step, Undo: step.Undo}
	step.Status, step.Reference = domain.SagaDone, answer.Reference
	if failure != nil {
		step.Status, step.Reference, step.ErrorCode = domain.SagaFailed, "", domain.CodeOf(failure)
		step.ErrorText, _ = failureText(failure)
	}
	if step.Name != "" {
		if err := c.tx.EndSagaStep(c.ctx, step); err != nil {
			return err
		}
	}
	switch code := domain.CodeOf(failure); {
	case failure == nil && step.Undo:
		return c.advanceSaga(event, generated.SagaCompensatedV1{
			Name: step.Name, Node: run.Node, Step: int64(step.Step), Visit: int64(run.Visit)})
	case failure == nil:
		return c.advanceSaga(event, generated.SagaStepDoneV1{Name: step.Name, Node: run.Node,
			Reference: answer.Reference, Step: int64(step.Step), Visit: int64(run.Visit)})
	case c.svc.tryRetry(c.ctx, c.transition, run, failure):
		return nil
	case step.Undo || code == domain.ProcessorNotFound || code == domain.Internal:
		c.openIncident(run, failure)
		return nil
	default:
		c.change.RunResult = store.RunResult{Status: domain.RunFailed, ErrorCode: code,
			ErrorText: step.ErrorText}
		event.Kind = workflow.StepFailed
		return c.advanceSaga(event,
			generated.SagaStepFailedV1{Code: string(code), Message: step.ErrorText,
				Name: step.Name, Node: run.Node, Step: int64(step.Step), Visit: int64(run.Visit)})
	}
}

// advanceSaga advances the process by the step that the body records. After the last step it also
// emits the end of the saga, as for a stage.
func (c *command) advanceSaga(event workflow.Event, body events.Body) error {
	steps, err := c.tx.SagaSteps(c.ctx, c.before.ID)
	if err != nil {
		return err
	}
	outcome := workflow.SagaDone
	for _, step := range steps {
		if step.Node == event.Node && step.Visit == event.Visit && !step.Undo &&
			step.Status == domain.SagaFailed {
			outcome, c.reason = workflow.SagaUndone, step.ErrorText
		}
	}
	bodies := []events.Body{body}
	if workflow.EndsSaga(c.def, c.before.Marking, event) {
		bodies = append(bodies, generated.StageCompletedV1{Attempt: 1, Behaviour: behaviourSaga,
			Node: event.Node, Outcome: outcome, Visit: int64(event.Visit)})
	}
	return c.advanceProcess(event, bodies...)
}
