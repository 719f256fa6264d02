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

// transition is one change of one case being built: its rows and its events, in the order in which
// they are emitted.
type transition struct {
	actor  domain.Actor
	before domain.Case
	def    *workflow.Definition
	now    time.Time
	change store.Change
	bodies []events.Body
	// statusEventIndex is the index of the event that carries the change of status and marking; -1
	// means the first.
	statusEventIndex int
	// reason is the reason that a user gave, copied to the events that result from it.
	reason    string
	automatic bool
	// decidedBy is the reviewer whose earlier decision the system carries out; NoID otherwise.
	decidedBy domain.ID
	// chainLease is the worker that a compute-only stage is leased to when it is created, so that
	// it runs in the same session; nil leases none.
	chainLease *runLease
	chainedRun *domain.StageRun // the run that was leased on creation; nil if none was
	// revokedDuties are the duties whose votes are revoked because the case was returned.
	revokedDuties []string
	// loadReviews reads the reviews of the case, for effects that cancel some; nil where a case can
	// have none.
	loadReviews func() ([]domain.Review, error)
	// loadRuns reads the runs of the case, for a review that opens in a step whose time limit runs; nil where a
	// step can only start.
	loadRuns func() ([]domain.StageRun, error)
	// loadVotes reads the reviews, votes and decisions of the case, for events that make the
	// process evaluate its route again; nil where no review can have been decided.
	loadVotes func() (castVotes, error)
	// incidents are the runs that already waited for recovery, if the case has the status Incident.
	incidents []domain.StageRun
	// deadlineSpeed is the factor by which deadlines elapse faster than the definition states.
	deadlineSpeed int
	// queueConfig is the configuration of the queues; nil until ensureQueueConfig fetches it, which
	// a system step does when a review opens.
	queueConfig      *queueConfig
	fetchQueueConfig func() (*queueConfig, error)
	// observe, if set by a test, receives every event given to the engine and every edge taken; the
	// edge is nil for the event itself.
	observe func(*workflow.Definition, workflow.Event, *workflow.Edge)
	// traceparent is the span that makes the change.
	traceparent string
	// ended are the stages and decisions of the change, each of which is logged after the commit.
	ended []endedWork
}

type runLease struct {
	worker string
	lease  time.Duration
}

// start initializes the transition from the case as it was read or locked.
func (t *transition) start(before domain.Case, def *workflow.Definition, now time.Time) {
	t.before, t.def, t.now, t.statusEventIndex = before, def, now, -1
	t.change.Case, t.change.ExpectedVersion = before, before.Version
	t.change.Case.Version++
	t.change.Case.UpdatedAt = now
}

func (t *transition) hasChanges() bool { return len(t.bodies) > 0 || t.change.New }

// emit appends an event. Nothing removes one again, so callers decide before they emit.
func (t *transition) emit(body events.Body) { t.bodies = append(t.bodies, body) }

// emitStatusEvent appends the event that carries the change of status and marking.
func (t *transition) emitStatusEvent(body events.Body) {
	t.statusEventIndex = len(t.bodies)
	t.emit(body)
}

