package authz

import (
	"fmt"
	"strings"

	"github.com/casbin/casbin/v2"
	"github.com/casbin/casbin/v2/model"

	"countersign/domain"
)

// modelText is Casbin's model; the matcher is made of the lines below. No editor of the policy reaches it. The effect
// with deny is used only where the policy denies something, because it cannot stop at the first rule that allows.
const modelText = `
[request_definition]
r = %s

[policy_definition]
p = name, role, object, cond, eft

[policy_effect]
e = %s

[matchers]
m = %s
`

const (
	effectAllow = "some(where (p.eft == allow))"
	effectDeny  = "some(where (p.eft == allow)) && !some(where (p.eft == deny))"
)

// hardRule is one hard rule of the matcher, as a bit; lines together are the set that an action is judged by.
type hardRule uint8

// The hard rules. They are judged over all persons behind the act, administrators included.
const (
	hardRuleEnabled hardRule = 1 << iota
	hardRuleNotInterested
	hardRuleNoConflict
	hardRuleNoVote
	hardRuleWithinLimit
	hardRuleClaimable
	hardRuleOwnLiveClaim
	hardRuleWithinScope
)

// matcherHardRules are the lines by their names, in the order of the matcher. What a line says of the question is an
// attribute of the request, since it is the same for every rule; the matcher alone says that it must hold.
var matcherHardRules = []struct {
	line  hardRule
	name  string
	holds func(*request) bool
}{
	{hardRuleEnabled, "Enabled", (*request).enabled},
	{hardRuleNotInterested, "NotInterested", (*request).notInterested},
	{hardRuleNoVote, "NoVote", (*request).noVote},
	{hardRuleNoConflict, "NoConflict", (*request).noConflict},
	{hardRuleWithinLimit, "WithinLimit", (*request).withinLimit},
	{hardRuleClaimable, "Claimable", (*request).claimable},
	{hardRuleOwnLiveClaim, "OwnLiveClaim", (*request).ownLiveClaim},
	{hardRuleWithinScope, "WithinScope", (*request).withinScope},
}

// matcherText joins the lines of the set with what every question has. What differs from rule to rule comes first and alone,
// so that a rule that does not fit is passed over after one call. Casbin reads the text anew for every question, so it is
// without spaces.
func matcherText(hardRules hardRule) string {
	var parts []string
	for _, entry := range matcherHardRules {
		if hardRules&entry.line != 0 {
			parts = append(parts, "r."+entry.name)
		}
	}
	const fits = "Fits(r.ask,p.role,p.object,p.cond,p.eft)"
	if len(parts) == 0 {
		return fits
	}
	return fits + "&&(" + strings.Join(parts, "&&") + ")"
}

// requestDefinition names what a question with these lines hands to Casbin.
func requestDefinition(hardRules hardRule) string {
	names := []string{"ask"}
	for _, entry := range matcherHardRules {
		if hardRules&entry.line != 0 {
			names = append(names, entry.name)
		}
	}
	return strings.Join(names, ", ")
}

// casbinArguments is the question as Casbin takes it: the values of requestOf.
func (a *request) casbinArguments(hardRules hardRule) []any {
	values := append(make([]any, 0, len(matcherHardRules)+1), a)
	for i := range matcherHardRules {
		if entry := &matcherHardRules[i]; hardRules&entry.line != 0 {
			values = append(values, entry.holds(a))
		}
	}
	return values
}

// hardRulesFor says by which hard rules an action on a family of objects is judged.
func hardRulesFor(action domain.Action, on objectKind) hardRule {
	switch {
	case on == objectGlobal:
		return hardRuleEnabled
	case on == objectCase:
		return hardRuleEnabled | hardRuleNoConflict
	}
	switch action {
	case domain.ActClaim:
		return hardRuleEnabled | hardRuleNotInterested | hardRuleNoConflict | hardRuleNoVote | hardRuleWithinLimit | hardRuleClaimable
	case domain.ActDecide, domain.ActEscalate:
		return hardRuleEnabled | hardRuleNotInterested | hardRuleNoConflict | hardRuleNoVote | hardRuleWithinLimit | hardRuleOwnLiveClaim
	case domain.ActCorrect, domain.ActEnter:
		return hardRuleEnabled | hardRuleNotInterested | hardRuleNoConflict | hardRuleOwnLiveClaim
	case domain.ActRelease:
		return hardRuleEnabled | hardRuleOwnLiveClaim // who may no longer work on it can still let go
	case domain.ActReassign:
		return hardRuleEnabled | hardRuleNotInterested | hardRuleNoConflict
	}
	return hardRuleEnabled | hardRuleNoConflict
}

// hardRules are the hard rules of the question; the scope is asked only where one narrows.
func (a *request) hardRules(action domain.Action) hardRule {
	hardRules := hardRulesFor(action, a.objectKind)
	if a.hasQueueScope() {
		hardRules |= hardRuleWithinScope
	}
	return hardRules
}

// newEnforcer builds Casbin's enforcer over the rules, whose order is the order of scanning. It is never changed
// afterwards, so it is safe for concurrent use.
func newEnforcer(matcher string, hardRules hardRule, rules []Rule, conditions conditions) (*casbin.Enforcer, error) {
	effect := effectAllow
	rows := make([][]string, 0, len(rules))
	for _, rule := range rules {
		eft := Allow
		if rule.Effect == Deny {
			eft, effect = Deny, effectDeny
		}
		rows = append(rows, []string{rule.Name, string(rule.Role), string(rule.Object), rule.Condition, string(eft)})
	}
	text, err := model.NewModelFromString(fmt.Sprintf(modelText, requestDefinition(hardRules), effect, matcher))
	if err != nil {
		return nil, fmt.Errorf("authz model: %w", err)
	}
	enforcer, err := casbin.NewEnforcer(text)
	if err != nil {
		return nil, fmt.Errorf("authz enforcer: %w", err)
	}
	enforcer.AddFunction("Fits", conditions.matches)
	if _, err := enforcer.AddPolicies(rows); err != nil {
		return nil, fmt.Errorf("authz rules: %w", err)
	}
	return enforcer, nil
}
