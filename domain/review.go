package domain

import "time"

// Review is one seat of a review node, decided by one person.
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
	// ClaimUntil is when the claim lease expires. A heartbeat, a draft and a correction extend it.
	ClaimUntil time.Time
	// AtRiskFrom is when a fifth of the time to decide remains.
	AtRiskFrom time.Time
	// PausedAt is set while the deadlines are paused; ClaimBy and DecideBy then keep their values.
	PausedAt    time.Time
	PauseReason string
	// Breaches counts missed claim deadlines.
	Breaches int
	// PreviousAssignee is the last assignee who released the review or whose claim expired, and
	// UnassignCause says which. Both are empty while the review has an assignee.
	PreviousAssignee ID
	UnassignCause    UnassignCause
	// Draws is the number of the draw that assigned the review or is waited for, 0 for a review that
	// any eligible person may claim.
	Draws    int
	Priority int
	Draft    []byte // JSON of the reviewer's page; opaque to the server
	Version  int64
	// Copies of fields of the case, for the index of the queue.
	Submitter    ID
	PartyID      ID
	BaseMinor    int64
	AmountKnown  bool
	Band         int
	DocumentType string
	Country      string
	// OtherCountries and OtherPartyIDs are those of the risk basis besides Country and PartyID.
	OtherCountries []string
	OtherPartyIDs  []ID
	CreatedAt      time.Time
	DecidedAt      time.Time
	// VoteHidden says that the decision is a vote of a committee that hides its votes and is not
	// complete: only who voted may read it.
	VoteHidden bool
}

// NextDeadline returns the deadline of an undecided review that acts first: the next one that has not
// passed, or the one to decide if both have. The deadline to claim acts only while the review is not
// claimed. frontend/src/lib/deadline.ts does the same.
func (r *Review) NextDeadline(now time.Time) (at time.Time, claim bool) {
	if r.Status == ReviewOpen && r.ClaimBy.After(now) && r.ClaimBy.Before(r.DecideBy) {
		return r.ClaimBy, true
	}
	return r.DecideBy, false
}

// DutyRepair is the duty of reviews in which a reviewer names missing facts. They end in Repaired or
// Return, no limit applies to them, and there are no votes in them.
const DutyRepair = "repair"

// Repairs reports whether the review is for naming missing facts.
func (r *Review) Repairs() bool { return r.Duty == DutyRepair }

// Parties returns the parties of the risk basis of the review's case.
func (r *Review) Parties() []ID { return withOther(r.PartyID, NoID, r.OtherPartyIDs) }

// UnassignCause is why a review lost its assignee.
type UnassignCause string

// The causes.
const (
	UnassignedByRelease UnassignCause = "released"
	UnassignedByExpiry  UnassignCause = "expired"
)

// Drawn reports whether the reviewer is drawn instead of claiming the review from the queue.
func (r Review) Drawn() bool { return r.Draws > 0 }

// AwaitsDraw reports whether no one has been drawn yet for a drawn review.
func (r Review) AwaitsDraw() bool {
	return r.Draws > 0 && r.Status == ReviewOpen && r.Assignee == NoID
}

// Paused reports whether the deadlines of the review are paused.
func (r Review) Paused() bool { return !r.PausedAt.IsZero() }

// BandOf returns the order of magnitude of a base amount, used in the index of the queue: 0 below
// 1,000 minor units, then one more per power of ten.
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
	// Signature is the reviewer's, of an approval that needs one; else nil.
	Signature *ApprovalSignature
	At        time.Time
	// Salt is 16 random bytes; nil in decisions of earlier programs and after an erasure.
	Salt []byte
	// Erased are hashes of what was erased; nil before.
	Erased *ErasedDecision
	// Hidden says that the decision is a hidden vote; see Review.VoteHidden.
	Hidden bool
	// HiddenHash is the hash of a hidden vote of which the reader gets nothing else; nil otherwise.
	HiddenHash []byte
}

// ApprovedUnchecked returns the fields that the person who approved had not checked, nil for another verdict.
func (d *Decision) ApprovedUnchecked() []string {
	if d.Verdict != Approve {
		return nil
	}
	return d.Evidence.Unchecked
}

// ErasedDecision proves a decision whose reason, evidence and signed statement were erased.
type ErasedDecision struct {
	// ContentSHA256 is the salted hash of what was erased.
	ContentSHA256 string `json:"contentSha256,omitempty"`
	// SHA256 is the hash of the whole decision, instead, if it had no salt.
	SHA256 string `json:"sha256,omitempty"`
}

