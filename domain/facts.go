package domain

// ReviewFacts is all that the policy may be asked about one review and one person; loaded from locked rows by the service layer.
// It is plain values, so that authz judges without reading.
type ReviewFacts struct {
	ReviewID      ID
	CaseID        ID
	Queue         string
	Level         int
	Duty          string
	Status        ReviewStatus
	Assignee      ID
	ClaimActive   bool // claim lease not yet over
	DocumentType  string
	Country       string
	CaseStatus    Status
	BaseMinor     int64
	AmountKnown   bool
	HasAmount     bool // false when the definition says that the process has no amount
	Submitter     ID
	PartyID       ID
	InterestedIDs []ID // persons barred by case_interests
	VotedIDs      []ID // persons with a vote in this duty
	ConflictedIDs []ID // persons barred by conflicts over the closure of the party
}

// CaseFacts is what the policy may be asked about a case as such (read, replace, retry, abandon …).
type CaseFacts struct {
	CaseID        ID
	Submitter     ID
	Status        Status
	DocumentType  string
	Country       string
	BaseMinor     int64
	AmountKnown   bool
	PartyID       ID
	ConflictedIDs []ID
	// OpenQueues are the queues of the case's open or claimed reviews: who works one of them may read the case.
	OpenQueues []string
	// Deciders are persons who decided a review of the case: they may go on reading it.
	Deciders []ID
}

// Permit is an answer of the policy: nil error means allowed; Rule names the line that decided.
type Permit struct {
	Allowed       bool
	Rule          string
	PolicyVersion int64
}
