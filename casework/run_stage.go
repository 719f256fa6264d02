package casework

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/internal/tracing"
	"countersign/store"
	"countersign/workflow"
)

// A run is one row of stage_runs. Its status changes only along the edges of this diagram, which
// TestRunStateDiagram compares with the code that writes the status.
//
//	stateDiagram-v2
//	    [*] --> pending: a transition adds the run
//	    [*] --> leased: a compute-only stage continues in the session of the stage before it
//	    pending --> leased: a worker or an external program leases the run
//	    leased --> pending: the lease expires, or the worker stops
//	    leased --> done: the result is recorded, or the case has moved past the run
//	    leased --> failed: a retry follows as a new run, or the process takes an error edge
//	    leased --> incident: the failure is permanent, or no attempts remain
//	    pending --> cancelled: the case no longer needs the run
//	    leased --> cancelled: the case no longer needs the run
//	    incident --> cancelled: the incident is resolved; a retry follows as a new run
//	    done --> [*]
//	    failed --> [*]
//	    cancelled --> [*]

// RunRequest identifies the run of a queue task and the worker that executes it.
type RunRequest struct {
	CaseID domain.ID
	RunID  domain.ID
	Worker string
}

// maxLeaseExpiries is how many leases of a run may expire before it fails.
const maxLeaseExpiries = 10

// RunStage executes the run named by a task, then any compute-only stages that follow it. It
// returns nil for every outcome that it records, including failures: a retry is a new row, not a
// retry of the queue. An error means that Postgres was unreachable, and the queue delivers the task
// again.
func (svc *Service) RunStage(ctx context.Context, request RunRequest) error {
	leased, err := svc.db.Lease(ctx, request.CaseID, request.RunID, domain.NewID(), request.Worker,
		svc.settings.RunLease)
	if domain.HasCode(err, domain.LeaseLost) {
		return svc.requeueIfEarly(ctx, request)
	}
	if err != nil {
		return err
	}
	switch leased.Run.Kind {
	case domain.RunKindStage:
		return svc.runStages(ctx, request, leased)
	case domain.RunKindTimer:
		return svc.runTimer(ctx, leased.Run)
	case domain.RunKindSaga:
		return svc.runSaga(ctx, leased, request.Worker)
	case domain.RunKindClaimBy, domain.RunKindAtRisk, domain.RunKindDecideBy, domain.RunKindAssign,
		domain.RunKindRemind:
		if leased.Run.Node == workflow.Returned {
			return svc.remindSubmitter(ctx, leased.Run)
		}
		return svc.runDeadline(ctx, leased.Run)
	case domain.RunKindUndoBy:
		return svc.runDecisionEffect(ctx, leased.Run)
	}
	return domain.Errorf(domain.Internal, "Unknown run kind %q.", leased.Run.Kind)
}

// runStages executes the run of a stage and the compute-only runs that follow it.
func (svc *Service) runStages(ctx context.Context, request RunRequest,
	leased store.LeasedRun) error {
	session := &stageSession{svc: svc, worker: request.Worker, record: leased.Case, run: leased.Run,
		leasedRun: leased.Run, now: leased.Now,
		document: &leased.Document}
	if leased.NoFacts {
		session.fields, session.findings = []domain.Field{}, map[string][]domain.Finding{}
	}
	// Every lease is observed, so that lost tasks and crashed workers show in the metric.
	svc.ports.observeQueueWait(session.now.Sub(session.run.RunAfter))
	for session.run.ID != domain.NoID {
		if err := svc.runNextStage(ctx, session); err != nil {
			if domain.HasCode(err, domain.LeaseLost) {
				svc.log.InfoContext(ctx, "late result refused", "case", session.record.ID,
					"run", session.run.ID, "correlation_id", session.record.CorrelationID)
				return nil
			}
			return err
		}
	}
	return nil
}

// requeueIfEarly enqueues a run again whose task was delivered too early. A run that has ended or
// is leased needs nothing.
func (svc *Service) requeueIfEarly(ctx context.Context, request RunRequest) error {
	pendingRun, early, err := svc.db.Autocommit().RequeueIfEarly(ctx, request.CaseID, request.RunID)
	if err != nil || !early {
		return err
	}
	svc.ports.Notifier.Enqueue(ctx, []domain.PendingRun{pendingRun})
	return nil
}

// runNextStage executes the session's run, records it, and moves the session to the run that was
// leased on creation, if any.
func (svc *Service) runNextStage(ctx context.Context, p *stageSession) error {
	ctx, span := tracing.Begin(ctx, "stage "+p.run.Node, slog.Any("case", p.record.ID),
		slog.Any("run", p.run.ID), slog.Int("attempt", p.run.Attempt))
	p.took = stopwatch()
	err := svc.runSpannedStage(ctx, p)
	span.End(spanCode(err))
	return err
}

