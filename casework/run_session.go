package casework

import (
	"context"
	"slices"
	"time"

	"countersign/domain"
	"countersign/workflow"
)

// stageSession is a worker's way through one run and the light ones after it. What one stage read the next need not read again.
type stageSession struct {
	svc       *Service
	worker    string
	record    domain.Case
	run       domain.StageRun // under way
	leasedRun domain.StageRun // leased in the database; run itself, or the first of those that are recorded together
	now       time.Time
	// pendingTransition is what stages have led to so far and is not written yet.
	pendingTransition *transition
	// expensiveResult is what came of held, where that was slow work and is not written yet: it is never done twice.
	expensiveResult *stageResult

	// cleanups is what the run's processor holds until it is done, to be released last first.
	cleanups []func()
	// afterCommit are what processors do once their results are committed.
	afterCommit []func(context.Context)

	document    *domain.Document // the newest; nil = not read yet
	opened      *OpenedDocument  // its file, while a processor has it open
	pages       []domain.Page
	invoice     *invoice
	pagesLoaded bool // pages and invoice were loaded by this session
	fields      []domain.Field
	findings    map[string][]domain.Finding // by stage
	inputs      *ruleInputs
}

// addCleanup notes what has to be released when the run's processor is done, however it ends.
func (p *stageSession) addCleanup(release func()) { p.cleanups = append(p.cleanups, release) }

// runCleanups releases all of it; one that panics keeps none of the others.
func (p *stageSession) runCleanups() {
	if len(p.cleanups) == 0 {
		return
	}
	last := p.cleanups[len(p.cleanups)-1]
	p.cleanups = p.cleanups[:len(p.cleanups)-1]
	defer p.runCleanups()
	last()
}

// computeOnly reports whether a stage only computes, in about a millisecond. A crash loses nothing but that millisecond.
func computeOnly(node *workflow.Node) bool {
	return node != nil && slices.Contains([]string{"extract", "validate", "assess"}, node.Behaviour)
}

// mergesWithPrevious reports whether a stage is recorded together with what came before it in the pass. Sealing is: when its statement is
// done anew it leaves a manifest behind that no row knows, as it does when its lease is lost.
func mergesWithPrevious(node *workflow.Node) bool {
	return computeOnly(node) || node != nil && node.Behaviour == "archive"
}

// recordTime is the database's time for the events of a run: reloaded after slow work, that of the read before after quick.
func (svc *Service) recordTime(ctx context.Context, p *stageSession, def *workflow.Definition) (time.Time, error) {
	if def != nil {
		if node, ok := def.Node(p.run.Node); ok && computeOnly(node) {
			return p.now, nil
		}
	}
	return svc.db.Reader().Clock(ctx)
}

// mergePending adds a stage's change to those before it that are not written yet: still one statement, guarded by the version
// and the lease with which the first began.
func (p *stageSession) mergePending(t *transition) *transition {
	if p.pendingTransition == nil {
		return t
	}
	whole := *p.pendingTransition
	into, from := &whole.change, &t.change
	into.Runs = slices.Clone(into.Runs)
	at := slices.IndexFunc(into.Runs, func(r domain.StageRun) bool { return r.ID == p.run.ID })
	ended := &into.Runs[at]
	ended.Status, ended.EndedAt, ended.LeaseToken = from.RunResult.Status, t.now, domain.NoID
	ended.ErrorCode, ended.ErrorText = from.RunResult.ErrorCode, from.RunResult.ErrorText
	if from.RunResult.Status != domain.RunDone {
		ended.Failures++
	}
	into.Case = from.Case
	into.Events = append(slices.Clone(into.Events), from.Events...)
	into.Runs = append(into.Runs, from.Runs...)
	into.CancelNodes = append(slices.Clone(into.CancelNodes), from.CancelNodes...)
	into.CancelSubjects = append(slices.Clone(into.CancelSubjects), from.CancelSubjects...)
	into.StageFindings = append(slices.Clone(into.StageFindings), from.StageFindings...)
	into.NewReviews = append(slices.Clone(into.NewReviews), from.NewReviews...)
	into.ReviewUpdates = append(slices.Clone(into.ReviewUpdates), from.ReviewUpdates...)
	if len(from.Fields) > 0 || len(from.DeleteFieldSources) > 0 {
		into.Fields, into.DeleteFieldSources = from.Fields, from.DeleteFieldSources
	}
	return &whole
}

// moveToNextRun moves the session to the run that was leased on creation, if any.
func (p *stageSession) moveToNextRun(t *transition) {
	p.record, p.now = t.change.Case, t.now
	p.run = domain.StageRun{}
	if t.chainedRun != nil {
		p.run = *t.chainedRun
	}
}

// postponeCommit joins a stage whose change is to be written with that of the next.
func (p *stageSession) postponeCommit(joined *transition, result *stageResult) {
	if this, ok := joined.def.Node(p.run.Node); p.pendingTransition == nil && (!ok || !computeOnly(this)) {
		p.expensiveResult = result
	}
	p.pendingTransition = joined
}

// rewind goes back to the first of the stages that were to be recorded together, after the case had moved on; false when
// there is but one. What came of slow work still holds.
func (p *stageSession) rewind() (expensiveResult *stageResult, rewound bool) {
	if p.pendingTransition == nil {
		return nil, false
	}
	expensiveResult = p.expensiveResult
	p.pendingTransition, p.expensiveResult, p.run = nil, nil, p.leasedRun
	return expensiveResult, true
}

// runAfterCommit does what processors left for after the commit. Nothing depends on it: a panic there is told and no more.
func (svc *Service) runAfterCommit(ctx context.Context, p *stageSession) {
	afters := p.afterCommit
	p.afterCommit = nil
	defer func() {
		if cause := recover(); cause != nil {
			svc.log.ErrorContext(ctx, "what follows a stage panicked", "case", p.record.ID, "correlation_id", p.record.CorrelationID, "panic", cause)
		}
	}()
	for _, after := range afters {
		after(ctx)
	}
}
