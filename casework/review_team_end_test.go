package casework_test

import (
	"math"
	"slices"

	"countersign/casework"
	"countersign/domain"
)

// offer is a command that the program offers to a person about an undecided review.
type offer struct {
	by     domain.Actor
	review domain.Review
	action domain.Action
}

// offers lists, by the explanations that people see on the page of a review, who is offered to claim
// it, to decide it, to return it or to release it.
func (h *teamHistory) offers() (found []offer) {
	h.t.Helper()
	seen := h.newViews()
	for _, person := range h.team.accounts() {
		for _, review := range h.undecidedReviews(h.id) {
			question, err := seen.ReviewAccessQuestion(h.ctx, person, review.ID)
			if domain.HasCode(err, domain.NotFound) || domain.HasCode(err, domain.ConflictOfInterest) {
				continue
			}
			must(h.t, err)
			for _, action := range []domain.Action{domain.ActDecide, domain.ActClaim,
				domain.ActReturn, domain.ActRelease} {
				answer, err := question.Explain(action)
				must(h.t, err)
				claimed := action == domain.ActClaim && review.Status == domain.ReviewClaimed
				if answer.Allowed && !claimed {
					found = append(found, offer{person, review, action})
				}
			}
			for _, delegator := range question.Delegators() {
				by, action := onBehalfOf(person, domain.Actor{UserID: delegator.ID}), domain.ActClaim
				if review.Status == domain.ReviewClaimed {
					action = domain.ActDecide
				}
				found = append(found, offer{by, review, action})
			}
		}
	}
	return found
}

// requireOffered checks that someone is offered a command that is not to end the case without a
// decision.
func (h *teamHistory) requireOffered(record domain.Case) {
	h.t.Helper()
	switch {
	case record.Status.Final():
	case record.Status == domain.Returned:
		question, err := h.newViews().CaseAccessQuestion(h.ctx, h.sam, h.id)
		must(h.t, err)
		if answer, err := question.Explain(domain.ActResubmit); err != nil || !answer.Allowed {
			h.t.Fatalf("%+v, %v after %v", answer, err, h.commands)
		}
	case record.Status == domain.InReview:
		if len(h.offers()) == 0 {
			h.describe()
			h.t.Fatalf("no one is offered a command after %v", h.commands)
		}
	default:
		h.t.Fatalf("the case is %s after %v", record.Status, h.commands)
	}
}

// describe writes the state of a case that cannot continue.
func (h *teamHistory) describe() {
	h.t.Helper()
	record := h.caseByID(h.id)
	h.t.Logf("roles %v, limits %v, submitter %s", h.team.roles, h.team.limits, h.sam.Name)
	h.t.Logf("%d at risk, %v, at %+v", record.BaseMinor, record.Countries(), record.Marking.Tokens)
	for _, review := range h.undecidedReviews(h.id) {
		h.t.Logf("%s in %s is %s, claimed by %s", review.Node, review.Queue, review.Status,
			review.Assignee)
	}
	exclusions, err := h.db.Reader().Exclusions(h.ctx, h.id, record.Parties())
	must(h.t, err)
	for _, person := range h.people {
		h.t.Logf("%s is %s: %v %v %v", person.Name, person.UserID,
			slices.Contains(exclusions.Interested, person.UserID),
			slices.Contains(exclusions.Conflicted, person.UserID),
			slices.ContainsFunc(exclusions.Votes,
				func(v domain.Vote) bool { return v.Person == person.UserID }))
	}
}

// finish carries out what is offered until the case has ended, within a bounded number of steps. What
// is offered must succeed.
func (h *teamHistory) finish() {
	h.t.Helper()
	for step := range 60 {
		h.before = h.caseByID(h.id)
		h.mayFall = true
		switch {
		case h.before.Status.Final():
			return
		case h.before.Status == domain.Returned:
			h.requireOffered(h.before)
			if step >= 12 && (h.bundled || h.aboveEveryLimit()) { // a committee needs three people
				h.carryOut("abandon", errOf(h.svc.AbandonCase(h.ctx, h.sam, casework.AbandonCase{
					CaseTarget: casework.CaseTarget{CaseID: h.id}, Reason: "too large"})))
				break
			}
			h.restateSmaller()
			h.carryOut("resubmit", errOf(h.svc.ResubmitCase(h.ctx, h.sam, casework.ResubmitCase{
				CaseTarget: casework.CaseTarget{CaseID: h.id}})))
		default:
			h.requireOffered(h.before)
			h.takeOffer(pick(h.liveCase, h.bestOffers()...), step < 12)
		}
		h.drainQueue()
		h.check()
	}
	h.describe()
	h.t.Fatalf("the case does not end after %v", h.commands)
}

