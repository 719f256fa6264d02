package domain

import (
	"crypto/ed25519"
	"time"
)

// Bounds of what the operator raises by the command line.
const (
	// SetupPeriod is how long the operator still makes accounts alone after there are two administrators.
	SetupPeriod = time.Hour
	// MinBreakGlassDelay is the shortest time before a request takes effect without a second key. The
	// database has the same bound.
	MinBreakGlassDelay = 8 * time.Hour
	// DefaultBreakGlassLifetime is when what it gave is taken back; MaxBreakGlassLifetime bounds it.
	DefaultBreakGlassLifetime = 24 * time.Hour
	MaxBreakGlassLifetime     = 7 * 24 * time.Hour
	// BreakGlassReviewers is how many administrators review a request.
	BreakGlassReviewers = 2
)

// BreakGlassCommand is what a request of the operator changes.
type BreakGlassCommand string

// The commands of the operator that wait.
const (
	BreakGlassPerson BreakGlassCommand = "person" // an account: roles, queues, access, password
	BreakGlassLimit  BreakGlassCommand = "limit"
	BreakGlassToken  BreakGlassCommand = "token" // an API token of another person
	BreakGlassKey    BreakGlassCommand = "key"   // the key of another operator
)

// BreakGlassStatus is the status of a request of the operator.
type BreakGlassStatus string

// The statuses. Withdrawn and ended are final.
const (
	BreakGlassRequested BreakGlassStatus = "requested"
	BreakGlassInEffect  BreakGlassStatus = "in_effect"
	BreakGlassEnded     BreakGlassStatus = "ended"
	BreakGlassWithdrawn BreakGlassStatus = "withdrawn"
)

// BreakGlass is a request of the operator for more power than administrators gave.
type BreakGlass struct {
	ID      ID
	Command BreakGlassCommand
	Subject string // e-mail address, role with document type, or name of the key
	Person  ID     // whom it concerns, NoID if it is about no present account
	// Document and Undo are JSON of the service layer: what it changes, and what is taken back. They
	// contain hashes of secrets, so stored outcomes of commands leave them out.
	Document, Undo string `json:"-"`
	Before, After  string // in words
	Reason         string
	Status         BreakGlassStatus
	RequestedAt    time.Time
	EffectAt       time.Time // without a second key
	Lifetime       time.Duration
	EffectiveAt    time.Time // zero = never took effect
	ExpiresAt      time.Time // zero = it is not taken back
	EndedAt        time.Time
	ReviewedAt     time.Time // zero = two administrators have not reviewed it yet
	SignedBy       []string  // names of the keys
	Reviewers      []ID
}

// Open reports whether the request still needs people: it waits, or two administrators have not reviewed it.
func (b *BreakGlass) Open() bool {
	return b.Status == BreakGlassRequested || b.Status != BreakGlassWithdrawn && b.ReviewedAt.IsZero()
}

// Statement is what the key of an operator signs: the request with a hash of what it changes.
func (b *BreakGlass) Statement() []byte {
	return []byte("countersign break-glass v1\n" + b.ID.String() + "\n" + string(b.Command) + "\n" +
		b.Subject + "\n" + b.Document + "\n")
}

// OperatorKey is the public key of an operator.
type OperatorKey struct {
	ID         ID
	Name       string
	PublicKey  ed25519.PublicKey
	EnrolledAt time.Time
	RevokedAt  time.Time // zero = valid
}
