package domain

import (
	"encoding/json"
	"regexp"
	"time"
)

// ConnectorKind is how a connector delivers events.
type ConnectorKind string

// The kinds.
const (
	ConnectorWebhook ConnectorKind = "webhook" // each event is an HTTP request
	ConnectorKafka   ConnectorKind = "kafka"   // each event is a record of a topic, by case
	ConnectorSMTP    ConnectorKind = "smtp"    // each event is an e-mail
)

// ConnectorAudience is whose view of the events a connector sends.
type ConnectorAudience string

// The audiences. Only ForAuditors contains confidential reviews and streams that are not of a case.
const (
	ForSubmitters ConnectorAudience = "submitter" // what the submitter of each case sees
	ForStaff      ConnectorAudience = "staff"     // what a reviewer without confidential queues sees
	ForAuditors   ConnectorAudience = "auditor"   // everything
)

// ConnectorStatus is whether a connector delivers.
type ConnectorStatus string

// The statuses. The system disables a connector whose receiver is gone; a person pauses and resumes
// it.
const (
	ConnectorActive   ConnectorStatus = "active"
	ConnectorPaused   ConnectorStatus = "paused"
	ConnectorDisabled ConnectorStatus = "disabled"
)

// ConnectorSpec is what two persons decide about a connector.
type ConnectorSpec struct {
	Name string        `json:"name"`
	Kind ConnectorKind `json:"kind"`
	// URL is the address: https://host/path, kafkas://host:9092,host:9092/topic or smtps://host:465.
	URL string `json:"url"`
	// Secrets names the secrets of the installation that sign webhooks, two during a rotation, or the
	// login of another receiver, at most one.
	Secrets  []string          `json:"secrets"`
	Mail     *ConnectorMail    `json:"mail,omitempty"`    // of the kind smtp
	Types    []EventType       `json:"types,omitempty"`   // empty = all
	Process  string            `json:"process,omitempty"` // key; empty = all
	Audience ConnectorAudience `json:"audience"`
	Snapshot bool              `json:"snapshot,omitempty"` // bodies leave, not only ids
}

// ConnectorMail is who sends and receives the e-mails of a connector.
type ConnectorMail struct {
	From     string   `json:"from"`
	To       []string `json:"to"`
	Language string   `json:"language"` // en or zh
}

// Bounds of a connector.
const (
	maxConnectorSecrets = 2
	maxConnectorURL     = 2000
	maxConnectorTypes   = 100
)

var connectorNames = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,59}$`)

// ValidConnectorName reports whether a connector or a secret can have the name.
func ValidConnectorName(name string) bool { return connectorNames.MatchString(name) }

// Text returns the spec as the text that two persons confirm.
func (s ConnectorSpec) Text() string {
	text, _ := json.Marshal(s) // strings and booleans only
	return string(text)
}

// ParseConnectorSpec reads a confirmed text.
func ParseConnectorSpec(text string) (ConnectorSpec, error) {
	var spec ConnectorSpec
	err := json.Unmarshal([]byte(text), &spec)
	if err != nil {
		err = Errorf(Internal, "The definition of the connector cannot be read.").WithCause(err)
	}
	return spec, err
}

// Connector is a receiver of the feed and how far it is.
type Connector struct {
	ID           ID
	Spec         ConnectorSpec
	Version      int // number of confirmed changes of the spec
	Status       ConnectorStatus
	StatusReason string
	Cursor       FeedPosition // every event up to it was delivered, or is a row of deliveries
	// Generation rises when a person changes the spec or the cursor, so that a round that began before
	// is not recorded.
	Generation    int
	Failures      int // rounds since the last success
	RetryAt       time.Time
	FailingSince  time.Time // zero = the last round succeeded
	LastError     string
	LastErrorAt   time.Time
	LastDelivered time.Time
	Delivered     int64
	SetBy         ID
	ChangedAt     time.Time
	Waiting       int64 // deliveries that wait, also behind others of their case
	Dead          int64 // deliveries that need a person
	Lag           time.Duration
	Nightly       NightlyReconciliation
}

// DeliveryStatus is the status of a delivery that did not succeed at the first attempt.
type DeliveryStatus string

// The statuses. A delivered event has no row.
const (
	DeliveryWaiting DeliveryStatus = "waiting"
	DeliveryDead    DeliveryStatus = "dead"    // needs a person
	DeliverySkipped DeliveryStatus = "skipped" // a person decided not to deliver it
)

// Delivery is an event that a connector could not deliver, or that waits behind one of its case.
type Delivery struct {
	ID         ID
	Connector  ID
	Position   FeedPosition
	Stream     ID
	EventID    string // as the receiver sees it
	Type       EventType
	Status     DeliveryStatus
	Attempts   int
	ParkedAt   time.Time // time of the first attempt, if there was one
	NextAt     time.Time
	Wait       time.Duration // in a round: before the next attempt
	Exhausted  bool          // in a round: the next failure is the last
	HTTPStatus int           // of the last attempt; 0 = no response
	Error      string
	Answer     string // beginning of the last response
	Reason     string // why it was skipped
	EndedBy    ID
}

// AttemptOutcome is what an attempt to deliver means.
type AttemptOutcome int

// The outcomes.
const (
	AttemptDelivered AttemptOutcome = iota
	AttemptFailed                   // may succeed later
	AttemptRefused                  // the receiver refuses this event permanently
	AttemptGone                     // the receiver wants no more events
)

// DeliveryAttempt is the outcome of one attempt.
type DeliveryAttempt struct {
	Outcome    AttemptOutcome
	HTTPStatus int // 0 = no response
	Answer     string
	Error      string
	Took       time.Duration
	RetryAfter time.Duration // as the receiver asked; 0 = it did not
}

// DeliveryRound is what one round of a connector did, to be recorded in one transaction.
type DeliveryRound struct {
	Connector  ID
	Generation int // when the round began
	Holder     string
	Cursor     FeedPosition // the connector's own if it did not move
	Delivered  int
	Resolved   []ID       // rows of deliveries that were delivered or are not visible any more
	Attempted  []Delivery // rows that failed again, with their next state
	Parked     []Delivery // new rows
	// Failed reports that nothing was delivered and the cursor stays, Gone that the receiver wants no
	// more events.
	Failed, Gone bool
	Error        string
	RetryAfter   time.Duration // before the next round
}
