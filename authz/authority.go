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
	edition atomic.Pointer[edition]
}

// New compiles the policy. A rule that means nothing or a condition that cannot become SQL is InvalidInput or
// InvalidExpression with its reason, and nothing of the policy holds.
func New(policy Policy) (*Authority, error) {
	return newAuthority(policy, matcherOf)
}

// newAuthority takes the matcher's text from the given function; tests take lines out of it.
func newAuthority(policy Policy, matcher func(line) string) (*Authority, error) {
	edition, err := newEdition(policy, matcher)
	if err != nil {
		return nil, err
	}
	authority := &Authority{}
	authority.edition.Store(edition)
	return authority, nil
}

// Swap puts a newer version of the policy in force; an older or equal one changes nothing. Questions that are being
// answered end by the version they began with.
func (a *Authority) Swap(policy Policy) error {
	for {
		present := a.edition.Load()
		if policy.Version <= present.policy.Version {
			return nil
		}
		next, err := newEdition(policy, present.matcher)
		if err != nil {
			return err
		}
		if a.edition.CompareAndSwap(present, next) {
			return nil
		}
	}
}

// Version returns the policy's version in force.
func (a *Authority) Version() int64 { return a.edition.Load().policy.Version }

// Authorize asks whether the user may do the action on the review. The permit names the rule and policy version also
// when the answer is no; the error is then a *domain.Error with the first reason in a fixed order.
func (a *Authority) Authorize(user domain.User, action domain.Action, facts domain.ReviewFacts) (domain.Permit, error) {
	return a.edition.Load().decide(&ask{actor: &user, on: ofReview, review: &facts}, action)
}

// AuthorizeFor asks whether the actor may do it in the name of another: with the other's roles and queues, under the
// smaller of both limits, and by the hard rules of both.
func (a *Authority) AuthorizeFor(actor, stoodFor domain.User, action domain.Action, facts domain.ReviewFacts) (domain.Permit, error) {
	return a.edition.Load().decide(&ask{actor: &actor, stoodFor: &stoodFor, on: ofReview, review: &facts}, action)
}

// AuthorizeCase asks about a case as such. A case that the user may not read is NotFound whatever was asked.
func (a *Authority) AuthorizeCase(user domain.User, action domain.Action, facts domain.CaseFacts) (domain.Permit, error) {
	return a.edition.Load().decide(&ask{actor: &user, on: ofCase, document: &facts}, action)
}

// AuthorizePlain asks about what is on no case: submit, people, policy, audit.
func (a *Authority) AuthorizePlain(user domain.User, action domain.Action) (domain.Permit, error) {
	return a.edition.Load().decide(&ask{actor: &user, on: ofHouse}, action)
}

// MayReceive asks whether the review could be given to the user, whoever has it now: they could claim and decide it.
func (a *Authority) MayReceive(user domain.User, facts domain.ReviewFacts) (domain.Permit, error) {
	e := a.edition.Load()
	claimed := asGivenTo(user.ID, domain.ActClaim, facts)
	if permit, err := e.decide(&ask{actor: &user, on: ofReview, review: &claimed}, domain.ActClaim); err != nil {
		return permit, err
	}
	held := asGivenTo(user.ID, domain.ActDecide, facts)
	return e.decide(&ask{actor: &user, on: ofReview, review: &held}, domain.ActDecide)
}

// InScope reports whether an API token with the scopes may be used for the action; no scopes is all that the person may.
func InScope(scopes []string, action domain.Action) bool {
	return len(scopes) == 0 || slices.Contains(scopes, string(action))
}

// edition is one version of the policy, compiled. It never changes, but for the enforcers made when first needed.
type edition struct {
	policy     Policy
	conditions conditions
	matcher    func(line) string
	roles      map[domain.Role]bool  // that any rule is for
	settling   map[subject]*settling // where conditions ask about the review alone
	enforcers  sync.Map              // enforcerKey -> *casbin.Enforcer
	kept       [sorts]atomic.Int64   // enforcers kept, by their sort
	most       int64                 // that are kept of a sort
}

func newEdition(policy Policy, matcher func(line) string) (*edition, error) {
	e := &edition{policy: policy, conditions: conditions{}, matcher: matcher, roles: map[domain.Role]bool{},
		settling: map[subject]*settling{}, most: maxEnforcers}
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
			e.settleBy(subject{rule.Action, rule.Object.family()}, condition)
		}
	}
	return e, nil
}

// rolesKey names the roles of the user that have rules, in a fixed order.
func (e *edition) rolesKey(user *domain.User) string {
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
func (e *edition) enforce(question *ask, action domain.Action, lines line) (allowed bool, rule string, err error) {
	enforcer, err := e.enforcer(question, action, lines)
	if err != nil {
		return false, "", err
	}
	allowed, explanation, err := enforcer.EnforceEx(question.request(lines)...)
	if err != nil {
		return false, "", fmt.Errorf("ask the policy: %w", errors.Join(domain.Fail(domain.Internal, "The policy could not be asked."), err))
	}
	if len(explanation) > 0 {
		rule = explanation[0]
	}
	return allowed, rule, nil
}

// decide asks with every line of the action, and after a no for its reason.
func (e *edition) decide(question *ask, action domain.Action) (domain.Permit, error) {
	if whole := question.whole(); whole != nil {
		if permit, err := e.decide(whole, action); err != nil {
			return permit, err
		}
	}
	lines := question.lines(action)
	allowed, rule, err := e.enforce(question, action, lines)
	permit := domain.Permit{Allowed: allowed, Rule: rule, PolicyVersion: e.policy.Version}
	if err != nil || allowed {
		return permit, err
	}
	permit.Rule, err = e.reason(question, action, lines)
	return permit, err
}
