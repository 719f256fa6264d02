package domain

import (
	"encoding/json"
	"time"
)

// ProposalKind says of what a proposal is to become the next version.
type ProposalKind string

// The kinds: everything that is data with a life of versions, proposed by one person and published by another.
const (
	ProposeProcess ProposalKind = "process"
	ProposeRuleSet ProposalKind = "rule_set"
	ProposePolicy  ProposalKind = "policy"
)

// ProposalStatus is where a proposal stands; the last two are final.
type ProposalStatus string

// The statuses of a proposal.
const (
	ProposalOpen      ProposalStatus = "proposed"
	ProposalPublished ProposalStatus = "published"
	ProposalWithdrawn ProposalStatus = "withdrawn"
)

// Proposal is a text that is to become the next version of its key.
type Proposal struct {
	ID       ID
	Kind     ProposalKind
	Key      string
	Base     int // newest version when it was proposed, 0 for none; it becomes Base + 1 or nothing
	Restores int // earlier version that it repeats, 0 for none
	Document string
	Report   json.RawMessage // what was found when it was proposed; its shape is the kind's
	Note     string
	Status   ProposalStatus

	ProposedBy ID
	ProposedAt time.Time
	DecidedBy  ID // who published or withdrew it; NoID while it is open
	DecidedAt  time.Time
	Reason     string // why it was withdrawn
}
