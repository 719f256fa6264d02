package audit

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"countersign/domain"
)

// AuthorityRows are the rows that decide who may do what: people, limits, conflicts, delegations,
// published versions and owners of processes. All are of one moment, with the heads of the system streams at it.
type AuthorityRows struct {
	Heads       []AuthorityHead
	People      []AuthorityPerson
	Limits      []AuthorityLimit
	Conflicts   []AuthorityConflict   // that have not ended
	Delegations []AuthorityDelegation // that were not ended early
	Versions    []AuthorityVersion
	Owners      []AuthorityOwners // of processes that have owners
	Rehearsals  []AuthorityRehearsal
}

// AuthorityHead is the last event of a system stream.
type AuthorityHead struct {
	Stream domain.ID
	Seq    int64
}

// AuthorityPerson is an account with its rights. The lists are sorted.
type AuthorityPerson struct {
	ID                    domain.ID
	Email, EmployeeID     string
	Disabled              bool
	Roles, Queues, Skills []string
}

// AuthorityLimit is the limit of a role: an amount in minor units of the base currency.
type AuthorityLimit struct {
	Role, Action, DocumentType string
	Unlimited                  bool
	BaseMinor                  int64
}

// AuthorityConflict is a conflict of interest.
type AuthorityConflict struct{ ID, Person, Party domain.ID }

// AuthorityDelegation is a delegation. BaseMinor is absent without a limit of its own.
type AuthorityDelegation struct {
	ID, From, To          domain.ID
	ValidFrom, ValidUntil time.Time
	Queues, DocumentTypes []string
	BaseMinor             *int64
}

// AuthorityVersion is a published version of a process, a rule set, a document type or the policy.
type AuthorityVersion struct {
	Kind    domain.ProposalKind
	Key     string
	Version int64
	SHA256  string // of its text, in hexadecimal
}

// AuthorityOwners are the owners of a process, and how many of them must approve its next texts.
type AuthorityOwners struct {
	Process  string
	Owners   []string // sorted ids
	Required int64
}

// AuthorityRehearsal is the report of a rehearsal of a proposed text. The hashes are computed from the texts.
type AuthorityRehearsal struct {
	ID, Proposal, By   domain.ID
	SHA256, TextSHA256 string
	Base               int64
	BaseSHA256         string // "" if the text would replace no version
}

// InitialLimits are the limits of a new installation, which no event records.
var InitialLimits = []AuthorityLimit{
	{Role: "reviewer_l1", Action: "decide", BaseMinor: 50_000_000},
	{Role: "reviewer_senior", Action: "decide", BaseMinor: 200_000_000},
	{Role: "reviewer_l2", Action: "decide", Unlimited: true},
	{Role: "reviewer_aml", Action: "decide", Unlimited: true},
	{Role: "manager", Action: "decide", Unlimited: true},
}

// AuthorityCheck computes these rows from the events of the system streams, which are added in the
// order of each stream, to its head.
type AuthorityCheck struct {
	people      map[domain.ID]*expectedPerson
	limits      map[string]expected[AuthorityLimit]
	conflicts   map[domain.ID]expected[AuthorityConflict]
	delegations map[domain.ID]expected[AuthorityDelegation]
	versions    map[string]expected[AuthorityVersion]
	owners      map[string]expected[AuthorityOwners]
	rehearsals  map[domain.ID]expected[AuthorityRehearsal]
	unreadable  []RowProblem
}

// expected is a row that must exist, and the event that made it.
type expected[T any] struct {
	row T
	seq int64
}

type expectedPerson struct {
	AuthorityPerson
	seq          int64
	emailChanged bool // to an address that no event names
}

// NewAuthorityCheck returns the check of a new installation.
func NewAuthorityCheck() *AuthorityCheck {
	a := &AuthorityCheck{people: map[domain.ID]*expectedPerson{},
		limits:      map[string]expected[AuthorityLimit]{},
		conflicts:   map[domain.ID]expected[AuthorityConflict]{},
		delegations: map[domain.ID]expected[AuthorityDelegation]{},
		versions:    map[string]expected[AuthorityVersion]{},
		owners:      map[string]expected[AuthorityOwners]{},
		rehearsals:  map[domain.ID]expected[AuthorityRehearsal]{}}
	a.people[domain.SystemUserID] = &expectedPerson{AuthorityPerson: AuthorityPerson{
		ID: domain.SystemUserID, Disabled: true}, emailChanged: true}
	for _, limit := range InitialLimits {
		a.limits[limit.key()] = expected[AuthorityLimit]{row: limit}
	}
	return a
}

