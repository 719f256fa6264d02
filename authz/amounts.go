package authz

import (
	"math"
	"slices"

	"countersign/domain"
)

// Bound is the largest amount at risk, in minor units of the base currency, that a user may decide.
type Bound struct {
	Granted   bool // the user decides some review
	Unlimited bool // of any known amount
	Unknown   bool // also of an unknown amount
	Credits   bool // also of some larger credit, which a condition may not bound
	BaseMinor int64
}

// AmountChange is another bound of a user for documents of a type, "" for every type without a line of its
// own. A type whose bound stays has a line if that of the others changes.
type AmountChange struct {
	DocumentType  string
	Before, After Bound
}

// amounts returns the bounds of the user that change. It asks the enforcers about every queue and every
// amount at which an answer can change, so a limit without a rule, or a rule without a limit, is no bound.
func (c *Comparison) amounts(user *domain.User) []AmountChange {
	target := ruleTarget{domain.ActDecide, objectReview}
	later := c.later(*user)
	if c.sameRights(user, &later, target) {
		return nil
	}
	kinds, types, amounts := c.amountSamples(user, &later, target)
	var found []AmountChange
	var others AmountChange
	for _, name := range types { // "" is the first
		change := AmountChange{DocumentType: name, Before: c.bound(c.before, user, name, kinds, amounts),
			After: c.bound(c.after, &later, name, kinds, amounts)}
		if name == "" {
			others = change
		}
		if (change.changes() || others.changes()) &&
			(name == "" || change.Before != others.Before || change.After != others.After) {
			found = append(found, change)
		}
	}
	return found
}

func (c AmountChange) changes() bool { return c.Before != c.After }

// amountSamples returns the samples of reviews without type and amount, each once, the types that rules or
// limits distinguish, and the amounts at which an answer can change, the largest first.
func (c *Comparison) amountSamples(user, later *domain.User, target ruleTarget) (
	kinds []domain.ReviewFacts, types []string, amounts []int64) {
	types = []string{""}
	addType := func(name string) {
		if name != unlistedText && !slices.Contains(types, name) {
			types = append(types, name)
		}
	}
	add := func(amount int64) {
		if amount = max(amount, -amount); !slices.Contains(amounts, amount) {
			amounts = append(amounts, amount)
		}
	}
	for _, name := range c.types {
		addType(name)
	}
	for _, facts := range c.samples(user, later, target) {
		add(facts.BaseMinor)
		addType(facts.DocumentType)
		facts.DocumentType, facts.BaseMinor, facts.AmountKnown = "", 0, true
		if !slices.ContainsFunc(kinds, func(known domain.ReviewFacts) bool {
			return known.Queue == facts.Queue && known.Level == facts.Level && known.Status == facts.Status &&
				known.Country == facts.Country && known.Submitter == facts.Submitter
		}) {
			kinds = append(kinds, facts)
		}
	}
	for _, limit := range slices.Concat(user.Limits, later.Limits) {
		add(limit.BaseMinor)
	}
	add(math.MaxInt64)
	slices.Sort(amounts)
	slices.Reverse(amounts)
	return kinds, types, amounts
}

// bound asks about the largest amounts first.
func (c *Comparison) bound(e *policySnapshot, user *domain.User, documentType string,
	kinds []domain.ReviewFacts, amounts []int64) Bound {
	if documentType == "" {
		documentType = unlistedText
	}
	target := ruleTarget{domain.ActDecide, objectReview}
	allows := func(known bool, amount int64) bool {
		return slices.ContainsFunc(kinds, func(facts domain.ReviewFacts) bool {
			facts.DocumentType, facts.BaseMinor, facts.AmountKnown = documentType, amount, known
			return c.allows(e, user, target, facts)
		})
	}
	bound := Bound{Unknown: slices.ContainsFunc(amounts, func(amount int64) bool {
		return allows(false, amount) || allows(false, -amount)
	})}
	for _, amount := range amounts {
		if allows(true, amount) {
			bound.Granted, bound.Unlimited = true, amount == math.MaxInt64
			if !bound.Unlimited {
				bound.BaseMinor = amount
			}
			break
		}
		bound.Credits = bound.Credits || amount > 0 && allows(true, -amount)
	}
	bound.Granted = bound.Granted || bound.Unknown || bound.Credits
	return bound
}

// changedLimits returns the limits that only one of both has.
func changedLimits(user, later *domain.User) []domain.Limit {
	var changed []domain.Limit
	for _, pair := range [][2][]domain.Limit{{user.Limits, later.Limits}, {later.Limits, user.Limits}} {
		for _, limit := range pair[0] {
			if !slices.Contains(pair[1], limit) {
				changed = append(changed, limit)
			}
		}
	}
	return changed
}
