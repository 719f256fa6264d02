package domain

// Status is the overall status of a case, for display and filters. The set is closed, unlike names
// of nodes.
type Status string

// The statuses.
const (
	Received   Status = "received"
	Processing Status = "processing"
	InReview   Status = "in_review"
	Returned   Status = "returned"
	Approved   Status = "approved"
	Settling   Status = "settling"
	Archived   Status = "archived"
	Rejected   Status = "rejected"
	Incident   Status = "incident"
	Abandoned  Status = "abandoned"
)

// Statuses returns every status in the order in which a case usually reaches them.
func Statuses() []Status {
	return []Status{
		Received, Processing, InReview, Returned, Approved, Settling, Archived, Rejected, Incident,
		Abandoned,
	}
}

// Final reports whether a case of this status ends here, unless a person reopens it.
func (s Status) Final() bool { return s == Archived || s == Rejected || s == Abandoned }

// RunStatus is the state of a stage run.
type RunStatus string

// The states of a stage run.
const (
	RunPending   RunStatus = "pending"
	RunLeased    RunStatus = "leased"
	RunDone      RunStatus = "done"
	RunFailed    RunStatus = "failed"
	RunIncident  RunStatus = "incident"
	RunCancelled RunStatus = "cancelled"
)

// RunKind is what a stage run does.
type RunKind string

// The kinds of stage runs.
const (
	RunKindStage    RunKind = "stage"
	RunKindTimer    RunKind = "timer"
	RunKindClaimBy  RunKind = "claim_by"
	RunKindAtRisk   RunKind = "at_risk"
	RunKindDecideBy RunKind = "decide_by"
	RunKindSaga     RunKind = "saga"
	RunKindAssign   RunKind = "assign"  // a review is assigned by the strategy of its queue
	RunKindUndoBy   RunKind = "undo_by" // a decision takes effect: it can no longer be undone
	RunKindRemind   RunKind = "remind"  // people are reminded before a deadline of a review
)

// ReviewStatus is the state of one seat of a review.
type ReviewStatus string

// The states of a review. An open review with an assignee can be claimed by that person only, until
// it is reassigned.
const (
	ReviewOpen      ReviewStatus = "open"
	ReviewClaimed   ReviewStatus = "claimed"
	ReviewDecided   ReviewStatus = "decided"
	ReviewCancelled ReviewStatus = "cancelled"
)

// Verdict is the outcome of a review.
type Verdict string

// The verdicts.
const (
	Approve  Verdict = "approve"
	Reject   Verdict = "reject"
	Return   Verdict = "return"
	Escalate Verdict = "escalate"
	// Repaired ends a review with the duty DutyRepair: no needed fact is missing any more. It is not
	// an approval.
	Repaired Verdict = "repaired"
	// Abstain is a vote of a committee that neither approves nor rejects.
	Abstain Verdict = "abstain"
)

// Votes reports whether a decision with the verdict is a vote.
func (v Verdict) Votes() bool { return v == Approve || v == Reject || v == Abstain }

// Channel is how a document was submitted.
type Channel string

// The channels.
const (
	ChannelWeb    Channel = "web"
	ChannelAPI    Channel = "api"
	ChannelCLI    Channel = "cli"
	ChannelMail   Channel = "mail"
	ChannelFolder Channel = "folder"
)

// Valid reports whether the channel is one of the set.
func (c Channel) Valid() bool {
	switch c {
	case ChannelWeb, ChannelAPI, ChannelCLI, ChannelMail, ChannelFolder:
		return true
	}
	return false
}

// EventType is the type of an event. The set is closed: package events has a contract for each type
// and lists them.
type EventType string

// The event types that code names. A type that is only emitted needs no constant, because its body
// knows its type.
const (
	CaseSubmitted        EventType = "case.submitted"
	DocumentAdded        EventType = "document.added"
	DocumentRead         EventType = "document.read"
	CaseApproved         EventType = "case.approved"
	CaseRejected         EventType = "case.rejected"
	CaseReturned         EventType = "case.returned"
	CaseArchived         EventType = "case.archived"
	CaseAbandoned        EventType = "case.abandoned"
	StageStarted         EventType = "stage.started"
	StageCompleted       EventType = "stage.completed"
	StageRetrying        EventType = "stage.retrying"
	StageFailed          EventType = "stage.failed"
	TimerStarted         EventType = "timer.started"
	TimerFired           EventType = "timer.fired"
	WorkTimedOut         EventType = "work.timed_out"
	SagaStepDone         EventType = "saga.step_done"
	SagaStepFailed       EventType = "saga.step_failed"
	SagaStepSkipped      EventType = "saga.step_skipped"
	IncidentOpened       EventType = "incident.opened"
	IncidentResolved     EventType = "incident.resolved"
	ReviewOpened         EventType = "review.opened"
	ReviewClaimedEvent   EventType = "review.claimed"
	ReviewReleased       EventType = "review.released"
	ReviewReassigned     EventType = "review.reassigned"
	ReviewAtRisk         EventType = "review.at_risk"
	ReviewOverdue        EventType = "review.overdue"
	ReviewReminded       EventType = "review.reminded"
	ReviewDecidedEvent   EventType = "review.decided"
	ReviewRepairedEvent  EventType = "review.repaired"
	ReviewCancelledEvent EventType = "review.cancelled"
	VoteRevoked          EventType = "vote.fell"
	VoteCast             EventType = "vote.cast"
	VoteDisclosed        EventType = "vote.disclosed"
	UserCreated          EventType = "user.created"
	UserChanged          EventType = "user.changed"
	EmployeeChanged      EventType = "employee.changed"
	PersonSkillsChanged  EventType = "person.skills_changed"
	ConflictDeclared     EventType = "conflict.declared"
	ConflictEnded        EventType = "conflict.ended"
	DelegationCreated    EventType = "delegation.created"
	DelegationEnded      EventType = "delegation.ended"
	LimitChanged         EventType = "limit.changed"
	PolicyPublished      EventType = "policy.published"
	DefinitionPublished  EventType = "definition.published"
	ProposalRehearsed    EventType = "proposal.rehearsed"

	// ProcessOwnersChanged names the owners of a process from now on.
	ProcessOwnersChanged  EventType = "process_owners.changed"
	DocumentTypePublished EventType = "document_type.published"
	ReviewResumed         EventType = "review.resumed"
	ReviewMoved           EventType = "review.moved"
	CaseReopened          EventType = "case.reopened"
	FieldsCorrected       EventType = "fields.corrected"
	LineItemsCorrected    EventType = "line_items.corrected"
	CaseErased            EventType = "case.erased"
	CaseResubmitted       EventType = "case.resubmitted"
	CaseMigrated          EventType = "case.migrated"
	NoteAdded             EventType = "case.note_added"
	NoteWithdrawn         EventType = "case.note_withdrawn"
	InternalNoteAdded     EventType = "case.internal_note_added"
	InternalNoteWithdrawn EventType = "case.internal_note_withdrawn"
	DecisionUndone        EventType = "decision.undone"
	PasskeyRegistered     EventType = "passkey.registered"
	PasskeyRemoved        EventType = "passkey.removed"
)
