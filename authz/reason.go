package authz

import (
	"countersign/domain"
)

// reasonOrder is the order in which violated hard rules are reported: permanent reasons first, the
// present assignee last.
var reasonOrder = []struct {
	line   hardRule
	rule   string
	report func(*request) *domain.Error
}{
	{hardRuleNotInterested, "NotInterested", interestedError},
	{hardRuleNoConflict, "NoConflict", conflictError},
	{hardRuleNoVote, "NoVote", votedError},
	{hardRuleWithinLimit, "WithinLimit", limitError},
	{hardRuleClaimable, "Claimable", claimableError},
	{hardRuleOwnLiveClaim, "OwnLiveClaim", notClaimedError},
}

// reason finds the reason of a refusal by evaluating the request again. If it is refused without
// hard rules, the roles are the reason. Otherwise each hard rule is evaluated separately, and the
// first that refuses is the reason.
func (e *policySnapshot) reason(
	req *request, action domain.Action, hardRules hardRule,
) (rule string, err error) {
	switch enabled, _, err := e.enforce(req, action,
		hardRules&(hardRuleEnabled|hardRuleWithinScope)); {
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
			return entry.rule, entry.report(req)
		}
	}
	return "", domain.Errorf(domain.Internal, "The policy refused the request without a reason.")
}

// roleReason returns the error if no rule of the user's roles allows the action: NotFound if the
// user cannot read the object.
func (e *policySnapshot) roleReason(
	req *request, action domain.Action, hardRules hardRule,
) (rule string, err error) {
	if hardRules&hardRuleEnabled != 0 && !req.enabled() {
		return "Enabled", domain.Errorf(domain.NotPermitted, "This account is disabled.").
			WithRemedy("Ask an administrator.")
	}
	scope := hardRules & hardRuleWithinScope
	_, denied, err := e.enforce(req, action, scope)
	if err != nil {
		return "", err
	}
	visible := req.objectKind == objectGlobal ||
		req.objectKind == objectReview && req.review.Assignee == req.actor.ID
	if !visible {
		if visible, _, err = e.enforce(req, domain.ActRead, scope); err != nil {
			return "", err
		}
	}
	if !visible {
		return denied, domain.NewNotFound()
	}
	return denied, domain.Errorf(domain.NotPermitted, "Your roles do not allow you to %s this.",
		verbOf(action)).
		WithRemedy("Ask an administrator if you need this permission.").
		WithDetail("action", string(action))
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
	if !a.forAllActors(func(person *domain.User) bool { return !person.IsSamePerson(a.review.Submitter) }) {
		return domain.Errorf(domain.OwnDocument,
			"You cannot review a document that you submitted.").
			WithRemedy(remedyLeaveInQueue)
	}
	return domain.Errorf(domain.FourEyes,
		"You entered a key fact of this document, split its file, or were excluded from that file, "+
			"so another reviewer must review it.").
		WithRemedy(remedyLeaveInQueue)
}

func conflictError(*request) *domain.Error {
	return domain.Errorf(domain.ConflictOfInterest,
		"You have a conflict of interest with this document.").
		WithRemedy("Leave the review to another reviewer. A manager can reassign it.")
}

func votedError(*request) *domain.Error {
	return domain.Errorf(domain.FourEyes,
		"You already voted on this document, so another reviewer must decide.").
		WithRemedy(remedyLeaveInQueue)
}

