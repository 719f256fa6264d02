package authz

import (
	"fmt"
	"reflect"
	"slices"

	"countersign/domain"
)

// QueueFilter matches exactly the reviews that Authorize lets the user claim: unassigned, assigned
// to them, or already claimed by them. The filter of a disabled user matches nothing.
func (a *Authority) QueueFilter(user domain.User) (domain.Filter, error) {
	return a.snapshot.Load().filter(&request{actor: &user, objectKind: objectReview},
		domain.ActClaim)
}

// QueueFilterOnBehalfOf is QueueFilter for the reviews that the actor can claim on behalf of the
// delegator.
func (a *Authority) QueueFilterOnBehalfOf(actor, delegator domain.User) (domain.Filter, error) {
	return a.snapshot.Load().filter(&request{actor: &actor, delegator: &delegator,
		objectKind: objectReview}, domain.ActClaim)
}

// ReviewReadFilter matches exactly the reviews that Authorize lets the user read.
func (a *Authority) ReviewReadFilter(user domain.User) (domain.Filter, error) {
	return a.snapshot.Load().filter(&request{actor: &user, objectKind: objectReview},
		domain.ActRead)
}

// ReassignFilter matches exactly the reviews that Authorize lets the user reassign.
func (a *Authority) ReassignFilter(user domain.User) (domain.Filter, error) {
	return a.snapshot.Load().filter(&request{actor: &user, objectKind: objectReview},
		domain.ActReassign)
}

// ReadFilter matches exactly the cases that AuthorizeCase lets the user read.
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
	if unscoped := req.unscoped(); unscoped != nil {
		filter, err := e.filter(unscoped, action)
		if err != nil {
			return domain.Filter{}, err
		}
		filters = append(filters, filter)
	}
	return allOf(filters...), nil
}

// ruleFilter matches the rows that some rule of the user's roles allows and none denies.
func (e *policySnapshot) ruleFilter(req *request, action domain.Action) (domain.Filter, error) {
	var allow, deny []domain.Filter
	for _, rule := range e.policy.Rules {
		if rule.Action != action || rule.Object.kind() != req.objectKind ||
			!req.hasRole(string(rule.Role)) {
			continue
		}
		filter := req.objectFilter(rule.Object)
		if rule.Condition != "" {
			residual, err := e.conditions[rule.Condition].Residual(policyUser(req.effectiveUser()))
			if err != nil {
				return domain.Filter{}, fmt.Errorf("filter of rule %s: %w", rule.Name, err)
			}
			filter = allOf(filter, forEveryCountry(residual, rule.Effect))
		}
		if rule.Effect == Deny {
			deny = append(deny, filter)
		} else {
			allow = append(allow, filter)
		}
	}
	return allOf(anyOf(allow...), negate(anyOf(deny...))), nil
}

// forEveryCountry extends a condition to all countries of the risk basis: a rule that allows must
// hold for every one of them, a rule that denies for any.
func forEveryCountry(condition domain.Filter, effect Effect) domain.Filter {
	if !condition.Uses(domain.ColCountry) {
		return condition
	}
	if effect == Deny {
		opposite := negate(condition)
		return negate(domain.Filter{EveryCountry: &opposite})
	}
	return domain.Filter{EveryCountry: &condition}
}

// objectFilter is matchesObject over rows.
func (r *request) objectFilter(object Object) domain.Filter {
	effective := r.effectiveUser()
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
		return domain.Filter{Compare: &domain.Comparison{Column: domain.ColQueue, Op: "in",
			Values: slices.Clone(effective.Queues)}}
	case AnyReview:
		if !effective.SeesConfidential() {
			return notConfidential()
		}
	}
	return domain.Constant(true)
}

// notConfidential matches the reviews that are not in a confidential queue.
func notConfidential() domain.Filter {
	var filters []domain.Filter
	for _, queue := range domain.ConfidentialQueues() {
		filters = append(filters, domain.Where(domain.ColQueue, "!=", queue))
	}
	return allOf(filters...)
}

// hardRuleFilters returns the hard rules as filters, for the actor and the delegator.
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
		for _, account := range person.Accounts() {
			filters = append(filters, exclusionFilters(account, hardRules)...)
		}
		return true
	})
	return filters
}

// exclusionFilters returns the rules about what the person did with one of their accounts.
func exclusionFilters(account domain.ID, hardRules hardRule) []domain.Filter {
	var filters []domain.Filter
	if hardRules&hardRuleNotInterested != 0 {
		filters = append(filters, domain.Where(domain.ColSubmitter, "!=", account),
			domain.Without(domain.AntiInterest, account))
	}
	if hardRules&hardRuleNoVote != 0 {
		filters = append(filters, domain.Without(domain.AntiVote, account))
	}
	if hardRules&hardRuleNoConflict != 0 {
		filters = append(filters, domain.Without(domain.AntiConflict, account))
	}
	return filters
}

func (r *request) claimableFilter() domain.Filter {
	open := domain.Where(domain.ColStatus, "==", string(domain.ReviewOpen))
	notDrawn := domain.Where(domain.ColDrawn, "==", false)
	toActor := domain.Where(domain.ColAssignee, "==", r.actor.ID)
	free := anyOf(allOf(domain.Where(domain.ColAssignee, "==", domain.NoID), notDrawn), toActor)
	if r.delegator != nil {
		free = allOf(anyOf(domain.Where(domain.ColAssignee, "==", domain.NoID), toActor,
			domain.Where(domain.ColAssignee, "==", r.delegator.ID)), notDrawn)
	}
	mine := allOf(domain.Where(domain.ColStatus, "==", string(domain.ReviewClaimed)), toActor)
	return anyOf(allOf(open, free), mine)
}

// allOf, anyOf and negate combine filters and fold constants, so that the SQL contains only what is
// unknown.
func allOf(filters ...domain.Filter) domain.Filter { return foldConstants(filters, true) }

func anyOf(filters ...domain.Filter) domain.Filter { return foldConstants(filters, false) }

func foldConstants(filters []domain.Filter, neutral bool) domain.Filter {
	var open []domain.Filter
	for _, filter := range filters {
		switch {
		case filter.Const == nil:
			if !slices.ContainsFunc(open, func(other domain.Filter) bool { // as of two roles with one rule
				return reflect.DeepEqual(other, filter)
			}) {
				open = append(open, filter)
			}
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
