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

// stageProcessor is a processor in its fixed order, over W, the typed context of its work: parameter checks, prepare, synchronous
// checks, parallel checks, next, act, plugins; those run before the transaction, on values or a pool's reader. Then save, in
// the statement that records the run, and after, when it is committed. A step that is nil is left out. A processor is
// written as another with some steps put in the place of its own: copy it, override.
type stageProcessor[W any] struct {
	// timeout is how long everything before save may take; 0: as long as the lease is renewed.
	timeout time.Duration
	// dependsOnFacts says that the result stands on the values of the case: it is computed again when they have changed before it
	// could be recorded.
	dependsOnFacts   bool
	newWork          func(p *stageSession, node *workflow.Node) W
	parameterChecks  []check[W]
	prepare          func(ctx context.Context, work W) error
	sequentialChecks []check[W]
	// parallelChecks are checks that run at the same time. They may read the work and not write it; every one is waited for, and they
	// report in the order in which they stand here.
	parallelChecks []check[W]
	// chooseOutcome names the outcome in which the stage ends, one of outcomes, which its node has to declare; nil: done.
	chooseOutcome func(work W) string
	outcomes      []string
	execute       func(ctx context.Context, work W) error
	plugins       []plugin[W]
	// save writes what was found out into the change; it may be asked again when the case has moved on meanwhile.
	save    func(work W, t *transition)
	summary func(work W) *generated.StageCompletedV1Summary
	// afterCommit runs when the result is committed; a crash may lose it, so nothing may depend on it.
	afterCommit func(ctx context.Context, work W)
}

// check judges one thing and tells what it found by a report, which is written into the work when all checks are done.
type check[W any] struct {
	name string
	run  func(ctx context.Context, work W) (workUpdate[W], error)
}

type workUpdate[W any] func(work W)

// plugin is what several processors do after their acts.
type plugin[W any] struct {
	name string
	run  func(ctx context.Context, work W) error
}

// possibleOutcomes are the outcomes in which the stage may end.
func (s stageProcessor[W]) possibleOutcomes() []string {
	if s.chooseOutcome == nil {
		return []string{workflow.OutcomeDone}
	}
	return s.outcomes
}

// run does the steps before save.
func (s stageProcessor[W]) run(ctx context.Context, p *stageSession, node *workflow.Node) (*stageResult, error) {
	if s.timeout > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeoutCause(ctx, s.timeout, domain.Errorf(domain.TimedOut, "This step took longer than %s.", s.timeout).
			WithRemedy("Retry it a little later."))
		defer stop()
	}
	relied := p.record.FactsRevision
	work := s.newWork(p, node)
	outcome, err := s.runSteps(ctx, work)
	if err != nil {
		return nil, s.timeoutCause(ctx, err)
	}
	result := &stageResult{Outcome: outcome}
	if s.dependsOnFacts {
		result.isStale = func(c domain.Case) bool { return c.FactsRevision != relied }
	}
	if s.summary != nil {
		result.Summary = s.summary(work)
	}
	if s.save != nil {
		result.applyEdits = func(t *transition) { s.save(work, t) }
	}
	if s.afterCommit != nil {
		result.afterCommit = func(ctx context.Context) { s.afterCommit(ctx, work) }
	}
	return result, nil
}

// runSteps does the steps from the parameter checks to the plugins.
func (s stageProcessor[W]) runSteps(ctx context.Context, work W) (outcome string, err error) {
	if err := runSequentially(ctx, s.parameterChecks, work); err != nil {
		return "", err
	}
	if err := runStep(ctx, s.prepare, work); err != nil {
		return "", err
	}
	return s.runPreparedSteps(ctx, work)
}

// runPreparedSteps does the steps from the checks to the plugins, on work that is prepared.
func (s stageProcessor[W]) runPreparedSteps(ctx context.Context, work W) (outcome string, err error) {
	if err := runSequentially(ctx, s.sequentialChecks, work); err != nil {
		return "", err
	}
	if err := runConcurrently(ctx, s.parallelChecks, work); err != nil {
		return "", err
	}
	outcome = workflow.OutcomeDone
	if s.chooseOutcome != nil {
		outcome = s.chooseOutcome(work)
	}
	if err := runStep(ctx, s.execute, work); err != nil {
		return "", err
	}
	for _, plugin := range s.plugins {
		if err := runStep(ctx, plugin.run, work); err != nil {
			return "", fmt.Errorf("casework: plugin %s: %w", plugin.name, err)
		}
	}
	return outcome, context.Cause(ctx)
}

// runStep does one step, unless there is none or the time is over.
func runStep[W any](ctx context.Context, step func(context.Context, W) error, work W) error {
	if step == nil || ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return step(ctx, work)
}

// timeoutCause says that the limit passed where that is why a step failed.
func (s stageProcessor[W]) timeoutCause(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); ctx.Err() != nil && domain.HasCode(cause, domain.TimedOut) && domain.CodeOf(err) == domain.Internal {
		return cause
	}
	return err
}

// runSequentially runs checks one after the other; the first that fails is the answer.
func runSequentially[W any](ctx context.Context, checks []check[W], work W) error {
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

// runConcurrently runs checks at the same time and waits for all of them, also when one has failed: what was taken is released
// after, and the first failure in their order is the answer, whichever came first.
func runConcurrently[W any](ctx context.Context, checks []check[W], work W) error {
	if len(checks) < 2 {
		return runSequentially(ctx, checks, work)
	}
	reports, failures := make([]workUpdate[W], len(checks)), make([]error, len(checks))
	var all sync.WaitGroup
	for i, check := range checks[1:] {
		all.Go(func() { reports[i+1], failures[i+1] = runRecovered(ctx, check, work) })
	}
	reports[0], failures[0] = runRecovered(ctx, checks[0], work)
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

// runRecovered makes of a panic an error of this check: in a goroutine of its own it would end the worker.
func runRecovered[W any](ctx context.Context, of check[W], work W) (told workUpdate[W], err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = domain.Errorf(domain.Internal, "this step failed in an unforeseen way").WithCause(fmt.Errorf("panic: %v\n%s", cause, debug.Stack()))
		}
	}()
	return of.run(ctx, work)
}
