package authz

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"countersign/domain"
)

// Authority answers who may do what by one version of the policy at a time. It is safe for concurrent use.
type Authority struct {
	snapshot atomic.Pointer[policySnapshot]
}

// New compiles the policy. A rule that means nothing or a condition that cannot become SQL is InvalidInput or
// InvalidExpression with its reason, and nothing of the policy holds.
func New(policy Policy) (*Authority, error) {
	return newAuthority(policy, matcherText)
}

// newAuthority takes the matcher's text from the given function; tests take lines out of it.
func newAuthority(policy Policy, matcher func(hardRule) string) (*Authority, error) {
	edition, err := newPolicySnapshot(policy, matcher)
	if err != nil {
		return nil, err
	}
	authority := &Authority{}
	authority.snapshot.Store(edition)
	return authority, nil
}

// Swap puts a newer version of the policy in force; an older or equal one changes nothing. Questions that are being
// answered end by the version they began with.
func (a *Authority) Swap(policy Policy) error {
	for {
		present := a.snapshot.Load()
		if policy.Version <= present.policy.Version {
			return nil
		}
		next, err := newPolicySnapshot(policy, present.matcher)
		if err != nil {
			return err
		}
		if a.snapshot.CompareAndSwap(present, next) {
			return nil
		}
	}
}

// Version returns the policy's version in force.
func (a *Authority) Version() int64 { return a.snapshot.Load().policy.Version }

// Authorize asks whether the user may do the action on the review. The permit names the rule and policy version also
// when the answer is no; the error is then a *domain.Error with the first reason in a fixed order.
func (a *Authority) Authorize(user domain.User, action domain.Action, facts domain.ReviewFacts) (domain.Permit, error) {
	return a.snapshot.Load().decide(&request{actor: &user, objectKind: objectReview, review: &facts}, action)
}

// AuthorizeOnBehalfOf asks whether the actor may do it on behalf of another: with the other's roles and queues, under the
// smaller of both limits, and by the hard rules of both.
func (a *Authority) AuthorizeOnBehalfOf(actor, delegator domain.User, action domain.Action, facts domain.ReviewFacts) (domain.Permit, error) {
	return a.snapshot.Load().decide(&request{actor: &actor, delegator: &delegator, objectKind: objectReview, review: &facts}, action)
}

// AuthorizeCase asks about a case as such. A case that the user may not read is NotFound whatever was asked.
func (a *Authority) AuthorizeCase(user domain.User, action domain.Action, facts domain.CaseFacts) (domain.Permit, error) {
	return a.snapshot.Load().decide(&request{actor: &user, objectKind: objectCase, caseFacts: &facts}, action)
}

// AuthorizeGlobal asks about what is on no case: submit, people, policy, audit.
func (a *Authority) AuthorizeGlobal(user domain.User, action domain.Action) (domain.Permit, error) {
	return a.snapshot.Load().decide(&request{actor: &user, objectKind: objectGlobal}, action)
}

// AuthorizeAssignment asks whether the review could be given to the user, whoever has it now: they could claim and decide it.
func (a *Authority) AuthorizeAssignment(user domain.User, facts domain.ReviewFacts) (domain.Permit, error) {
	e := a.snapshot.Load()
	claimed := asAssignedTo(user.ID, domain.ActClaim, facts)
	if permit, err := e.decide(&request{actor: &user, objectKind: objectReview, review: &claimed}, domain.ActClaim); err != nil {
		return permit, err
	}
	held := asAssignedTo(user.ID, domain.ActDecide, facts)
	return e.decide(&request{actor: &user, objectKind: objectReview, review: &held}, domain.ActDecide)
}

// policySnapshot is one version of the policy, compiled. It never changes, but for the enforcers made when first needed.
type policySnapshot struct {
	policy       Policy
	conditions   conditions
	matcher      func(hardRule) string
	roles        map[domain.Role]bool        // that any rule is for
	pruningPlans map[ruleTarget]*pruningPlan // where conditions ask about the review alone
	enforcers    sync.Map                    // enforcerKey -> *casbin.Enforcer
	cached       [pruningLevels]atomic.Int64 // enforcers kept, by their sort
	maxCached    int64                       // that are kept of a sort
}

func newPolicySnapshot(policy Policy, matcher func(hardRule) string) (*policySnapshot, error) {
	e := &policySnapshot{policy: policy, conditions: conditions{}, matcher: matcher, roles: map[domain.Role]bool{},
		pruningPlans: map[ruleTarget]*pruningPlan{}, maxCached: maxEnforcers}
	e.policy.Rules = slices.Clone(policy.Rules)
	names := map[string]bool{}
	for _, rule := range e.policy.Rules {
		if names[rule.Name] {
			return nil, domain.Invalid("rules", "Two rules of the policy have the name %s.", rule.Name)
		}
		names[rule.Name], e.roles[rule.Role] = true, true
		condition, err := rule.compile()
		if err != nil {
			return nil, fmt.Errorf("policy version %d: %w", policy.Version, err)
		}
		if condition != nil {
			e.conditions[rule.Condition] = condition
			e.addToPruningPlan(ruleTarget{rule.Action, rule.Object.kind()}, condition)
		}
	}
	return e, nil
}

// rolesKey names the roles of the user that have rules, in a fixed order.
func (e *policySnapshot) rolesKey(user *domain.User) string {
	if len(user.Roles) == 1 && e.roles[user.Roles[0]] {
		return string(user.Roles[0])
	}
	var room [8]string
	roles := room[:0]
	for _, role := range user.Roles {
		if e.roles[role] {
			roles = append(roles, string(role))
		}
	}
	slices.Sort(roles)
	return strings.Join(slices.Compact(roles), "\n")
}

// enforce is the one place where Casbin is asked. The name is that of the rule that allowed or denied.
func (e *policySnapshot) enforce(req *request, action domain.Action, hardRules hardRule) (allowed bool, rule string, err error) {
	enforcer, err := e.enforcer(req, action, hardRules)
	if err != nil {
		return false, "", err
	}
	allowed, explanation, err := enforcer.EnforceEx(req.casbinArguments(hardRules)...)
	if err != nil {
		return false, "", fmt.Errorf("ask the policy: %w", errors.Join(domain.Errorf(domain.Internal, "The policy could not be asked."), err))
	}
	if len(explanation) > 0 {
		rule = explanation[0]
	}
	return allowed, rule, nil
}

// decide asks with every line of the action, and after a no for its reason.
func (e *policySnapshot) decide(req *request, action domain.Action) (domain.Permit, error) {
	if whole := req.unscoped(); whole != nil {
		if permit, err := e.decide(whole, action); err != nil {
			return permit, err
		}
	}
	hardRules := req.hardRules(action)
	allowed, rule, err := e.enforce(req, action, hardRules)
	permit := domain.Permit{Allowed: allowed, Rule: rule, PolicyVersion: e.policy.Version}
	if err != nil || allowed {
		return permit, err
	}
	permit.Rule, err = e.reason(req, action, hardRules)
	return permit, err
}
