package domain

import (
	"slices"
	"time"
)

// Role is a named bundle of powers; the policy says what it may do.
type Role string

// The built-in roles.
const (
	RoleSubmitter Role = "submitter"
	RoleL1        Role = "reviewer_l1"
	RoleSenior    Role = "reviewer_senior" // works L1 too, under a larger limit
	RoleL2        Role = "reviewer_l2"
	RoleAML       Role = "reviewer_aml"
	RoleManager   Role = "manager"
	RoleAuditor   Role = "auditor"
	RoleAdmin     Role = "administrator"
	RoleExternal  Role = "external_worker" // a program that does external stages; its queues are its topics
)

// Roles returns the built-in roles.
func Roles() []Role {
	return []Role{RoleSubmitter, RoleL1, RoleSenior, RoleL2, RoleAML, RoleManager, RoleAuditor, RoleAdmin, RoleExternal}
}

// The built-in review queues.
const (
	QueueL1  = "L1"
	QueueL2  = "L2"
	QueueAML = "AML"
)

// Action is one thing an actor may do; each is asked separately.
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
	return []Action{ActSubmit, ActRead, ActClaim, ActRelease, ActCorrect, ActEnter, ActDecide, ActEscalate, ActReassign,
		ActReplace, ActResubmit, ActRetry, ActAbandon, ActVerify, ActReadAudit, ActManagePeople, ActPublish, ActExternal}
}

// ScopeAccount is the scope of an API token for what its holder does about themselves: own tokens, delegations, absences,
// conflicts and accounts. It is no action of the policy, because everyone may do these things.
const ScopeAccount Action = "account"

// Scopes returns every scope that an API token can be given: the actions, and ScopeAccount.
func Scopes() []Action { return append(Actions(), ScopeAccount) }

// User is a person (or the system itself) with the power rows that the policy is asked about.
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
	// ReceivedDelegations is what was delegated to the person and may be used at the moment of reading; only giver, end and scope are set.
	ReceivedDelegations []Delegation
	// Delegated is set on the person as another may act in their name.
	Delegated *DelegatedUser
}

// CanDecide reports whether any role of the person may decide up to any amount.
func (u User) CanDecide() bool {
	return slices.ContainsFunc(u.Limits, func(l Limit) bool { return l.Action == ActDecide })
}

// HasRole reports whether the user holds the role.
func (u User) HasRole(role Role) bool { return slices.Contains(u.Roles, role) }

// Limit allows a role to decide a document type up to a base amount; DocumentType "" means every type.
type Limit struct {
	Role         Role
	DocumentType string
	Action       Action
	Unlimited    bool
	BaseMinor    int64
}

// Actor is who acts: a person through a session or an API token, or the system. OnBehalfOf is the delegator.
type Actor struct {
	UserID     ID
	Name       string
	OnBehalfOf ID
	TokenID    ID       // API token, else NoID
	SessionID  ID       // session, else NoID
	Scopes     []string // of an API token; empty = all that the person may
	System     bool
	// RequestsPerMinute is the bound of an API token that was given its own; 0 = the person's.
	RequestsPerMinute int64
	RequestID         string
	Channel           Channel
}

// InScope reports whether the actor came by a session, or by an API token that may be used for what needs one of the scopes;
// a token without scopes may be used for all that its holder may.
func (a Actor) InScope(needed ...Action) bool {
	return len(a.Scopes) == 0 || slices.ContainsFunc(needed, func(one Action) bool { return slices.Contains(a.Scopes, string(one)) })
}

// RequireScope refuses an API token that has none of the scopes that are needed, and names the first of them. What needs no
// scope by name is open to nobody.
func (a Actor) RequireScope(needed ...Action) error {
	switch {
	case a.System:
		return nil
	case len(needed) == 0:
		return Errorf(NotPermitted, "This operation names no scope.")
	case a.InScope(needed...):
		return nil
	}
	return Errorf(NotPermitted, "This API token does not have the scope %q.", needed[0]).
		WithRemedy("Create a token with that scope.").WithDetail("scope", string(needed[0]))
}

// SystemUserID is the fixed user row that the machine acts as.
var SystemUserID = ID{0, 0, 0, 0, 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, 0x10}

// SystemActor is the machine itself: stages, timers, migrations.
func SystemActor() Actor { return Actor{UserID: SystemUserID, Name: "system", System: true} }

// Session is a signed-in browser; only the token's hash is stored.
type Session struct {
	ID        ID
	UserID    ID
	CreatedAt time.Time
	ExpiresAt time.Time
	EndedAt   time.Time
}

// APIToken is a credential of a program; only its hash is stored, it is shown once.
type APIToken struct {
	ID        ID
	UserID    ID
	Name      string
	Scopes    []string
	CreatedAt time.Time
	ExpiresAt time.Time // zero = none
	RevokedAt time.Time
	LastUsed  time.Time
	// RequestsPerMinute is a bound of its own, which an administrator gave it; 0 = the person's.
	RequestsPerMinute int64
}
