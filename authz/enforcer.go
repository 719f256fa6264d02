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
	subject
	sort  sort
	lines line
	roles string
	kind  kind
}

// subject is what a rule is about.
type subject struct {
	action domain.Action
	on     family
}

// maxEnforcers bounds what is kept of each sort; people have few combinations of roles, and work comes in few kinds.
const maxEnforcers = 2000

// enforcer is that of the question's kind, by the finest sort that tells kinds apart. With more kinds than are kept, a
// coarser one answers, at last the one that serves all kinds.
func (e *edition) enforcer(question *ask, action domain.Action, lines line) (*casbin.Enforcer, error) {
	about := subject{action, question.on}
	key := enforcerKey{subject: about, sort: asTheyStand, lines: lines, roles: e.rolesKey(question.powers())}
	if settling := e.settling[about]; settling != nil {
		for key.sort = banded; key.sort > asTheyStand; key.sort-- {
			asked := settling.asked[key.sort]
			if asked == settling.asked[key.sort-1] {
				continue
			}
			key.kind = question.kindOf(asked, settling.thresholds)
			if found := e.keptEnforcer(key); found != nil {
				return found, nil
			}
			if e.kept[key.sort].Load() < e.most {
				return e.newEnforcer(question, key)
			}
		}
		key.kind = kind{}
	}
	if found := e.keptEnforcer(key); found != nil {
		return found, nil
	}
	return e.newEnforcer(question, key)
}

// newEnforcer makes the enforcer of the key, and keeps it where there is room.
func (e *edition) newEnforcer(question *ask, key enforcerKey) (*casbin.Enforcer, error) {
	enforcer, err := newEnforcer(e.matcher(key.lines), key.lines, e.rulesFor(question, key.subject, key.sort), e.conditions)
	if err == nil && e.kept[key.sort].Add(1) <= e.most {
		e.enforcers.Store(key, enforcer)
	}
	return enforcer, err
}

func (e *edition) keptEnforcer(key enforcerKey) *casbin.Enforcer {
	found, _ := e.enforcers.Load(key)
	enforcer, _ := found.(*casbin.Enforcer)
	return enforcer
}

// rulesFor are the rules that can apply, in the order of scanning. Of rules that say the same the first stands for all.
func (e *edition) rulesFor(question *ask, about subject, sort sort) []Rule {
	var rules []Rule
	for _, rule := range e.policy.Rules {
		if rule.Action == about.action && rule.Object.family() == about.on && question.holds(string(rule.Role)) {
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
		rule, applies := e.settle(question, rule, sort)
		meaning := Rule{Object: rule.Object, Condition: rule.Condition, Effect: cmp.Or(rule.Effect, Allow)}
		if applies && !said[meaning] {
			said[meaning] = true
			scanned = append(scanned, rule)
		}
	}
	return scanned
}
