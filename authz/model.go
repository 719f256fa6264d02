package authz

import (
	"fmt"
	"strings"

	"github.com/casbin/casbin/v2"
	"github.com/casbin/casbin/v2/model"

	"countersign/domain"
)

// modelText is Casbin's model. Its matcher consists of the hard rules below, which the policy
// cannot change. The effect with deny is used only for rules with a deny, because it cannot stop at
// the first rule that allows.
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

// hardRule is a set of hard rules of the matcher as bits.
type hardRule uint8

// The hard rules. They apply to the actor and the delegator, also if they are administrators.
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

// matcherHardRules are the hard rules in the order of the matcher. Whether a hard rule holds is an
// attribute of the request, because it is the same for every policy rule; only the matcher requires
// that it holds.
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

// matcherText returns the matcher for a set of hard rules. The part that depends on the policy rule
// comes first, so that a rule that does not match costs one call. The text has no spaces, because
// Casbin parses it for every request.
func matcherText(hardRules hardRule) string {
	var parts []string
	for _, entry := range matcherHardRules {
		if hardRules&entry.line != 0 {
			parts = append(parts, "r."+entry.name)
		}
	}
	const matches = matchFunction + "(r.request,p.role,p.object,p.cond,p.eft)"
	if len(parts) == 0 {
		return matches
	}
	return matches + "&&(" + strings.Join(parts, "&&") + ")"
}

// matchFunction is the matcher's name for conditions.matches.
const matchFunction = "Matches"

// requestDefinition returns the names of the values that a request passes to Casbin.
func requestDefinition(hardRules hardRule) string {
	names := []string{"request"}
	for _, entry := range matcherHardRules {
		if hardRules&entry.line != 0 {
			names = append(names, entry.name)
		}
	}
	return strings.Join(names, ", ")
}

// holds reports whether all the hard rules hold, without which no rule of the policy allows anything.
func (r *request) holds(hardRules hardRule) bool {
	for i := range matcherHardRules {
		if entry := &matcherHardRules[i]; hardRules&entry.line != 0 && !entry.holds(r) {
			return false
		}
	}
	return true
}

// casbinArguments returns the values of requestDefinition.
func (r *request) casbinArguments(hardRules hardRule) []any {
	values := append(make([]any, 0, len(matcherHardRules)+1), r)
	for i := range matcherHardRules {
		if entry := &matcherHardRules[i]; hardRules&entry.line != 0 {
			values = append(values, entry.holds(r))
		}
	}
	return values
}

// hardRulesFor returns the hard rules that apply to an action on a kind of object.
func hardRulesFor(action domain.Action, on objectKind) hardRule {
	switch {
	case on == objectGlobal:
		return hardRuleEnabled
	case on == objectCase:
		return hardRuleEnabled | hardRuleNoConflict
	}
	switch action {
	case domain.ActClaim:
		return hardRuleEnabled | hardRuleNotInterested | hardRuleNoConflict | hardRuleNoVote |
			hardRuleWithinLimit | hardRuleClaimable
	case domain.ActDecide, domain.ActEscalate:
		return hardRuleEnabled | hardRuleNotInterested | hardRuleNoConflict | hardRuleNoVote |
			hardRuleWithinLimit | hardRuleOwnLiveClaim
	case domain.ActCorrect, domain.ActEnter:
		// A user who has voted may claim a review that no one may decide, but not change what it is about.
		return hardRuleEnabled | hardRuleNotInterested | hardRuleNoConflict | hardRuleNoVote |
			hardRuleOwnLiveClaim
	case domain.ActRelease:
		// A user who can no longer decide must still be able to release the claim.
		return hardRuleEnabled | hardRuleOwnLiveClaim
	case domain.ActReassign:
		return hardRuleEnabled | hardRuleNotInterested | hardRuleNoConflict
	}
	return hardRuleEnabled | hardRuleNoConflict
}

// hardRules are the hard rules of the question; the scope is asked only where one narrows.
func (r *request) hardRules(action domain.Action) hardRule {
	hardRules := hardRulesFor(action, r.objectKind)
	if r.hasQueueScope() {
		hardRules |= hardRuleWithinScope
	}
	return hardRules
}

// newEnforcer builds Casbin's enforcer over the rules, whose order is the order of scanning. It is
// never changed afterwards, so it is safe for concurrent use.
func newEnforcer(
	matcher string, hardRules hardRule, rules []Rule, conditions conditions,
) (*casbin.Enforcer, error) {
	effect := effectAllow
	rows := make([][]string, 0, len(rules))
	for _, rule := range rules {
		eft := Allow
		if rule.Effect == Deny {
			eft, effect = Deny, effectDeny
		}
		rows = append(rows,
			[]string{rule.Name, string(rule.Role), string(rule.Object), rule.Condition,
				string(eft)})
	}
	text, err := model.NewModelFromString(fmt.Sprintf(modelText, requestDefinition(hardRules),
		effect, matcher))
	if err != nil {
		return nil, fmt.Errorf("authz model: %w", err)
	}
	enforcer, err := casbin.NewEnforcer(text)
	if err != nil {
		return nil, fmt.Errorf("authz enforcer: %w", err)
	}
	enforcer.AddFunction(matchFunction, conditions.matches)
	if _, err := enforcer.AddPolicies(rows); err != nil {
		return nil, fmt.Errorf("authz rules: %w", err)
	}
	return enforcer, nil
}
