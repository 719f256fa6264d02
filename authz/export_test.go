package authz

import "countersign/domain"

// AllowedWithout answers as Authorize would without the named hard rules.
func (a *Authority) AllowedWithout(user domain.User, action domain.Action, facts domain.ReviewFacts, rules ...string) bool {
	hardRules := hardRulesFor(action, objectReview)
	for _, entry := range reasonOrder {
		for _, rule := range rules {
			if entry.rule == rule {
				hardRules &^= entry.line
			}
		}
	}
	allowed, _, err := a.snapshot.Load().enforce(&request{actor: &user, objectKind: objectReview, review: &facts}, action, hardRules)
	return err == nil && allowed
}

// HardRules are the names of the hard rules in the order in which they are told.
func HardRules() []string {
	var names []string
	for _, entry := range reasonOrder {
		names = append(names, entry.rule)
	}
	return names
}

// AsAssignedTo is the review as it would be for the person once it was theirs.
var AsAssignedTo = asAssignedTo

// NewWithCacheSize is New with room for so many enforcers of each sort; with none, every condition is judged as it stands.
func NewWithCacheSize(policy Policy, most int64) (*Authority, error) {
	authority, err := New(policy)
	if err == nil {
		authority.snapshot.Load().maxCached = most
	}
	return authority, err
}

// CachedEnforcers is how many enforcers of an action are kept with conditions as they stand, and with answered ones.
func (a *Authority) CachedEnforcers(action domain.Action) (asStanding, answered int) {
	a.snapshot.Load().enforcers.Range(func(key, _ any) bool {
		switch key, _ := key.(enforcerKey); {
		case key.action != action:
		case key.level == pruneNothing:
			asStanding++
		default:
			answered++
		}
		return true
	})
	return asStanding, answered
}
