package domain

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Order is one revision of the payment order of a case: what the payer wants to be paid. The
// document of the case is its evidence.
type Order struct {
	CaseID    ID
	Revision  int // from 1; a restatement has the next
	Payer     string
	Payee     string
	Account   string // an IBAN, or the account number of another system
	BIC       string // "" if none was stated
	Country   string // of the payee, ISO 3166-1 alpha-2
	Amount    Money
	Purpose   string
	Reference string // of the payer, who uses it once
	StatedBy  ID
	StatedAt  time.Time
}

// OrderRule is whether the cases of a process are submitted with a payment order.
type OrderRule string

// The values of OrderRule.
const (
	OrderRuleRequired OrderRule = "required" // nothing is paid or archived as approved without one
	OrderRuleOptional OrderRule = "optional" // a case without one pays what its document states
	OrderRuleNone     OrderRule = "none"     // a submission with one is refused
)

// NewOrderRequired is the refusal of a case that passes without the order that its process requires.
func NewOrderRequired(process string) *Error {
	return Errorf(OrderRequired, "The process %s requires a payment order.", process).
		WithRemedy("Return the case, so that its submitter declares the payment order, or reject it.").
		WithDetail("process", process)
}

// OrderReferenceKey returns the form in which references of orders are compared: upper case,
// without spaces and invisible characters, full-width characters as usual ones.
func OrderReferenceKey(reference string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.In(r, unicode.Cc, unicode.Cf) {
			return -1
		}
		return unicode.ToUpper(r)
	}, norm.NFKC.String(reference))
}

// GroundKind says why an order differs from its evidence.
type GroundKind string

// The kinds of grounds.
const (
	GroundPartPayment     GroundKind = "part_payment"     // pays a part of the document
	GroundSeveralInvoices GroundKind = "several_invoices" // pays several documents
	GroundCharges         GroundKind = "charges"          // charges were added or deducted
	GroundOtherCurrency   GroundKind = "other_currency"   // is paid in another currency
	GroundNoAmount        GroundKind = "no_amount"        // the document states no amount
	GroundOtherPayee      GroundKind = "other_payee"      // another payee or account is right
)

// GroundKinds returns every kind of ground.
func GroundKinds() []GroundKind {
	return []GroundKind{GroundPartPayment, GroundSeveralInvoices, GroundCharges,
		GroundOtherCurrency, GroundNoAmount, GroundOtherPayee}
}

// AboutPayee reports whether the ground explains another payee or account; the others explain
// another amount.
func (k GroundKind) AboutPayee() bool { return k == GroundOtherPayee }

// OrderGround is a ground that one person stated and, if ConfirmedBy is set, another confirmed.
type OrderGround struct {
	CaseID      ID
	Number      int // from 1
	Kind        GroundKind
	Explanation string
	// Covers describes the difference that the ground explains. If the order or its evidence
	// changes, the difference is another one and needs another ground. "" if it was stated before
	// the document was read; it then explains what the confirmation saw.
	Covers      string
	StatedBy    ID
	StatedAt    time.Time
	ConfirmedBy ID
	ConfirmedAt time.Time
	// StatedOnBehalfOf and ConfirmedOnBehalfOf are the delegators; NoID if the person acted in their
	// own name.
	StatedOnBehalfOf, ConfirmedOnBehalfOf ID
}

// IsStatedBy reports whether one of the people stated the ground, or had it stated on their behalf: a
// delegate and the delegator count as one person.
func (g OrderGround) IsStatedBy(people ...ID) bool {
	return slices.ContainsFunc(people,
		func(id ID) bool { return id != NoID && (id == g.StatedBy || id == g.StatedOnBehalfOf) })
}

// Confirmed reports whether a second person has confirmed the ground.
func (g OrderGround) Confirmed() bool { return g.ConfirmedBy != NoID }

// OrderUse is what an order takes from its evidence. The sum of the orders that passed on one piece
// of evidence stays within the evidence's amount.
type OrderUse struct {
	CaseID    ID
	Reference string // of the case; set when read
	// EvidenceKeys identify the evidence: two orders with a common key are on the same.
	EvidenceKeys []string
	Amount       Money
	BaseMinor    int64
	// Evidence is the smallest amount that the evidence states; Currency "" if it states none.
	Evidence     Money
	EvidenceBase int64
	// Covered says that the order equals its evidence, or that every difference has a confirmed
	// ground.
	Covered bool
	// Passed says that the order may be paid and its case archived.
	Passed   bool
	PassedAt time.Time
}
