package domain

import "time"

// Review is one seat of a review node: a person's task.
type Review struct {
	ID        ID
	CaseID    ID
	Node      string
	Visit     int
	Seat      int
	Queue     string // L1, L2, AML …
	Level     int
	Duty      string // votes of one duty must come from distinct persons
	Assignee  ID
	Status    ReviewStatus
	ClaimBy   time.Time
	DecideBy  time.Time
	ClaimedAt time.Time
	// ClaimUntil ends the claim lease; it is moved on by heartbeat, draft and correction.
	ClaimUntil time.Time
	// AtRiskFrom is when a fifth of the time to decide is left.
	AtRiskFrom time.Time
	// PausedAt is set while the deadlines stand still; ClaimBy and DecideBy are then as they stood.
	PausedAt    time.Time
	PauseReason string
	// Breaches counts how often nobody claimed it in time.
	Breaches int
	// PreviousAssignee let it go without a decision, and LeftHow; until somebody has it again.
	PreviousAssignee ID
	UnassignCause    UnassignCause
	Priority         int
	Draft            []byte // JSON the reviewer's page keeps; opaque to us
	Version          int64
	// Copies of the case for the queue's index.
	Submitter    ID
	PartyID      ID
	BaseMinor    int64
	AmountKnown  bool
	Band         int
	DocumentType string
	Country      string
	CreatedAt    time.Time
	DecidedAt    time.Time
}

// UnassignCause is how a person let a review go.
type UnassignCause string

// The ways.
const (
	UnassignedByRelease UnassignCause = "released"
	UnassignedByExpiry  UnassignCause = "expired"
)

// Paused reports whether the review's deadlines stand still.
func (r Review) Paused() bool { return !r.PausedAt.IsZero() }

// BandOf is the logarithmic step of a base amount, the coarse column of the queue's index: 0 below 1 000 minor units,
// then one per power of ten.
func BandOf(baseMinor int64) int {
	band := 0
	for value := baseMinor; value >= 1000; value /= 10 {
		band++
	}
	return band
}

// Decision is the append-only record of one decided review.
type Decision struct {
	ID         ID
	CaseID     ID
	ReviewID   ID
	Actor      ID
	OnBehalfOf ID
	Verdict    Verdict
	Reason     string
	Evidence   Evidence
	At         time.Time
}

// Evidence is what the reviewer had before their eyes, frozen with the decision.
type Evidence struct {
	DocumentSHA256    string            `json:"documentSha256"`
	DocumentRevision  int               `json:"documentRevision"`
	FactsRevision     int64             `json:"factsRevision"`
	Fields            map[string]string `json:"fields"`
	Findings          []string          `json:"findings"`
	Amount            string            `json:"amount"`
	BaseMinor         int64             `json:"baseMinor"`
	Risk              int               `json:"risk"`
	PolicyVersion     int64             `json:"policyVersion"`
	DefinitionKey     string            `json:"definitionKey"`
	DefinitionVersion int               `json:"definitionVersion"`
}

// Vote is the row that makes four-eyes a constraint of the database: one per case, duty and person.
type Vote struct {
	CaseID   ID
	Duty     string
	Person   ID
	ReviewID ID
}

// Interest bars a person from a case by a fact of this case.
type Interest struct {
	CaseID ID
	Person ID
	Reason InterestReason
}

// InterestReason says why a person is barred.
type InterestReason string

// The reasons.
const (
	InterestSubmitter  InterestReason = "submitter"
	InterestSetAmount  InterestReason = "set_amount"
	InterestSetPayee   InterestReason = "set_payee"
	InterestOwnAccount InterestReason = "own_account"
)

// Conflict bars a person from every case of a party, closed over the party's group.
type Conflict struct {
	ID         ID
	Person     ID
	PartyID    ID
	Reason     string
	DeclaredBy ID
	CreatedAt  time.Time
	Party      string // name of the party, as first met
	Source     ConflictSource
	Reach      []string // names of every party of its group
}

// ConflictSource says how a conflict came to be on record.
type ConflictSource string

// The sources. Bars that follow from a case itself (its submitter, who set a key fact, own account as payee) are no
// conflicts but interests in that case.
const (
	FromDeclaration ConflictSource = "declared"
	FromImport      ConflictSource = "imported"
)
