package authz

import (
	"countersign/domain"
)

// reasonOrder is the order in which the hard rules are named when several stand in the way: first what will not change
// for this person, last who holds the review at the moment.
var reasonOrder = []struct {
	line hardRule
	rule string
	tell func(*request) *domain.Error
}{
	{hardRuleNotInterested, "NotInterested", interestedError},
	{hardRuleNoConflict, "NoConflict", conflictError},
	{hardRuleNoVote, "NoVote", votedError},
	{hardRuleWithinLimit, "WithinLimit", limitError},
	{hardRuleClaimable, "Claimable", claimableError},
	{hardRuleOwnLiveClaim, "OwnLiveClaim", notClaimedError},
}

// reason finds out why the answer was no by asking again with lines lifted: without any hard rule it is a matter of
// roles; else each line is put back alone, and the first that turns the answer is the reason.
func (e *policySnapshot) reason(req *request, action domain.Action, hardRules hardRule) (rule string, err error) {
	switch enabled, _, err := e.enforce(req, action, hardRules&(hardRuleEnabled|hardRuleWithinScope)); {
	case err != nil:
		return "", err
	case !enabled:
		return e.roleReason(req, action, hardRules)
	}
	for _, entry := range reasonOrder {
		if hardRules&entry.line == 0 {
			continue
		}
		allowed, _, err := e.enforce(req, action, entry.line)
		if err != nil {
			return "", err
		}
		if !allowed {
			return entry.rule, entry.tell(req)
		}
	}
	return "", domain.Errorf(domain.Internal, "The policy refused without a reason.")
}

// roleReason: no rule of the person's roles allows it. What they could never read does not exist for them.
func (e *policySnapshot) roleReason(req *request, action domain.Action, hardRules hardRule) (rule string, err error) {
	if hardRules&hardRuleEnabled != 0 && !req.enabled() {
		return "Enabled", domain.Errorf(domain.NotPermitted, "This account is switched off.").WithRemedy("Ask an administrator.")
	}
	scope := hardRules & hardRuleWithinScope
	_, denied, err := e.enforce(req, action, scope)
	if err != nil {
		return "", err
	}
	visible := req.objectKind == objectGlobal || req.objectKind == objectReview && req.review.Assignee == req.actor.ID
	if !visible {
		if visible, _, err = e.enforce(req, domain.ActRead, scope); err != nil {
			return "", err
		}
	}
	if !visible {
		return denied, domain.Errorf(domain.NotFound, "There is no such thing, or you may not see it.")
	}
	return denied, domain.Errorf(domain.NotPermitted, "Your roles do not allow you to %s this.", verbOf(action)).
		WithRemedy("Ask an administrator if you need this right.").WithDetail("action", string(action))
}

func verbOf(action domain.Action) string {
	switch action {
	case domain.ActEnter:
		return "enter values for"
	case domain.ActReadAudit:
		return "read the audit trail of"
	case domain.ActManagePeople:
		return "manage people for"
	}
	return string(action)
}

func interestedError(a *request) *domain.Error {
	if !a.forAllActors(func(person *domain.User) bool { return person.ID != a.review.Submitter }) {
		return domain.Errorf(domain.OwnDocument, "Nobody reviews a document that they submitted themselves.").
			WithRemedy("Leave it in the queue for somebody else.")
	}
	return domain.Errorf(domain.FourEyes, "You set a key fact of this document, so somebody else has to review it.").
		WithRemedy("Leave it in the queue for somebody else.")
}

func conflictError(*request) *domain.Error {
	return domain.Errorf(domain.ConflictOfInterest, "A conflict of interest bars you from this document.").
		WithRemedy("Leave it to somebody else; a manager can give it to another person.")
}

func votedError(*request) *domain.Error {
	return domain.Errorf(domain.FourEyes, "You already gave your vote on this document, so a second person has to decide.").
		WithRemedy("Leave it in the queue for somebody else.")
}

func limitError(a *request) *domain.Error {
	var smallest limit
	a.forAllActors(func(person *domain.User) bool {
		smallest = limitOf(person, a.review.DocumentType)
		return smallest.covers(a.review.AmountKnown, a.review.BaseMinor)
	})
	fail := domain.Errorf
	const way = "Leave it in the queue for somebody with a higher limit, or escalate it."
	switch {
	case !smallest.granted:
		return fail(domain.ApprovalLimit, "No limit gives you the right to decide documents of this type.").
			WithRemedy("Ask an administrator if you need one.")
	case !a.review.AmountKnown:
		return fail(domain.ApprovalLimit, "The amount is not known yet, so only a person without a limit may decide this document.").
			WithRemedy("Have the amount entered first, or leave it to somebody without a limit.").
			WithDetail("limit", baseAmountText(smallest.baseMinor))
	}
	return fail(domain.ApprovalLimit, "The amount of %s is above your limit of %s.", baseMoney(a.review.BaseMinor).FormatGrouped(), baseMoney(smallest.baseMinor).FormatGrouped()).
		WithRemedy(way).WithDetail("limit", baseAmountText(smallest.baseMinor)).WithDetail("amount", baseAmountText(a.review.BaseMinor))
}

func baseMoney(minor int64) domain.Money {
	return domain.Money{Minor: minor, Currency: domain.BaseCurrency}
}

func baseAmountText(minor int64) string { return baseMoney(minor).String() }

func claimableError(a *request) *domain.Error {
	switch {
	case a.review.Status == domain.ReviewOpen:
		return domain.Errorf(domain.AlreadyClaimed, "This review is assigned to somebody else.").
			WithRemedy("Take the next one, or ask a manager to give it to you.").WithDetail("holder", a.review.Assignee.String())
	case a.review.Status == domain.ReviewClaimed:
		return domain.Errorf(domain.AlreadyClaimed, "Somebody else has claimed this review.").
			WithRemedy("Take the next one.").WithDetail("holder", a.review.Assignee.String())
	}
	return reviewEndedError(a)
}

func notClaimedError(a *request) *domain.Error {
	switch {
	case a.review.Status != domain.ReviewOpen && a.review.Status != domain.ReviewClaimed:
		return reviewEndedError(a)
	case a.review.Status == domain.ReviewClaimed && a.review.Assignee == a.actor.ID:
		return domain.Errorf(domain.NotClaimedByYou, "Your claim on this review has run out.").
			WithRemedy("Claim it again; your draft was kept.")
	case a.review.Status == domain.ReviewClaimed:
		return domain.Errorf(domain.NotClaimedByYou, "Somebody else has claimed this review.").
			WithRemedy("Take the next one.").WithDetail("holder", a.review.Assignee.String())
	}
	return domain.Errorf(domain.NotClaimedByYou, "You have not claimed this review.").WithRemedy("Claim it first.")
}

func reviewEndedError(a *request) *domain.Error {
	if a.review.Status == domain.ReviewCancelled {
		return domain.Errorf(domain.AlreadyDecided, "This review was withdrawn.").WithRemedy("Take the next one.")
	}
	return domain.Errorf(domain.AlreadyDecided, "This review is already decided.").WithRemedy("Take the next one.")
}
