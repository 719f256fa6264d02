package domain

import (
	"encoding/json"
	"time"
)

// Event is one fact of a stream: the hashed header, and the body beside it.
type Event struct {
	Stream        ID // case id, or a system stream's fixed id
	Seq           int64
	Type          EventType
	SchemaVersion int
	Actor         ID
	OnBehalfOf    ID
	CorrelationID string
	At            time.Time // microseconds, from the database's clock()
	StatusBefore  Status
	StatusAfter   Status
	MarkingBefore string // canonical JSON of the Marking, the very text that is hashed
	MarkingAfter  string
	PrevHash      []byte // 32 bytes; the stream's first event has 32 zero bytes
	BodyHash      []byte // SHA-256(salt, body)
	Hash          []byte // SHA-256(tag, length-prefixed header)
	Salt          []byte // 16 bytes; emptied with the body by erasure
	Body          json.RawMessage
}

// Hint is all that travels on Redis about a change: which stream, up to which event.
type Hint struct {
	Stream ID
	Seq    int64
}

// Audience says who may see an event type on a live stream or a timeline.
type Audience string

// The audiences: everyone who may read the case, or only staff (reviewers, managers, auditors) so that nobody is tipped off.
const (
	AudienceAll   Audience = "all"
	AudienceStaff Audience = "staff"
)

// ProcessFacts is what guards and rules may ask about a case.
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
	Outcome           string // of the stage or review just ended
}
