package authz

import (
	"countersign/domain"
)

// reasonOrder is the order in which the hard rules are named when several stand in the way: first what will not change
// for this person, last who holds the review at the moment.
var reasonOrder = []struct {
	line line
	rule string
	tell func(*ask) *domain.Error
}{
	{lineNotInterested, "NotInterested", tellInterested},
	{lineNoConflict, "NoConflict", tellConflict},
	{lineNoVote, "NoVote", tellVoted},
	{lineWithinLimit, "WithinLimit", tellLimit},
	{lineClaimable, "Claimable", tellClaimable},
	{lineOwnLiveClaim, "OwnLiveClaim", tellNotClaimed},
}

// reason finds out why the answer was no by asking again with lines lifted: without any hard rule it is a matter of
// roles; else each line is put back alone, and the first that turns the answer is the reason.
func (e *edition) reason(question *ask, action domain.Action, lines line) (rule string, err error) {
	switch enabled, _, err := e.enforce(question, action, lines&(lineEnabled|lineWithinScope)); {
	case err != nil:
		return "", err
	case !enabled:
		return e.reasonOfRoles(question, action, lines)
	}
	for _, entry := range reasonOrder {
		if lines&entry.line == 0 {
			continue
		}
		allowed, _, err := e.enforce(question, action, entry.line)
		if err != nil {
			return "", err
		}
		if !allowed {
			return entry.rule, entry.tell(question)
		}
	}
	return "", domain.Fail(domain.Internal, "The policy refused without a reason.")
}

// reasonOfRoles: no rule of the person's roles allows it. What they could never read does not exist for them.
func (e *edition) reasonOfRoles(question *ask, action domain.Action, lines line) (rule string, err error) {
	if lines&lineEnabled != 0 && !question.enabled() {
		return "Enabled", domain.Fail(domain.NotPermitted, "This account is switched off.").WithWayOut("Ask an administrator.")
	}
	scope := lines & lineWithinScope
	_, denied, err := e.enforce(question, action, scope)
	if err != nil {
		return "", err
	}
	visible := question.on == ofHouse || question.on == ofReview && question.review.Assignee == question.actor.ID
	if !visible {
		if visible, _, err = e.enforce(question, domain.ActRead, scope); err != nil {
			return "", err
		}
	}
	if !visible {
		return denied, domain.Fail(domain.NotFound, "There is no such thing, or you may not see it.")
	}
	return denied, domain.Fail(domain.NotPermitted, "Your roles do not allow you to %s this.", verbOf(action)).
		WithWayOut("Ask an administrator if you need this right.").WithDetail("action", string(action))
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

func tellInterested(a *ask) *domain.Error {
	if !a.every(func(person *domain.User) bool { return person.ID != a.review.Submitter }) {
		return domain.Fail(domain.OwnDocument, "Nobody reviews a document that they submitted themselves.").
			WithWayOut("Leave it in the queue for somebody else.")
	}
	return domain.Fail(domain.FourEyes, "You set a key fact of this document, so somebody else has to review it.").
		WithWayOut("Leave it in the queue for somebody else.")
}

func tellConflict(*ask) *domain.Error {
	return domain.Fail(domain.ConflictOfInterest, "A conflict of interest bars you from this document.").
		WithWayOut("Leave it to somebody else; a manager can give it to another person.")
}

func tellVoted(*ask) *domain.Error {
	return domain.Fail(domain.FourEyes, "You already gave your vote on this document, so a second person has to decide.").
		WithWayOut("Leave it in the queue for somebody else.")
}

func tellLimit(a *ask) *domain.Error {
	var smallest limit
	a.every(func(person *domain.User) bool {
		smallest = limitOf(person, a.review.DocumentType)
		return smallest.covers(a.review.AmountKnown, a.review.BaseMinor)
	})
	fail := domain.Fail
	const way = "Leave it in the queue for somebody with a higher limit, or escalate it."
	switch {
	case !smallest.granted:
		return fail(domain.ApprovalLimit, "No limit gives you the right to decide documents of this type.").
			WithWayOut("Ask an administrator if you need one.")
	case !a.review.AmountKnown:
		return fail(domain.ApprovalLimit, "The amount is not known yet, so only a person without a limit may decide this document.").
			WithWayOut("Have the amount entered first, or leave it to somebody without a limit.").
			WithDetail("limit", inBase(smallest.baseMinor))
	}
	return fail(domain.ApprovalLimit, "The amount of %s is above your limit of %s.", base(a.review.BaseMinor).Grouped(), base(smallest.baseMinor).Grouped()).
		WithWayOut(way).WithDetail("limit", inBase(smallest.baseMinor)).WithDetail("amount", inBase(a.review.BaseMinor))
}

func base(minor int64) domain.Money { return domain.Money{Minor: minor, Currency: domain.BaseCurrency} }

func inBase(minor int64) string { return base(minor).String() }

func tellClaimable(a *ask) *domain.Error {
	switch {
	case a.review.Status == domain.ReviewOpen:
		return domain.Fail(domain.AlreadyClaimed, "This review is assigned to somebody else.").
			WithWayOut("Take the next one, or ask a manager to give it to you.").WithDetail("holder", a.review.Assignee.String())
	case a.review.Status == domain.ReviewClaimed:
		return domain.Fail(domain.AlreadyClaimed, "Somebody else has claimed this review.").
			WithWayOut("Take the next one.").WithDetail("holder", a.review.Assignee.String())
	}
	return tellEnded(a)
}

func tellNotClaimed(a *ask) *domain.Error {
	switch {
	case a.review.Status != domain.ReviewOpen && a.review.Status != domain.ReviewClaimed:
		return tellEnded(a)
	case a.review.Status == domain.ReviewClaimed && a.review.Assignee == a.actor.ID:
		return domain.Fail(domain.NotClaimedByYou, "Your claim on this review has run out.").
			WithWayOut("Claim it again; your draft was kept.")
	case a.review.Status == domain.ReviewClaimed:
		return domain.Fail(domain.NotClaimedByYou, "Somebody else has claimed this review.").
			WithWayOut("Take the next one.").WithDetail("holder", a.review.Assignee.String())
	}
	return domain.Fail(domain.NotClaimedByYou, "You have not claimed this review.").WithWayOut("Claim it first.")
}

func tellEnded(a *ask) *domain.Error {
	if a.review.Status == domain.ReviewCancelled {
		return domain.Fail(domain.AlreadyDecided, "This review was withdrawn.").WithWayOut("Take the next one.")
	}
	return domain.Fail(domain.AlreadyDecided, "This review is already decided.").WithWayOut("Take the next one.")
}