func (l AuthorityLimit) key() string {
	return l.Role + "/" + l.Action + "/" + l.DocumentType
}

func (v AuthorityVersion) key() string { return fmt.Sprintf("%s/%s/%d", v.Kind, v.Key, v.Version) }

// authorityBody are the properties of the events about authority.
type authorityBody struct {
	UserID       domain.ID `json:"userId"`
	Person       domain.ID `json:"person"`
	Email        string    `json:"email"`
	Roles        []string  `json:"roles"`
	Queues       []string  `json:"queues"`
	Changed      []string  `json:"changed"`
	RolesAfter   []string  `json:"rolesAfter"`
	QueuesAfter  []string  `json:"queuesAfter"`
	Disabled     *bool     `json:"disabled"`
	Role         string    `json:"role"`
	Action       string    `json:"action"`
	DocumentType string    `json:"documentType"`

	ConflictID    domain.ID `json:"conflictId"`
	PartyID       domain.ID `json:"partyId"`
	DelegationID  domain.ID `json:"delegationId"`
	From          domain.ID `json:"from"`
	To            domain.ID `json:"to"`
	ValidFrom     time.Time `json:"validFrom"`
	ValidUntil    time.Time `json:"validUntil"`
	DocumentTypes []string  `json:"documentTypes"`
	BaseMinor     *int64    `json:"baseMinor"`

	Kind              domain.ProposalKind `json:"kind"`
	Key               string              `json:"key"`
	DefinitionVersion int64               `json:"definitionVersion"`
	PolicyVersion     int64               `json:"policyVersion"`
	SHA256            string              `json:"sha256"`
}

// Add adds the next event of a system stream, whose chain is verified separately.
func (a *AuthorityCheck) Add(event *domain.Event) {
	read := func(into any) bool {
		if json.Unmarshal(event.Body, into) == nil {
			return true
		}
		a.unreadable = append(a.unreadable, RowProblem{event.Seq, fmt.Sprintf(
			"event %d (%s) cannot be read, so the rows that follow from it are not known", event.Seq, event.Type)})
		return false
	}
	var body authorityBody
	switch event.Type {
	case domain.UserCreated, domain.UserChanged:
		if read(&body) {
			a.addUser(event, body)
		}
	case domain.EmployeeChanged:
		var changed struct {
			UserID domain.ID `json:"userId"`
			After  string    `json:"after"`
		}
		if read(&changed) {
			a.person(changed.UserID, event).EmployeeID = changed.After
		}
	case domain.PersonSkillsChanged:
		var changed struct {
			Person domain.ID `json:"person"`
			After  []string  `json:"after"`
		}
		if read(&changed) {
			a.person(changed.Person, event).Skills = sorted(changed.After)
		}
	case domain.LimitChanged:
		var changed struct {
			authorityBody
			After *AuthorityLimit `json:"after"`
		}
		if read(&changed) {
			a.addLimit(event, changed.authorityBody, changed.After)
		}
	case domain.ProcessOwnersChanged:
		var changed ownersBody
		if read(&changed) {
			a.addOwners(event, AuthorityOwners{changed.Process, sorted(changed.After), changed.Required})
		}
	case domain.ProposalRehearsed:
		var made rehearsedBody
		if read(&made) {
			a.addRehearsal(event, made)
		}
	case domain.ConflictDeclared, domain.ConflictEnded, domain.DelegationCreated, domain.DelegationEnded:
		if read(&body) {
			a.addRelation(event, body)
		}
	case domain.DefinitionPublished, domain.DocumentTypePublished, domain.PolicyPublished:
		if read(&body) {
			a.addVersion(event, body)
		}
	}
}

// ownersBody are the properties of the event of other owners of a process.
type ownersBody struct {
	Process  string   `json:"process"`
	After    []string `json:"after"`
	Required int64    `json:"required"`
}

// rehearsedBody are the properties of the event of a recorded rehearsal.
type rehearsedBody struct {
	ProposalID   domain.ID `json:"proposalId"`
	ReportID     domain.ID `json:"reportId"`
	ReportSHA256 string    `json:"reportSha256"`
	SHA256       string    `json:"sha256"`
	Base         int64     `json:"base"`
	BaseSHA256   string    `json:"baseSha256"`
}

