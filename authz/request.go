package authz

import (
	"fmt"
	"slices"

	"countersign/domain"
	"countersign/expr"
)

// request asks the policy whether the actor can do something on behalf of the delegator, if any.
// Casbin passes it to the predicates by reference.
type request struct {
	actor *domain.User
	// delegator is the user on whose behalf the actor acts, nil if there is none. The roles and
	// queues are then the delegator's; the hard rules apply to both.
	delegator  *domain.User
	objectKind objectKind
	review     *domain.ReviewFacts
	caseFacts  *domain.CaseFacts
	// The last evaluated condition with the effect of its rule, and the result, because rules with
	// the same condition are evaluated in sequence.
	lastCondition, lastEffect string
	lastResult                bool
}

// effectiveUser returns the user whose roles and queues apply.
func (r *request) effectiveUser() *domain.User {
	if r.delegator != nil {
		return r.delegator
	}
	return r.actor
}

// unscoped returns the same request without the scope of the delegation, nil if there is no scoped
// delegation.
func (r *request) unscoped() *request {
	if r.delegator == nil || r.delegator.Delegated == nil {
		return nil
	}
	req := *r
	req.delegator, req.lastCondition = &r.delegator.Delegated.Full, ""
	return &req
}

// hasQueueScope reports whether the delegation is limited to some queues. The limit applies also to
// rules for any queue.
func (r *request) hasQueueScope() bool {
	return r.delegator != nil && r.delegator.Delegated != nil &&
		len(r.delegator.Delegated.Scope.Queues) > 0
}

// scopeObject returns the object that the delegated queues cover.
func (r *request) scopeObject() Object {
	if r.objectKind == objectCase {
		return QueueCase
	}
	return QueueReview
}

// withinScope reports whether the object is in a delegated queue. It applies only if hasQueueScope.
func (r *request) withinScope() bool { return r.matchesObject(r.scopeObject()) }

// forAllActors reports whether the rule holds for the actor and the delegator.
func (r *request) forAllActors(rule func(person *domain.User) bool) bool {
	return rule(r.actor) && (r.delegator == nil || rule(r.delegator))
}

func (r *request) conflictedIDs() []domain.ID {
	switch r.objectKind {
	case objectReview:
		return r.review.ConflictedIDs
	case objectCase:
		return r.caseFacts.ConflictedIDs
	}
	return nil
}

func (r *request) enabled() bool {
	return r.forAllActors(func(person *domain.User) bool { return !person.Disabled })
}

// notInterested reports that neither user submitted the document or is excluded by a fact of the
// case.
func (r *request) notInterested() bool {
	return r.forAllActors(func(person *domain.User) bool {
		return !person.IsSamePerson(r.review.Submitter) &&
			!person.AnyAccountIn(r.review.InterestedIDs)
	})
}

// noConflict reports that neither user has a conflict of interest with the party's group.
func (r *request) noConflict() bool { return r.noActorIn(r.conflictedIDs()) }

// noVote reports that neither user already voted for this duty.
func (r *request) noVote() bool { return r.noActorIn(r.review.VotedIDs) }

func (r *request) noActorIn(excluded []domain.ID) bool {
	return len(excluded) == 0 || r.forAllActors(func(person *domain.User) bool {
		return !person.AnyAccountIn(excluded)
	})
}

// withinLimit reports whether the amount is within the limits of both users.
func (r *request) withinLimit() bool {
	return r.forAllActors(func(person *domain.User) bool {
		return limitOf(person, r.review.DocumentType).covers(r.review.AmountKnown,
			r.review.BaseMinor)
	})
}

// claimable reports whether the review is open and not assigned to another user, or already claimed
// by the actor. Only the person who was drawn may claim a drawn review, in their own name.
func (r *request) claimable() bool {
	switch r.review.Status {
	case domain.ReviewOpen:
		if r.review.Drawn {
			return r.review.Assignee == r.actor.ID && r.delegator == nil
		}
		return r.review.Assignee == domain.NoID || r.review.Assignee == r.actor.ID ||
			r.review.Assignee == r.effectiveUser().ID
	case domain.ReviewClaimed:
		return r.review.Assignee == r.actor.ID
	}
	return false
}

// ownLiveClaim reports whether the actor has claimed the review and the claim has not expired.
func (r *request) ownLiveClaim() bool {
	return r.review.Status == domain.ReviewClaimed && r.review.Assignee == r.actor.ID &&
		r.review.ClaimActive
}

// hasRole reports whether the effective user has the role.
func (r *request) hasRole(role string) bool {
	return role != "" && r.effectiveUser().HasRole(domain.Role(role))
}

// matchesObject reports whether the object of a rule includes the object of the request.
func (r *request) matchesObject(object Object) bool {
	if object.kind() != r.objectKind {
		return false
	}
	effective := r.effectiveUser()
	switch object {
	case OwnCase:
		return r.caseFacts.Submitter == effective.ID
	case QueueCase:
		inQueue := func(queue string) bool { return slices.Contains(effective.Queues, queue) }
		return slices.Contains(r.caseFacts.Deciders, effective.ID) ||
			slices.ContainsFunc(r.caseFacts.OpenQueues, inQueue)
	case QueueReview:
		return slices.Contains(effective.Queues, r.review.Queue)
	case AnyReview:
		return !domain.ConfidentialQueue(r.review.Queue) || effective.SeesConfidential()
	}
	return true
}

// policyUser returns the facts about a user for conditions.
func policyUser(user *domain.User) expr.PolicyUser {
	return expr.PolicyUser{ID: user.ID, Queues: user.Queues, Roles: user.Roles}
}

func (r *request) conditionFacts() domain.ReviewFacts {
	if r.objectKind == objectReview {
		return *r.review
	}
	return domain.ReviewFacts{DocumentType: r.caseFacts.DocumentType, Country: r.caseFacts.Country,
		OtherCountries: r.caseFacts.OtherCountries, BaseMinor: r.caseFacts.BaseMinor, AmountKnown: r.caseFacts.AmountKnown,
		Submitter: r.caseFacts.Submitter}
}

// conditions holds the compiled conditions of a policy by their text.
type conditions map[string]*expr.PolicyCondition

// evaluate evaluates a rule's condition. A condition that fails never allows and always denies. A
// rule that allows must hold for every country of the risk basis, one that denies for any.
func (c conditions) evaluate(a *request, source, effect string) bool {
	if source == "" {
		return true
	}
	if source == a.lastCondition && effect == a.lastEffect {
		return a.lastResult
	}
	denies := effect == string(Deny)
	condition, known := c[source]
	if !known {
		return denies
	}
	facts := a.conditionFacts()
	user := policyUser(a.effectiveUser())
	holds, err := condition.Eval(user, facts)
	for _, country := range facts.OtherCountries {
		if err != nil || holds == denies {
			break
		}
		facts.Country = country
		holds, err = condition.Eval(user, facts)
	}
	if err != nil {
		return denies
	}
	a.lastCondition, a.lastEffect, a.lastResult = source, effect, holds
	return holds
}

var errMatcherArguments = fmt.Errorf(
	"authz: the matcher was called with other arguments than the model has")

// matches is matchFunction of the matcher: it reports whether the rule is for a role of the
// effective user, includes the object, and its condition is true.
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
