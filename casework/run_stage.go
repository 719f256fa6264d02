package casework

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/store"
	"countersign/workflow"
)

// RunRequest is what a queue task tells: which run to do, and who does it.
type RunRequest struct {
	CaseID domain.ID
	RunID  domain.ID
	Worker string
}

// maxLeaseExpiries is how many workers may die on one run before a person has to look at it.
const maxLeaseExpiries = 10

// RunStage does the run that a task names, and any compute-only stages that follow it in the same session. It returns nil for
// every outcome that it could record, and when there is nothing to do: a retry is a new row, never the queue's. An error
// means that Postgres could not be reached; the task comes again.
func (svc *Service) RunStage(ctx context.Context, request RunRequest) error {
	leased, err := svc.db.Lease(ctx, request.CaseID, request.RunID, domain.NewID(), request.Worker, svc.settings.RunLease)
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
	case domain.RunKindClaimBy, domain.RunKindAtRisk, domain.RunKindDecideBy, domain.RunKindAssign:
		return svc.runDeadline(ctx, leased.Run)
	case domain.RunKindUndoBy:
		return svc.runDecisionEffect(ctx, leased.Run)
	}
	return domain.Errorf(domain.Internal, "Nothing here does a run of the kind %q.", leased.Run.Kind)
}

// runStages does a stage's run, and the light ones after it.
func (svc *Service) runStages(ctx context.Context, request RunRequest, leased store.LeasedRun) error {
	session := &stageSession{svc: svc, worker: request.Worker, record: leased.Case, run: leased.Run, leasedRun: leased.Run, now: leased.Now,
		document: &leased.Document}
	if leased.NoFacts {
		session.fields, session.findings = []domain.Field{}, map[string][]domain.Finding{}
	}
	svc.ports.observeQueueWait(session.now.Sub(session.run.RunAfter)) // of every lease: lost tasks and dead workers are what is to be seen
	for session.run.ID != domain.NoID {
		if err := svc.runNextStage(ctx, session); err != nil {
			if domain.HasCode(err, domain.LeaseLost) {
				svc.log.InfoContext(ctx, "late result refused", "case", session.record.ID, "run", session.run.ID, "correlation_id", session.record.CorrelationID)
				return nil
			}
			return err
		}
	}
	return nil
}

// requeueIfEarly enqueues a run again that was delivered early; a run that is done, leased or gone needs nothing.
func (svc *Service) requeueIfEarly(ctx context.Context, request RunRequest) error {
	pendingRun, early, err := svc.db.Autocommit().RequeueIfEarly(ctx, request.CaseID, request.RunID)
	if err != nil || !early {
		return err
	}
	svc.ports.Notifier.Enqueue(ctx, []domain.PendingRun{pendingRun})
	return nil
}

// runNextStage executes the session's run, records it, and moves the session to the next run, if one was leased on creation.
func (svc *Service) runNextStage(ctx context.Context, p *stageSession) error {
	def, err := svc.definitions.get(ctx, svc.db.Reader(), p.record.ProcessKey, p.record.ProcessVersion)
	if err != nil {
		return svc.recordRun(ctx, p, nil, nil, err)
	}
	node, ok := def.Node(p.run.Node)
	if !ok {
		return svc.recordRun(ctx, p, def, nil, domain.Errorf(domain.ProcessorNotFound, "the step %q is not in the process", p.run.Node))
	}
	if p.run.Expiries >= maxLeaseExpiries {
		return svc.recordRun(ctx, p, def, nil, domain.Errorf(domain.TimedOut, "%d workers stopped while doing this step", p.run.Expiries))
	}
	result, err := svc.runProcessor(ctx, p, node)
	if ctx.Err() != nil {
		return ctx.Err() // the worker is leaving: it hands its runs back, nothing is recorded
	}
	return svc.recordRun(ctx, p, def, result, err)
}

