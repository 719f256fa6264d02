package casework

import (
	"context"
	"slices"
	"time"

	"countersign/domain"
	"countersign/workflow"
)

// pass is a worker's way through one run and the light ones after it. What one stage read the next need not read again.
type pass struct {
	hall   *Hall
	worker string
	kase   domain.Case
	run    domain.StageRun // under way
	held   domain.StageRun // leased in the database; run itself, or the first of those that are recorded together
	now    time.Time
	// joined is what stages have led to so far and is not written yet.
	joined *transition
	// slow is what came of held, where that was slow work and is not written yet: it is never done twice.
	slow *stageResult

	// taken is what the run's processor holds until it is done, to be released last first.
	taken []func()
	// afters are what processors do once their results are committed.
	afters []func(context.Context)

	document *domain.Document // the newest; nil = not read yet
	scan     *Scan            // its file, while a processor has it open
	pages    []domain.Page
	invoice  *invoice
	readDone bool // pages and invoice are of this pass
	fields   []domain.Field
	findings map[string][]domain.Finding // by stage
	shown    *seen
}

// take notes what has to be released when the run's processor is done, however it ends.
func (p *pass) take(release func()) { p.taken = append(p.taken, release) }

// release releases all of it; one that panics keeps none of the others.
func (p *pass) release() {
	if len(p.taken) == 0 {
		return
	}
	last := p.taken[len(p.taken)-1]
	p.taken = p.taken[:len(p.taken)-1]
	defer p.release()
	last()
}

// quick reports whether a stage only computes, in about a millisecond. A crash loses nothing but that millisecond.
func quick(node *workflow.Node) bool {
	return node != nil && slices.Contains([]string{"extract", "validate", "assess"}, node.Behaviour)
}

// brief reports whether a stage is recorded together with what came before it in the pass. Sealing is: when its statement is
// done anew it leaves a manifest behind that no row knows, as it does when its lease is lost.
func brief(node *workflow.Node) bool {
	return quick(node) || node != nil && node.Behaviour == "archive"
}

// timeOf is the database's time for the events of a run: read anew after slow work, that of the read before after quick.
func (h *Hall) timeOf(ctx context.Context, p *pass, def *workflow.Definition) (time.Time, error) {
	if def != nil {
		if node, ok := def.Node(p.run.Node); ok && quick(node) {
			return p.now, nil
		}
	}
	return h.db.Reader().Clock(ctx)
}

// join adds a stage's change to those before it that are not written yet: still one statement, guarded by the version
// and the lease with which the first began.
func (p *pass) join(t *transition) *transition {
	if p.joined == nil {
		return t
	}
	whole := *p.joined
	into, from := &whole.change, &t.change
	into.Runs = slices.Clone(into.Runs)
	at := slices.IndexFunc(into.Runs, func(r domain.StageRun) bool { return r.ID == p.run.ID })
	ended := &into.Runs[at]
	ended.Status, ended.EndedAt, ended.LeaseToken = from.End.Status, t.now, domain.NoID
	ended.ErrorCode, ended.ErrorText = from.End.ErrorCode, from.End.ErrorText
	if from.End.Status != domain.RunDone {
		ended.Failures++
	}
	into.Case = from.Case
	into.Events = append(slices.Clone(into.Events), from.Events...)
	into.Runs = append(into.Runs, from.Runs...)
	into.CancelNodes = append(slices.Clone(into.CancelNodes), from.CancelNodes...)
	into.CancelSubjects = append(slices.Clone(into.CancelSubjects), from.CancelSubjects...)
	into.StageFindings = append(slices.Clone(into.StageFindings), from.StageFindings...)
	into.Reviews = append(slices.Clone(into.Reviews), from.Reviews...)
	into.ReviewEdits = append(slices.Clone(into.ReviewEdits), from.ReviewEdits...)
	if len(from.Fields) > 0 || len(from.DropFields) > 0 {
		into.Fields, into.DropFields = from.Fields, from.DropFields
	}
	return &whole
}

// goOn moves the pass to the run that was leased at birth, if any.
func (p *pass) goOn(t *transition) {
	p.kase, p.now = t.change.Case, t.now
	p.run = domain.StageRun{}
	if t.ran != nil {
		p.run = *t.ran
	}
}

// keep joins a stage whose change is to be written with that of the next.
func (p *pass) keep(joined *transition, result *stageResult) {
	if this, ok := joined.def.Node(p.run.Node); p.joined == nil && (!ok || !quick(this)) {
		p.slow = result
	}
	p.joined = joined
}

// rewind goes back to the first of the stages that were to be recorded together, after the case had moved on; false when
// there is but one. What came of slow work still holds.
func (p *pass) rewind() (slow *stageResult, rewound bool) {
	if p.joined == nil {
		return nil, false
	}
	slow = p.slow
	p.joined, p.slow, p.run = nil, nil, p.held
	return slow, true
}

// afterwards does what processors left for after the commit. Nothing depends on it: a panic there is told and no more.
func (h *Hall) afterwards(ctx context.Context, p *pass) {
	afters := p.afters
	p.afters = nil
	defer func() {
		if cause := recover(); cause != nil {
			h.log.ErrorContext(ctx, "what follows a stage panicked", "case", p.kase.ID, "correlation_id", p.kase.CorrelationID, "panic", cause)
		}
	}()
	for _, after := range afters {
		after(ctx)
	}
}