// Evidence is a snapshot of the data shown to the reviewer, stored with the decision.
type Evidence struct {
	DocumentSHA256   string `json:"documentSha256"`
	DocumentRevision int    `json:"documentRevision"`
	// Supporting are the kinds and hashes of the supporting documents.
	Supporting []string `json:"supporting,omitempty"`
	// SupportingOpened are the numbers of those that the person who decided had opened.
	SupportingOpened []int `json:"supportingOpened,omitempty"`
	// Unchecked are the fields that were read with low confidence, could not be read or were stated with
	// different values, and that no person had confirmed or corrected.
	Unchecked         []string          `json:"unchecked,omitempty"`
	FactsRevision     int64             `json:"factsRevision"`
	Fields            map[string]string `json:"fields"`
	Findings          []string          `json:"findings"`
	Amount            string            `json:"amount"`
	BaseMinor         int64             `json:"baseMinor"`
	Risk              int               `json:"risk"`
	PolicyVersion     int64             `json:"policyVersion"`
	DefinitionKey     string            `json:"definitionKey"`
	DefinitionVersion int               `json:"definitionVersion"`
	// Overrides are the ids of the overrides on which an approval rests.
	Overrides []ID `json:"overrides,omitempty"`
	// What the decision rested on. Nil in decisions of earlier programs.
	RiskBasis   *EvidenceBasis      `json:"riskBasis,omitempty"`
	Differences map[string][]string `json:"differences,omitempty"` // unresolved values by field
	// Assertions are the hashes of all sets of assertions, in hexadecimal.
	Assertions []string `json:"assertions,omitempty"`
}

// EvidenceBasis is the risk basis that a decision rested on.
type EvidenceBasis struct {
	Amount    string   `json:"amount,omitempty"`
	BaseMinor int64    `json:"baseMinor"`
	Countries []string `json:"countries"`
	// CountryRoles are the same countries with their roles. Nil in decisions of earlier programs.
	CountryRoles []CountryAtRisk `json:"countryRoles,omitempty"`
	Parties      []ID            `json:"parties"`
	Numbers      []string        `json:"numbers"`
}

// BasisOf returns the risk basis of a case as evidence.
func BasisOf(c *Case) *EvidenceBasis {
	basis := &EvidenceBasis{BaseMinor: c.BaseMinor, Countries: c.Countries(), Parties: c.Parties(),
		Numbers: c.Numbers()}
	if c.AmountKnown || c.AtRisk.Currency != "" {
		basis.Amount = c.AmountAtRisk().String()
	}
	return basis
}

// Vote is one vote of a person. The database enforces four-eyes by allowing one per case, duty and
// person.
type Vote struct {
	CaseID   ID
	Duty     string
	Person   ID
	ReviewID ID
	// Covered is what the vote covers, as JSON (facts.Coverage); "" for a vote from before it was
	// stored, and where it is not read.
	Covered string
}

// Interest excludes a person from a case because of a fact of the case.
type Interest struct {
	CaseID ID
	Person ID
	Reason InterestReason
}

// InterestReason is why a person is excluded.
type InterestReason string

// The reasons.
const (
	InterestSubmitter  InterestReason = "submitter"
	InterestSetAmount  InterestReason = "set_amount"
	InterestSetPayee   InterestReason = "set_payee"
	InterestSetCountry InterestReason = "set_country"
	InterestOwnAccount InterestReason = "own_account"
	InterestOverride   InterestReason = "override" // stated the first of two overrides
	// InterestSplit excludes who split the file of the parent, or had an interest in the parent.
	InterestSplit InterestReason = "split"
)

// Conflict excludes a person from every case of a party and its group.
type Conflict struct {
	ID         ID
	Person     ID
	PartyID    ID
	Reason     string
	DeclaredBy ID
	CreatedAt  time.Time
	Party      string // name of the party when it was first seen
	Source     ConflictSource
	Reach      []string // names of every party of its group
}

// ConflictSource is how a conflict was recorded.
type ConflictSource string

// The sources. Exclusions that follow from a case itself (its submitter, the person who set a key
// fact, an own account as payee) are interests, not conflicts.
const (
	FromDeclaration ConflictSource = "declared"
	FromImport      ConflictSource = "imported"
)
