package domain

// ReviewFacts holds the facts about one review and one person that the policy may use. The service
// layer loads them from locked rows, so that authz evaluates the policy without reading.
type ReviewFacts struct {
	ReviewID     ID
	CaseID       ID
	Queue        string
	Level        int
	Duty         string
	Status       ReviewStatus
	Assignee     ID
	ClaimActive  bool // the claim lease has not expired
	Drawn        bool // only the drawn person may claim the review
	DocumentType string
	Country      string
	// OtherCountries are those of the risk basis besides Country. A condition on the country holds
	// if it holds for every one of them.
	OtherCountries []string
	CaseStatus     Status
	BaseMinor      int64
	AmountKnown    bool
	HasAmount      bool // false if the process has no amount
	Submitter      ID
	PartyID        ID
	InterestedIDs  []ID // persons excluded by case_interests
	VotedIDs       []ID // persons with a vote in this duty
	ConflictedIDs  []ID // persons with a conflict with the party or its group
}

// CaseFacts holds the facts of a case that the policy may use (read, replace, retry, abandon …).
type CaseFacts struct {
	CaseID         ID
	Submitter      ID
	Status         Status
	DocumentType   string
	Country        string
	OtherCountries []string // as in ReviewFacts
	BaseMinor      int64
	AmountKnown    bool
	PartyID        ID
	ConflictedIDs  []ID
	// OpenQueues are the queues of open or claimed reviews of the case. Members of these queues may
	// read the case.
	OpenQueues []string
	// Deciders are persons who decided a review of the case and may still read it.
	Deciders []ID
}

// Permit is the result of a policy evaluation. Rule is the policy rule that decided.
type Permit struct {
	Allowed       bool
	Rule          string
	PolicyVersion int64
}
