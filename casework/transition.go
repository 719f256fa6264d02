package casework

import (
	"fmt"
	"io"
	"slices"
	"time"

	"countersign/audit"
	"countersign/domain"
	"countersign/events"
	"countersign/events/generated"
	"countersign/store"
	"countersign/workflow"
)

// transition is one change of one case in the making: the rows and the events, in the order they are emitted.
type transition struct {
	actor  domain.Actor
	before domain.Case
	def    *workflow.Definition
	now    time.Time
	change store.Change
	bodies []events.Body
	// statusEventIndex is the index of the event that carries the change of status and marking; -1 = the first.
	statusEventIndex int
	// reason is the reason a person gave, for the events that the engine's effects lead to.
	reason    string
	automatic bool
	// decidedBy is who decided, where the machine acts on a decision made before.
	decidedBy domain.ID
	// chainLease is who a light stage is leased to at birth, so that it runs on in the same session; nil = nobody.
	chainLease *runLease
	chainedRun *domain.StageRun // the stage that was leased on
	// startEventIndex is the index of the event that tells of its start; -1 = none does.
	startEventIndex int
	// revokedDuties are the duties whose votes a return makes fall.
	revokedDuties []string
	// loadReviews reads the case's reviews, of which an effect may withdraw some; nil where there can be none.
	loadReviews func() ([]domain.Review, error)
	// incidents are the runs that waited for a person before, where the case is one that waits.
	incidents []domain.StageRun
	// deadlineSpeed is how many times faster deadlines come than the definition says.
	deadlineSpeed int
	// queueConfig is how queues work; nil until openBook was asked, which a machine's step does when a review opens.
	queueConfig      *queueConfig
	fetchQueueConfig func() (*queueConfig, error)
	// observe is told of what the engine is asked and of every edge it takes, nil for the event itself; nil outside of tests.
	observe func(*workflow.Definition, workflow.Event, *workflow.Edge)
}

type runLease struct {
	worker string
	lease  time.Duration
}

// start begins from the case as read or locked.
func (t *transition) start(before domain.Case, def *workflow.Definition, now time.Time) {
	t.before, t.def, t.now, t.statusEventIndex, t.startEventIndex = before, def, now, -1, -1
	t.change.Case, t.change.ExpectedVersion = before, before.Version
	t.change.Case.Version++
	t.change.Case.UpdatedAt = now
}

func (t *transition) hasChanges() bool { return len(t.bodies) > 0 || t.change.New }

// emit adds an event.
func (t *transition) emit(body events.Body) { t.bodies = append(t.bodies, body) }

// emitStatusEvent adds the event that carries the change of status and marking.
func (t *transition) emitStatusEvent(body events.Body) {
	t.statusEventIndex = len(t.bodies)
	t.emit(body)
}

// chainEvents numbers, salts and hashes the events and sets the new head. Events before the main one show the state before,
// the ones after it the state after.
func (t *transition) chainEvents(salts io.Reader) error {
	main := max(t.statusEventIndex, 0)
	after := &t.change.Case
	was, is, err := t.markings()
	if err != nil {
		return fmt.Errorf("casework: marking of case %s: %w", after.ID, err)
	}
	t.change.Events = make([]domain.Event, len(t.bodies))
	batch := make([]*domain.Event, len(t.bodies))
	for i, body := range t.bodies {
		event := &t.change.Events[i]
		*event = domain.Event{Stream: after.ID, Actor: t.actor.UserID, OnBehalfOf: t.actor.OnBehalfOf,
			CorrelationID: after.CorrelationID, At: t.now, StatusBefore: t.before.Status, MarkingBefore: was,
			StatusAfter: t.before.Status, MarkingAfter: was}
		if i >= main {
			event.StatusAfter, event.MarkingAfter = after.Status, is
		}
		if i > main {
			event.StatusBefore, event.MarkingBefore = after.Status, is
		}
		if err := events.SetBody(event, body); err != nil {
			return fmt.Errorf("casework: event of case %s: %w", after.ID, err)
		}
		batch[i] = event
	}
	head, err := audit.Chain(audit.ChainHead{Seq: t.before.LastSeq, Hash: t.before.HeadHash}, salts, batch...)
	if err != nil {
		return fmt.Errorf("casework: chain of case %s: %w", after.ID, err)
	}
	after.LastSeq, after.HeadHash = head.Seq, head.Hash
	return nil
}

