package domain

import (
	"slices"
	"time"
)

// Role is a role of a user. The policy defines its permissions.
type Role string

// The built-in roles.
const (
	RoleSubmitter Role = "submitter"
	RoleL1        Role = "reviewer_l1"
	RoleSenior    Role = "reviewer_senior" // also works L1, with a higher limit
	RoleL2        Role = "reviewer_l2"
	RoleAML       Role = "reviewer_aml"
	RoleManager   Role = "manager"
	RoleAuditor   Role = "auditor"
	RoleAdmin     Role = "administrator"
	RoleExternal  Role = "external_worker" // a program that processes external stages; its queues are its topics
)

// Roles returns the built-in roles.
func Roles() []Role {
	return []Role{
		RoleSubmitter, RoleL1, RoleSenior, RoleL2, RoleAML, RoleManager, RoleAuditor, RoleAdmin,
		RoleExternal,
	}
}

// The built-in review queues.
const (
	QueueL1  = "L1"
	QueueL2  = "L2"
	QueueAML = "AML"
	// QueueRepair has the cases that lack a fact that their process needs.
	QueueRepair = "repair"
)

// Action is something an actor may do. The policy is evaluated for each action.
type Action string

// The actions.
const (
	ActSubmit       Action = "submit"
	ActRead         Action = "read"
	ActClaim        Action = "claim"
	ActRelease      Action = "release"
	ActCorrect      Action = "correct"
	ActEnter        Action = "enter"
	ActDecide       Action = "decide"
	ActEscalate     Action = "escalate"
	ActReassign     Action = "reassign"
	ActReplace      Action = "replace"
	ActResubmit     Action = "resubmit"
	ActRetry        Action = "retry"
	ActAbandon      Action = "abandon"
	ActVerify       Action = "verify"
	ActReadAudit    Action = "read_audit"
	ActManagePeople Action = "manage_people"
	ActPublish      Action = "publish"
	ActExternal     Action = "external"
)

// Actions returns every action.
func Actions() []Action {
	return []Action{
		ActSubmit, ActRead, ActClaim, ActRelease, ActCorrect, ActEnter, ActDecide, ActEscalate,
		ActReassign, ActReplace, ActResubmit, ActRetry, ActAbandon, ActVerify, ActReadAudit,
		ActManagePeople, ActPublish, ActExternal,
	}
}

// ActApprove asks for an explanation of an approval: ActDecide with what stops an approval only. It is
// not an action of the policy.
const ActApprove Action = "approve"

// ActReturn asks for an explanation of a return: ActDecide, or only the return of a review that no user
// may decide. It is not an action of the policy.
const ActReturn Action = "return"

// ScopeAccount is the scope of an API token for the holder's own tokens, delegations, absences,
// conflicts and accounts. It is not an action of the policy, because every user may do these
// things.
const ScopeAccount Action = "account"

// ScopeEvents is the scope of an API token for the feed of events. It is not an action of the policy:
// which events the feed contains follows from what the holder may read.
const ScopeEvents Action = "events"

// ScopeNotes is the scope of an API token for writing notes about cases. It is not an action of the
// policy: everyone who may read a case may write notes about it.
const ScopeNotes Action = "notes"

// Scopes returns every scope of API tokens: the actions, ScopeAccount, ScopeEvents and ScopeNotes.
func Scopes() []Action { return append(Actions(), ScopeAccount, ScopeEvents, ScopeNotes) }

// User is a person, or the system, with the data that the policy uses.
type User struct {
	ID       ID
	Email    string
	Name     string
	Disabled bool
	Roles    []Role
	Queues   []string
	Limits   []Limit
	Version  int64
	Locale   string
	// ReceivedDelegations are the delegations to the person that were active when the user was
	// read. Only Delegator, Until and Scope are set.
	ReceivedDelegations []Delegation
	// Delegated is set if this is a delegator as their delegate may act for them.
	Delegated *DelegatedUser
	// EmployeeID is the id by which the person signs in through a provider; "" = they do not.
	EmployeeID string
	// OtherAccounts are further accounts of the same person. For four eyes they are this one.
	OtherAccounts []ID
}

