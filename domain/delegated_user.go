package domain

import "slices"

// DelegatedUser says of a delegated user who they are in whole and what was delegated: what the whole may not do, the lent may not
// either, for a rule that denies may fall away with the role or queue that was not lent.
type DelegatedUser struct {
	Full  User
	Scope Scope
}

// AsDelegator is the person as another may act in their name: with the queues, document types and amount of the scope, and
// without what is only their own (the documents they submitted).
func (u User) AsDelegator(scope Scope) User {
	u.Delegated = &DelegatedUser{Full: u, Scope: scope}
	u.Roles = slices.DeleteFunc(slices.Clone(u.Roles), func(role Role) bool { return role == RoleSubmitter })
	if len(scope.Queues) > 0 {
		u.Queues = slices.DeleteFunc(slices.Clone(u.Queues), func(queue string) bool { return !slices.Contains(scope.Queues, queue) })
	}
	var limits []Limit
	for _, limit := range u.Limits {
		if len(scope.DocumentTypes) == 0 {
			limits = append(limits, limit.cappedAt(scope.BaseMinor))
			continue
		}
		for _, name := range scope.DocumentTypes {
			// The row of the type stands before the row of every type, here as where limits are judged.
			if limit.DocumentType == name || limit.DocumentType == "" && !u.hasLimit(limit.Role, limit.Action, name) {
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
