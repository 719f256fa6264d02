package domain

import "slices"

// DelegatedUser holds the complete delegator and the scope of the delegation. The policy is also
// evaluated for the complete user, because a denying rule may depend on a role or queue outside the
// scope.
type DelegatedUser struct {
	Full  User
	Scope Scope
}

// AsDelegator returns the user as their delegate may act for them: limited to the queues, document
// types and amount of the scope, and without the role of a submitter, because own documents are not
// delegated.
func (u User) AsDelegator(scope Scope) User {
	u.Delegated = &DelegatedUser{Full: u, Scope: scope}
	u.Roles = slices.DeleteFunc(
		slices.Clone(u.Roles), func(role Role) bool { return role == RoleSubmitter },
	)
	if len(scope.Queues) > 0 {
		outside := func(queue string) bool { return !slices.Contains(scope.Queues, queue) }
		u.Queues = slices.DeleteFunc(slices.Clone(u.Queues), outside)
	}
	var limits []Limit
	for _, limit := range u.Limits {
		if len(scope.DocumentTypes) == 0 {
			limits = append(limits, limit.cappedAt(scope.BaseMinor))
			continue
		}
		for _, name := range scope.DocumentTypes {
			// As in authz, the limit of the type takes precedence over the limit of every type.
			if limit.DocumentType == name ||
				limit.DocumentType == "" && !u.hasLimit(limit.Role, limit.Action, name) {
				narrowed := limit.cappedAt(scope.BaseMinor)
				narrowed.DocumentType = name
				limits = append(limits, narrowed)
			}
		}
	}
	u.Limits = limits
	return u
}

func (u User) hasLimit(role Role, action Action, documentType string) bool {
	return slices.ContainsFunc(u.Limits, func(l Limit) bool {
		return l.Role == role && l.Action == action && l.DocumentType == documentType
	})
}

func (l Limit) cappedAt(most *int64) Limit {
	if most != nil && (l.Unlimited || l.BaseMinor > *most) {
		l.Unlimited, l.BaseMinor = false, *most
	}
	return l
}
