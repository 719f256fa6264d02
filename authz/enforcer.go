package authz

import (
	"cmp"
	"slices"
	"strings"

	"github.com/casbin/casbin/v2"

	"countersign/domain"
)

// enforcerKey names one enforcer: it holds only the rules of the action for these roles on reviews of this kind, so that
// neither the other actions, nor the other roles, nor rules about other queues, countries or amounts cost anything.
type enforcerKey struct {
	ruleTarget
	level     pruningLevel
	hardRules hardRule
	roles     string
	class     reviewClass
}

// ruleTarget is what a rule is about.
type ruleTarget struct {
	action     domain.Action
	objectKind objectKind
}

// maxEnforcers bounds what is kept of each sort; people have few combinations of roles, and work comes in few kinds.
const maxEnforcers = 2000

// enforcer is that of the question's kind, by the finest sort that tells kinds apart. With more kinds than are kept, a
// coarser one answers, at last the one that serves all kinds.
func (e *policySnapshot) enforcer(req *request, action domain.Action, hardRules hardRule) (*casbin.Enforcer, error) {
	target := ruleTarget{action, req.objectKind}
	key := enforcerKey{ruleTarget: target, level: pruneNothing, hardRules: hardRules, roles: e.rolesKey(req.effectiveUser())}
	if plan := e.pruningPlans[target]; plan != nil {
		for key.level = pruneByClassAndBand; key.level > pruneNothing; key.level-- {
			asked := plan.columns[key.level]
			if asked == plan.columns[key.level-1] {
				continue
			}
			key.class = req.reviewClassOf(asked, plan.thresholds)
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

// newEnforcer makes the enforcer of the key, and keeps it where there is room.
func (e *policySnapshot) newEnforcer(req *request, key enforcerKey) (*casbin.Enforcer, error) {
	enforcer, err := newEnforcer(e.matcher(key.hardRules), key.hardRules, e.rulesFor(req, key.ruleTarget, key.level), e.conditions)
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

// rulesFor are the rules that can apply, in the order of scanning. Of rules that say the same the first stands for all.
func (e *policySnapshot) rulesFor(req *request, target ruleTarget, level pruningLevel) []Rule {
	var rules []Rule
	for _, rule := range e.policy.Rules {
		if rule.Action == target.action && rule.Object.kind() == target.objectKind && req.hasRole(string(rule.Role)) {
			rules = append(rules, rule)
		}
	}
	// The cheap rules are scanned first; a deny stops the scan wherever it stands.
	slices.SortStableFunc(rules, func(a, b Rule) int {
		return cmp.Or(cmp.Compare(len(a.Condition), len(b.Condition)), strings.Compare(a.Condition, b.Condition))
	})
	said := map[Rule]bool{}
	var scanned []Rule
	for _, rule := range rules {
		rule, applies := e.prune(req, rule, level)
		meaning := Rule{Object: rule.Object, Condition: rule.Condition, Effect: cmp.Or(rule.Effect, Allow)}
		if applies && !said[meaning] {
			said[meaning] = true
			scanned = append(scanned, rule)
		}
	}
	return scanned
}
