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
	ReviewDecided EventKind = "review_decided" // Node, Visit, Seat, Verdict
	Resubmitted   EventKind = "resubmitted"    // the submitter answered a return; ReplacedDocument
	Replaced      EventKind = "replaced"       // a new document while the case was not returned: starts anew
	Entered       EventKind = "entered"        // a person entered the fields in place of a stage that could not
	Abandoned     EventKind = "abandoned"      // the submitter or a manager gave the case up
)

// Event is one thing that happened, with the fields that its kind names.
type Event struct {
	Kind             EventKind
	Node             string
	Visit            int
	Seat             int
	Outcome          string // "" is done
	Verdict          domain.Verdict
	ReplacedDocument bool
}

// Effect is one thing the caller has to do in the same transaction: a StartStage, OpenReview, CancelReview, CancelStage,
// SetStatus or Ended.
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

// SetStatus tells that the macro status changed.
type SetStatus struct{ Status domain.Status }

// Ended tells that the case is over; nothing is open any more.
type Ended struct{ Status domain.Status }

func (StartStage) effect()   {}
func (OpenReview) effect()   {}
func (CancelReview) effect() {}
func (CancelStage) effect()  {}
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