// runSpannedStage is runNextStage inside its span.
func (svc *Service) runSpannedStage(ctx context.Context, p *stageSession) error {
	def, err := svc.definitions.get(ctx, svc.db.Reader(), p.record.ProcessKey,
		p.record.ProcessVersion)
	if err != nil {
		return svc.recordRun(ctx, p, nil, nil, err)
	}
	node, ok := def.Node(p.run.Node)
	if !ok {
		return svc.recordRun(ctx, p, def, nil, stepNotFound(p.run.Node))
	}
	if p.run.Expiries >= maxLeaseExpiries {
		return svc.recordRun(ctx, p, def, nil,
			domain.Errorf(domain.TimedOut, "%d workers stopped during this step.", p.run.Expiries))
	}
	result, err := svc.runProcessor(ctx, p, def, node)
	if ctx.Err() != nil {
		return ctx.Err() // the worker is stopping and releases its runs; nothing is recorded
	}
	return svc.recordRun(ctx, p, def, result, err)
}

// runProcessor runs the processor under the lease. A panic becomes an error of the stage, so that
// the worker survives.
func (svc *Service) runProcessor(
	ctx context.Context, p *stageSession, def *workflow.Definition, node *workflow.Node,
) (result *stageResult, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			svc.log.ErrorContext(ctx, "stage panicked", "node", node.ID, "case", p.record.ID,
				"correlation_id", p.record.CorrelationID,
				"panic", cause, "stack", string(debug.Stack()))
			err = domain.Errorf(domain.Internal, unexpectedFailure).
				WithCause(fmt.Errorf("panic: %v", cause))
		}
	}()
	err = svc.withLease(ctx, p, func(leaseCtx context.Context) error {
		defer p.runCleanups() // before a panic is recovered
		if err := svc.readSupporting(leaseCtx, p, def, node); err != nil {
			return err
		}
		processor, err := svc.processors.find(leaseCtx, node.Behaviour, eventRun, p)
		if err != nil {
			return err
		}
		result, err = processor.run(leaseCtx, p, node)
		return err
	})
	if err != nil {
		return nil, err
	}
	return result, nil
}

func stepNotFound(node string) *domain.Error {
	return domain.Errorf(domain.ProcessorNotFound, "Step %q does not exist in the process.", node)
}

// maxRecordAttempts bounds how often a step is computed again because the case has changed.
const maxRecordAttempts = 8

// recordRun records the result of the run: completion, a retry or an incident. A stage and the
// compute-only stages after it are merged into one statement. The session then moves to the run
// that was leased on creation.
func (svc *Service) recordRun(
	ctx context.Context, p *stageSession, def *workflow.Definition, result *stageResult,
	failure error,
) error {
	if domain.HasCode(failure, domain.LeaseLost) {
		return failure
	}
	for range maxRecordAttempts {
		t, err := svc.buildTransition(ctx, p, def, result, failure)
		if again, loadErr := svc.ordersPassedSince(ctx, p, err); again || loadErr != nil {
			return loadErr
		}
		if err != nil {
			failure = err // the step that follows failed, so the stage fails
			if t, err = svc.buildTransition(ctx, p, def, nil, failure); err != nil {
				return err
			}
		}
		if err := t.chainEvents(svc.salts); err != nil {
			return err
		}
		merged := p.mergePending(t)
		if result != nil && result.afterCommit != nil && failure == nil {
			p.afterCommit = append(p.afterCommit, result.afterCommit)
		}
		if t.canMergeNext() && !merged.hidesImage(t.chainedRun) {
			p.postponeCommit(merged, result)
			p.moveToNextRun(t)
			return nil
		}
		applied, err := svc.db.Step(ctx, &merged.change)
		if again, loadErr := svc.ordersPassedSince(ctx, p, err); again || loadErr != nil {
			return loadErr
		}
		switch {
		case stopsOrder(err):
			result, failure = nil, err
			continue
		case err != nil:
			return err
		case applied:
			svc.continueSession(ctx, p, t, merged)
			return nil
		}
		if err := svc.reloadCase(ctx, p); err != nil {
			return err
		}
		p.afterCommit = nil
		if expensiveResult, rewound := p.rewind(); rewound && expensiveResult == nil {
			return nil // the merged stages are executed again, from the first
		} else if rewound {
			result, failure = expensiveResult, nil
		}
		if p.isOutdated(merged, result) {
			return nil // the stage is executed again
		}
	}
	return domain.Errorf(domain.Busy, "Case %s changed too often to record its step.",
		p.record.Reference)
}

// isOutdated reports whether the result of a stage may differ after another change of the case: another
// case may have a finding about duplicates now, or the values that the result depends on have
// changed.
func (p *stageSession) isOutdated(merged *transition, result *stageResult) bool {
	return len(merged.change.Claims) > 0 ||
		result != nil && result.isStale != nil && result.isStale(p.record)
}

// continueSession moves the session on after the merged change was written.
func (svc *Service) continueSession(
	ctx context.Context, p *stageSession, t, merged *transition,
) {
	svc.notifyCommitted(ctx, merged)
	p.moveToNextRun(t)
	p.leasedRun, p.pendingTransition, p.expensiveResult = p.run, nil, nil
	svc.runAfterCommit(ctx, p)
}

