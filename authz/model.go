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
r = ask

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

// line is one hard rule of the matcher, as a bit; lines together are the set that an action is judged by.
type line uint8

// The hard rules. They are judged over all persons behind the act, administrators included.
const (
	lineEnabled line = 1 << iota
	lineNotInterested
	lineNoConflict
	lineNoVote
	lineWithinLimit
	lineClaimable
	lineOwnLiveClaim
	lineWithinScope
)

// matcherLines are the lines' texts, in the order of the matcher. They come after what differs from rule to rule, so
// that a rule that does not fit is passed over after two comparisons and a condition that was just asked.
var matcherLines = []struct {
	line line
	text string
}{
	{lineEnabled, "Enabled(r.ask)"},
	{lineNotInterested, "NotInterested(r.ask)"},
	{lineNoVote, "NoVote(r.ask)"},
	{lineNoConflict, "NoConflict(r.ask)"},
	{lineWithinLimit, "WithinLimit(r.ask)"},
	{lineClaimable, "Claimable(r.ask)"},
	{lineOwnLiveClaim, "OwnLiveClaim(r.ask)"},
	{lineWithinScope, "WithinScope(r.ask)"},
}

// matcherOf joins the lines of the set with those that every question has.
func matcherOf(lines line) string {
	parts := []string{"Holds(r.ask, p.role)", "Concerns(r.ask, p.object)", "Condition(r.ask, p.cond, p.eft)"}
	for _, entry := range matcherLines {
		if lines&entry.line != 0 {
			parts = append(parts, entry.text)
		}
	}
	return strings.Join(parts, " && ")
}

// linesOf says by which hard rules an action on a family of objects is judged.
func linesOf(action domain.Action, on family) line {
	switch {
	case on == ofHouse:
		return lineEnabled
	case on == ofCase:
		return lineEnabled | lineNoConflict
	}
	switch action {
	case domain.ActClaim:
		return lineEnabled | lineNotInterested | lineNoConflict | lineNoVote | lineWithinLimit | lineClaimable
	case domain.ActDecide, domain.ActEscalate:
		return lineEnabled | lineNotInterested | lineNoConflict | lineNoVote | lineWithinLimit | lineOwnLiveClaim
	case domain.ActCorrect, domain.ActEnter:
		return lineEnabled | lineNotInterested | lineNoConflict | lineOwnLiveClaim
	case domain.ActRelease:
		return lineEnabled | lineOwnLiveClaim // who may no longer work on it can still let go
	case domain.ActReassign:
		return lineEnabled | lineNotInterested | lineNoConflict
	}
	return lineEnabled | lineNoConflict
}

// lines are the hard rules of the question; the scope is asked only where one narrows.
func (a *ask) lines(action domain.Action) line {
	lines := linesOf(action, a.on)
	if a.narrowed() {
		lines |= lineWithinScope
	}
	return lines
}

// newEnforcer builds Casbin's enforcer over the rules, whose order is the order of scanning. It is never changed
// afterwards, so it is safe for concurrent use.
func newEnforcer(matcher string, rules []Rule, conditions conditions) (*casbin.Enforcer, error) {
	effect := effectAllow
	rows := make([][]string, 0, len(rules))
	for _, rule := range rules {
		eft := Allow
		if rule.Effect == Deny {
			eft, effect = Deny, effectDeny
		}
		rows = append(rows, []string{rule.Name, string(rule.Role), string(rule.Object), rule.Condition, string(eft)})
	}
	text, err := model.NewModelFromString(fmt.Sprintf(modelText, effect, matcher))
	if err != nil {
		return nil, fmt.Errorf("authz model: %w", err)
	}
	enforcer, err := casbin.NewEnforcer(text)
	if err != nil {
		return nil, fmt.Errorf("authz enforcer: %w", err)
	}
	for name, predicate := range conditions.predicates() {
		enforcer.AddFunction(name, predicate)
	}
	if _, err := enforcer.AddPolicies(rows); err != nil {
		return nil, fmt.Errorf("authz rules: %w", err)
	}
	return enforcer, nil
}