// markings are those before and after the change, as its events keep them.
func (t *transition) markings() (was, is string, err error) {
	before, err := t.before.Marking.Canonical()
	if err != nil {
		return "", "", err
	}
	after, err := t.change.Case.Marking.Canonical()
	return string(before), string(after), err
}

// pendingRuns are the rows born pending, to be enqueued after the commit.
func (t *transition) pendingRuns() []domain.PendingRun {
	var pendingRuns []domain.PendingRun
	for _, run := range t.change.Runs {
		if run.Status == domain.RunPending && run.Queue != domain.QueueExternal {
			pendingRuns = append(pendingRuns, domain.PendingRun{RunID: run.ID, CaseID: t.change.Case.ID, Queue: run.Queue, RunAfter: run.RunAfter,
				CorrelationID: t.change.Case.CorrelationID})
		}
	}
	return pendingRuns
}

func (t *transition) hint() (domain.Hint, bool) {
	return domain.Hint{Stream: t.change.Case.ID, Seq: t.change.Case.LastSeq}, len(t.change.Events) > 0
}

// applyEvent asks the engine and takes over its effects. An incident stays shown until it is resolved, or what failed is
// withdrawn. An error of the engine leaves the transition as it was.
func (t *transition) applyEvent(event workflow.Event, facts domain.ProcessFacts) error {
	var seen func(*workflow.Edge)
	if t.observe != nil {
		seen = func(edge *workflow.Edge) { t.observe(t.def, event, edge) }
	}
	step, err := workflow.AdvanceTraced(t.def, t.change.Case.Marking, event, facts, seen)
	if err != nil {
		return err
	}
	if seen != nil {
		seen(nil)
	}
	t.change.Case.Marking, t.change.Case.Status = step.Marking, step.Status
	if err := t.ensureQueueConfig(step.Effects); err != nil {
		return err
	}
	// What became of the case is told before what starts because of it.
	for _, starts := range []bool{false, true} {
		for _, effect := range step.Effects {
			if startsWork(effect) == starts {
				if err := t.applyEffect(effect); err != nil {
					return err
				}
			}
		}
	}
	t.change.Case.Status = t.statusWithIncidents(step.Status)
	return nil
}

// statusWithIncidents is the status that a case shows whose tokens stand for the given one: an incident that is still open goes
// before all but the end.
func (t *transition) statusWithIncidents(status domain.Status) domain.Status {
	if status.Final() || !slices.ContainsFunc(t.incidents, func(run domain.StageRun) bool { return !t.cancelsRun(run) }) {
		return status
	}
	return domain.Incident
}

// cancelsRun reports whether the change ends the run.
func (t *transition) cancelsRun(run domain.StageRun) bool {
	return t.change.CancelAll || slices.Contains(t.change.CancelSubjects, run.Subject) ||
		slices.ContainsFunc(t.change.CancelNodes, func(n store.NodeRuns) bool { return n.Node == run.Node && (n.Kind == "" || n.Kind == run.Kind) })
}

// startsWork reports whether the effect begins work.
func startsWork(effect workflow.Effect) bool {
	switch effect.(type) {
	case workflow.StartStage, workflow.OpenReview, workflow.StartTimer, workflow.StartStep:
		return true
	}
	return false
}

