package domain

import (
	"encoding/json"
	"time"
)

// Event is one event of a stream: the header, which is hashed, and the body.
type Event struct {
	Stream        ID // case id, or a system stream's fixed id
	Seq           int64
	Type          EventType
	SchemaVersion int
	Actor         ID
	OnBehalfOf    ID
	CorrelationID string
	Traceparent   string    // the span of the change (W3C Trace Context); not hashed
	At            time.Time // microseconds, from the database's clock()
	StatusBefore  Status
	StatusAfter   Status
	MarkingBefore string // canonical JSON of the Marking, exactly as hashed
	MarkingAfter  string
	PrevHash      []byte // 32 bytes; the stream's first event has 32 zero bytes
	BodyHash      []byte // SHA-256(salt, body)
	Hash          []byte // SHA-256(tag, length-prefixed header)
	Salt          []byte // 16 bytes; erased together with the body
	Body          json.RawMessage
}

// Hint announces a change over Redis: the stream and its last event.
type Hint struct {
	Stream ID
	Seq    int64
}

// Audience is who may see an event type on a live stream or a timeline.
type Audience string

// The audiences: everyone who may read the case, or only staff (reviewers, managers, auditors), so
// that submitters do not learn of checks.
const (
	AudienceAll   Audience = "all"
	AudienceStaff Audience = "staff"
)

// ProcessFacts holds the facts of a case that guards and rules may use.
type ProcessFacts struct {
	Amount            Money
	AmountKnown       bool
	BaseMinor         int64
	Currency          string
	Country           string
	DocumentType      string
	Channel           Channel
	HasStructuredData bool
	Risk              int
	Fields            map[string]string // normalised values
	Findings          []Finding
	UnsureFields      []string // key fields whose values are not certain
	Outcome           string   // of the stage or review just ended
	// Missing and Unstated are as in Case.
	Missing, Unstated []string
	// Verdicts counts, by review node, the verdicts of its last visit that count. Guards cannot use
	// it; the engine evaluates the route again with it. Nil: the route is not evaluated again.
	Verdicts map[string]int
	// Unseen says that the case has supporting documents, and no vote of a person counts. Guards cannot use
	// it: the engine archives no such case.
	Unseen bool
	// KeptReviews are the review nodes that a part of a file needs whatever the guards say.
	KeptReviews []string
	// OtherCountries and AtRisk are as in Case: values that count beside Country and Amount.
	OtherCountries []string
	AtRisk         Money
	// Attributes are what the submitter stated about the attributes of the process; see AttributeFacts.
	Attributes map[string]any
}
