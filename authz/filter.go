package authz

import (
	"fmt"
	"slices"

	"countersign/domain"
)

// QueueFilter admits exactly the reviews that Authorize lets the user claim: open to them, assigned to them, or already
// theirs. It is over reviews; a disabled person's admits nothing.
func (a *Authority) QueueFilter(user domain.User) (domain.Filter, error) {
	return a.edition.Load().filter(&ask{actor: &user, on: ofReview}, domain.ActClaim)
}

// QueueFilterFor is QueueFilter for what the actor may claim in the name of the person stood in for. A list for
// several persons is the UNION ALL of one filter each.
func (a *Authority) QueueFilterFor(actor, stoodFor domain.User) (domain.Filter, error) {
	return a.edition.Load().filter(&ask{actor: &actor, stoodFor: &stoodFor, on: ofReview}, domain.ActClaim)
}

// ReviewReadFilter admits exactly the reviews that Authorize lets the user read.
func (a *Authority) ReviewReadFilter(user domain.User) (domain.Filter, error) {
	return a.edition.Load().filter(&ask{actor: &user, on: ofReview}, domain.ActRead)
}

// ReassignFilter admits exactly the reviews that Authorize lets the user give to another person.
func (a *Authority) ReassignFilter(user domain.User) (domain.Filter, error) {
	return a.edition.Load().filter(&ask{actor: &user, on: ofReview}, domain.ActReassign)
}

// ReadFilter admits exactly the cases that AuthorizeCase lets the user read. It is over cases.
func (a *Authority) ReadFilter(user domain.User) (domain.Filter, error) {
	return a.edition.Load().filter(&ask{actor: &user, on: ofCase}, domain.ActRead)
}

// filter is decide over rows.
func (e *edition) filter(question *ask, action domain.Action) (domain.Filter, error) {
	allowed, err := e.ruleFilter(question, action)
	if err != nil {
		return domain.Filter{}, err
	}
	filters := append([]domain.Filter{allowed}, lineFilters(question, question.lines(action))...)
	if whole := question.whole(); whole != nil {
		inWhole, err := e.filter(whole, action)
		if err != nil {
			return domain.Filter{}, err
		}
		filters = append(filters, inWhole)
	}
	return both(filters...), nil
}

// ruleFilter is what the rules of the person's roles admit: some rule that allows, and none that denies.
func (e *edition) ruleFilter(question *ask, action domain.Action) (domain.Filter, error) {
	var allow, deny []domain.Filter
	for _, rule := range e.policy.Rules {
		if rule.Action != action || rule.Object.family() != question.on || !question.holds(string(rule.Role)) {
			continue
		}
		filter := question.scopeFilter(rule.Object)
		if rule.Condition != "" {
			residual, err := e.conditions[rule.Condition].Residual(policyUser(question.powers()))
			if err != nil {
				return domain.Filter{}, fmt.Errorf("filter of rule %s: %w", rule.Name, err)
			}
			filter = both(filter, residual)
		}
		if rule.Effect == Deny {
			deny = append(deny, filter)
		} else {
			allow = append(allow, filter)
		}
	}
	return both(either(allow...), negate(either(deny...))), nil
}

// scopeFilter is the line Concerns over rows.
func (a *ask) scopeFilter(object Object) domain.Filter {
	powers := a.powers()
	switch object {
	case OwnCase:
		return domain.Where(domain.ColSubmitter, "==", powers.ID)
	case QueueCase:
		decided := domain.HasDecisionOf(powers.ID)
		if len(powers.Queues) == 0 {
			return decided
		}
		return either(domain.HasReviewIn(slices.Clone(powers.Queues)...), decided)
	case QueueReview:
		if len(powers.Queues) == 0 {
			return domain.Constant(false)
		}
		return domain.Filter{Compare: &domain.Comparison{Column: domain.ColQueue, Op: "in", Values: slices.Clone(powers.Queues)}}
	}
	return domain.Constant(true)
}

// lineFilters are the hard rules of the set over rows, for all persons behind the act.
func lineFilters(question *ask, lines line) []domain.Filter {
	var filters []domain.Filter
	if lines&lineEnabled != 0 && !question.enabled() {
		filters = append(filters, domain.Constant(false))
	}
	if lines&lineClaimable != 0 {
		filters = append(filters, question.claimableFilter())
	}
	if lines&lineWithinScope != 0 {
		filters = append(filters, question.scopeFilter(question.scopeObject()))
	}
	question.every(func(person *domain.User) bool {
		if lines&lineWithinLimit != 0 {
			filters = append(filters, withinLimitFilter(person))
		}
		if lines&lineNotInterested != 0 {
			filters = append(filters, domain.Where(domain.ColSubmitter, "!=", person.ID), domain.Without(domain.AntiInterest, person.ID))
		}
		if lines&lineNoVote != 0 {
			filters = append(filters, domain.Without(domain.AntiVote, person.ID))
		}
		if lines&lineNoConflict != 0 {
			filters = append(filters, domain.Without(domain.AntiConflict, person.ID))
		}
		return true
	})
	return filters
}

func (a *ask) claimableFilter() domain.Filter {
	open := domain.Where(domain.ColStatus, "==", string(domain.ReviewOpen))
	free := []domain.Filter{domain.Where(domain.ColAssignee, "==", domain.NoID), domain.Where(domain.ColAssignee, "==", a.actor.ID)}
	if a.stoodFor != nil {
		free = append(free, domain.Where(domain.ColAssignee, "==", a.stoodFor.ID))
	}
	mine := both(domain.Where(domain.ColStatus, "==", string(domain.ReviewClaimed)), domain.Where(domain.ColAssignee, "==", a.actor.ID))
	return either(both(open, either(free...)), mine)
}

// both, either and negate join filters and fold constants away, so that SQL never sees what is known already.
func both(filters ...domain.Filter) domain.Filter { return fold(filters, true) }

func either(filters ...domain.Filter) domain.Filter { return fold(filters, false) }

func fold(filters []domain.Filter, neutral bool) domain.Filter {
	var open []domain.Filter
	for _, filter := range filters {
		switch {
		case filter.Const == nil:
			open = append(open, filter)
		case *filter.Const != neutral:
			return domain.Constant(!neutral)
		}
	}
	switch {
	case len(open) == 0:
		return domain.Constant(neutral)
	case len(open) == 1:
		return open[0]
	case neutral:
		return domain.All(open...)
	}
	return domain.Any(open...)
}

func negate(filter domain.Filter) domain.Filter {
	if filter.Const != nil {
		return domain.Constant(!*filter.Const)
	}
	return domain.Filter{Not: &filter}
}
