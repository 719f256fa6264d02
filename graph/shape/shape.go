// Package shape contains the few output types of the API that are not domain types.
//
// What may enter: plain structs that a resolver fills from one read. What never happens here:
// logic, reads, and tags of a wire format.
package shape

import (
	"encoding/json"
	"time"

	"countersign/casework"
	"countersign/domain"
	"countersign/events"
	"countersign/graph/scalar"
	"countersign/views"
)

// Node is any object with a global id; the resolvers know the types.
type Node any

// Case is a case with the viewer's audience.
type Case struct {
	views.CaseView
}

// GlobalID is the id of the API. Methods without a context are called in turn; a resolver would get a
// goroutine for each case of a list.
func (c *Case) GlobalID() string { return scalar.GlobalID(scalar.KindCase, c.ID) }

// FactsVersion is the version that commands expect.
func (c *Case) FactsVersion() string { return casework.CaseVersion(c.Case) }

// IsFinal reports whether the case is closed.
func (c *Case) IsFinal() bool { return c.Status.Final() }

// KnownAmount is nil while the amount is unknown.
func (c *Case) KnownAmount() *domain.Money {
	if !c.AmountKnown {
		return nil
	}
	return &c.Case.Amount
}

// StatedAmount is what the submitter stated, nil without one.
func (c *Case) StatedAmount() *domain.Money {
	if c.Case.DeclaredAmount.Currency == "" {
		return nil
	}
	return &c.Case.DeclaredAmount
}

// NoteList are the newest notes of a case that a viewer may read.
type NoteList struct {
	Nodes      []domain.Note
	HasEarlier bool
	Writes     []domain.NoteAudience
}

// LineItems are the items of the newest reading of a document.
type LineItems struct {
	Items               []LineItem
	Found               int
	XMLCount, PageCount int
	Sum, Adjustment     *domain.Money
	SumEquals           *domain.LineCheck
	Currency            string
	Corrected           *LineItemsCorrection
}

// LineItemsCorrection is the newest correction of line items; By is nil if the viewer may not see who
// it was.
type LineItemsCorrection struct {
	At time.Time
	By *domain.User
}

// LineItem is an item with its amounts in the currency of the document.
type LineItem struct {
	domain.LineItem
	Amount, Allowance *domain.Money
	AddsUp            *bool
}

// Order is the newest revision of a payment order beside its evidence.
type Order struct {
	domain.Order
	Case            *Case
	BIC             *string
	Comparison      []OrderComparison
	Covered         bool
	Restated        []string
	EarlierValues   []views.EarlierOrderValue
	Grounds         []views.OrderGround
	PossibleGrounds []domain.GroundKind
	Restatable      bool
}

// OrderComparison is a value of the order beside the values of the document.
type OrderComparison struct {
	Field            string
	Order            string
	Document         []string
	Differs, Covered bool
}

// NextStep is the next step of a case.
type NextStep struct {
	views.NextStep
	Case *Case
}

// CaseEvent is an event of a case as one viewer may see it.
type CaseEvent struct {
	events.VisibleEvent
	CaseID domain.ID
}

// Viewer is the authenticated user.
type Viewer struct {
	Person domain.User
}

// AuditEntry is one entry of the audit trail: an event, or an access that changed nothing.
type AuditEntry struct {
	Kind     string // EVENT or ACCESS
	At       time.Time
	ActorID  domain.ID
	ForID    domain.ID // on whose behalf the actor acted
	Type     string
	Sentence string
	Seq      *int64
	Hash     *string
	Code     *string
	Object   *string
	Status   *domain.Status
	Body     json.RawMessage
}

// ControlChange is a proposed change of control data.
type ControlChange struct {
	Proposal domain.Proposal
	PersonID domain.ID // of the conflict

	Kind             domain.ProposalKind
	Subject          string
	Before, After    string
	Reason           string
	Status           domain.ProposalStatus
	ProposedAt       time.Time
	DecidedAt        *time.Time
	WithdrawalReason string
}
