package authz

import "countersign/domain"

// DecidesReview reports whether the user may decide the review now, for themselves or on behalf of a
// delegator: they have its live claim and every right to decide.
func (a *Authority) DecidesReview(user domain.User, delegators []domain.User,
	review domain.ReviewFacts) (bool, error) {
	return a.snapshot.Load().forDeciders(user, delegators, review,
		func(*domain.User) (bool, error) { return true, nil })
}

// ReadsForComparison reports whether the user, who may decide the review, may read the other case to
// compare both documents. The policy is asked about the other case as if it waited in the queue of the
// review, so that conditions, denials and conflicts apply as to any case of that queue. The submitter
// of the other case reads it only as its submitter.
//
// The answer widens no filter: lists, counts and searches are asked by ReadFilter alone.
func (a *Authority) ReadsForComparison(user domain.User, delegators []domain.User,
	review domain.ReviewFacts, other domain.CaseFacts) (bool, error) {
	e := a.snapshot.Load()
	other.OpenQueues, other.Deciders = []string{review.Queue}, nil
	return e.forDeciders(user, delegators, review, func(delegator *domain.User) (bool, error) {
		req := &request{actor: &user, delegator: delegator, objectKind: objectCase, caseFacts: &other}
		if !req.forAllActors(func(person *domain.User) bool {
			return !person.IsSamePerson(other.Submitter)
		}) {
			return false, nil
		}
		return e.allows(req, domain.ActRead)
	})
}

// forDeciders reports whether the user may decide the review in a way for which the question holds:
// for themselves, where the delegator is nil, or on behalf of a delegator.
func (e *policySnapshot) forDeciders(user domain.User, delegators []domain.User,
	review domain.ReviewFacts, holds func(delegator *domain.User) (bool, error)) (bool, error) {
	ways := []*domain.User{nil}
	for i := range delegators {
		ways = append(ways, &delegators[i])
	}
	for _, delegator := range ways {
		decides, err := e.allows(&request{actor: &user, delegator: delegator,
			objectKind: objectReview, review: &review}, domain.ActDecide)
		if decides && err == nil {
			decides, err = holds(delegator)
		}
		if decides || err != nil {
			return decides, err
		}
	}
	return false, nil
}

// allows is decide without the reason of a refusal.
func (e *policySnapshot) allows(req *request, action domain.Action) (bool, error) {
	permit, err := e.decide(req, action)
	if err != nil && domain.HasCode(err, domain.Internal) {
		return false, err
	}
	return permit.Allowed && err == nil, nil
}
