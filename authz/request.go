package authz

import (
	"fmt"
	"slices"

	"countersign/domain"
	"countersign/expr"
)

// request is one question to the policy: may these persons do this to that. Casbin hands it to the predicates by reference.
type request struct {
	actor *domain.User
	// delegator is the person acted for, nil when the actor acts in their own name. Roles and queues are theirs then;
	// the hard rules hold for both.
	delegator  *domain.User
	objectKind objectKind
	review     *domain.ReviewFacts
	caseFacts  *domain.CaseFacts
	// The condition asked last and its answer: rules of one condition are scanned one after the other.
	lastCondition string
	lastResult    bool
}

// effectiveUser is whose roles and queues are asked about.
func (a *request) effectiveUser() *domain.User {
	if a.delegator != nil {
		return a.delegator
	}
	return a.actor
}

// unscoped is the same question in the whole name of a person who lent theirs; nil where nothing was lent.
func (a *request) unscoped() *request {
	if a.delegator == nil || a.delegator.Delegated == nil {
		return nil
	}
	req := *a
	req.delegator, req.lastCondition = &a.delegator.Delegated.Full, ""
	return &req
}

// hasQueueScope reports whether only some queues were lent, which then hold for rules that ask for no queue too.
func (a *request) hasQueueScope() bool {
	return a.delegator != nil && a.delegator.Delegated != nil && len(a.delegator.Delegated.Scope.Queues) > 0
}

// scopeObject is what lent queues take in: what is in one of them, or a case they decided on.
func (a *request) scopeObject() Object {
	if a.objectKind == objectCase {
		return QueueCase
	}
	return QueueReview
}

// withinScope: what is asked about is in a queue that was lent. It is asked only where one narrows.
func (a *request) withinScope() bool { return a.matchesObject(a.scopeObject()) }

// forAllActors reports whether the rule holds for all persons behind the act.
func (a *request) forAllActors(rule func(person *domain.User) bool) bool {
	return rule(a.actor) && (a.delegator == nil || rule(a.delegator))
}

func (a *request) conflictedIDs() []domain.ID {
	switch a.objectKind {
	case objectReview:
		return a.review.ConflictedIDs
	case objectCase:
		return a.caseFacts.ConflictedIDs
	}
	return nil
}

func (a *request) enabled() bool {
	return a.forAllActors(func(person *domain.User) bool { return !person.Disabled })
}

// notInterested: nobody behind the act submitted the document or is barred by a fact of the case.
func (a *request) notInterested() bool {
	return a.forAllActors(func(person *domain.User) bool {
		return person.ID != a.review.Submitter && !slices.Contains(a.review.InterestedIDs, person.ID)
	})
}

// noConflict: nobody behind the act has a conflict of interest with the party's group.
func (a *request) noConflict() bool {
	barred := a.conflictedIDs()
	return len(barred) == 0 || a.forAllActors(func(person *domain.User) bool { return !slices.Contains(barred, person.ID) })
}

// noVote: nobody behind the act already voted in this duty.
func (a *request) noVote() bool {
	return len(a.review.VotedIDs) == 0 || a.forAllActors(func(person *domain.User) bool { return !slices.Contains(a.review.VotedIDs, person.ID) })
}

// withinLimit: the amount lies within the limit of everyone behind the act, so the smaller one counts.
func (a *request) withinLimit() bool {
	return a.forAllActors(func(person *domain.User) bool {
		return limitOf(person, a.review.DocumentType).covers(a.review.AmountKnown, a.review.BaseMinor)
	})
}

// claimable: the review is open and nobody else's, or already the actor's.
func (a *request) claimable() bool {
	switch a.review.Status {
	case domain.ReviewOpen:
		return a.review.Assignee == domain.NoID || a.review.Assignee == a.actor.ID || a.review.Assignee == a.effectiveUser().ID
	case domain.ReviewClaimed:
		return a.review.Assignee == a.actor.ID
	}
	return false
}

// ownLiveClaim: the actor holds the review, and the claim has not run out.
func (a *request) ownLiveClaim() bool {
	return a.review.Status == domain.ReviewClaimed && a.review.Assignee == a.actor.ID && a.review.ClaimActive
}

// hasRole: the person whose powers are used has the role.
func (a *request) hasRole(role string) bool {
	return role != "" && a.effectiveUser().HasRole(domain.Role(role))
}

// matchesObject: the object of the rule takes in what is asked about.
func (a *request) matchesObject(object Object) bool {
	if object.kind() != a.objectKind {
		return false
	}
	effective := a.effectiveUser()
	switch object {
	case OwnCase:
		return a.caseFacts.Submitter == effective.ID
	case QueueCase:
		inQueue := func(queue string) bool { return slices.Contains(effective.Queues, queue) }
		return slices.Contains(a.caseFacts.Deciders, effective.ID) || slices.ContainsFunc(a.caseFacts.OpenQueues, inQueue)
	case QueueReview:
		return slices.Contains(effective.Queues, a.review.Queue)
	}
	return true
}

// policyUser and conditionFacts are what conditions are asked about.
func policyUser(user *domain.User) expr.PolicyUser {
	return expr.PolicyUser{ID: user.ID, Queues: user.Queues, Roles: user.Roles}
}

func (a *request) conditionFacts() domain.ReviewFacts {
	if a.objectKind == objectReview {
		return *a.review
	}
	return domain.ReviewFacts{DocumentType: a.caseFacts.DocumentType, Country: a.caseFacts.Country,
		BaseMinor: a.caseFacts.BaseMinor, AmountKnown: a.caseFacts.AmountKnown, Submitter: a.caseFacts.Submitter}
}

// conditions are the compiled conditions of a policy by their text.
type conditions map[string]*expr.PolicyCondition

// evaluate asks a rule's condition. One that cannot be answered never allows and always denies.
func (c conditions) evaluate(a *request, source, effect string) bool {
	if source == "" {
		return true
	}
	if source == a.lastCondition {
		return a.lastResult
	}
	condition, known := c[source]
	if !known {
		return effect == string(Deny)
	}
	holds, err := condition.Eval(policyUser(a.effectiveUser()), a.conditionFacts())
	if err != nil {
		return effect == string(Deny)
	}
	a.lastCondition, a.lastResult = source, holds
	return holds
}

var errMatcherArguments = fmt.Errorf("authz: the matcher was called with other arguments than the model has")

// matches is the function Fits of the matcher: the rule is for a role of the person, on what is asked about, and its
// condition holds.
func (c conditions) matches(args ...any) (any, error) {
	if len(args) != 5 {
		return false, errMatcherArguments
	}
	a, ok := args[0].(*request)
	role, ok1 := args[1].(string)
	object, ok2 := args[2].(string)
	source, ok3 := args[3].(string)
	effect, ok4 := args[4].(string)
	if !ok || !ok1 || !ok2 || !ok3 || !ok4 {
		return false, errMatcherArguments
	}
	return a.hasRole(role) && a.matchesObject(Object(object)) && c.evaluate(a, source, effect), nil
}
