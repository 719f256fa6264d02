package casework

import (
	"context"
	"slices"
	"time"

	"countersign/domain"
	"countersign/workflow"
)

// stageSession is a worker's processing of one run and the compute-only runs that follow it. Data
// that one stage loads is reused by the next.
type stageSession struct {
	svc    *Service
	worker string
	record domain.Case
	run    domain.StageRun // being executed
	// leased in the database: run, or the first of the runs that are recorded together
	leasedRun domain.StageRun
	now       time.Time
	// pendingTransition is the merged change of stages that is not written yet.
	pendingTransition *transition
	// expensiveResult is the result of leasedRun if it was slow work that is not written yet. It is
	// reused, so that the work is done once.
	expensiveResult *stageResult

	// cleanups release the resources of the run's processor, last first.
	cleanups []func()
	// afterCommit are the functions that processors run after the commit.
	afterCommit []func(context.Context)

	document    *domain.Document // the newest; nil if not loaded
	opened      *OpenedDocument  // its file, while a processor has it open
	keeper      *pageKeeper      // of the opened file
	pages       []domain.Page
	invoice     *invoice
	pagesLoaded bool // pages and invoice were loaded by this session
	fields      []domain.Field
	findings    map[string][]domain.Finding // by stage
	inputs      *ruleInputs
	took        func() time.Duration // of the run being executed
	// orderRefused says that the run was executed again because other orders had passed.
	orderRefused bool
}

// addCleanup registers a function that runs when the run's processor ends, in any way.
func (p *stageSession) addCleanup(release func()) { p.cleanups = append(p.cleanups, release) }

// runCleanups runs all cleanups, even if one of them panics.
func (p *stageSession) runCleanups() {
	if len(p.cleanups) == 0 {
		return
	}
	last := p.cleanups[len(p.cleanups)-1]
	p.cleanups = p.cleanups[:len(p.cleanups)-1]
	defer p.runCleanups()
	last()
}

// computeOnly reports whether a stage only computes, in about a millisecond, so that a crash loses
// nothing else.
func computeOnly(node *workflow.Node) bool {
	if node == nil {
		return false
	}
	switch node.Behaviour {
	case domain.BehaviourExtract, domain.BehaviourValidate, domain.BehaviourAssess:
		return true
	}
	return false
}

// mergesWithPrevious reports whether a stage may be recorded together with the one before it.
// Archiving may: if its statement is repeated, an orphan manifest remains, as after a lost lease.
func mergesWithPrevious(node *workflow.Node) bool {
	return computeOnly(node) || node != nil && node.Behaviour == domain.BehaviourArchive
}

// recordTime returns the database time for the events of a run: the time of the lease for
// compute-only stages, otherwise the current one.
func (svc *Service) recordTime(
	ctx context.Context, p *stageSession, def *workflow.Definition,
) (time.Time, error) {
	if def != nil {
		if node, ok := def.Node(p.run.Node); ok && computeOnly(node) {
			return p.now, nil
		}
	}
	return svc.db.Reader().Clock(ctx)
}

// mergePending merges a change into those of earlier stages that are not written yet. The result is
// one statement, guarded by the version and the lease of the first stage.
func (p *stageSession) mergePending(t *transition) *transition {
	if p.pendingTransition == nil {
		return t
	}
	merged := *p.pendingTransition
	into, from := &merged.change, &t.change
	into.Runs = slices.Clone(into.Runs)
	at := slices.IndexFunc(into.Runs, func(r domain.StageRun) bool { return r.ID == p.run.ID })
	ended := &into.Runs[at]
	ended.Status, ended.EndedAt, ended.LeaseToken = from.RunResult.Status, t.now, domain.NoID
	ended.ErrorCode, ended.ErrorText = from.RunResult.ErrorCode, from.RunResult.ErrorText
	if from.RunResult.Status != domain.RunDone {
		ended.Failures++
	}
	into.Case = from.Case
	merged.ended = append(slices.Clone(merged.ended), t.ended...)
	into.Events = append(slices.Clone(into.Events), from.Events...)
	into.Runs = append(into.Runs, from.Runs...)
	into.CancelNodes = append(slices.Clone(into.CancelNodes), from.CancelNodes...)
	into.CancelSubjects = append(slices.Clone(into.CancelSubjects), from.CancelSubjects...)
	into.StageFindings = append(slices.Clone(into.StageFindings), from.StageFindings...)
	into.NewReviews = append(slices.Clone(into.NewReviews), from.NewReviews...)
	into.ReviewUpdates = append(slices.Clone(into.ReviewUpdates), from.ReviewUpdates...)
	into.Assertions = append(slices.Clone(into.Assertions), from.Assertions...)
	into.Sums = append(slices.Clone(into.Sums), from.Sums...)
	if from.Claims != nil || from.ReleasedClaims != nil {
		into.Claims, into.ReleasedClaims = from.Claims, from.ReleasedClaims
	}
	if from.OrderUse != nil {
		into.OrderUse = from.OrderUse
	}
	if from.LineItems != nil {
		into.LineItems = from.LineItems
	}
	if from.ReadDocument != nil {
		into.ReadDocument = from.ReadDocument
	}
	if len(from.Fields) > 0 || len(from.DeleteFieldSources) > 0 {
		into.Fields, into.DeleteFieldSources = from.Fields, from.DeleteFieldSources
	}
	return &merged
}

// moveToNextRun moves the session to the run that was leased on creation, if any.
func (p *stageSession) moveToNextRun(t *transition) {
	p.record, p.now = t.change.Case, t.now
	p.run = domain.StageRun{}
	if t.chainedRun != nil {
		p.run = *t.chainedRun
	}
}

// postponeCommit keeps the merged change, so that it is written together with the next stage.
func (p *stageSession) postponeCommit(merged *transition, result *stageResult) {
	if node, ok := merged.def.Node(p.run.Node); p.pendingTransition == nil &&
		(!ok || !computeOnly(node)) {
		p.expensiveResult = result
	}
	p.pendingTransition = merged
}

// rewind returns to the first of the merged stages after the case has changed; false if there is
// only one. The result of slow work is kept.
func (p *stageSession) rewind() (expensiveResult *stageResult, rewound bool) {
	if p.pendingTransition == nil {
		return nil, false
	}
	expensiveResult = p.expensiveResult
	p.pendingTransition, p.expensiveResult, p.run = nil, nil, p.leasedRun
	return expensiveResult, true
}

// runAfterCommit runs the afterCommit functions. Nothing depends on them, so a panic is only
// logged.
func (svc *Service) runAfterCommit(ctx context.Context, p *stageSession) {
	functions := p.afterCommit
	p.afterCommit = nil
	defer func() {
		if cause := recover(); cause != nil {
			svc.log.ErrorContext(ctx, "after-commit step panicked", "case", p.record.ID,
				"correlation_id", p.record.CorrelationID, "panic", cause)
		}
	}()
	for _, fn := range functions {
		fn(ctx)
	}
}
