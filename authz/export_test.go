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

// NewKeeping is New with room for so many enforcers of each sort; with none, every condition is judged as it stands.
func NewKeeping(policy Policy, most int64) (*Authority, error) {
	authority, err := New(policy)
	if err == nil {
		authority.edition.Load().most = most
	}
	return authority, err
}

// Kept is how many enforcers of an action are kept with conditions as they stand, and with answered ones.
func (a *Authority) Kept(action domain.Action) (asStanding, answered int) {
	a.edition.Load().enforcers.Range(func(key, _ any) bool {
		switch key, _ := key.(enforcerKey); {
		case key.action != action:
		case key.sort == asTheyStand:
			asStanding++
		default:
			answered++
		}
		return true
	})
	return asStanding, answered
}
