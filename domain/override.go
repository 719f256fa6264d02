package domain

import "time"

// Override is what an approval needs while a finding is open.
type Override string

// The overrides, from the weakest to the strongest.
const (
	OverrideNone         Override = "none"          // nothing
	OverrideReason       Override = "reason"        // a reason that one reviewer states
	OverrideSecondPerson Override = "second_person" // reasons of two reviewers
	OverrideQueue        Override = "queue"         // an approval in another queue
	OverrideNever        Override = "never"         // the finding has to go away
)

// ApprovalRequirement is what an approval needs because of one finding.
type ApprovalRequirement struct {
	Rule  string
	Title string // of the rule, in English
	// FindingHash identifies what the finding says; an override of another hash does not count.
	FindingHash [32]byte
	Override    Override // never OverrideNone
	Queue       string   // of OverrideQueue
	// Given are the overrides of this finding so far, oldest first.
	Given []FindingOverride
	// Satisfied says that the approval needs nothing else because of the finding.
	Satisfied bool
}

// FindingOverride is the statement of a reviewer why a finding does not stop an approval.
type FindingOverride struct {
	CaseID      ID
	ID          ID
	Rule        string
	FindingHash [32]byte // of the finding as the reviewer saw it
	ReviewID    ID
	Person      ID
	OnBehalfOf  ID
	Reason      string
	At          time.Time
	// OtherAccounts are further accounts of the persons. They are not stored with the override.
	OtherAccounts []ID
}

// Persons returns who stated it, with all their accounts: the user who acted and, if any, the
// delegator.
func (o *FindingOverride) Persons() []ID {
	persons := append([]ID{o.Person}, o.OtherAccounts...)
	if o.OnBehalfOf != NoID {
		persons = append(persons, o.OnBehalfOf)
	}
	return persons
}
