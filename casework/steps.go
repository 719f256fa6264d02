package casework

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/workflow"
)

// steps is a processor in its fixed order, over W, the typed context of its work: parameter checks, prepare, synchronous
// checks, checks at once, next, act, plugins; those run before the transaction, on values or a pool's reader. Then save, in
// the statement that records the run, and after, when it is committed. A step that is nil is left out. A processor is
// written as another with some steps put in the place of its own: copy it, override.
type steps[W any] struct {
	// limit is how long everything before save may take; 0: as long as the lease is renewed.
	limit time.Duration
	// onFacts says that the result stands on the values of the case: it is computed anew when they have changed before it
	// could be recorded.
	onFacts    bool
	begin      func(p *pass, node *workflow.Node) W
	parameters []check[W]
	prepare    func(ctx context.Context, work W) error
	checks     []check[W]
	// atOnce are checks that run at the same time. They may read the work and not write it; every one is waited for, and they
	// report in the order in which they stand here.
	atOnce []check[W]
	// next names the outcome in which the stage ends, one of outcomes, which its node has to declare; nil: done.
	next     func(work W) string
	outcomes []string
	act      func(ctx context.Context, work W) error
	plugins  []plugin[W]
	// save writes what was found out into the change; it may be asked again when the case has moved on meanwhile.
	save    func(work W, t *transition)
	summary func(work W) *generated.StageCompletedV1Summary
	// after runs when the result is committed; a crash may lose it, so nothing may depend on it.
	after func(ctx context.Context, work W)
}

// check judges one thing and tells what it found by a report, which is written into the work when all checks are done.
type check[W any] struct {
	name string
	run  func(ctx context.Context, work W) (report[W], error)
}

type report[W any] func(work W)

// plugin is what several processors do after their acts.
type plugin[W any] struct {
	name string
	run  func(ctx context.Context, work W) error
}

// ends are the outcomes in which the stage may end.
func (s steps[W]) ends() []string {
	if s.next == nil {
		return []string{workflow.OutcomeDone}
	}
	return s.outcomes
}

// run does the steps before save.
func (s steps[W]) run(ctx context.Context, p *pass, node *workflow.Node) (*stageResult, error) {
	if s.limit > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeoutCause(ctx, s.limit, domain.Fail(domain.TimedOut, "This step took longer than %s.", s.limit).
			WithWayOut("Retry it a little later."))
		defer stop()
	}
	relied := p.kase.FactsRevision
	work := s.begin(p, node)
	outcome, err := s.before(ctx, work)
	if err != nil {
		return nil, s.outOfTime(ctx, err)
	}
	result := &stageResult{Outcome: outcome}
	if s.onFacts {
		result.stale = func(c domain.Case) bool { return c.FactsRevision != relied }
	}
	if s.summary != nil {
		result.Summary = s.summary(work)
	}
	if s.save != nil {
		result.edits = func(t *transition) { s.save(work, t) }
	}
	if s.after != nil {
		result.after = func(ctx context.Context) { s.after(ctx, work) }
	}
	return result, nil
}

// before does the steps from the parameter checks to the plugins.
func (s steps[W]) before(ctx context.Context, work W) (outcome string, err error) {
	if err := inOrder(ctx, s.parameters, work); err != nil {
		return "", err
	}
	if err := doing(ctx, s.prepare, work); err != nil {
		return "", err
	}
	return s.judge(ctx, work)
}

// judge does the steps from the checks to the plugins, on work that is prepared.
func (s steps[W]) judge(ctx context.Context, work W) (outcome string, err error) {
	if err := inOrder(ctx, s.checks, work); err != nil {
		return "", err
	}
	if err := atOnce(ctx, s.atOnce, work); err != nil {
		return "", err
	}
	outcome = workflow.OutcomeDone
	if s.next != nil {
		outcome = s.next(work)
	}
	if err := doing(ctx, s.act, work); err != nil {
		return "", err
	}
	for _, plugin := range s.plugins {
		if err := doing(ctx, plugin.run, work); err != nil {
			return "", fmt.Errorf("casework: plugin %s: %w", plugin.name, err)
		}
	}
	return outcome, context.Cause(ctx)
}

// doing does one step, unless there is none or the time is over.
func doing[W any](ctx context.Context, step func(context.Context, W) error, work W) error {
	if step == nil || ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return step(ctx, work)
}

// outOfTime says that the limit passed where that is why a step failed.
func (s steps[W]) outOfTime(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); ctx.Err() != nil && domain.HasCode(cause, domain.TimedOut) && domain.CodeOf(err) == domain.Internal {
		return cause
	}
	return err
}

// inOrder runs checks one after the other; the first that fails is the answer.
func inOrder[W any](ctx context.Context, checks []check[W], work W) error {
	for _, check := range checks {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		told, err := check.run(ctx, work)
		if err != nil {
			return fmt.Errorf("casework: check %s: %w", check.name, err)
		}
		if told != nil {
			told(work)
		}
	}
	return nil
}

// atOnce runs checks at the same time and waits for all of them, also when one has failed: what was taken is released
// after, and the first failure in their order is the answer, whichever came first.
func atOnce[W any](ctx context.Context, checks []check[W], work W) error {
	if len(checks) < 2 {
		return inOrder(ctx, checks, work)
	}
	reports, failures := make([]report[W], len(checks)), make([]error, len(checks))
	var all sync.WaitGroup
	for i, check := range checks[1:] {
		all.Go(func() { reports[i+1], failures[i+1] = guarded(ctx, check, work) })
	}
	reports[0], failures[0] = guarded(ctx, checks[0], work)
	all.Wait()
	for i, failure := range failures {
		if failure != nil {
			return fmt.Errorf("casework: check %s: %w", checks[i].name, failure)
		}
	}
	for _, told := range reports {
		if told != nil {
			told(work)
		}
	}
	return nil
}

// guarded makes of a panic an error of this check: in a goroutine of its own it would end the worker.
func guarded[W any](ctx context.Context, of check[W], work W) (told report[W], err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = domain.Fail(domain.Internal, "this step failed in an unforeseen way").Because(fmt.Errorf("panic: %v\n%s", cause, debug.Stack()))
		}
	}()
	return of.run(ctx, work)
}
