package domain

import (
	"strings"
	"time"
)

// ExternalIdentity is what a provider has confirmed about a person who signs in through it.
type ExternalIdentity struct {
	Provider string // its name
	Issuer   string
	Subject  string // of the person at the issuer
	// Session is the id of the provider's session; "" if it names none.
	Session    string
	EmployeeID string // normalised; "" if the provider confirms none
	Groups     []string
}

// LinkedIdentity is an identity at a provider that is fixed to an account.
type LinkedIdentity struct {
	Issuer      string
	Subject     string
	UserID      ID
	Provider    string
	WantedRoles []Role // that groups grant and the account lacks
	LinkedAt    time.Time
	UsedAt      time.Time
}

// GroupRole maps a group of a provider to a role.
type GroupRole struct {
	Provider string
	Group    string
	Role     Role
}

// Key identifies the mapping in a proposal. A role has no slash, so the group may.
func (g GroupRole) Key() string { return g.Provider + "/" + string(g.Role) + "/" + g.Group }

// ParseGroupRole is the inverse of Key.
func ParseGroupRole(key string) (GroupRole, bool) {
	provider, rest, ok := strings.Cut(key, "/")
	role, group, more := strings.Cut(rest, "/")
	return GroupRole{provider, group, Role(role)}, ok && more
}

// maxEmployeeID is in characters.
const maxEmployeeID = 100

// NormalEmployeeID returns the form in which employee ids are compared: without blanks around it and
// in lower case.
func NormalEmployeeID(text string) string { return strings.ToLower(strings.TrimSpace(text)) }

// CheckEmployeeID refuses an employee id that is too long or contains characters that are not text.
func CheckEmployeeID(id string) error {
	if Longer(id, maxEmployeeID) {
		return Invalid("employeeId", "The employee id must not be longer than %d characters.", maxEmployeeID)
	}
	return CheckText("employeeId", id)
}

// ProviderLogout is a provider's verified request to end sessions.
type ProviderLogout struct {
	Issuer    string
	TokenID   string
	Subject   string // "" if only the session is named
	Session   string // "" = all sessions of the subject
	ExpiresAt time.Time
}