// Accounts returns all accounts of the person.
func (u *User) Accounts() []ID { return append([]ID{u.ID}, u.OtherAccounts...) }

// IsSamePerson reports whether the account is one of the person's.
func (u *User) IsSamePerson(account ID) bool {
	return u.ID == account || slices.Contains(u.OtherAccounts, account)
}

// AnyAccountIn reports whether one of the person's accounts is in the list.
func (u *User) AnyAccountIn(accounts []ID) bool {
	return slices.ContainsFunc(accounts, u.IsSamePerson)
}

// SeesColleague reports whether the user sees the name of the other one because both can decide. Who sees
// the names of all people is decided by the policy.
func (u *User) SeesColleague(other *User) bool {
	return u.CanDecide() && !other.Disabled && other.CanDecide()
}

// CanDecide reports whether the user has a limit for decisions.
func (u User) CanDecide() bool {
	return slices.ContainsFunc(u.Limits, func(l Limit) bool { return l.Action == ActDecide })
}

// HasRole reports whether the user has the role.
func (u User) HasRole(role Role) bool { return slices.Contains(u.Roles, role) }

// Limit allows a role an action on a document type up to an amount; DocumentType "" means every
// type.
type Limit struct {
	Role         Role
	DocumentType string
	Action       Action
	Unlimited    bool
	BaseMinor    int64
}

// Actor is the originator of a command: a person with a session or an API token, or the system.
// OnBehalfOf is the delegator.
type Actor struct {
	UserID     ID
	Name       string
	OnBehalfOf ID
	TokenID    ID       // API token, else NoID
	SessionID  ID       // session, else NoID
	Scopes     []string // of an API token; empty = all permissions of the person
	System     bool
	// RequestsPerMinute is the rate limit of the API token; 0 = that of the person.
	RequestsPerMinute int64
	RequestID         string
	Channel           Channel
}

// InScope reports whether the actor has one of the scopes. Sessions, and API tokens without scopes,
// have all of them.
func (a Actor) InScope(needed ...Action) bool {
	granted := func(one Action) bool { return slices.Contains(a.Scopes, string(one)) }
	return len(a.Scopes) == 0 || slices.ContainsFunc(needed, granted)
}

// RequireScope returns NotPermitted if the actor has none of the needed scopes, and names the first
// of them. An operation that declares no scope is not permitted for any user.
func (a Actor) RequireScope(needed ...Action) error {
	switch {
	case a.System:
		return nil
	case len(needed) == 0:
		return Errorf(NotPermitted, "This operation declares no scope, so no user may call it.")
	case a.InScope(needed...):
		return nil
	}
	return Errorf(NotPermitted, "This API token does not have the scope %q.", needed[0]).
		WithRemedy("Use a token with this scope.").WithDetail("scope", string(needed[0]))
}

// RequireSession returns NotPermitted if the actor uses no browser session, as changing one's passkeys
// or password needs one.
func (a Actor) RequireSession() error {
	if a.SessionID != NoID {
		return nil
	}
	return Errorf(NotPermitted, "Passkeys and passwords are changed only in a browser session.").
		WithRemedy("Sign in and open your account.")
}

// SystemUserID is the id of the user row of the system.
var SystemUserID = ID{0, 0, 0, 0, 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, 0x10}

// SystemActor returns the actor of stages, timers and migrations.
func SystemActor() Actor { return Actor{UserID: SystemUserID, Name: "system", System: true} }

// Session is a signed-in browser. Only the hash of its token is stored.
type Session struct {
	ID        ID
	UserID    ID
	CreatedAt time.Time
	ExpiresAt time.Time
	EndedAt   time.Time
}

// APIToken is a credential of a program. It is shown once, and only its hash is stored.
type APIToken struct {
	ID        ID
	UserID    ID
	Name      string
	Scopes    []string
	CreatedAt time.Time
	ExpiresAt time.Time // zero = none
	RevokedAt time.Time
	LastUsed  time.Time
	// RequestsPerMinute is the rate limit set by an administrator; 0 = that of the person.
	RequestsPerMinute int64
}
