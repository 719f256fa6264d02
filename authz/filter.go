package authz

import (
	"fmt"
	"slices"

	"countersign/domain"
)

// QueueFilter admits exactly the reviews that Authorize lets the user claim: open to them, assigned to them, or already
// theirs. It is over reviews; a disabled person's admits nothing.
func (a *Authority) QueueFilter(user domain.User) (domain.Filter, error) {
	return a.snapshot.Load().filter(&request{actor: &user, objectKind: objectReview}, domain.ActClaim)
}

// QueueFilterOnBehalfOf is QueueFilter for what the actor may claim on behalf of the person stood in for. A list for
// several persons is the UNION ALL of one filter each.
func (a *Authority) QueueFilterOnBehalfOf(actor, delegator domain.User) (domain.Filter, error) {
	return a.snapshot.Load().filter(&request{actor: &actor, delegator: &delegator, objectKind: objectReview}, domain.ActClaim)
}

// ReviewReadFilter admits exactly the reviews that Authorize lets the user read.
func (a *Authority) ReviewReadFilter(user domain.User) (domain.Filter, error) {
	return a.snapshot.Load().filter(&request{actor: &user, objectKind: objectReview}, domain.ActRead)
}

// ReassignFilter admits exactly the reviews that Authorize lets the user give to another person.
func (a *Authority) ReassignFilter(user domain.User) (domain.Filter, error) {
	return a.snapshot.Load().filter(&request{actor: &user, objectKind: objectReview}, domain.ActReassign)
}

// ReadFilter admits exactly the cases that AuthorizeCase lets the user read. It is over cases.
func (a *Authority) ReadFilter(user domain.User) (domain.Filter, error) {
	return a.snapshot.Load().filter(&request{actor: &user, objectKind: objectCase}, domain.ActRead)
}

// filter is decide over rows.
func (e *policySnapshot) filter(req *request, action domain.Action) (domain.Filter, error) {
	allowed, err := e.ruleFilter(req, action)
	if err != nil {
		return domain.Filter{}, err
	}
	filters := append([]domain.Filter{allowed}, hardRuleFilters(req, req.hardRules(action))...)
	if whole := req.unscoped(); whole != nil {
		inWhole, err := e.filter(whole, action)
		if err != nil {
			return domain.Filter{}, err
		}
		filters = append(filters, inWhole)
	}
	return allOf(filters...), nil
}

// ruleFilter is what the rules of the person's roles admit: some rule that allows, and none that denies.
func (e *policySnapshot) ruleFilter(req *request, action domain.Action) (domain.Filter, error) {
	var allow, deny []domain.Filter
	for _, rule := range e.policy.Rules {
		if rule.Action != action || rule.Object.kind() != req.objectKind || !req.hasRole(string(rule.Role)) {
			continue
		}
		filter := req.objectFilter(rule.Object)
		if rule.Condition != "" {
			residual, err := e.conditions[rule.Condition].Residual(policyUser(req.effectiveUser()))
			if err != nil {
				return domain.Filter{}, fmt.Errorf("filter of rule %s: %w", rule.Name, err)
			}
			filter = allOf(filter, residual)
		}
		if rule.Effect == Deny {
			deny = append(deny, filter)
		} else {
			allow = append(allow, filter)
		}
	}
	return allOf(anyOf(allow...), negate(anyOf(deny...))), nil
}

// objectFilter is the line Concerns over rows.
func (a *request) objectFilter(object Object) domain.Filter {
	effective := a.effectiveUser()
	switch object {
	case OwnCase:
		return domain.Where(domain.ColSubmitter, "==", effective.ID)
	case QueueCase:
		decided := domain.HasDecisionOf(effective.ID)
		if len(effective.Queues) == 0 {
			return decided
		}
		return anyOf(domain.HasReviewIn(slices.Clone(effective.Queues)...), decided)
	case QueueReview:
		if len(effective.Queues) == 0 {
			return domain.Constant(false)
		}
		return domain.Filter{Compare: &domain.Comparison{Column: domain.ColQueue, Op: "in", Values: slices.Clone(effective.Queues)}}
	}
	return domain.Constant(true)
}

// hardRuleFilters are the hard rules of the set over rows, for all persons behind the act.
func hardRuleFilters(req *request, hardRules hardRule) []domain.Filter {
	var filters []domain.Filter
	if hardRules&hardRuleEnabled != 0 && !req.enabled() {
		filters = append(filters, domain.Constant(false))
	}
	if hardRules&hardRuleClaimable != 0 {
		filters = append(filters, req.claimableFilter())
	}
	if hardRules&hardRuleWithinScope != 0 {
		filters = append(filters, req.objectFilter(req.scopeObject()))
	}
	req.forAllActors(func(person *domain.User) bool {
		if hardRules&hardRuleWithinLimit != 0 {
			filters = append(filters, withinLimitFilter(person))
		}
		if hardRules&hardRuleNotInterested != 0 {
			filters = append(filters, domain.Where(domain.ColSubmitter, "!=", person.ID), domain.Without(domain.AntiInterest, person.ID))
		}
		if hardRules&hardRuleNoVote != 0 {
			filters = append(filters, domain.Without(domain.AntiVote, person.ID))
		}
		if hardRules&hardRuleNoConflict != 0 {
			filters = append(filters, domain.Without(domain.AntiConflict, person.ID))
		}
		return true
	})
	return filters
}

func (a *request) claimableFilter() domain.Filter {
	open := domain.Where(domain.ColStatus, "==", string(domain.ReviewOpen))
	free := []domain.Filter{domain.Where(domain.ColAssignee, "==", domain.NoID), domain.Where(domain.ColAssignee, "==", a.actor.ID)}
	if a.delegator != nil {
		free = append(free, domain.Where(domain.ColAssignee, "==", a.delegator.ID))
	}
	mine := allOf(domain.Where(domain.ColStatus, "==", string(domain.ReviewClaimed)), domain.Where(domain.ColAssignee, "==", a.actor.ID))
	return anyOf(allOf(open, anyOf(free...)), mine)
}

// allOf, either and negate join filters and fold constants away, so that SQL never sees what is known already.
func allOf(filters ...domain.Filter) domain.Filter { return foldConstants(filters, true) }

func anyOf(filters ...domain.Filter) domain.Filter { return foldConstants(filters, false) }

func foldConstants(filters []domain.Filter, neutral bool) domain.Filter {
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
