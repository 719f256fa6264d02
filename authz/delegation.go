package authz

import "countersign/domain"

// AuthorizeCaseOnBehalfOf asks about a case as such on behalf of another: with the other's roles and queues, and by the hard
// rules of both.
func (a *Authority) AuthorizeCaseOnBehalfOf(actor, delegator domain.User, action domain.Action, facts domain.CaseFacts) (domain.Permit, error) {
	return a.snapshot.Load().decide(&request{actor: &actor, delegator: &delegator, objectKind: objectCase, caseFacts: &facts}, action)
}

// AuthorizeCaseRead asks whether the user may read the case, in their own name or in one that was delegated to them.
func (a *Authority) AuthorizeCaseRead(user domain.User, delegators []domain.User, facts domain.CaseFacts) error {
	_, refusal := a.AuthorizeCase(user, domain.ActRead, facts)
	if refusal == nil || domain.HasCode(refusal, domain.ConflictOfInterest) {
		return refusal
	}
	for _, delegator := range delegators {
		if _, err := a.AuthorizeCaseOnBehalfOf(user, delegator, domain.ActRead, facts); err == nil {
			return nil
		}
	}
	return refusal
}

// ReadFilterWithDelegators admits exactly the cases that MayReadCase lets the user read.
func (a *Authority) ReadFilterWithDelegators(user domain.User, delegators []domain.User) (domain.Filter, error) {
	return withDelegators(user, delegators, func(req *request) (domain.Filter, error) {
		req.objectKind = objectCase
		return a.snapshot.Load().filter(req, domain.ActRead)
	})
}

// QueueFilterWithDelegators admits exactly the reviews that the user may claim, in their own name or in one that was delegated to them.
func (a *Authority) QueueFilterWithDelegators(user domain.User, delegators []domain.User) (domain.Filter, error) {
	return withDelegators(user, delegators, func(req *request) (domain.Filter, error) {
		return a.snapshot.Load().filter(req, domain.ActClaim)
	})
}

// ReviewReadFilterWithDelegators admits exactly the reviews that the user may read, in their own name or in one that was lent.
func (a *Authority) ReviewReadFilterWithDelegators(user domain.User, delegators []domain.User) (domain.Filter, error) {
	return withDelegators(user, delegators, func(req *request) (domain.Filter, error) {
		return a.snapshot.Load().filter(req, domain.ActRead)
	})
}

// withDelegators joins the filters of the user and of every name delegated to them.
func withDelegators(user domain.User, delegators []domain.User, filter func(*request) (domain.Filter, error)) (domain.Filter, error) {
	own, err := filter(&request{actor: &user, objectKind: objectReview})
	filters := []domain.Filter{own}
	for i := range delegators {
		if err != nil {
			break
		}
		var one domain.Filter
		one, err = filter(&request{actor: &user, delegator: &delegators[i], objectKind: objectReview})
		filters = append(filters, one)
	}
	return anyOf(filters...), err
}
