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

// Waking is what a queue task tells: which run to do, and who does it.
type Waking struct {
	CaseID domain.ID
	RunID  domain.ID
	Worker string
}

// expiryLimit is how many workers may die on one run before a person has to look at it.
const expiryLimit = 10

// RunStage does the run that a task names, and the light stages after it that run on in the same pass. It returns nil for
// every outcome that it could record, and when there is nothing to do: a retry is a new row, never the queue's. An error
// means that Postgres could not be reached; the task comes again.
func (h *Hall) RunStage(ctx context.Context, waking Waking) error {
	leased, err := h.db.Lease(ctx, waking.CaseID, waking.RunID, domain.NewID(), waking.Worker, h.settings.RunLease)
	if domain.HasCode(err, domain.LeaseLost) {
		return h.notYet(ctx, waking)
	}
	if err != nil {
		return err
	}
	switch leased.Run.Kind {
	case domain.KindStage:
		return h.runPass(ctx, waking, leased)
	case domain.KindTimer:
		return h.runTimer(ctx, leased.Run)
	case domain.KindSaga:
		return h.runSaga(ctx, leased, waking.Worker)
	case domain.KindClaimBy, domain.KindAtRisk, domain.KindDecideBy, domain.KindAssign:
		return h.runDeadline(ctx, leased.Run)
	case domain.KindUndoBy:
		return h.runEffect(ctx, leased.Run)
	}
	return domain.Fail(domain.Internal, "Nothing here does a run of the kind %q.", leased.Run.Kind)
}

// runPass does a stage's run, and the light ones after it.
func (h *Hall) runPass(ctx context.Context, waking Waking, leased store.Leased) error {
	pass := &pass{hall: h, worker: waking.Worker, kase: leased.Case, run: leased.Run, held: leased.Run, now: leased.Now,
		document: &leased.Document}
	if leased.Bare {
		pass.fields, pass.findings = []domain.Field{}, map[string][]domain.Finding{}
	}
	h.ports.hop(pass.now.Sub(pass.run.RunAfter)) // of every lease: lost rings and dead workers are what is to be seen
	for pass.run.ID != domain.NoID {
		if err := h.runOne(ctx, pass); err != nil {
			if domain.HasCode(err, domain.LeaseLost) {
				h.log.InfoContext(ctx, "late result refused", "case", pass.kase.ID, "run", pass.run.ID, "correlation_id", pass.kase.CorrelationID)
				return nil
			}
			return err
		}
	}
	return nil
}

// notYet rings a task again that came before its time; a run that is done, leased or gone needs nothing.
func (h *Hall) notYet(ctx context.Context, waking Waking) error {
	wake, early, err := h.db.Alone().NotYet(ctx, waking.CaseID, waking.RunID)
	if err != nil || !early {
		return err
	}
	h.ports.Bell.Ring(ctx, []domain.Wake{wake})
	return nil
}

// runOne does the pass's run, records it, and moves the pass to the next run, if one was leased at birth.
func (h *Hall) runOne(ctx context.Context, p *pass) error {
	def, err := h.definitions.get(ctx, h.db.Reader(), p.kase.ProcessKey, p.kase.ProcessVersion)
	if err != nil {
		return h.record(ctx, p, nil, nil, err)
	}
	node, ok := def.Node(p.run.Node)
	if !ok {
		return h.record(ctx, p, def, nil, domain.Fail(domain.ProcessorNotFound, "the step %q is not in the process", p.run.Node))
	}
	if p.run.Expiries >= expiryLimit {
		return h.record(ctx, p, def, nil, domain.Fail(domain.TimedOut, "%d workers stopped while doing this step", p.run.Expiries))
	}
	result, err := h.perform(ctx, p, node)
	if ctx.Err() != nil {
		return ctx.Err() // the worker is leaving: it hands its runs back, nothing is recorded
	}
	return h.record(ctx, p, def, result, err)
}