// carryOut records a command that was offered and therefore must succeed.
func (h *teamHistory) carryOut(command string, err error) {
	h.t.Helper()
	h.try("finally "+command, err)
	if err != nil {
		h.describe()
		h.t.Fatalf("%s was offered, but %v after %v", command, err, h.commands)
	}
}

// bestOffers returns the offers to decide, else to claim, else to return, else to release.
func (h *teamHistory) bestOffers() []offer {
	h.t.Helper()
	offers := h.offers()
	for _, action := range []domain.Action{domain.ActDecide, domain.ActClaim, domain.ActReturn} {
		if best := slices.DeleteFunc(slices.Clone(offers),
			func(o offer) bool { return o.action != action }); len(best) > 0 {
			return best
		}
	}
	return offers
}

// takeOffer carries out an offer: it returns what can only be returned, and rejects the rest. Early, it
// also resolves amounts and approves, which may lead to the same review again.
func (h *teamHistory) takeOffer(o offer, early bool) {
	h.t.Helper()
	on := casework.ReviewTarget{ReviewID: o.review.ID}
	name := o.by.Name + " " + string(o.action) + " " + o.review.Node
	switch {
	case o.action == domain.ActClaim:
		h.carryOut(name, errOf(h.svc.ClaimReview(h.ctx, o.by, on)))
	case o.action == domain.ActRelease:
		h.carryOut(name, errOf(h.svc.ReleaseReview(h.ctx, o.by, on)))
	case o.action == domain.ActReturn && early && h.random.IntN(4) > 0:
		h.try(name+" correct", h.correct(o.by, h.id, domain.FieldTotal, "500.00",
			domain.FieldCurrency, "EUR"))
		h.acceptAnd(on, o.by)
	case o.action == domain.ActReturn:
		h.carryOut(name, h.decide(o.by, o.review.ID, domain.Return, "state it again"))
	case o.review.Repairs():
		h.nameMissing(o.by, on)
	default:
		if early && h.random.IntN(h.approvals()) > 0 {
			err := h.decide(o.by, o.review.ID, domain.Approve, pick(h.liveCase, "", "checked"))
			h.try(name+" approve", err)
			if err == nil {
				return
			}
		}
		h.carryOut(name+" reject", h.decide(o.by, o.review.ID, domain.Reject, "no"))
	}
}

// approvals is how many of the decisions approve, and one more: a part of a file has to reach its end.
func (h *teamHistory) approvals() int {
	if h.kept != nil || h.paired || h.bundled {
		return 6
	}
	return 2
}

// aboveEveryLimit reports whether no one may decide on the amount at risk in one of the queues, without
// those who set a value. The staffing check warns of such teams: their cases are returned, and end when
// the submitter abandons them.
func (h *teamHistory) aboveEveryLimit() bool {
	queues := []string{domain.QueueAML, domain.QueueL1, domain.QueueL2}
	amount := h.before.BaseMinor
	if !h.before.AmountKnown { // it may be any
		amount = math.MaxInt64
	}
	return slices.ContainsFunc(queues, func(queue string) bool {
		return !slices.ContainsFunc(h.people, func(person domain.Actor) bool {
			return person.UserID != h.sam.UserID && person.UserID != h.conflicted &&
				!h.isInterested(person.UserID) && worksIn(h.team.rolesOf(person.UserID), queue) &&
				h.team.limitOf(person.UserID) >= amount
		})
	})
}

// acceptAnd accepts a restated order, if any, and releases the review for the second person.
func (h *teamHistory) acceptAnd(on casework.ReviewTarget, by domain.Actor) {
	h.t.Helper()
	if h.order.Reference != "" {
		h.try("finally accept", errOf(h.svc.AcceptOrder(h.ctx, by, on)))
	}
	h.try("finally release", errOf(h.svc.ReleaseReview(h.ctx, by, on)))
}

// nameMissing states for each missing value why it cannot be determined, and ends the repair.
func (h *teamHistory) nameMissing(by domain.Actor, on casework.ReviewTarget) {
	h.t.Helper()
	var fields []casework.FieldInput
	for _, fact := range h.before.Missing {
		fields = append(fields, casework.FieldInput{Name: domain.FieldOfFact(fact),
			Undetermined: "the page does not show it"})
	}
	if len(fields) > 0 {
		h.carryOut("name", errOf(h.svc.CorrectFields(h.ctx, by, casework.CorrectFields{
			ReviewTarget: on, Confirm: true, Fields: fields})))
	}
	h.carryOut("repair", h.decide(by, on.ReviewID, domain.Repaired, ""))
}

// restateSmaller restates an order so that it is within every limit.
func (h *teamHistory) restateSmaller() {
	h.t.Helper()
	if h.order.Reference == "" {
		return
	}
	h.order.Amount = "500.00"
	h.try("finally restate", h.restate(h.sam, h.id, h.order))
}