// applyEffect turns one effect of the engine into rows and events. An effect that it does not know is an error: what the engine
// asks for and nobody does would leave the case standing.
func (t *transition) applyEffect(effect workflow.Effect) error {
	switch e := effect.(type) {
	case workflow.StartStage:
		t.startStage(e)
	case workflow.OpenReview:
		t.openReview(e)
	case workflow.CancelReview:
		return t.cancelSeats(e)
	case workflow.StartTimer:
		t.startTimer(e)
	case workflow.StartStep:
		t.startSagaStep(e)
	case workflow.CancelStage:
		t.change.CancelNodes = append(t.change.CancelNodes, store.NodeRuns{Node: e.Node, Kind: domain.RunKindStage})
	case workflow.CancelTimer:
		t.change.CancelNodes = append(t.change.CancelNodes, store.NodeRuns{Node: e.Node, Kind: domain.RunKindTimer})
	case workflow.VotesRevoked:
		t.revokedDuties = append(t.revokedDuties, e.Duties...)
	case workflow.SetStatus:
		t.emitStatusReached(e.Status)
	case workflow.Ended: // its status has told it, and nothing is open any more
	default:
		return domain.Errorf(domain.Internal, "The process asks for something this program does not do (%T).", effect)
	}
	return nil
}

// cancelSeats withdraws the seats that nobody has decided.
func (t *transition) cancelSeats(e workflow.CancelReview) error {
	if t.loadReviews == nil {
		return domain.Errorf(domain.Internal, "The reviews to be withdrawn were not read.")
	}
	reviews, err := t.loadReviews()
	if err != nil {
		return err
	}
	for _, review := range reviews {
		if review.Node != e.Node || review.Visit != e.Visit || !slices.Contains(e.Seats, review.Seat) {
			continue
		}
		if isOpen(review) {
			t.cancelReview(review)
		} else { // its decision was going to take effect
			t.change.CancelSubjects = append(t.change.CancelSubjects, review.ID)
		}
	}
	return nil
}

// decider is the person whose decision this carries out.
func (t *transition) decider() domain.ID {
	if t.decidedBy != domain.NoID {
		return t.decidedBy
	}
	return t.actor.UserID
}

func isOpen(review domain.Review) bool {
	return review.Status == domain.ReviewOpen || review.Status == domain.ReviewClaimed
}

// emitStatusReached tells of the macro status where it is a fact of its own.
func (t *transition) emitStatusReached(status domain.Status) {
	switch status {
	case domain.Approved:
		body := generated.CaseApprovedV1{Automatic: t.automatic}
		if !t.automatic {
			body.By = t.decider()
		}
		t.emitStatusEvent(body)
	case domain.Returned:
		t.emitStatusEvent(generated.CaseReturnedV1{Reason: t.reason, ReenterAt: workflow.ReEntryNode(t.change.Case.Marking)})
	case domain.Archived:
		t.emitStatusEvent(generated.CaseArchivedV1{ManifestKey: t.change.Case.ManifestKey, ManifestSHA256: manifestHash(t.change.Case.ManifestKey)})
	case domain.Rejected:
		t.emitStatusEvent(generated.CaseRejectedV1{Reason: t.reason})
	case domain.Abandoned:
		t.emitStatusEvent(generated.CaseAbandonedV1{Reason: t.reason})
	}
}

func (t *transition) startStage(e workflow.StartStage) {
	node, _ := t.def.Node(e.Node)
	if e.Outcome != "" {
		t.change.Case.Outcome = e.Outcome
		if e.Outcome != domain.Archived {
			t.change.Case.OutcomeReason = t.reason
		}
	}
	run := domain.StageRun{ID: domain.NewID(), CaseID: t.change.Case.ID, Node: e.Node, Visit: e.Visit, Kind: domain.RunKindStage, Attempt: 1,
		Queue: e.Queue, Topic: e.Topic, LeaseFor: e.Lease, RunAfter: t.now, Status: domain.RunPending, CreatedAt: t.now}
	if node != nil && e.Topic == "" {
		run.Queue = node.QueueOf(t.change.Case.DocumentType)
	}
	if t.addRun(run) {
		t.startEventIndex = len(t.bodies)
	}
	t.emit(generated.StageStartedV1{Attempt: 1, Behaviour: e.Behaviour, Node: e.Node, Queue: run.Queue, Visit: int64(e.Visit)})
}

