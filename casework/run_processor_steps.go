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

// stageProcessor implements a stage as a fixed sequence of steps over W, the state of its work:
// parameter checks, prepare, sequential checks, parallel checks, chooseOutcome, execute, plugins.
// These run before the transaction, on values or a pool's reader. save then runs within the
// statement that records the run, and afterCommit after its commit. A nil step is skipped. To
// derive a processor from another one, copy it and override some steps.
type stageProcessor[W any] struct {
	// timeout limits the steps before save; 0 means no limit while the lease is renewed.
	timeout time.Duration
	// dependsOnFacts marks a result that depends on the values of the case. It is computed again if
	// they change before it is recorded.
	dependsOnFacts   bool
	newWork          func(p *stageSession, node *workflow.Node) W
	parameterChecks  []check[W]
	prepare          func(ctx context.Context, work W) error
	sequentialChecks []check[W]
	// parallelChecks run concurrently. They may read the work but not modify it. All are awaited,
	// and their updates are applied in the order of declaration.
	parallelChecks []check[W]
	// chooseOutcome selects the outcome of the stage, one of outcomes, which its node must declare;
	// nil selects done.
	chooseOutcome func(work W) string
	outcomes      []string
	execute       func(ctx context.Context, work W) error
	plugins       []plugin[W]
	// save writes the result into the change. It is called again if the case changed before the
	// result was recorded.
	save    func(work W, t *transition)
	summary func(work W) *generated.StageCompletedV1Summary
	// afterCommit runs after the result is committed. A crash can skip it, so nothing may depend on
	// it.
	afterCommit func(ctx context.Context, work W)
}

// check examines one aspect of the work and returns an update, which is applied when all checks
// have finished.
type check[W any] struct {
	name string
	run  func(ctx context.Context, work W) (workUpdate[W], error)
}

type workUpdate[W any] func(work W)

// plugin is a step that several processors run after execute.
type plugin[W any] struct {
	name string
	run  func(ctx context.Context, work W) error
}

// possibleOutcomes returns the outcomes in which the stage can end.
func (s stageProcessor[W]) possibleOutcomes() []string {
	if s.chooseOutcome == nil {
		return []string{workflow.OutcomeDone}
	}
	return s.outcomes
}

// run executes the steps before save.
func (s stageProcessor[W]) run(
	ctx context.Context, p *stageSession, node *workflow.Node,
) (*stageResult, error) {
	if s.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, s.timeout,
			domain.Errorf(domain.TimedOut, "This step took longer than %s.", s.timeout).
				WithRemedy("Retry it a little later."))
		defer cancel()
	}
	revision := p.record.FactsRevision
	work := s.newWork(p, node)
	outcome, err := s.runSteps(ctx, work)
	if err != nil {
		return nil, s.timeoutCause(ctx, err)
	}
	result := &stageResult{Outcome: outcome}
	if s.dependsOnFacts {
		result.isStale = func(c domain.Case) bool { return c.FactsRevision != revision }
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

// runSteps executes the steps from the parameter checks to the plugins.
func (s stageProcessor[W]) runSteps(ctx context.Context, work W) (outcome string, err error) {
	if err := runSequentially(ctx, s.parameterChecks, work); err != nil {
		return "", err
	}
	if err := runStep(ctx, s.prepare, work); err != nil {
		return "", err
	}
	return s.runPreparedSteps(ctx, work)
}

// runPreparedSteps executes the steps from the checks to the plugins, on prepared work.
func (s stageProcessor[W]) runPreparedSteps(ctx context.Context,
	work W) (outcome string, err error) {
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

// runStep executes one step, unless it is nil or the context has ended.
func runStep[W any](ctx context.Context, step func(context.Context, W) error, work W) error {
	if step == nil || ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return step(ctx, work)
}

// timeoutCause returns the timeout error if the timeout caused the failure.
func (s stageProcessor[W]) timeoutCause(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); ctx.Err() != nil && domain.HasCode(cause, domain.TimedOut) &&
		domain.CodeOf(err) == domain.Internal {
		return cause
	}
	return err
}

// runSequentially runs checks in order and returns the first failure.
func runSequentially[W any](ctx context.Context, checks []check[W], work W) error {
	for _, check := range checks {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		update, err := check.run(ctx, work)
		if err != nil {
			return fmt.Errorf("casework: check %s: %w", check.name, err)
		}
		if update != nil {
			update(work)
		}
	}
	return nil
}

// runConcurrently runs checks concurrently and waits for all of them, because resources are
// released afterwards. It returns the first failure in the order of declaration.
func runConcurrently[W any](ctx context.Context, checks []check[W], work W) error {
	if len(checks) < 2 {
		return runSequentially(ctx, checks, work)
	}
	updates, failures := make([]workUpdate[W], len(checks)), make([]error, len(checks))
	var all sync.WaitGroup
	for i, check := range checks[1:] {
		all.Go(func() { updates[i+1], failures[i+1] = runRecovered(ctx, check, work) })
	}
	updates[0], failures[0] = runRecovered(ctx, checks[0], work)
	all.Wait()
	for i, failure := range failures {
		if failure != nil {
			return fmt.Errorf("casework: check %s: %w", checks[i].name, failure)
		}
	}
	for _, update := range updates {
		if update != nil {
			update(work)
		}
	}
	return nil
}

// runRecovered converts a panic into an error of the check, because a panic in a goroutine would
// terminate the worker.
func runRecovered[W any](ctx context.Context, c check[W],
	work W) (update workUpdate[W], err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = domain.Errorf(domain.Internal, unexpectedFailure).
				WithCause(fmt.Errorf("panic: %v\n%s", cause, debug.Stack()))
		}
	}()
	return c.run(ctx, work)
}