// ordersPassedSince reports whether the error says that other orders on the evidence passed after
// the rules were evaluated. The run is then executed again, once, so that its rules see them.
func (svc *Service) ordersPassedSince(
	ctx context.Context, p *stageSession, failure error,
) (bool, error) {
	if p.orderRefused || !domain.HasCode(failure, domain.OrderUnsupported) {
		return false, nil
	}
	p.orderRefused, p.afterCommit = true, nil
	p.rewind()
	return true, svc.reloadCase(ctx, p)
}

// canMergeNext reports whether the run leased on creation may be recorded together with this
// transition. Facts by which other cases find this one are committed before duplicates are
// searched: if two identical documents run concurrently, at least one detects the other.
func (t *transition) canMergeNext() bool {
	before, after := t.before, t.change.Case
	if t.chainedRun == nil || t.changesEvidence() || before.DocumentNumber != after.DocumentNumber ||
		before.PartyID != after.PartyID || before.Amount != after.Amount ||
		!sumsCommitted(&before, &after) {
		return false
	}
	next, _ := t.def.Node(t.chainedRun.Node)
	return mergesWithPrevious(next)
}

// reloadCase reloads the case. It returns LeaseLost if the run is no longer leased by this session.
func (svc *Service) reloadCase(ctx context.Context, p *stageSession) error {
	run, err := svc.db.Reader().Run(ctx, p.leasedRun.CaseID, p.leasedRun.ID)
	if err != nil {
		return err
	}
	if run.Status != domain.RunLeased || run.LeaseToken != p.leasedRun.LeaseToken {
		return leaseTakenOver()
	}
	p.fields, p.findings, p.inputs = nil, nil, nil
	if p.expensiveResult == nil { // otherwise the session has read the document under this lease
		p.document, p.pagesLoaded = nil, false
	}
	p.record, err = svc.db.Reader().Case(ctx, p.record.ID)
	return err
}

// buildTransition computes the change that records the run. It returns an error if the engine
// fails.
func (svc *Service) buildTransition(
	ctx context.Context, p *stageSession, def *workflow.Definition, result *stageResult,
	failure error,
) (*transition, error) {
	now, err := svc.recordTime(ctx, p, def)
	if err != nil {
		return nil, err
	}
	t := &transition{actor: domain.SystemActor(), automatic: true,
		traceparent:   tracing.Traceparent(ctx),
		deadlineSpeed: svc.settings.DeadlineSpeed, observe: svc.observe,
		fetchQueueConfig: func() (*queueConfig, error) { return svc.currentQueueConfig(ctx) }}
	t.start(p.record, def, now)
	t.change.Lease = &store.Lease{RunID: p.run.ID, Token: p.run.LeaseToken}
	t.loadReviews = func() ([]domain.Review, error) {
		return svc.db.Reader().ReviewsOf(ctx, p.record.ID)
	}
	t.loadRuns = func() ([]domain.StageRun, error) { return svc.db.Reader().RunsOf(ctx, p.record.ID) }
	t.loadVotes = func() (castVotes, error) {
		cast, err := svc.castVotes(ctx, p.record)
		if p.pendingTransition != nil { // it disclosed votes that the rows still hide
			for i := range cast.reviews {
				cast.reviews[i], _ = p.pendingTransition.reviewNow(cast.reviews[i:i+1], cast.reviews[i].ID)
			}
		}
		return cast, err
	}
	if t.incidents, err = svc.otherIncidents(ctx, p.record); err != nil {
		return nil, err
	}
	t.chainLease = &runLease{worker: p.worker, lease: svc.settings.RunLease}
	if failure != nil {
		t.ended = append(t.ended, endedWork{stageFinished, p.run.Node,
			string(domain.CodeOf(failure)), p.took()})
		return t, svc.handleFailure(ctx, t, p.run, failure,
			func() (domain.ProcessFacts, error) { return svc.processFactsAfter(ctx, p, def, t) })
	}
	t.change.RunResult = store.RunResult{Status: domain.RunDone}
	result.apply(t)
	facts, err := svc.processFactsAfter(ctx, p, def, t)
	if err != nil {
		return nil, err
	}
	t.ended = append(t.ended, endedWork{stageFinished, p.run.Node, result.Outcome, p.took()})
	duration := max(now.Sub(p.now).Milliseconds(), 0)
	node, _ := def.Node(p.run.Node)
	event := workflow.Event{Kind: workflow.StageEnded, Node: p.run.Node, Visit: p.run.Visit,
		Outcome: result.Outcome}
	err = t.applyEvent(event, facts, generated.StageCompletedV1{
		Attempt: int64(p.run.Attempt), Behaviour: node.Behaviour, DurationMS: &duration,
		Node:    p.run.Node,
		Outcome: result.Outcome, Summary: result.Summary, Visit: int64(p.run.Visit),
	})
	if err != nil {
		return t, err
	}
	return t, t.letOrderPass(ctx, svc.db.Reader(),
		func() (orderState, error) { return svc.orderAfter(ctx, t) })
}
