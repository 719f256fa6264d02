package domain

import (
	"slices"
	"time"
)

// MaxProcessOwners bounds the owners of one process.
const MaxProcessOwners = 20

// ProcessOwners are the people who approve the next texts of a process.
type ProcessOwners struct {
	Process    string
	Version    int  // number of changes; 0 = none were ever named
	Owners     []ID // sorted; empty = the process has none
	Required   int  // how many of them must approve
	Reason     string
	SetBy      ID
	Since      time.Time
	ProposalID ID
}

// OwnersDocument are the owners of a process as a proposal contains them, as JSON.
type OwnersDocument struct {
	Owners   []ID `json:"owners"`
	Required int  `json:"required"`
	// Names are those of the owners at the time of the proposal.
	Names []string `json:"names"`
}

// OwnerDecision is what an owner decided about a proposal.
type OwnerDecision struct {
	ID         ID
	ProposalID ID
	Owner      ID
	Approved   bool // otherwise rejected
	Reason     string
	SHA256     string // of the text that they read, in hexadecimal
	At         time.Time
}

// OwnerReview is what the owners of one process decided about a proposal.
type OwnerReview struct {
	ProcessOwners
	Decisions []OwnerDecision // the newest of each owner
	// Counted are the owners whose approvals count, one account of each person.
	Counted []ID
	// Eligible are the owners who can approve: active, and independent of the person who proposes.
	Eligible []ID
	// WithoutFrom is when two administrators may publish it without the owners.
	WithoutFrom time.Time
}

// Approved reports whether enough owners approved.
func (r *OwnerReview) Approved() bool { return len(r.Counted) >= r.Required }

// Rejected reports whether an owner rejected it and did not approve it since, also one whose account
// was disabled then: otherwise an administrator could remove a rejection.
func (r *OwnerReview) Rejected() bool {
	return slices.ContainsFunc(r.Decisions, func(d OwnerDecision) bool { return !d.Approved })
}

// Undecided returns the owners who can approve and did not yet.
func (r *OwnerReview) Undecided() []ID {
	var remaining []ID
	for _, id := range r.Eligible {
		if !slices.ContainsFunc(r.Decisions, func(d OwnerDecision) bool { return d.Owner == id && d.Approved }) {
			remaining = append(remaining, id)
		}
	}
	return remaining
}