func limitError(a *request) *domain.Error {
	var smallest limit
	a.forAllActors(func(person *domain.User) bool {
		smallest = limitOf(person, a.review.DocumentType)
		return smallest.covers(a.review.AmountKnown, a.review.BaseMinor)
	})
	switch {
	case !smallest.granted:
		return domain.Errorf(domain.ApprovalLimit,
			"You do not have an approval limit for documents of this type.").
			WithRemedy("Ask an administrator if you need one.")
	case !a.review.AmountKnown:
		return domain.Errorf(domain.ApprovalLimit,
			"The amount is unknown, so only a reviewer with an unlimited approval limit can decide this document.").
			WithRemedy("Enter the amount first, or leave the review to a reviewer with an unlimited approval limit.").
			WithDetail("limit", baseAmountText(smallest.baseMinor))
	}
	return domain.Errorf(domain.ApprovalLimit, "The amount of %s is above your limit of %s.",
		baseMoney(a.review.BaseMinor).FormatGrouped(),
		baseMoney(smallest.baseMinor).FormatGrouped()).
		WithRemedy("Leave the review in the queue for a reviewer with a higher limit, or escalate it.").
		WithDetail("limit", baseAmountText(smallest.baseMinor)).
		WithDetail("amount", baseAmountText(a.review.BaseMinor))
}

func baseMoney(minor int64) domain.Money {
	return domain.Money{Minor: minor, Currency: domain.BaseCurrency}
}

func baseAmountText(minor int64) string { return baseMoney(minor).String() }

func claimableError(a *request) *domain.Error {
	switch {
	case a.review.Status == domain.ReviewOpen && a.review.Drawn:
		return drawnError(a)
	case a.review.Status == domain.ReviewOpen:
		return domain.Errorf(domain.AlreadyClaimed, "This review is assigned to another reviewer.").
			WithRemedy("Claim another review, or ask a manager to reassign this one to you.").
			WithDetail("holder", a.review.Assignee.String())
	case a.review.Status == domain.ReviewClaimed:
		return domain.Errorf(domain.AlreadyClaimed, msgClaimedByOther).
			WithRemedy(remedyClaimAnother).WithDetail("holder", a.review.Assignee.String())
	}
	return reviewEndedError(a)
}

// drawnError explains why a person cannot claim a review whose reviewer is drawn.
func drawnError(a *request) *domain.Error {
	switch {
	case a.review.Assignee == domain.NoID:
		return domain.Errorf(domain.NotEligible,
			"The reviewer of this document is assigned by draw, and no one has been drawn yet.").
			WithRemedy("Claim another review. If you are drawn, this one appears in your queue.").
			WithDetail("reason", "draw_pending")
	case a.delegator != nil:
		return domain.Errorf(domain.NotEligible,
			"A review that is assigned by draw cannot be claimed on behalf of another person.").
			WithRemedy(remedyClaimAnother).WithDetail("reason", "drawn_delegated")
	}
	return domain.Errorf(domain.NotEligible,
		"This review is assigned by draw to another reviewer.").
		WithRemedy("Claim another review. If the reviewer does not claim it in time, another one is drawn.").
		WithDetail("reason", "drawn")
}

func notClaimedError(a *request) *domain.Error {
	switch {
	case a.review.Status != domain.ReviewOpen && a.review.Status != domain.ReviewClaimed:
		return reviewEndedError(a)
	case a.review.Status == domain.ReviewClaimed && a.review.Assignee == a.actor.ID:
		return domain.Errorf(domain.NotClaimedByYou, "Your claim on this review has expired.").
			WithRemedy("Claim it again. Your draft was saved.")
	case a.review.Status == domain.ReviewClaimed:
		return domain.Errorf(domain.NotClaimedByYou, msgClaimedByOther).
			WithRemedy(remedyClaimAnother).WithDetail("holder", a.review.Assignee.String())
	}
	return domain.Errorf(domain.NotClaimedByYou, "You have not claimed this review.").
		WithRemedy("Claim it first.")
}

func reviewEndedError(a *request) *domain.Error {
	if a.review.Status == domain.ReviewCancelled {
		return domain.Errorf(domain.AlreadyDecided, "This review was withdrawn.").
			WithRemedy(remedyClaimAnother)
	}
	return domain.Errorf(domain.AlreadyDecided, "This review is already decided.").
		WithRemedy(remedyClaimAnother)
}

// Sentences that several errors share.
const (
	msgClaimedByOther  = "Another reviewer has claimed this review."
	remedyClaimAnother = "Claim another review."
	remedyLeaveInQueue = "Leave the review in the queue for another reviewer."
)
