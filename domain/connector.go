package domain

import (
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"time"
)

// ConnectorKind is how a connector delivers events.
type ConnectorKind string

// ConnectorWebhook sends each event as an HTTP request.
const ConnectorWebhook ConnectorKind = "webhook"

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
	URL  string        `json:"url"`
	// Secrets names the secrets of the installation that sign deliveries; two during a rotation.
	Secrets  []string          `json:"secrets"`
	Types    []EventType       `json:"types,omitempty"`   // empty = all
	Process  string            `json:"process,omitempty"` // key; empty = all
	Audience ConnectorAudience `json:"audience"`
	Snapshot bool              `json:"snapshot,omitempty"` // bodies leave, not only ids
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

// Check returns InvalidInput if no connector can have the spec.
func (s ConnectorSpec) Check() error {
	address, err := url.Parse(s.URL)
	switch {
	case !ValidConnectorName(s.Name):
		return Invalid("name", "The name %.60q must begin with a letter and have at most 60 letters, digits, _ and -, in lower case.", s.Name)
	case s.Kind != ConnectorWebhook:
		return Invalid("kind", "Connectors of the kind %.40q do not exist.", s.Kind)
	case err != nil || address.Host == "" || len(s.URL) > maxConnectorURL ||
		address.Scheme != "https" && address.Scheme != "http":
		return Invalid("url", "Enter an address that begins with https://.")
	case address.User != nil || address.Fragment != "":
		return Invalid("url", "The address must not contain a user, a password or a fragment.")
	case len(s.Secrets) == 0 || len(s.Secrets) > maxConnectorSecrets:
		return Invalid("secrets", "Enter the names of one or two secrets.")
	case len(s.Types) > maxConnectorTypes:
		return Invalid("types", "At most %d types can be selected.", maxConnectorTypes)
	case s.Audience != ForSubmitters && s.Audience != ForStaff && s.Audience != ForAuditors:
		return Invalid("audience", "Unknown audience %.40q.", s.Audience)
	}
	for i, secret := range s.Secrets {
		if !ValidConnectorName(secret) || slices.Contains(s.Secrets[:i], secret) {
			return Invalid("secrets", "The name %.60q of a secret is not valid, or is given twice.",
				secret)
		}
	}
	return nil
}

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
