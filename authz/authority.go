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

// Authority decides who can do what by one version of the policy. It is safe for concurrent use.
type Authority struct {
	snapshot atomic.Pointer[policySnapshot]
}

// New compiles the policy. It returns InvalidInput for a rule without effect and InvalidExpression
// for a condition that cannot be translated to SQL.
func New(policy Policy) (*Authority, error) {
	return newAuthority(policy, matcherText)
}

// newAuthority is New with a function that returns the matcher's text; tests remove hard rules from
// it.
func newAuthority(policy Policy, matcher func(hardRule) string) (*Authority, error) {
	snapshot, err := newPolicySnapshot(policy, matcher)
	if err != nil {
		return nil, err
	}
	authority := &Authority{}
	authority.snapshot.Store(snapshot)
	return authority, nil
}

// Swap activates a newer version of the policy and ignores an older or equal one. Requests in
// progress finish with the version they started with.
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

// Version returns the active version of the policy.
func (a *Authority) Version() int64 { return a.snapshot.Load().policy.Version }

// Authorize checks whether the user can do the action on the review. The permit has the rule and
// the policy version also for a refusal; the error is then a *domain.Error with the first reason in
// the order of reasonOrder.
func (a *Authority) Authorize(
	user domain.User, action domain.Action, facts domain.ReviewFacts,
) (domain.Permit, error) {
	return a.snapshot.Load().decide(&request{actor: &user, objectKind: objectReview,
		review: &facts}, action)
}

// AuthorizeOnBehalfOf checks whether the actor can do the action on behalf of the delegator: with
// the delegator's roles and queues, under the smaller of both limits, and under the hard rules of
// both.
func (a *Authority) AuthorizeOnBehalfOf(
	actor, delegator domain.User, action domain.Action, facts domain.ReviewFacts,
) (domain.Permit, error) {
	return a.snapshot.Load().decide(&request{actor: &actor, delegator: &delegator,
		objectKind: objectReview, review: &facts}, action)
}

// AuthorizeCase checks an action on a case. For a case that the user cannot read, any action is
// NotFound.
func (a *Authority) AuthorizeCase(
	user domain.User, action domain.Action, facts domain.CaseFacts,
) (domain.Permit, error) {
	return a.snapshot.Load().decide(&request{actor: &user, objectKind: objectCase,
		caseFacts: &facts}, action)
}

// AuthorizeGlobal checks an action that is not on a case: submit, people, policy, audit.
func (a *Authority) AuthorizeGlobal(user domain.User, action domain.Action) (domain.Permit, error) {
	return a.snapshot.Load().decide(&request{actor: &user, objectKind: objectGlobal}, action)
}

// MaySeePeople reports whether the user sees the names of all people.
func (a *Authority) MaySeePeople(user domain.User) bool {
	_, refused := a.AuthorizeGlobal(user, domain.ActManagePeople)
	return refused == nil || user.HasRole(domain.RoleManager) || user.HasRole(domain.RoleAuditor)
}

// AuthorizeAssignment checks whether the review can be assigned to the user: they could claim and
// decide it. The present assignee does not matter.
func (a *Authority) AuthorizeAssignment(
	user domain.User, facts domain.ReviewFacts,
) (domain.Permit, error) {
	e := a.snapshot.Load()
	claimed := asAssignedTo(user.ID, domain.ActClaim, facts)
	if permit, err := e.decide(&request{actor: &user, objectKind: objectReview, review: &claimed},
		domain.ActClaim); err != nil {
		return permit, err
	}
	assigned := asAssignedTo(user.ID, domain.ActDecide, facts)
	return e.decide(&request{actor: &user, objectKind: objectReview, review: &assigned},
		domain.ActDecide)
}

// policySnapshot is one compiled version of the policy. It is immutable except for the enforcers,
// which are created on first use.
type policySnapshot struct {
	policy       Policy
	conditions   conditions
	matcher      func(hardRule) string
	roles        map[domain.Role]bool        // roles that have rules
	pruningPlans map[ruleTarget]*pruningPlan // for targets with conditions about the review only
	personal     map[ruleTarget]bool         // targets with a condition about the user or the assignee
	enforcers    sync.Map                    // enforcerKey -> *casbin.Enforcer
	cached       [pruningLevels]atomic.Int64 // number of cached enforcers by pruning level
	maxCached    int64                       // maximum per pruning level
}

func newPolicySnapshot(policy Policy, matcher func(hardRule) string) (*policySnapshot, error) {
	e := &policySnapshot{policy: policy, conditions: conditions{}, matcher: matcher,
		roles: map[domain.Role]bool{}, pruningPlans: map[ruleTarget]*pruningPlan{},
		personal:  map[ruleTarget]bool{},
		maxCached: maxEnforcers}
	e.policy.Rules = slices.Clone(policy.Rules)
	names := map[string]bool{}
	for _, rule := range e.policy.Rules {
		if names[rule.Name] {
			return nil, domain.Invalid("rules", "Two rules of the policy have the name %s.",
				rule.Name)
		}
		names[rule.Name], e.roles[rule.Role] = true, true
		condition, err := rule.compile()
		if err != nil {
			return nil, fmt.Errorf("policy version %d: %w", policy.Version, err)
		}
		if condition != nil {
			e.conditions[rule.Condition] = condition
			target := ruleTarget{rule.Action, rule.Object.kind()}
			e.addToPruningPlan(target, condition)
			columns, usesUser := condition.Columns()
			if usesUser || slices.Contains(columns, domain.ColAssignee) {
				e.personal[target] = true
			}
		}
	}
	return e, nil
}

// rolesKey returns the roles of the user that have rules, sorted.
func (e *policySnapshot) rolesKey(user *domain.User) string {
	if len(user.Roles) == 1 && e.roles[user.Roles[0]] {
		return string(user.Roles[0])
	}
	var buffer [8]string
	roles := buffer[:0]
	for _, role := range user.Roles {
		if e.roles[role] {
			roles = append(roles, string(role))
		}
	}
	slices.Sort(roles)
	return strings.Join(slices.Compact(roles), "\n")
}

// enforce is the only function that calls Casbin. It returns the name of the rule that allowed or
// denied.
func (e *policySnapshot) enforce(
	req *request, action domain.Action, hardRules hardRule,
) (allowed bool, rule string, err error) {
	enforcer, err := e.enforcer(req, action, hardRules)
	if err != nil {
		return false, "", err
	}
	allowed, explanation, err := enforcer.EnforceEx(req.casbinArguments(hardRules)...)
	if err != nil {
		return false, "", fmt.Errorf("evaluate the policy: %w",
			errors.Join(domain.Errorf(domain.Internal, msgNotEvaluated), err))
	}
	if len(explanation) > 0 {
		rule = explanation[0]
	}
	return allowed, rule, nil
}

const msgNotEvaluated = "The policy could not be evaluated."

// decide evaluates the request with all hard rules of the action and finds the reason for a
// refusal.
func (e *policySnapshot) decide(req *request, action domain.Action) (domain.Permit, error) {
	if unscoped := req.unscoped(); unscoped != nil {
		if permit, err := e.decide(unscoped, action); err != nil {
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