// runProcessor runs the processor under the lease. A panic is an error of this stage, not of the worker.
func (svc *Service) runProcessor(ctx context.Context, p *stageSession, node *workflow.Node) (result *stageResult, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			svc.log.ErrorContext(ctx, "stage panicked", "node", node.ID, "case", p.record.ID, "correlation_id", p.record.CorrelationID,
				"panic", cause, "stack", string(debug.Stack()))
			err = domain.Errorf(domain.Internal, "this step failed in an unforeseen way").WithCause(fmt.Errorf("panic: %v", cause))
		}
	}()
	err = svc.withLease(ctx, p, func(working context.Context) error {
		defer p.runCleanups() // before the panic is made an error
		processor, err := svc.processors.find(working, node.Behaviour, eventRun, p)
		if err != nil {
			return err
		}
		result, err = processor.run(working, p, node)
		return err
	})
	if err != nil {
		return nil, err
	}
	return result, nil
}

// withLease does the work while the lease of the session is renewed every third of its time. The work is cancelled when the
// lease is lost, and LeaseLost is then the answer whatever came of it.
func (svc *Service) withLease(ctx context.Context, p *stageSession, work func(context.Context) error) error {
	working, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	renewing := svc.renewLease(working, stop, p)
	defer renewing.stop()
	err := work(working)
	if cause := context.Cause(working); cause != nil && domain.HasCode(cause, domain.LeaseLost) {
		return cause
	}
	return err
}

// leaseRenewer renews a lease until it is stopped.
type leaseRenewer struct {
	timer *time.Timer
	mu    sync.Mutex
	ended bool
}

func (k *leaseRenewer) stop() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.ended = true
	k.timer.Stop()
}

func (svc *Service) renewLease(ctx context.Context, lost context.CancelCauseFunc, p *stageSession) *leaseRenewer {
	keeper := &leaseRenewer{}
	run, every, correlation := p.leasedRun, svc.settings.RunLease*3/10, p.record.CorrelationID
	keeper.mu.Lock()
	defer keeper.mu.Unlock()
	keeper.timer = time.AfterFunc(every, func() {
		ours, err := svc.db.Autocommit().RenewLease(ctx, run.CaseID, run.ID, run.LeaseToken, svc.settings.RunLease)
		if err == nil && !ours {
			lost(domain.Errorf(domain.LeaseLost, "the work was taken over by another worker"))
			return
		}
		if err != nil && ctx.Err() == nil {
			svc.log.WarnContext(ctx, "lease not renewed", "run", run.ID, "case", run.CaseID, "correlation_id", correlation, "error", err)
		}
		keeper.mu.Lock()
		defer keeper.mu.Unlock()
		if !keeper.ended {
			keeper.timer.Reset(every)
		}
	})
	return keeper
}

// maxRecordAttempts bounds how often a step is computed again because the case had moved on meanwhile.
const maxRecordAttempts = 8

// recordRun writes what came of the run: completion, a retry, or an incident. A stage and the brief ones after it are joined
// into one statement. The session moves on to the run leased on creation.
func (svc *Service) recordRun(ctx context.Context, p *stageSession, def *workflow.Definition, result *stageResult, failure error) error {
	if domain.HasCode(failure, domain.LeaseLost) {
		return failure
	}
	for range maxRecordAttempts {
		t, err := svc.buildTransition(ctx, p, def, result, failure)
		if err != nil {
			failure = err // the engine refused: that is this stage's failure
			if t, err = svc.buildTransition(ctx, p, def, nil, failure); err != nil {
				return err
			}
		}
		joins := canMergeNext(t)
		if joins {
			t.dropStartEvent()
		}
		if err := t.chainEvents(svc.salts); err != nil {
			return err
		}
		joined := p.mergePending(t)
		if result != nil && result.afterCommit != nil && failure == nil {
			p.afterCommit = append(p.afterCommit, result.afterCommit)
		}
		if joins {
			p.postponeCommit(joined, result)
			p.moveToNextRun(t)
			return nil
		}
		applied, err := svc.db.Step(ctx, &joined.change)
		if err != nil {
			return err
		}
		if applied {
			svc.notifyCommitted(ctx, joined)
			p.moveToNextRun(t)
			p.leasedRun, p.pendingTransition, p.expensiveResult = p.run, nil, nil
			svc.runAfterCommit(ctx, p)
			return nil
		}
		if err := svc.reloadCase(ctx, p); err != nil {
			return err
		}
		p.afterCommit = nil
		if expensiveResult, rewound := p.rewind(); rewound && expensiveResult == nil {
			return nil // the stages of this statement are computed again, from the first
		} else if rewound {
			result, failure = expensiveResult, nil
		}
		if result != nil && result.isStale != nil && result.isStale(p.record) {
			return nil // what it stood on has changed: computed again
		}
	}
	return domain.Errorf(domain.Busy, "the case %s is changed faster than its step can be recorded", p.record.Reference)
}

