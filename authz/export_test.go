package authz

import "countersign/domain"

// AllowedWithout is Authorize without the named hard rules.
func (a *Authority) AllowedWithout(
	user domain.User, action domain.Action, facts domain.ReviewFacts, rules ...string,
) bool {
	hardRules := hardRulesFor(action, objectReview)
	for _, entry := range reasonOrder {
		for _, rule := range rules {
			if entry.rule == rule {
				hardRules &^= entry.line
			}
		}
	}
	allowed, _, err := a.snapshot.Load().enforce(
		&request{actor: &user, objectKind: objectReview, review: &facts}, action, hardRules)
	return err == nil && allowed
}

// HardRules returns the names of the hard rules in the order in which they are reported.
func HardRules() []string {
	var names []string
	for _, entry := range reasonOrder {
		names = append(names, entry.rule)
	}
	return names
}

// AsAssignedTo exports asAssignedTo.
var AsAssignedTo = asAssignedTo

// NewWithCacheSize is New with a cache of the given size per pruning level; with size 0 no
// condition is pruned.
func NewWithCacheSize(policy Policy, most int64) (*Authority, error) {
	authority, err := New(policy)
	if err == nil {
		authority.snapshot.Load().maxCached = most
	}
	return authority, err
}

// CachedEnforcers returns the number of cached enforcers of an action without and with pruned
// conditions.
func (a *Authority) CachedEnforcers(action domain.Action) (unpruned, pruned int) {
	a.snapshot.Load().enforcers.Range(func(key, _ any) bool {
		switch key, _ := key.(enforcerKey); {
		case key.action != action:
		case key.level == pruneNothing:
			unpruned++
		default:
			pruned++
		}
		return true
	})
	return unpruned, pruned
}
