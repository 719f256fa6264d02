package workflow

import (
	"time"

	"countersign/domain"
)

// EventKind names what happened to a case.
type EventKind string

// The events the engine understands.
const (
	Started    EventKind = "started"     // the case was submitted
	StageEnded EventKind = "stage_ended" // Node, Visit, Outcome
	// StageFailed is a permanent failure that the node catches: Node, Visit, Code.
	StageFailed EventKind = "stage_failed"
	// TimerFired is of a timer node or of a boundary timer: Node, Visit.
	TimerFired EventKind = "timer_fired"
	// StepEnded is the success of a saga's call or of undoing one: Node, Visit, Step, Undo.
	StepEnded EventKind = "step_ended"
	// StepFailed is the permanent failure of a saga's call: Node, Visit, Step. Undoing never fails
	// permanently.
	StepFailed    EventKind = "step_failed"
	ReviewDecided EventKind = "review_decided" // Node, Visit, Seat, Verdict
	Resubmitted   EventKind = "resubmitted"    // ReplacedDocument: the submitter answered a return
	Replaced      EventKind = "replaced"       // the document was replaced without a return
	Entered       EventKind = "entered"        // fields were entered by hand after a failed stage
	Abandoned     EventKind = "abandoned"      // the submitter or a manager abandoned the case
	Reopened      EventKind = "reopened"       // From, ReplacedDocument: an ended case was reopened
	SeatReopened  EventKind = "seat_again"     // Node, Visit, Seat: its decision was revoked
	// Reevaluated says that facts have changed before the work at a stage that archives, an external
	// stage or a saga has begun: Node, Visit.
	Reevaluated EventKind = "reevaluated"
)

// Event is one event of a case, with the fields that its kind uses.
type Event struct {
	Kind             EventKind
	Node             string
	Visit            int
	Seat             int
	Outcome          string // "" is done
	Verdict          domain.Verdict
	Code             domain.Code
	Step             int // of a saga, from 1
	Undo             bool
	ReplacedDocument bool
	From             domain.Status // the final status that a case is reopened from
}

// Effect is a change that the caller must make in the same transaction: a StartStage, StartTimer,
// StartStep, OpenReview, CancelReview, CancelStage, CancelStep, CancelTimer, VotesRevoked, SetStatus or Ended.
type Effect interface{ effect() }

// StartStage creates a stage run. A stage in the queue light can run immediately in the same
// worker.
type StartStage struct {
	Node      string
	Visit     int
	Behaviour string
	Queue     string
	Attempts  int
	Backoff   time.Duration // before the second attempt, doubling
	// Outcome is set on a stage that seals the case: the final status that follows.
	Outcome domain.Status
	// Topic is set on an external stage: its run is not enqueued; an external program leases it by
	// the topic for Lease.
	Topic string
	Lease time.Duration
}

// StartTimer creates a timer. When it is due the caller sends TimerFired.
type StartTimer struct {
	Node  string
	Visit int
	After time.Duration // from now
	// Boundary is true for the boundary timer of a review or external stage, which starts with it.
	Boundary bool
}

// StartStep makes one call of a saga, or undoes one. Both are executed at least once, so they must
// be idempotent by the key (case, node, visit, step, undo).
type StartStep struct {
	Node     string
	Visit    int
	Step     int // from 1
	Name     string
	Call     string // operation of the connector
	Undo     bool
	Attempts int
	Backoff  time.Duration // before the second attempt, doubling
}

// OpenReview opens one seat of a review.
type OpenReview struct {
	Node         string
	Visit        int
	Seat         int // from 1, unique in the visit
	Queue        string
	Level        int
	Duty         string
	ClaimWithin  time.Duration // 0: no deadline
	DecideWithin time.Duration // 0: no deadline
	// Overdue is what happens when ClaimWithin has passed.
	Overdue Overdue
	// Escalated is true for a seat that replaces one whose reviewer escalated.
	Escalated bool
}

// CancelReview withdraws undecided seats.
type CancelReview struct {
	Node  string
	Visit int
	Seats []int
}

// CancelStage withdraws a stage run.
type CancelStage struct {
	Node  string
	Visit int
}

// CancelStep withdraws the first call of a saga, which was not made yet.
type CancelStep struct {
	Node  string
	Visit int
}

// CancelTimer withdraws a timer that has not fired.
type CancelTimer struct {
	Node  string
	Visit int
}

// VotesRevoked revokes the votes of these duties, because a return repeats their reviews.
type VotesRevoked struct{ Duties []string }

// SetStatus changes the case status.
type SetStatus struct{ Status domain.Status }

// Ended ends the case; no work is open any longer.
type Ended struct{ Status domain.Status }

func (StartStage) effect()   {}
func (StartTimer) effect()   {}
func (StartStep) effect()    {}
func (OpenReview) effect()   {}
func (CancelReview) effect() {}
func (CancelStage) effect()  {}
func (CancelStep) effect()   {}
func (CancelTimer) effect()  {}
func (VotesRevoked) effect() {}
func (SetStatus) effect()    {}
func (Ended) effect()        {}

// Step is the result of an event.
type Step struct {
	// Marking replaces the case's marking. Later steps do not modify it.
	Marking domain.Marking
	// Status is the case status of the new marking. The caller stores it even if it did not change,
	// because the case may have the status incident.
	Status domain.Status
	// Effects are in order: withdrawals, then new work, then SetStatus (only on a change) and
	// Ended.
	Effects []Effect
}
