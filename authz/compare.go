package authz

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"countersign/domain"
)

// RightChange is an action that another policy allows a user on more objects, or on fewer.
type RightChange struct {
	Action domain.Action
	Object Object // GlobalObject, AnyCase or AnyReview: the kind of the objects
	// Partly says that the action was allowed on other objects before, or remains allowed on them.
	Partly bool
	Queues []string // of the gained or lost reviews
}

// UserChange is what a user could do by another policy and other limits, and what no longer.
type UserChange struct {
	Gains, Loses []RightChange
	Amounts      []AmountChange
}

// Empty reports whether nothing changes.
func (c UserChange) Empty() bool { return len(c.Gains)+len(c.Loses)+len(c.Amounts) == 0 }

// Comparison compares what users may do by two policies. It asks the enforcers that decide, about
// one review or case of each class that the rules of the user distinguish.
type Comparison struct {
	before, after *policySnapshot
	// later returns the user as they would be: with other limits, or as an open proposal changes them.
	later         func(domain.User) domain.User
	queues, types []string
	usesIDs       bool // conditions tell users apart who have the same roles, queues and limits
	remaining     int  // questions that may still be asked
	partial       bool // some user has more classes than maxSamples
	changes       map[string]UserChange
	holders       map[string][2]bool
}

// maxSamples bounds the classes of one action and user, maxChecks the questions of a comparison.
const (
	maxSamples = 512
	maxChecks  = 400_000
)

// Compare returns the comparison of two policies over the reviews and cases in the queues.
func Compare(before, after *Authority, queues []string) *Comparison {
	c := &Comparison{before: before.snapshot.Load(), after: after.snapshot.Load(), queues: queues,
		later:     func(user domain.User) domain.User { return user },
		remaining: maxChecks, changes: map[string]UserChange{}, holders: map[string][2]bool{}}
	for _, rule := range slices.Concat(c.before.policy.Rules, c.after.policy.Rules) {
		c.usesIDs = c.usesIDs || strings.Contains(rule.Condition, "user.id") ||
			strings.Contains(rule.Condition, "review.submitter")
	}
	return c
}

// Changing makes the comparison ask the second policy about each user as later returns them, and compare
// amounts for the document types. It is called before anything is compared.
func (c *Comparison) Changing(types []string, later func(domain.User) domain.User) *Comparison {
	c.types, c.later = types, later
	return c
}

// Complete reports whether every class was compared within the bounds.
func (c *Comparison) Complete() bool { return c.remaining > 0 && !c.partial }

// Of returns what changes for the user.
func (c *Comparison) Of(user domain.User) UserChange {
	key := c.keyOf(user)
	change, known := c.changes[key]
	if !known {
		for _, action := range domain.Actions() {
			for _, kind := range kindsOf(action) {
				c.addChanges(&change, &user, ruleTarget{action, kind})
			}
		}
		change.Amounts = c.amounts(&user)
		c.changes[key] = change
	}
	return change
}

// Holds reports whether the user may do the action on any object, before and after.
func (c *Comparison) Holds(user domain.User, action domain.Action) (before, after bool) {
	key := string(action) + "\n" + c.keyOf(user)
	if found, known := c.holders[key]; known {
		return found[0], found[1]
	}
	for _, kind := range kindsOf(action) {
		target := ruleTarget{action, kind}
		later := c.later(user)
		for _, facts := range c.samples(&user, &later, target) {
			before = before || c.allows(c.before, &user, target, facts)
			after = after || c.allows(c.after, &later, target, facts)
		}
	}
	c.holders[key] = [2]bool{before, after}
	return before, after
}

// keyOf returns a key that is equal for users whom the policies treat alike.
func (c *Comparison) keyOf(user domain.User) string {
	key := keyOfUser(user) + "\n" + keyOfUser(c.later(user))
	if c.usesIDs {
		key += user.ID.String()
	}
	return key
}

func keyOfUser(user domain.User) string {
	roles, queues := slices.Sorted(slices.Values(user.Roles)), slices.Sorted(slices.Values(user.Queues))
	return fmt.Sprintf("%q %q %v %t", roles, queues, sortedLimits(user), user.Disabled)
}

func sortedLimits(user domain.User) []domain.Limit {
	return slices.SortedFunc(slices.Values(user.Limits), func(a, b domain.Limit) int {
		return cmp.Or(cmp.Compare(a.Role, b.Role), cmp.Compare(a.DocumentType, b.DocumentType))
	})
}

