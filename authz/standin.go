package authz

import "countersign/domain"

// AuthorizeCaseFor asks about a case as such in the name of another: with the other's roles and queues, and by the hard
// rules of both.
func (a *Authority) AuthorizeCaseFor(actor, stoodFor domain.User, action domain.Action, facts domain.CaseFacts) (domain.Permit, error) {
	return a.edition.Load().decide(&ask{actor: &actor, stoodFor: &stoodFor, on: ofCase, document: &facts}, action)
}

// MayReadCase asks whether the user may read the case, in their own name or in one that was lent to them.
func (a *Authority) MayReadCase(user domain.User, lent []domain.User, facts domain.CaseFacts) error {
	_, refusal := a.AuthorizeCase(user, domain.ActRead, facts)
	if refusal == nil || domain.HasCode(refusal, domain.ConflictOfInterest) {
		return refusal
	}
	for _, giver := range lent {
		if _, err := a.AuthorizeCaseFor(user, giver, domain.ActRead, facts); err == nil {
			return nil
		}
	}
	return refusal
}

// ReadFilterWith admits exactly the cases that MayReadCase lets the user read.
func (a *Authority) ReadFilterWith(user domain.User, lent []domain.User) (domain.Filter, error) {
	return withLent(user, lent, func(question *ask) (domain.Filter, error) {
		question.on = ofCase
		return a.edition.Load().filter(question, domain.ActRead)
	})
}

// QueueFilterWith admits exactly the reviews that the user may claim, in their own name or in one that was lent to them.
func (a *Authority) QueueFilterWith(user domain.User, lent []domain.User) (domain.Filter, error) {
	return withLent(user, lent, func(question *ask) (domain.Filter, error) {
		return a.edition.Load().filter(question, domain.ActClaim)
	})
}

// ReviewReadFilterWith admits exactly the reviews that the user may read, in their own name or in one that was lent.
func (a *Authority) ReviewReadFilterWith(user domain.User, lent []domain.User) (domain.Filter, error) {
	return withLent(user, lent, func(question *ask) (domain.Filter, error) {
		return a.edition.Load().filter(question, domain.ActRead)
	})
}

// withLent joins the filters of the user and of every name lent to them.
func withLent(user domain.User, lent []domain.User, filter func(*ask) (domain.Filter, error)) (domain.Filter, error) {
	own, err := filter(&ask{actor: &user, on: ofReview})
	filters := []domain.Filter{own}
	for i := range lent {
		if err != nil {
			break
		}
		var one domain.Filter
		one, err = filter(&ask{actor: &user, stoodFor: &lent[i], on: ofReview})
		filters = append(filters, one)
	}
	return either(filters...), err
}