// dropStartEvent leaves out that the stage leased on creation has started: it is recorded together with its end, and nobody could
// ever have seen the one without the other.
func (t *transition) dropStartEvent() {
	if t.startEventIndex < 0 {
		return
	}
	t.bodies = slices.Delete(t.bodies, t.startEventIndex, t.startEventIndex+1)
	if t.statusEventIndex > t.startEventIndex {
		t.statusEventIndex--
	}
}

// LightQueue is the queue of stages that only compute; they may run on in the session of the stage before.
const LightQueue = "light"

// addRun adds a to-do row; a compute-only stage is leased on creation to the worker whose pass may run on, which it reports.
func (t *transition) addRun(run domain.StageRun) (ran bool) {
	if t.chainLease != nil && t.chainedRun == nil && run.Queue == LightQueue && !run.RunAfter.After(t.now) {
		run.Status, run.LeaseToken, run.Worker = domain.RunLeased, domain.NewID(), t.chainLease.worker
		run.LeaseUntil = t.now.Add(t.chainLease.lease)
		t.change.Runs = append(t.change.Runs, run)
		t.chainedRun = &t.change.Runs[len(t.change.Runs)-1]
		return true
	}
	t.change.Runs = append(t.change.Runs, run)
	return false
}

func (t *transition) openReview(e workflow.OpenReview) {
	c := &t.change.Case
	review := domain.Review{ID: domain.NewID(), CaseID: c.ID, Node: e.Node, Visit: e.Visit, Seat: e.Seat, Queue: e.Queue, Level: e.Level,
		Duty: e.Duty, Status: domain.ReviewOpen, ClaimBy: t.deadline(e.Queue, t.now, e.ClaimWithin),
		DecideBy: t.deadline(e.Queue, t.now, e.DecideWithin), AtRiskFrom: t.deadline(e.Queue, t.now, e.DecideWithin*4/5), Version: 1, Submitter: c.Submitter, CreatedAt: t.now}
	copyCaseFacts(&review, c, t.def)
	t.change.NewReviews = append(t.change.NewReviews, review)
	t.scheduleClaimDeadline(review)
	t.scheduleDecisionDeadlines(review)
	t.scheduleAssignment(review)
	body := generated.ReviewOpenedV1{ClaimBy: review.ClaimBy, DecideBy: review.DecideBy, Duty: e.Duty, Level: int64(e.Level),
		Node: e.Node, Queue: e.Queue, ReviewID: review.ID, Seat: int64(e.Seat), Visit: int64(e.Visit)}
	if e.Escalated {
		body.Reason = "escalated"
	}
	t.emit(body)
}

// copyCaseFacts refreshes the copies of the case that the queue's index holds. A process without an amount counts as nought.
func copyCaseFacts(review *domain.Review, c *domain.Case, def *workflow.Definition) {
	review.PartyID, review.BaseMinor, review.AmountKnown = c.PartyID, c.BaseMinor, c.AmountKnown
	if !def.HasAmount {
		review.BaseMinor, review.AmountKnown = 0, true
	}
	review.Band, review.DocumentType, review.Country = domain.BandOf(review.BaseMinor), c.DocumentType, c.Country
}

func (t *transition) cancelReview(review domain.Review) {
	if i := slices.IndexFunc(t.change.ReviewUpdates, func(r domain.Review) bool { return r.ID == review.ID }); i >= 0 {
		if t.change.ReviewUpdates[i].Status == domain.ReviewDecided {
			return
		}
		t.change.ReviewUpdates = slices.Delete(t.change.ReviewUpdates, i, i+1)
	}
	review.Status, review.Assignee, review.ClaimUntil = domain.ReviewCancelled, domain.NoID, time.Time{}
	review.Version++
	t.change.ReviewUpdates = append(t.change.ReviewUpdates, review)
	t.change.CancelSubjects = append(t.change.CancelSubjects, review.ID)
	t.emit(generated.ReviewCancelledV1{Reason: "superseded", ReviewID: review.ID})
}

// editReview writes a review's row with its next version.
func (t *transition) editReview(review domain.Review) domain.Review {
	review.Version++
	t.change.ReviewUpdates = append(t.change.ReviewUpdates, review)
	return review
}
