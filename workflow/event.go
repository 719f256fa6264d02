package workflow

import (
	"time"

	"countersign/domain"
)

// EventKind is what happened to a case.
type EventKind string

// The events the engine understands.
const (
	Started       EventKind = "started"        // the case was submitted
	StageEnded    EventKind = "stage_ended"    // Node, Visit, Outcome
	StageFailed   EventKind = "stage_failed"   // Node, Visit, Code: it failed permanently, and the node catches the code
	TimerFired    EventKind = "timer_fired"    // Node, Visit: of a timer, or at the boundary of a review or external stage
	StepEnded     EventKind = "step_ended"     // Node, Visit, Step, Undo: a saga's call, or the undoing of one
	StepFailed    EventKind = "step_failed"    // Node, Visit, Step: a saga's call failed permanently; an undoing never does
	ReviewDecided EventKind = "review_decided" // Node, Visit, Seat, Verdict
	Resubmitted   EventKind = "resubmitted"    // the submitter answered a return; ReplacedDocument
	Replaced      EventKind = "replaced"       // a new document while the case was not returned: starts again
	Entered       EventKind = "entered"        // a person entered the fields in place of a stage that could not
	Abandoned     EventKind = "abandoned"      // the submitter or a manager gave the case up
	Reopened      EventKind = "reopened"       // From: a case that was over is taken up again; ReplacedDocument
	SeatReopened  EventKind = "seat_again"     // Node, Visit, Seat: its decision does not stand, the seat is asked again
)

// Event is one thing that happened, with the fields that its kind names.
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

// Effect is one thing the caller has to do in the same transaction: a StartStage, StartTimer, StartStep, OpenReview,
// CancelReview, CancelStage, CancelTimer, FellVotes, SetStatus or Ended.
type Effect interface{ effect() }

// StartStage asks for a stage run. A stage whose queue is light may run on in the same pass.
type StartStage struct {
	Node      string
	Visit     int
	Behaviour string
	Queue     string
	Attempts  int
	Backoff   time.Duration // before the second attempt, doubling
	// Outcome is set on a stage that seals the case: the final status it is settling to.
	Outcome domain.Status
	// Topic is set on an external stage: its run is not rung, a program outside leases it by the topic for Lease.
	Topic string
	Lease time.Duration
}

// StartTimer asks for a timer's row. When it is due the caller sends TimerFired.
type StartTimer struct {
	Node  string
	Visit int
	After time.Duration // from now
	// Boundary tells that the timer watches the node's review or stage, which begins with it.
	Boundary bool
}

// StartStep asks for one call of a saga, or for the undoing of one. Calls are made at least once, so both must bear
// repetition under the key (case, node, visit, step, undo).
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

// OpenReview asks for one seat of a review.
type OpenReview struct {
	Node         string
	Visit        int
	Seat         int // from 1, unique in the visit
	Queue        string
	Level        int
	Duty         string
	ClaimWithin  time.Duration // 0: no deadline
	DecideWithin time.Duration // 0: no deadline
	// Overdue says what happens when ClaimWithin has passed.
	Overdue Overdue
	// Escalated tells that the seat replaces one whose reviewer escalated.
	Escalated bool
}

// CancelReview withdraws seats that nobody has decided.
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

// CancelTimer withdraws a timer that has not fired.
type CancelTimer struct {
	Node  string
	Visit int
}

// VotesRevoked tells that a return makes the votes of these duties fall: their reviews are asked again.
type VotesRevoked struct{ Duties []string }

// SetStatus tells that the macro status changed.
type SetStatus struct{ Status domain.Status }

// Ended tells that the case is over; nothing is open any more.
type Ended struct{ Status domain.Status }

func (StartStage) effect()   {}
func (StartTimer) effect()   {}
func (StartStep) effect()    {}
func (OpenReview) effect()   {}
func (CancelReview) effect() {}
func (CancelStage) effect()  {}
func (CancelTimer) effect()  {}
func (VotesRevoked) effect() {}
func (SetStatus) effect()    {}
func (Ended) effect()        {}

// Step is the answer to an event.
type Step struct {
	// Marking replaces the case's marking; it shares nothing that a later step would change.
	Marking domain.Marking
	// Status is the macro status of the new marking, also when it did not change. Write it: it brings a case back from
	// an incident.
	Status domain.Status
	// Effects are in order: withdrawals, then what starts, then SetStatus (only on a change) and Ended.
	Effects []Effect
}
