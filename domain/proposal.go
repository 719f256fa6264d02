package domain

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"time"
)

// ProposalKind is what a proposal changes.
type ProposalKind string

// The kinds of versioned data that one person proposes and another publishes.
const (
	ProposeProcess ProposalKind = "process"
	ProposeRuleSet ProposalKind = "rule_set"
	ProposePolicy  ProposalKind = "policy"
	// ProposeDocumentType is the kind of versions of a document type.
	ProposeDocumentType ProposalKind = "document_type"
)

// The kinds of control data. One person proposes a change that eases a control or joins two groups
// of parties, another confirms it; the document of the proposal is a ControlDocument.
const (
	ControlCountryRisk ProposalKind = "country_risk"   // key: country code
	ControlRate        ProposalKind = "rate"           // key: currency
	ControlConflictEnd ProposalKind = "conflict_end"   // key: id of the conflict
	ControlPartyLeave  ProposalKind = "party_leave"    // key: id of the party
	ControlPartyJoin   ProposalKind = "party_join"     // key: id of the party
	ControlSampleShare ProposalKind = "sample_share"   // key: process/stratum
	ControlDrawMark    ProposalKind = "draw_mark"      // key: process
	ControlConnector   ProposalKind = "connector"      // key: name
	ControlPerson      ProposalKind = "person"         // key: id of the person
	ControlLimit       ProposalKind = "limit"          // key: role/document type
	ControlSignIn      ProposalKind = "sign_in"        // key: id of the person
	ControlQueue       ProposalKind = "queue"          // key: name
	ControlCalendar    ProposalKind = "calendar"       // key: name
	ControlErasure     ProposalKind = "erasure"        // key: id of the case
	ControlLegalHold   ProposalKind = "legal_hold"     // key: id of the hold to lift
	ControlRetention   ProposalKind = "retention"      // key: document type, or "*"
	ControlDelegation  ProposalKind = "delegation"     // key: ids of the delegator and the delegate
	ControlAbsence     ProposalKind = "absence"        // key: id of the absence, whose substitute is proposed
	ControlSkills      ProposalKind = "skills"         // key: id of the person
	ControlProxies     ProposalKind = "proxies"        // key: trusted
	ControlGroupRole   ProposalKind = "group_role"     // key: GroupRole.Key
	ControlMigration   ProposalKind = "case_migration" // key: process
	ControlOwners      ProposalKind = "process_owners" // key: process
)

// IsControl reports whether the kind is one of control data.
func (k ProposalKind) IsControl() bool { return slices.Contains(ControlKinds(), k) }

// ControlKinds returns the kinds of control data.
func ControlKinds() []ProposalKind {
	return []ProposalKind{ControlCountryRisk, ControlRate, ControlConflictEnd, ControlPartyLeave,
		ControlPartyJoin, ControlSampleShare, ControlDrawMark, ControlConnector, ControlPerson, ControlLimit,
		ControlSignIn, ControlQueue, ControlCalendar, ControlErasure, ControlLegalHold, ControlRetention,
		ControlDelegation, ControlAbsence, ControlSkills, ControlProxies, ControlGroupRole,
		ControlMigration, ControlOwners}
}

// KeyNames reports whether the key of a change of control data is a name that people know, and not an id.
func (k ProposalKind) KeyNames() bool {
	return k.IsControl() && !slices.Contains([]ProposalKind{ControlConflictEnd, ControlPartyLeave, ControlPartyJoin,
		ControlPerson, ControlSignIn, ControlErasure, ControlLegalHold, ControlDelegation, ControlAbsence,
		ControlSkills}, k)
}

// ControlDocument is the document of a proposal of control data, as JSON. Triggers of the database
// compare After with the value that is written.
type ControlDocument struct {
	Before string `json:"before"` // risk level, rate in micros, names of the group, share in millionths, mark in minor units, or spec of a connector
	After  string `json:"after"`
	Name   string `json:"name,omitempty"`  // of the party or the person
	With   ID     `json:"with,omitzero"`   // a party of the group to join
	Person ID     `json:"person,omitzero"` // of the conflict, or whose account, way to sign in, skills or work changes
}

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
	Reason     string // why it was withdrawn, or published without the owners of the process
}

// TextSHA256 returns the hash of the proposed text, in hexadecimal, which owners approve and reports name.
func (p *Proposal) TextSHA256() string {
	sum := sha256.Sum256([]byte(p.Document))
	return hex.EncodeToString(sum[:])
}
