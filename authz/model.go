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

// matcherLines are the lines by their names, in the order of the matcher. What a line says of the question is an
// attribute of the request, since it is the same for every rule; the matcher alone says that it must hold.
var matcherLines = []struct {
	line  line
	name  string
	holds func(*ask) bool
}{
	{lineEnabled, "Enabled", (*ask).enabled},
	{lineNotInterested, "NotInterested", (*ask).notInterested},
	{lineNoVote, "NoVote", (*ask).noVote},
	{lineNoConflict, "NoConflict", (*ask).noConflict},
	{lineWithinLimit, "WithinLimit", (*ask).withinLimit},
	{lineClaimable, "Claimable", (*ask).claimable},
	{lineOwnLiveClaim, "OwnLiveClaim", (*ask).ownLiveClaim},
	{lineWithinScope, "WithinScope", (*ask).withinScope},
}

// matcherOf joins the lines of the set with what every question has. What differs from rule to rule comes first and alone,
// so that a rule that does not fit is passed over after one call. Casbin reads the text anew for every question, so it is
// without spaces.
func matcherOf(lines line) string {
	var parts []string
	for _, entry := range matcherLines {
		if lines&entry.line != 0 {
			parts = append(parts, "r."+entry.name)
		}
	}
	const fits = "Fits(r.ask,p.role,p.object,p.cond,p.eft)"
	if len(parts) == 0 {
		return fits
	}
	return fits + "&&(" + strings.Join(parts, "&&") + ")"
}

// requestOf names what a question with these lines hands to Casbin.
func requestOf(lines line) string {
	names := []string{"ask"}
	for _, entry := range matcherLines {
		if lines&entry.line != 0 {
			names = append(names, entry.name)
		}
	}
	return strings.Join(names, ", ")
}

// request is the question as Casbin takes it: the values of requestOf.
func (a *ask) request(lines line) []any {
	values := append(make([]any, 0, len(matcherLines)+1), a)
	for i := range matcherLines {
		if entry := &matcherLines[i]; lines&entry.line != 0 {
			values = append(values, entry.holds(a))
		}
	}
	return values
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
func newEnforcer(matcher string, lines line, rules []Rule, conditions conditions) (*casbin.Enforcer, error) {
	effect := effectAllow
	rows := make([][]string, 0, len(rules))
	for _, rule := range rules {
		eft := Allow
		if rule.Effect == Deny {
			eft, effect = Deny, effectDeny
		}
		rows = append(rows, []string{rule.Name, string(rule.Role), string(rule.Object), rule.Condition, string(eft)})
	}
	text, err := model.NewModelFromString(fmt.Sprintf(modelText, requestOf(lines), effect, matcher))
	if err != nil {
		return nil, fmt.Errorf("authz model: %w", err)
	}
	enforcer, err := casbin.NewEnforcer(text)
	if err != nil {
		return nil, fmt.Errorf("authz enforcer: %w", err)
	}
	enforcer.AddFunction("Fits", conditions.fits)
	if _, err := enforcer.AddPolicies(rows); err != nil {
		return nil, fmt.Errorf("authz rules: %w", err)
	}
	return enforcer, nil
}
