package authz

import (
	"slices"

	"countersign/domain"
)

// FixedCondition is a condition that has the same result for every review, so it restricts nothing,
// or its rule never applies.
type FixedCondition struct {
	Rule   string
	Always bool
}

// maxConditionUsers bounds the users for whom a condition is evaluated.
const maxConditionUsers = 50

// FixedConditions returns the new rules whose conditions have the same result for every class of
// reviews and for every one of the users with the role.
func (c *Comparison) FixedConditions(users []domain.User) []FixedCondition {
	var found []FixedCondition
	for _, rule := range c.after.policy.Rules {
		if rule.Condition == "" || slices.ContainsFunc(c.before.policy.Rules, func(old Rule) bool {
			return old.Role == rule.Role && old.Action == rule.Action &&
				old.Object == rule.Object && old.Condition == rule.Condition
		}) {
			continue
		}
		holders := slices.DeleteFunc(slices.Clone(users), func(user domain.User) bool {
			return user.Disabled || !user.HasRole(rule.Role)
		})
		if len(holders) == 0 {
			holders = []domain.User{{ID: domain.NewID(), Roles: []domain.Role{rule.Role}}}
		}
		holders = holders[:min(len(holders), maxConditionUsers)]
		if always, never := c.truth(rule, holders); always || never {
			found = append(found, FixedCondition{Rule: rule.Name, Always: always})
		}
	}
	return found
}

// truth reports whether the rule's condition is true, or false, of every sample.
func (c *Comparison) truth(rule Rule, users []domain.User) (always, never bool) {
	always, never = true, true
	condition := c.after.conditions[rule.Condition]
	for i := range users {
		user := policyUser(&users[i])
		filter, err := condition.Residual(user)
		if err != nil {
			return false, false
		}
		values := comparedValues{}
		values.addFilter(filter)
		values.add(domain.ColQueue, unlistedText)
		values.add(domain.ColSubmitter, domain.NewID())
		samples, _ := combine(domain.ReviewFacts{Status: domain.ReviewOpen, AmountKnown: true,
			DocumentType: unlistedText, Country: unlistedText}, values.dimensions())
		for _, facts := range samples {
			holds, err := condition.Eval(user, facts)
			if err != nil {
				return false, false
			}
			always, never = always && holds, never && !holds
		}
	}
	return always, never
}

// HasCondition reports whether a rule of the policy has the condition.
func (a *Authority) HasCondition(condition string) bool {
	_, known := a.snapshot.Load().conditions[condition]
	return known || condition == ""
}
