package authz

import (
	"fmt"
	"slices"

	"countersign/domain"
	"countersign/expr"
)

// ask is one question to the policy: may these persons do this to that. Casbin hands it to the predicates by reference.
type ask struct {
	actor *domain.User
	// stoodFor is the person acted for, nil when the actor acts in their own name. Roles and queues are theirs then;
	// the hard rules hold for both.
	stoodFor *domain.User
	on       family
	review   *domain.ReviewFacts
	document *domain.CaseFacts
	// The condition asked last and its answer: rules of one condition are scanned one after the other.
	asked  string
	answer bool
}

// powers is whose roles and queues are asked about.
func (a *ask) powers() *domain.User {
	if a.stoodFor != nil {
		return a.stoodFor
	}
	return a.actor
}

// whole is the same question in the whole name of a person who lent theirs; nil where nothing was lent.
func (a *ask) whole() *ask {
	if a.stoodFor == nil || a.stoodFor.Lent == nil {
		return nil
	}
	question := *a
	question.stoodFor, question.asked = &a.stoodFor.Lent.Whole, ""
	return &question
}

// narrowed reports whether only some queues were lent, which then hold for rules that ask for no queue too.
func (a *ask) narrowed() bool {
	return a.stoodFor != nil && a.stoodFor.Lent != nil && len(a.stoodFor.Lent.Scope.Queues) > 0
}

// scopeObject is what lent queues take in: what is in one of them, or a case they decided on.
func (a *ask) scopeObject() Object {
	if a.on == ofCase {
		return QueueCase
	}
	return QueueReview
}

// withinScope: what is asked about is in a queue that was lent. It is asked only where one narrows.
func (a *ask) withinScope() bool { return a.concerns(a.scopeObject()) }

// every reports whether the rule holds for all persons behind the act.
func (a *ask) every(rule func(person *domain.User) bool) bool {
	return rule(a.actor) && (a.stoodFor == nil || rule(a.stoodFor))
}

func (a *ask) conflicted() []domain.ID {
	switch a.on {
	case ofReview:
		return a.review.ConflictedIDs
	case ofCase:
		return a.document.ConflictedIDs
	}
	return nil
}

func (a *ask) enabled() bool {
	return a.every(func(person *domain.User) bool { return !person.Disabled })
}

// notInterested: nobody behind the act submitted the document or is barred by a fact of the case.
func (a *ask) notInterested() bool {
	return a.every(func(person *domain.User) bool {
		return person.ID != a.review.Submitter && !slices.Contains(a.review.InterestedIDs, person.ID)
	})
}

// noConflict: nobody behind the act has a conflict of interest with the party's group.
func (a *ask) noConflict() bool {
	barred := a.conflicted()
	return len(barred) == 0 || a.every(func(person *domain.User) bool { return !slices.Contains(barred, person.ID) })
}

// noVote: nobody behind the act already voted in this duty.
func (a *ask) noVote() bool {
	return len(a.review.VotedIDs) == 0 || a.every(func(person *domain.User) bool { return !slices.Contains(a.review.VotedIDs, person.ID) })
}

// withinLimit: the amount lies within the limit of everyone behind the act, so the smaller one counts.
func (a *ask) withinLimit() bool {
	return a.every(func(person *domain.User) bool {
		return limitOf(person, a.review.DocumentType).covers(a.review.AmountKnown, a.review.BaseMinor)
	})
}

// claimable: the review is open and nobody else's, or already the actor's.
func (a *ask) claimable() bool {
	switch a.review.Status {
	case domain.ReviewOpen:
		return a.review.Assignee == domain.NoID || a.review.Assignee == a.actor.ID || a.review.Assignee == a.powers().ID
	case domain.ReviewClaimed:
		return a.review.Assignee == a.actor.ID
	}
	return false
}

// ownLiveClaim: the actor holds the review, and the claim has not run out.
func (a *ask) ownLiveClaim() bool {
	return a.review.Status == domain.ReviewClaimed && a.review.Assignee == a.actor.ID && a.review.ClaimLive
}

// holds: the person whose powers are used has the role.
func (a *ask) holds(role string) bool { return role != "" && a.powers().Has(domain.Role(role)) }

// concerns: the object of the rule takes in what is asked about.
func (a *ask) concerns(object Object) bool {
	if object.family() != a.on {
		return false
	}
	powers := a.powers()
	switch object {
	case OwnCase:
		return a.document.Submitter == powers.ID
	case QueueCase:
		inQueue := func(queue string) bool { return slices.Contains(powers.Queues, queue) }
		return slices.Contains(a.document.Deciders, powers.ID) || slices.ContainsFunc(a.document.OpenQueues, inQueue)
	case QueueReview:
		return slices.Contains(powers.Queues, a.review.Queue)
	}
	return true
}

// policyUser and conditionFacts are what conditions are asked about.
func policyUser(user *domain.User) expr.PolicyUser {
	return expr.PolicyUser{ID: user.ID, Queues: user.Queues, Roles: user.Roles}
}

func (a *ask) conditionFacts() domain.ReviewFacts {
	if a.on == ofReview {
		return *a.review
	}
	return domain.ReviewFacts{DocumentType: a.document.DocumentType, Country: a.document.Country,
		BaseMinor: a.document.BaseMinor, AmountKnown: a.document.AmountKnown, Submitter: a.document.Submitter}
}

// conditions are the compiled conditions of a policy by their text.
type conditions map[string]*expr.PolicyCondition

// judge asks a rule's condition. One that cannot be answered never allows and always denies.
func (c conditions) judge(a *ask, source, effect string) bool {
	if source == "" {
		return true
	}
	if source == a.asked {
		return a.answer
	}
	condition, known := c[source]
	if !known {
		return effect == string(Deny)
	}
	holds, err := condition.Judge(policyUser(a.powers()), a.conditionFacts())
	if err != nil {
		return effect == string(Deny)
	}
	a.asked, a.answer = source, holds
	return holds
}

var errArguments = fmt.Errorf("authz: the matcher was called with other arguments than the model has")

// fits is the function Fits of the matcher: the rule is for a role of the person, on what is asked about, and its
// condition holds.
func (c conditions) fits(args ...any) (any, error) {
	if len(args) != 5 {
		return false, errArguments
	}
	a, ok := args[0].(*ask)
	role, ok1 := args[1].(string)
	object, ok2 := args[2].(string)
	source, ok3 := args[3].(string)
	effect, ok4 := args[4].(string)
	if !ok || !ok1 || !ok2 || !ok3 || !ok4 {
		return false, errArguments
	}
	return a.holds(role) && a.concerns(Object(object)) && c.judge(a, source, effect), nil
}
