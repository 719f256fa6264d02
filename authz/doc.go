// Package authz says who may do what: Casbin's enforcer over a versioned policy, judging facts it is given.
//
// What may enter: the policy, persons and facts as values; the rules that always hold as named lines of the matcher.
// What never happens here: SQL, reads, the wall clock, or a verdict on limits and conflicts outside Casbin's enforcer.
//
// A process without an amount hands in amounts that are known and zero: the policy has no way round the amount line.
package authz