// addChanges adds what the user gains and loses of one action on one kind of object.
func (c *Comparison) addChanges(change *UserChange, user *domain.User, target ruleTarget) {
	later := c.later(*user)
	if c.sameRights(user, &later, target) {
		return
	}
	gained := RightChange{Action: target.action, Object: wholeObject(target.objectKind)}
	lost := gained
	var gains, loses bool
	for _, facts := range c.samples(user, &later, target) {
		before := c.allows(c.before, user, target, facts)
		after := c.allows(c.after, &later, target, facts)
		gained.Partly, lost.Partly = gained.Partly || before, lost.Partly || after
		switch {
		case after && !before:
			gains = true
			gained.addQueue(target, facts)
		case before && !after:
			loses = true
			lost.addQueue(target, facts)
		}
	}
	if gains {
		change.Gains = append(change.Gains, gained)
	}
	if loses {
		change.Loses = append(change.Loses, lost)
	}
}

func (r *RightChange) addQueue(target ruleTarget, facts domain.ReviewFacts) {
	if target.objectKind == objectReview && !slices.Contains(r.Queues, facts.Queue) {
		r.Queues = append(r.Queues, facts.Queue)
	}
}

// sameRights reports whether both policies have the same rules for the user's roles, whatever their
// names and order, and the user is the same as far as the action asks about them.
func (c *Comparison) sameRights(user, later *domain.User, target ruleTarget) bool {
	meanings := func(e *policySnapshot, user *domain.User) []string {
		var found []string
		for _, rule := range e.policy.Rules {
			if rule.Action == target.action && rule.Object.kind() == target.objectKind &&
				user.HasRole(rule.Role) {
				found = append(found, fmt.Sprintf("%s %t %s", rule.Object, rule.Effect == Deny,
					rule.Condition))
			}
		}
		slices.Sort(found)
		return slices.Compact(found)
	}
	sameLimits := target.objectKind != objectReview || !HasLimit(target.action) ||
		slices.Equal(sortedLimits(*user), sortedLimits(*later))
	sameQueues := slices.Equal(slices.Sorted(slices.Values(user.Queues)),
		slices.Sorted(slices.Values(later.Queues)))
	return slices.Equal(meanings(c.before, user), meanings(c.after, later)) && sameLimits && sameQueues &&
		user.Disabled == later.Disabled
}

// allows asks the enforcer. The user has claimed the review if the action needs that.
func (c *Comparison) allows(
	e *policySnapshot, user *domain.User, target ruleTarget, facts domain.ReviewFacts,
) bool {
	if c.remaining <= 0 {
		return false
	}
	c.remaining--
	req := &request{actor: user, objectKind: target.objectKind}
	switch target.objectKind {
	case objectReview:
		assigned := asAssignedTo(user.ID, target.action, facts)
		req.review = &assigned
	case objectCase:
		req.caseFacts = &domain.CaseFacts{Submitter: facts.Submitter,
			DocumentType: facts.DocumentType, Country: facts.Country, BaseMinor: facts.BaseMinor,
			AmountKnown: facts.AmountKnown, OpenQueues: []string{facts.Queue},
			Deciders: facts.VotedIDs}
	}
	allowed, _, err := e.enforce(req, target.action, hardRulesFor(target.action, target.objectKind))
	return err == nil && allowed
}

// kindsOf returns the kinds of objects on which the action can be allowed.
func kindsOf(action domain.Action) []objectKind {
	var kinds []objectKind
	for _, object := range objects[action] {
		if kind := object.kind(); !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

func wholeObject(kind objectKind) Object {
	switch kind {
	case objectCase:
		return AnyCase
	case objectReview:
		return AnyReview
	}
	return GlobalObject
}

// CanStaff reports whether one of the users could claim and decide the review, and how many were
// asked.
func (a *Authority) CanStaff(users []domain.User, facts domain.ReviewFacts) (staffed bool, asked int) {
	for i := range users {
		one := users[i : i+1]
		if len(a.Eligible(one, domain.ActClaim, facts)) == 1 &&
			len(a.Eligible(one, domain.ActDecide, facts)) == 1 {
			return true, i + 1
		}
	}
	return false, len(users)
}