func (a *AuthorityCheck) addRehearsal(event *domain.Event, made rehearsedBody) {
	a.rehearsals[made.ReportID] = expected[AuthorityRehearsal]{AuthorityRehearsal{ID: made.ReportID,
		Proposal: made.ProposalID, By: event.Actor, SHA256: made.ReportSHA256, TextSHA256: made.SHA256,
		Base: made.Base, BaseSHA256: made.BaseSHA256}, event.Seq}
}

// person returns the account that an event changed.
func (a *AuthorityCheck) person(id domain.ID, event *domain.Event) *expectedPerson {
	if a.people[id] == nil {
		a.people[id] = &expectedPerson{AuthorityPerson: AuthorityPerson{ID: id}, emailChanged: true}
	}
	a.people[id].seq = event.Seq
	return a.people[id]
}

func (a *AuthorityCheck) addUser(event *domain.Event, body authorityBody) {
	p := a.person(body.UserID, event)
	if event.Type == domain.UserCreated {
		p.Email, p.emailChanged = body.Email, false
		p.Roles, p.Queues, p.Disabled = sorted(body.Roles), sorted(body.Queues), false
		return
	}
	if slices.Contains(body.Changed, "roles") {
		p.Roles = sorted(body.RolesAfter)
	}
	if slices.Contains(body.Changed, "queues") {
		p.Queues = sorted(body.QueuesAfter)
	}
	if slices.Contains(body.Changed, "email") {
		p.emailChanged = true
	}
	if body.Disabled != nil {
		p.Disabled = *body.Disabled
	}
}

func (a *AuthorityCheck) addLimit(event *domain.Event, body authorityBody, after *AuthorityLimit) {
	limit := AuthorityLimit{Role: body.Role, Action: body.Action, DocumentType: body.DocumentType}
	if after == nil {
		delete(a.limits, limit.key())
		return
	}
	limit.Unlimited, limit.BaseMinor = after.Unlimited, after.BaseMinor
	a.limits[limit.key()] = expected[AuthorityLimit]{limit, event.Seq}
}

func (a *AuthorityCheck) addOwners(event *domain.Event, owners AuthorityOwners) {
	if owners.Required == 0 {
		delete(a.owners, owners.Process)
		return
	}
	a.owners[owners.Process] = expected[AuthorityOwners]{owners, event.Seq}
}

func (a *AuthorityCheck) addRelation(event *domain.Event, body authorityBody) {
	switch event.Type {
	case domain.ConflictDeclared:
		a.conflicts[body.ConflictID] = expected[AuthorityConflict]{
			AuthorityConflict{body.ConflictID, body.Person, body.PartyID}, event.Seq}
	case domain.ConflictEnded:
		delete(a.conflicts, body.ConflictID)
	case domain.DelegationCreated:
		a.delegations[body.DelegationID] = expected[AuthorityDelegation]{AuthorityDelegation{
			ID: body.DelegationID, From: body.From, To: body.To, ValidFrom: body.ValidFrom,
			ValidUntil: body.ValidUntil, Queues: sorted(body.Queues),
			DocumentTypes: sorted(body.DocumentTypes), BaseMinor: body.BaseMinor}, event.Seq}
	case domain.DelegationEnded:
		delete(a.delegations, body.DelegationID)
	}
}

func (a *AuthorityCheck) addVersion(event *domain.Event, body authorityBody) {
	version := AuthorityVersion{body.Kind, body.Key, body.DefinitionVersion, body.SHA256}
	switch {
	case event.Type == domain.DocumentTypePublished:
		version.Kind = domain.ProposeDocumentType
	case event.Type == domain.PolicyPublished:
		version.Kind, version.Key, version.Version = domain.ProposePolicy, "", body.PolicyVersion
	case version.Kind == "":
		version.Kind = domain.ProposeProcess // the first contract of the event knew only processes
	}
	a.versions[version.key()] = expected[AuthorityVersion]{version, event.Seq}
}

func sorted(names []string) []string {
	names = slices.Clone(names)
	slices.Sort(names)
	return slices.Compact(names)
}

// same reports whether two sorted lists have the same names.
func same(a, b []string) bool { return strings.Join(a, "\n") == strings.Join(b, "\n") }
