// Package authz decides who can do what with a Casbin enforcer over a versioned policy.
//
// Belongs here: functions over the policy, users and facts as values; the hard rules as named parts
// of the matcher.
//
// Never here: SQL, reads, the wall clock, or a decision about limits and conflicts outside Casbin's
// enforcer.
//
// For a process without an amount the caller passes a known amount of zero, because the policy
// cannot bypass the limit rule.
package authz
