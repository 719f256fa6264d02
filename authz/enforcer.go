package authz

import (
	"cmp"
	"slices"
	"strings"

	"github.com/casbin/casbin/v2"

	"countersign/domain"
)

// enforcerKey identifies one enforcer. An enforcer has only the rules of one action for these roles
// and this class of reviews, so that rules for other actions, roles, queues, countries or amounts
// cost nothing.
type enforcerKey struct {
	ruleTarget
	level     pruningLevel
	hardRules hardRule
	roles     string
	class     reviewClass
}

// ruleTarget is the action and the kind of object of a rule.
type ruleTarget struct {
	action     domain.Action
	objectKind objectKind
}

// maxEnforcers limits the cached enforcers per pruning level. Combinations of roles and classes of
// reviews are normally few.
const maxEnforcers = 2000

// enforcer returns the enforcer for the request's class at the finest pruning level that
// distinguishes classes. If the cache of a level is full, a coarser level serves the request, at
// last the one for all classes.
func (e *policySnapshot) enforcer(
	req *request, action domain.Action, hardRules hardRule,
) (*casbin.Enforcer, error) {
	target := ruleTarget{action, req.objectKind}
	key := enforcerKey{ruleTarget: target, level: pruneNothing, hardRules: hardRules,
		roles: e.rolesKey(req.effectiveUser())}
	if plan := e.pruningPlans[target]; plan != nil {
		for key.level = pruneByClassAndBand; key.level > pruneNothing; key.level-- {
			columns := plan.columns[key.level]
			if columns == plan.columns[key.level-1] {
				continue
			}
			key.class = req.reviewClassOf(columns, plan.thresholds)
			if found := e.cachedEnforcer(key); found != nil {
				return found, nil
			}
			if e.cached[key.level].Load() < e.maxCached {
				return e.newEnforcer(req, key)
			}
		}
		key.class = reviewClass{}
	}
	if found := e.cachedEnforcer(key); found != nil {
		return found, nil
	}
	return e.newEnforcer(req, key)
}

// newEnforcer creates the enforcer of the key and caches it unless the cache of its level is full.
func (e *policySnapshot) newEnforcer(req *request, key enforcerKey) (*casbin.Enforcer, error) {
	rules := e.rulesFor(req, key.ruleTarget, key.level)
	enforcer, err := newEnforcer(e.matcher(key.hardRules), key.hardRules, rules, e.conditions)
	if err == nil && e.cached[key.level].Add(1) <= e.maxCached {
		e.enforcers.Store(key, enforcer)
	}
	return enforcer, err
}

func (e *policySnapshot) cachedEnforcer(key enforcerKey) *casbin.Enforcer {
	found, _ := e.enforcers.Load(key)
	enforcer, _ := found.(*casbin.Enforcer)
	return enforcer
}

// rulesFor returns the rules that can apply, in evaluation order. Of rules with the same meaning it
// keeps the first.
func (e *policySnapshot) rulesFor(req *request, target ruleTarget, level pruningLevel) []Rule {
	var rules []Rule
	for _, rule := range e.policy.Rules {
		if rule.Action == target.action && rule.Object.kind() == target.objectKind &&
			req.hasRole(string(rule.Role)) {
			rules = append(rules, rule)
		}
	}
	// Cheap rules are evaluated first. The order does not change the result, because a deny
	// outweighs every allow.
	slices.SortStableFunc(rules, func(a, b Rule) int {
		return cmp.Or(cmp.Compare(len(a.Condition), len(b.Condition)),
			strings.Compare(a.Condition, b.Condition))
	})
	included := map[Rule]bool{}
	var ordered []Rule
	for _, rule := range rules {
		rule, applies := e.prune(req, rule, level)
		meaning := Rule{Object: rule.Object, Condition: rule.Condition,
			Effect: cmp.Or(rule.Effect, Allow)}
		if applies && !included[meaning] {
			included[meaning] = true
			ordered = append(ordered, rule)
		}
	}
	return ordered
}
