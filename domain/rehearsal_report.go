package domain

import "time"

// The bounds of recorded rehearsals.
const (
	// MaxRehearsalReports is how many reports one person records about one proposal.
	MaxRehearsalReports = 10
	// MinDetailedCases is the number of cases from which a report has sums by rule, node and person: those of
	// fewer would describe single cases, which its readers may not be allowed to read.
	MinDetailedCases = 10
)

// RehearsalReport is a recorded rehearsal of a proposed text. It has sums and no case, so that everyone
// who sees the proposal may read it.
type RehearsalReport struct {
	ID         ID
	ProposalID ID
	TextSHA256 string // of the rehearsed text, in hexadecimal
	BaseSHA256 string // of the version that the text would replace; "" if there was none
	Report     string // RehearsedText as JSON, as it was hashed
	SHA256     string
	By         ID
	At         time.Time
}

// RehearsedText is what a report contains.
type RehearsedText struct {
	Format     string       `json:"format"` // countersign.rehearsal.v1
	ProposalID ID           `json:"proposalId"`
	Kind       ProposalKind `json:"kind"`
	Key        string       `json:"key"`
	TextSHA256 string       `json:"textSha256"`
	Base       int          `json:"base"`
	BaseSHA256 string       `json:"baseSha256"`
	By         ID           `json:"by"`
	RehearsalSums
}

// RehearsalFormat is the format of RehearsedText.
const RehearsalFormat = "countersign.rehearsal.v1"

// RehearsalSums are the parameters and the sums of a rehearsal.
type RehearsalSums struct {
	// ClosedAsked is how many of the newest closed cases were to be rehearsed, and OpenAsked says that all
	// open ones were too.
	ClosedAsked int  `json:"closedAsked"`
	OpenAsked   bool `json:"openAsked"`
	// Closed and Open were rehearsed; Hidden were not, because the person who ran it may not read them, and
	// Erased because their personal data was erased. Simplified were rehearsed with the visible facts alone.
	Closed      int  `json:"closed"`
	Open        int  `json:"open"`
	Hidden      int  `json:"hidden"`
	Erased      int  `json:"erased"`
	Simplified  int  `json:"simplified"`
	HiddenVotes int  `json:"hiddenVotes"`
	Complete    bool `json:"complete"`
	// OtherVersions are cases that used another version of the process than the one that the text replaces.
	OtherVersions int `json:"otherVersions"`
	RehearsalCounts
	// OtherReviews are cases with reviews that another queue, level or duty decides, or in the place of others,
	// and the other two are cases with a review that its queue would assign to no one. All are nil in reports
	// from before they were recorded.
	OtherReviews     *int `json:"otherReviews,omitempty"`
	UnassignedBefore *int `json:"unassignedBefore,omitempty"`
	UnassignedAfter  *int `json:"unassignedAfter,omitempty"`
	// Since is the submission of the oldest case. The other two count what changed of people and
	// permissions since; all are nil if the person who ran it may not see the list of people.
	Since              *time.Time `json:"since"`
	PeopleChanged      *int       `json:"peopleChanged"`
	PermissionsChanged *int       `json:"permissionsChanged"`
	// The rest is recorded from MinDetailedCases cases on.
	Stops  []RehearsedStop   `json:"stops"`
	Rules  []RehearsedRule   `json:"rules"`
	People []RehearsedPerson `json:"people"`
}

// Cases is the number of rehearsed cases.
func (s RehearsalSums) Cases() int { return s.Closed + s.Open }

// RehearsalCounts count rehearsed cases.
type RehearsalCounts struct {
	Same               int `json:"same"`
	MoreReviews        int `json:"moreReviews"`
	FewerReviews       int `json:"fewerReviews"`
	StraightToPerson   int `json:"straightToPerson"` // met no person, and would
	PersonToStraight   int `json:"personToStraight"` // met a person, and would not
	OtherEnd           int `json:"otherEnd"`         // another final status
	TooFewBefore       int `json:"tooFewBefore"`     // with too few eligible people
	TooFewAfter        int `json:"tooFewAfter"`
	Stopped            int `json:"stopped"`            // for which the change has no route
	UnlikeRecord       int `json:"unlikeRecord"`       // closed cases whose simulation differs from what was recorded
	ComparedWithRecord int `json:"comparedWithRecord"` // closed cases that were compared with the record
	OtherFindings      int `json:"otherFindings"`      // other findings or another risk
	Undetermined       int `json:"undetermined"`       // with a rule whose result is not known
	// Refused are cases with recorded approvals that would have been refused because of findings, and
	// Impossible those of them whose findings no override permits.
	Refused    int `json:"refused"`
	Impossible int `json:"impossible"`
}

// RehearsedStop counts the cases that have no route, or lack facts, at a node. It has no sentence, because
// one about a condition may name a value of a case.
type RehearsedStop struct {
	Node  string   `json:"node"`
	Lacks []string `json:"lacks"` // facts that the process needs; empty if the cases have no route
	Cases int      `json:"cases"`
}

// RehearsedRule counts the cases with a finding of a rule.
type RehearsedRule struct {
	Rule       string `json:"rule"`
	Before     int    `json:"before"`
	After      int    `json:"after"`
	Appears    int    `json:"appears"`
	Disappears int    `json:"disappears"`
	Unknown    int    `json:"undetermined"`
}

// RehearsedPerson is the work of one person. CouldBefore and CouldAfter are the reviews that the person
// could have taken; AskedBefore and AskedAfter are their decided reviews, and an equal share of others that
// they could have taken.
type RehearsedPerson struct {
	Person      ID      `json:"person"`
	CouldBefore int     `json:"couldBefore"`
	CouldAfter  int     `json:"couldAfter"`
	AskedBefore float64 `json:"askedBefore"`
	AskedAfter  float64 `json:"askedAfter"`
}