// chainEvents numbers, salts and hashes the events and sets the new chain head. Events before the
// status event record the old status and marking, later ones the new.
func (t *transition) chainEvents(salts io.Reader) error {
	t.updateSums()
	main := max(t.statusEventIndex, 0)
	after := &t.change.Case
	t.addTraceparents()
	was, is, err := t.markings()
	if err != nil {
		return fmt.Errorf("casework: marking of case %s: %w", after.ID, err)
	}
	t.change.Events = make([]domain.Event, len(t.bodies))
	batch := make([]*domain.Event, len(t.bodies))
	for i, body := range t.bodies {
		event := &t.change.Events[i]
		*event = domain.Event{Stream: after.ID, Actor: t.actor.UserID,
			OnBehalfOf:    t.actor.OnBehalfOf,
			CorrelationID: after.CorrelationID, Traceparent: t.traceparent, At: t.now, StatusBefore: t.before.Status,
			MarkingBefore: was,
			StatusAfter:   t.before.Status, MarkingAfter: was}
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
	head, err := audit.Chain(audit.ChainHead{Seq: t.before.LastSeq, Hash: t.before.HeadHash}, salts,
		batch...)
	if err != nil {
		return fmt.Errorf("casework: chain of case %s: %w", after.ID, err)
	}
	after.LastSeq, after.HeadHash = head.Seq, head.Hash
	return nil
}

// markings returns the markings before and after the change in canonical form, as events store
// them.
func (t *transition) markings() (was, is string, err error) {
	before, err := t.before.Marking.Canonical()
	if err != nil {
		return "", "", err
	}
	after, err := t.change.Case.Marking.Canonical()
	return string(before), string(after), err
}

// pendingRuns returns the new pending runs, which are enqueued after the commit.
func (t *transition) pendingRuns() []domain.PendingRun {
	var pendingRuns []domain.PendingRun
	for _, run := range t.change.Runs {
		if run.Status == domain.RunPending && run.Queue != domain.QueueExternal {
			pendingRuns = append(pendingRuns,
				domain.PendingRun{RunID: run.ID, CaseID: t.change.Case.ID, Queue: run.Queue,
					RunAfter:      run.RunAfter,
					CorrelationID: t.change.Case.CorrelationID, Traceparent: run.Traceparent})
		}
	}
	return pendingRuns
}

func (t *transition) hint() (domain.Hint, bool) {
	return domain.Hint{Stream: t.change.Case.ID, Seq: t.change.Case.LastSeq},
		len(t.change.Events) > 0
}

// applyEvent decides which step the process takes on the event, then emits the given bodies and
// applies the effects of the step. An error leaves the transition unchanged, because nothing is
// emitted before every effect is planned.
func (t *transition) applyEvent(
	event workflow.Event, facts domain.ProcessFacts, bodies ...events.Body,
) error {
	var observe func(*workflow.Edge)
	if t.observe != nil {
		observe = func(edge *workflow.Edge) { t.observe(t.def, event, edge) }
	}
	if err := t.countVerdicts(event, &facts); err != nil {
		return err
	}
	marking, cast, err := t.markingWithVotes()
	if err != nil {
		return err
	}
	step, err := workflow.AdvanceTraced(t.def, marking, event, facts, observe)
	if err != nil {
		return err
	}
	step.Marking = workflow.WithoutVotes(t.def, step.Marking)
	disclosed, err := t.disclosedVotes(cast, step.Marking)
	if err != nil {
		return err
	}
	if observe != nil {
		observe(nil)
	}
	edits, err := t.planEffects(step.Effects)
	if err != nil {
		return err
	}
	t.bodies = append(t.bodies, bodies...)
	for _, vote := range disclosed {
		t.discloseVote(vote)
	}
	t.change.Case.Marking, t.change.Case.Status = step.Marking, step.Status
	for _, edit := range edits {
		edit()
	}
	t.change.Case.Status = t.statusWithIncidents(step.Status)
	return nil
}

// planEffects returns the edits of the effects and loads what they need. Effects that start work
// come last, so that events record the result of a step before what follows from it.
func (t *transition) planEffects(effects []workflow.Effect) ([]func(), error) {
	if err := t.ensureQueueConfig(effects); err != nil {
		return nil, err
	}
	edits := make([]func(), 0, len(effects))
	for _, starts := range []bool{false, true} {
		for _, effect := range effects {
			if startsWork(effect) != starts {
				continue
			}
			edit, err := t.planEffect(effect, effects)
			if err != nil {
				return nil, err
			}
			edits = append(edits, edit)
		}
	}
	return edits, nil
}

// statusWithIncidents returns the status of a case whose marking implies the given one: Incident
// while an incident is open, unless the case has ended.
func (t *transition) statusWithIncidents(status domain.Status) domain.Status {
	if status.Final() || !slices.ContainsFunc(t.incidents,
		func(run domain.StageRun) bool { return !t.cancelsRun(run) }) {
		return status
	}
	return domain.Incident
}

// cancelsRun reports whether the change cancels the run.
func (t *transition) cancelsRun(run domain.StageRun) bool {
	return t.change.CancelAll || slices.Contains(t.change.CancelSubjects, run.Subject) ||
		slices.ContainsFunc(t.change.CancelNodes,
			func(n store.NodeRuns) bool {
				return n.Node == run.Node && (n.Kind == "" ||
					n.Kind == run.Kind)
			})
}

// startsWork reports whether the effect starts a stage, review, timer or saga step.
func startsWork(effect workflow.Effect) bool {
	switch effect.(type) {
	case workflow.StartStage, workflow.OpenReview, workflow.StartTimer, workflow.StartStep:
		return true
	}
	return false
}

// planEffect returns the edit of rows and events for one of the effects of the engine. An unknown effect is
// an error, because ignoring it would leave the case without its next step.
func (t *transition) planEffect(effect workflow.Effect, effects []workflow.Effect) (func(), error) {
	switch e := effect.(type) {
	case workflow.StartStage:
		return func() { t.startStage(e) }, nil
	case workflow.OpenReview:
		ends, err := t.endOfStep(e, effects)
		return func() { t.openReview(e, ends) }, err
	case workflow.CancelReview:
		return t.planCancelledSeats(e)
	case workflow.StartTimer:
		return func() { t.startTimer(e) }, nil
	case workflow.StartStep:
		return func() { t.startSagaStep(e) }, nil
	case workflow.CancelStage:
		return func() { t.cancelNode(e.Node, domain.RunKindStage) }, nil
	case workflow.CancelStep:
		return func() { t.cancelNode(e.Node, domain.RunKindSaga) }, nil
	case workflow.CancelTimer:
		return func() { t.cancelNode(e.Node, domain.RunKindTimer) }, nil
	case workflow.VotesRevoked:
		return func() { t.revokedDuties = append(t.revokedDuties, e.Duties...) }, nil
	case workflow.SetStatus:
		return func() { t.emitStatusReached(e.Status) }, nil
	case workflow.Ended: // SetStatus has emitted the final status
		return func() {}, nil
	}
	return nil, domain.Errorf(domain.Internal,
		"The process requires an effect that this version does not support (%T).", effect)
}

func (t *transition) cancelNode(node string, kind domain.RunKind) {
	t.change.CancelNodes = append(t.change.CancelNodes, store.NodeRuns{Node: node, Kind: kind})
}

// planCancelledSeats loads the reviews and returns the edit that cancels the seats that are not
// decided yet.
func (t *transition) planCancelledSeats(e workflow.CancelReview) (func(), error) {
	if t.loadReviews == nil {
		return nil, domain.Errorf(domain.Internal, "The reviews to cancel were not loaded.")
	}
	reviews, err := t.loadReviews()
	if err != nil {
		return nil, err
	}
	return func() { t.cancelSeats(e, reviews) }, nil
}

func (t *transition) cancelSeats(e workflow.CancelReview, reviews []domain.Review) {
	for _, review := range reviews {
		if review.Node != e.Node || review.Visit != e.Visit ||
			!slices.Contains(e.Seats, review.Seat) {
			continue
		}
		if isOpen(review) {
			t.cancelReview(review)
		} else { // decided, but the decision has not taken effect yet
			t.change.CancelSubjects = append(t.change.CancelSubjects, review.ID)
		}
	}
}

// decider returns the user whose decision the transition carries out.
func (t *transition) decider() domain.ID {
	if t.decidedBy != domain.NoID {
		return t.decidedBy
	}
	return t.actor.UserID
}

func isOpen(review domain.Review) bool {
	return review.Status == domain.ReviewOpen || review.Status == domain.ReviewClaimed
}

// emitStatusReached emits the event of a status that has an event type of its own.
func (t *transition) emitStatusReached(status domain.Status) {
	switch status {
	case domain.Approved:
		body := generated.CaseApprovedV1{Automatic: t.automatic}
		if !t.automatic {
			body.By = t.decider()
		}
		t.emitStatusEvent(body)
	case domain.Returned:
		t.emitStatusEvent(generated.CaseReturnedV1{Reason: t.reason,
			ReenterAt: workflow.ReEntryNode(t.change.Case.Marking)})
		t.scheduleSubmitterReminder()
	case domain.Archived:
		t.emitStatusEvent(generated.CaseArchivedV1{ManifestKey: t.change.Case.ManifestKey,
			ManifestSHA256: manifestHash(t.change.Case.ManifestKey)})
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
	run := domain.StageRun{ID: domain.NewID(), CaseID: t.change.Case.ID, Node: e.Node,
		Visit: e.Visit, Kind: domain.RunKindStage, Attempt: 1,
		Queue: e.Queue, Topic: e.Topic, LeaseFor: e.Lease, RunAfter: t.now,
		Status: domain.RunPending, CreatedAt: t.now}
	if node != nil && e.Topic == "" {
		run.Queue = node.QueueOf(t.change.Case.DocumentType)
	}
	if t.addRun(run) && t.canMergeNext() {
		return // recorded together with its end: no reader can observe the start alone
	}
	t.emit(generated.StageStartedV1{Attempt: 1, Behaviour: e.Behaviour, Node: e.Node,
		Queue: run.Queue, Visit: int64(e.Visit)})
}

// addRun adds a run. It leases a compute-only stage to the worker in chainLease, if any, and
// reports whether it did.
func (t *transition) addRun(run domain.StageRun) (leased bool) {
	if t.chainLease != nil && t.chainedRun == nil && run.Queue == domain.QueueLight &&
		!run.RunAfter.After(t.now) {
		run.Status, run.LeaseToken, run.Worker = domain.RunLeased, domain.NewID(),
			t.chainLease.worker
		run.LeaseUntil = t.now.Add(t.chainLease.lease)
		t.change.Runs = append(t.change.Runs, run)
		t.chainedRun = &t.change.Runs[len(t.change.Runs)-1]
		return true
	}
	t.change.Runs = append(t.change.Runs, run)
	return false
}
