package authz

import "countersign/domain"

// AuthorizeCaseOnBehalfOf checks an action on a case on behalf of the delegator: with the
// delegator's roles and queues, and under the hard rules of both.
func (a *Authority) AuthorizeCaseOnBehalfOf(
	actor, delegator domain.User, action domain.Action, facts domain.CaseFacts,
) (domain.Permit, error) {
	return a.snapshot.Load().decide(&request{actor: &actor, delegator: &delegator,
		objectKind: objectCase, caseFacts: &facts}, action)
}

// AuthorizeCaseRead checks whether the user can read the case for themselves or on behalf of a
// delegator.
func (a *Authority) AuthorizeCaseRead(
	user domain.User, delegators []domain.User, facts domain.CaseFacts,
) error {
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

// ReadFilterWithDelegators matches exactly the cases that AuthorizeCaseRead lets the user read.
func (a *Authority) ReadFilterWithDelegators(
	user domain.User, delegators []domain.User,
) (domain.Filter, error) {
	return withDelegators(user, delegators, func(req *request) (domain.Filter, error) {
		req.objectKind = objectCase
		return a.snapshot.Load().filter(req, domain.ActRead)
	})
}

// QueueFilterWithDelegators matches exactly the reviews that the user can claim for themselves or
// on behalf of a delegator.
func (a *Authority) QueueFilterWithDelegators(
	user domain.User, delegators []domain.User,
) (domain.Filter, error) {
	return withDelegators(user, delegators, func(req *request) (domain.Filter, error) {
		return a.snapshot.Load().filter(req, domain.ActClaim)
	})
}

// ReviewReadFilterWithDelegators matches exactly the reviews that the user can read for themselves
// or on behalf of a delegator.
func (a *Authority) ReviewReadFilterWithDelegators(
	user domain.User, delegators []domain.User,
) (domain.Filter, error) {
	return withDelegators(user, delegators, func(req *request) (domain.Filter, error) {
		return a.snapshot.Load().filter(req, domain.ActRead)
	})
}

// withDelegators joins the filters of the user and of each delegator.
func withDelegators(
	user domain.User, delegators []domain.User, filter func(*request) (domain.Filter, error),
) (domain.Filter, error) {
	own, err := filter(&request{actor: &user, objectKind: objectReview})
	filters := []domain.Filter{own}
	for i := range delegators {
		if err != nil {
			break
		}
		var one domain.Filter
		one, err = filter(&request{actor: &user, delegator: &delegators[i],
			objectKind: objectReview})
		filters = append(filters, one)
	}
	return anyOf(filters...), err
}