// perform runs the processor under the lease. A panic is an error of this stage, not of the worker.
func (h *Hall) perform(ctx context.Context, p *pass, node *workflow.Node) (result *stageResult, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			h.log.ErrorContext(ctx, "stage panicked", "node", node.ID, "case", p.kase.ID, "correlation_id", p.kase.CorrelationID,
				"panic", cause, "stack", string(debug.Stack()))
			err = domain.Fail(domain.Internal, "this step failed in an unforeseen way").Because(fmt.Errorf("panic: %v", cause))
		}
	}()
	err = h.underLease(ctx, p, func(working context.Context) error {
		defer p.release() // before the panic is made an error
		processor, err := h.processors.find(working, node.Behaviour, eventRun, p)
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

// underLease does the work while the lease of the pass is renewed every third of its time. The work is cancelled when the
// lease is lost, and LeaseLost is then the answer whatever came of it.
func (h *Hall) underLease(ctx context.Context, p *pass, work func(context.Context) error) error {
	working, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	renewing := h.keepLease(working, stop, p)
	defer renewing.stop()
	err := work(working)
	if cause := context.Cause(working); cause != nil && domain.HasCode(cause, domain.LeaseLost) {
		return cause
	}
	return err
}

// leaseKeeper renews a lease until it is stopped.
type leaseKeeper struct {
	timer *time.Timer
	mu    sync.Mutex
	ended bool
}

func (k *leaseKeeper) stop() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.ended = true
	k.timer.Stop()
}

func (h *Hall) keepLease(ctx context.Context, lost context.CancelCauseFunc, p *pass) *leaseKeeper {
	keeper := &leaseKeeper{}
	run, every, correlation := p.held, h.settings.RunLease*3/10, p.kase.CorrelationID
	keeper.mu.Lock()
	defer keeper.mu.Unlock()
	keeper.timer = time.AfterFunc(every, func() {
		ours, err := h.db.Alone().Renew(ctx, run.CaseID, run.ID, run.LeaseToken, h.settings.RunLease)
		if err == nil && !ours {
			lost(domain.Fail(domain.LeaseLost, "the work was taken over by another worker"))
			return
		}
		if err != nil && ctx.Err() == nil {
			h.log.WarnContext(ctx, "lease not renewed", "run", run.ID, "case", run.CaseID, "correlation_id", correlation, "error", err)
		}
		keeper.mu.Lock()
		defer keeper.mu.Unlock()
		if !keeper.ended {
			keeper.timer.Reset(every)
		}
	})
	return keeper
}

// recordTries bounds how often a step is computed anew because the case had moved on meanwhile.
const recordTries = 8

// record writes what came of the run: completion, a retry, or an incident. A stage and the brief ones after it are joined
// into one statement. The pass moves on to the run leased at birth.
func (h *Hall) record(ctx context.Context, p *pass, def *workflow.Definition, result *stageResult, failure error) error {
	if domain.HasCode(failure, domain.LeaseLost) {
		return failure
	}
	for range recordTries {
		t, err := h.outcome(ctx, p, def, result, failure)
		if err != nil {
			failure = err // the engine refused: that is this stage's failure
			if t, err = h.outcome(ctx, p, def, nil, failure); err != nil {
				return err
			}
		}
		joins := joinsNext(t)
		if joins {
			t.untellStart()
		}
		if err := t.finish(h.salts); err != nil {
			return err
		}
		joined := p.join(t)
		if result != nil && result.after != nil && failure == nil {
			p.afters = append(p.afters, result.after)
		}
		if joins {
			p.keep(joined, result)
			p.goOn(t)
			return nil
		}
		applied, err := h.db.Step(ctx, &joined.change)
		if err != nil {
			return err
		}
		if applied {
			h.announce(ctx, joined)
			p.goOn(t)
			p.held, p.joined, p.slow = p.run, nil, nil
			h.afterwards(ctx, p)
			return nil
		}
		if err := h.reread(ctx, p); err != nil {
			return err
		}
		p.afters = nil
		if slow, rewound := p.rewind(); rewound && slow == nil {
			return nil // the stages of this statement are computed anew, from the first
		} else if rewound {
			result, failure = slow, nil
		}
		if result != nil && result.stale != nil && result.stale(p.kase) {
			return nil // what it stood on has changed: computed anew
		}
	}
	return domain.Fail(domain.Busy, "the case %s is changed faster than its step can be recorded", p.kase.Reference)
}

// joinsNext reports whether the run leased at birth may be recorded together with what came before it. What others look a
// case up by is committed before it is compared with theirs: of two alike at the same moment, one at least sees the other.
func joinsNext(t *transition) bool {
	if was, is := t.before, t.change.Case; t.ran == nil || was.DocumentNumber != is.DocumentNumber || was.PartyID != is.PartyID {
		return false
	}
	next, _ := t.def.Node(t.ran.Node)
	return brief(next)
}

// reread takes the case as it is now; LeaseLost when the run is no longer ours.
func (h *Hall) reread(ctx context.Context, p *pass) error {
	run, err := h.db.Reader().Run(ctx, p.held.CaseID, p.held.ID)
	if err != nil {
		return err
	}
	if run.Status != domain.RunLeased || run.LeaseToken != p.held.LeaseToken {
		return domain.Fail(domain.LeaseLost, "the work was taken over by another worker")
	}
	p.fields, p.findings, p.shown = nil, nil, nil
	if p.slow == nil { // else the pass has read the document itself, under this lease
		p.document, p.readDone = nil, false
	}
	p.kase, err = h.db.Reader().Case(ctx, p.kase.ID)
	return err
}

// outcome computes the change that records the run. An error of the engine comes back as error.
func (h *Hall) outcome(ctx context.Context, p *pass, def *workflow.Definition, result *stageResult, failure error) (*transition, error) {
	now, err := h.timeOf(ctx, p, def)
	if err != nil {
		return nil, err
	}
	t := &transition{actor: domain.SystemActor(), automatic: true, speed: h.settings.DeadlineSpeed, seen: h.seen,
		openBook: func() (*book, error) { return h.bookNow(ctx) }}
	t.start(p.kase, def, now)
	t.change.Lease = &store.Lease{RunID: p.run.ID, Token: p.run.LeaseToken}
	t.openReviews = func() ([]domain.Review, error) { return h.db.Reader().ReviewsOf(ctx, p.kase.ID) }
	if t.incidents, err = h.incidentsBeside(ctx, p.kase); err != nil {
		return nil, err
	}
	t.runOn = &runOn{worker: p.worker, lease: h.settings.RunLease}
	if failure != nil {
		return t, h.fail(ctx, t, p.run, failure, func() (domain.ProcessFacts, error) { return h.factsAfter(ctx, p, t) })
	}
	t.change.End = store.RunEnd{Status: domain.RunDone}
	result.apply(t)
	duration := max(now.Sub(p.now).Milliseconds(), 0)
	node, _ := def.Node(p.run.Node)
	t.tell(generated.StageCompletedV1{Attempt: int64(p.run.Attempt), Behaviour: node.Behaviour, DurationMS: &duration, Node: p.run.Node,
		Outcome: result.Outcome, Summary: result.Summary, Visit: int64(p.run.Visit)})
	facts, err := h.factsAfter(ctx, p, t)
	if err != nil {
		return nil, err
	}
	event := workflow.Event{Kind: workflow.StageEnded, Node: p.run.Node, Visit: p.run.Visit, Outcome: result.Outcome}
	return t, t.advance(event, facts)
}
