package domain

import (
	"encoding/json"
	"time"
)

// ProposalKind is what a proposal changes.
type ProposalKind string

// The kinds of versioned data that one person proposes and another publishes.
const (
	ProposeProcess ProposalKind = "process"
	ProposeRuleSet ProposalKind = "rule_set"
	ProposePolicy  ProposalKind = "policy"
)

// ProposalStatus is the status of a proposal.
type ProposalStatus string

// The statuses of a proposal. Published and withdrawn are final.
const (
	ProposalOpen      ProposalStatus = "proposed"
	ProposalPublished ProposalStatus = "published"
	ProposalWithdrawn ProposalStatus = "withdrawn"
)

// Proposal is a proposed next version of the text under a key.
type Proposal struct {
	ID       ID
	Kind     ProposalKind
	Key      string
	Base     int // newest version when it was proposed, 0 for none; it is published as Base + 1
	Restores int // earlier version that it restores, 0 for none
	Document string
	Report   json.RawMessage // result of the validation when it was proposed; its format depends on the kind
	Note     string
	Status   ProposalStatus

	ProposedBy ID
	ProposedAt time.Time
	DecidedBy  ID // who published or withdrew it; NoID while it is open
	DecidedAt  time.Time
	Reason     string // why it was withdrawn
}