// canMergeNext reports whether the run leased on creation may be recorded together with what came before it. What others look a
// case up by is committed before it is compared with theirs: of two alike at the same moment, one at least sees the other.
func canMergeNext(t *transition) bool {
	if was, is := t.before, t.change.Case; t.chainedRun == nil || was.DocumentNumber != is.DocumentNumber || was.PartyID != is.PartyID {
		return false
	}
	next, _ := t.def.Node(t.chainedRun.Node)
	return mergesWithPrevious(next)
}

// reloadCase takes the case as it is now; LeaseLost when the run is no longer ours.
func (svc *Service) reloadCase(ctx context.Context, p *stageSession) error {
	run, err := svc.db.Reader().Run(ctx, p.leasedRun.CaseID, p.leasedRun.ID)
	if err != nil {
		return err
	}
	if run.Status != domain.RunLeased || run.LeaseToken != p.leasedRun.LeaseToken {
		return domain.Errorf(domain.LeaseLost, "the work was taken over by another worker")
	}
	p.fields, p.findings, p.inputs = nil, nil, nil
	if p.expensiveResult == nil { // else the session has read the document itself, under this lease
		p.document, p.pagesLoaded = nil, false
	}
	p.record, err = svc.db.Reader().Case(ctx, p.record.ID)
	return err
}

// buildTransition computes the change that records the run. An error of the engine comes back as error.
func (svc *Service) buildTransition(ctx context.Context, p *stageSession, def *workflow.Definition, result *stageResult, failure error) (*transition, error) {
	now, err := svc.recordTime(ctx, p, def)
	if err != nil {
		return nil, err
	}
	t := &transition{actor: domain.SystemActor(), automatic: true, deadlineSpeed: svc.settings.DeadlineSpeed, observe: svc.observe,
		fetchQueueConfig: func() (*queueConfig, error) { return svc.currentQueueConfig(ctx) }}
	t.start(p.record, def, now)
	t.change.Lease = &store.Lease{RunID: p.run.ID, Token: p.run.LeaseToken}
	t.loadReviews = func() ([]domain.Review, error) { return svc.db.Reader().ReviewsOf(ctx, p.record.ID) }
	if t.incidents, err = svc.otherIncidents(ctx, p.record); err != nil {
		return nil, err
	}
	t.chainLease = &runLease{worker: p.worker, lease: svc.settings.RunLease}
	if failure != nil {
		return t, svc.handleFailure(ctx, t, p.run, failure, func() (domain.ProcessFacts, error) { return svc.processFactsAfter(ctx, p, t) })
	}
	t.change.RunResult = store.RunResult{Status: domain.RunDone}
	result.apply(t)
	duration := max(now.Sub(p.now).Milliseconds(), 0)
	node, _ := def.Node(p.run.Node)
	t.emit(generated.StageCompletedV1{Attempt: int64(p.run.Attempt), Behaviour: node.Behaviour, DurationMS: &duration, Node: p.run.Node,
		Outcome: result.Outcome, Summary: result.Summary, Visit: int64(p.run.Visit)})
	facts, err := svc.processFactsAfter(ctx, p, t)
	if err != nil {
		return nil, err
	}
	event := workflow.Event{Kind: workflow.StageEnded, Node: p.run.Node, Visit: p.run.Visit, Outcome: result.Outcome}
	return t, t.applyEvent(event, facts)
}
