package authz

import "countersign/domain"

// Lifted answers as Authorize would without the named hard rules.
func (a *Authority) Lifted(user domain.User, action domain.Action, facts domain.ReviewFacts, rules ...string) bool {
	lines := linesOf(action, ofReview)
	for _, entry := range reasonOrder {
		for _, rule := range rules {
			if entry.rule == rule {
				lines &^= entry.line
			}
		}
	}
	allowed, _, err := a.edition.Load().enforce(&ask{actor: &user, on: ofReview, review: &facts}, action, lines)
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

// AsGivenTo is the review as it would be for the person once it was theirs.
var AsGivenTo = asGivenTo
