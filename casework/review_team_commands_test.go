package casework_test

import (
	"slices"
	"time"

	"countersign/casework"
	"countersign/domain"
)

// command runs one random command of one random person; refusals are results like others.
func (h *teamHistory) command() {
	h.t.Helper()
	h.mayFall = false
	switch n := h.random.IntN(24); {
	case n == 0:
		h.changeTeam()
	case n == 1:
		h.changeControlData()
	case n == 2 && h.random.IntN(3) == 0:
		h.try("abandon", errOf(h.svc.AbandonCase(h.ctx, h.sam, casework.AbandonCase{
			CaseTarget: casework.CaseTarget{CaseID: h.id}, Reason: "sent twice"})))
	case n == 3:
		err := errOf(h.svc.ReplaceDocument(h.ctx, h.sam, casework.ReplaceDocument{
			CaseTarget: casework.CaseTarget{CaseID: h.id}, File: upload(letters(h.random, 20))}))
		h.try("replace", err)
		if err == nil {
			h.pages = h.file // the new document is read as a whole
		}
	case n == 4 && h.bundled:
		h.addSupporting()
	case h.before.Status == domain.Returned:
		h.mayFall = true
		h.answerAny()
	default:
		h.reviewCommand()
	}
}

// reopen reopens a closed case at times, and reports whether it did.
func (h *teamHistory) reopen() bool {
	h.t.Helper()
	if h.random.IntN(2) == 0 {
		return false
	}
	if h.before.Status == domain.Archived {
		return h.correctArchivedCase()
	}
	err := errOf(h.svc.ReopenCase(h.ctx, pick(h.liveCase, h.people...), casework.ReopenCase{
		CaseTarget: casework.CaseTarget{CaseID: h.id}, Reason: "new evidence"}))
	h.try("reopen", err)
	h.drainQueue()
	h.before = h.caseByID(h.id)
	return err == nil && !h.before.Status.Final()
}

// answerAny answers a returned case as its submitter: with other values, another order, or nothing.
func (h *teamHistory) answerAny() {
	h.t.Helper()
	switch on := (casework.CaseTarget{CaseID: h.id}); {
	case h.order.Reference != "" && h.random.IntN(2) == 0:
		restated := h.order
		restated.Amount = pick(h.liveCase, h.order.Amount, "700.00", "20000.00", "1200000.00")
		restated.Country = pick(h.liveCase, h.order.Country, "DE", "FR", "IR")
		restated.Payee = pick(h.liveCase, h.order.Payee, "Hafen Logistik GmbH", h.agency)
		restated.Account = pick(h.liveCase, h.order.Account, invoiceAccount)
		restated.BIC = pick(h.liveCase, h.order.BIC, h.order.BIC, germanBank, iranianBank, "")
		err := h.restate(h.sam, h.id, restated)
		h.try("restate "+restated.Amount, err)
		if err == nil {
			h.order = restated
		}
	case h.random.IntN(4) == 0:
		h.try("enter", errOf(h.svc.EnterFields(h.ctx, h.sam, casework.EnterFields{CaseTarget: on,
			Fields: []casework.FieldInput{pick(h.liveCase, casework.FieldInput{Name: domain.FieldTotal,
				Value: pick(h.liveCase, "500.00", "700.00", "33.00", "1600000.00", "")},
				casework.FieldInput{Name: domain.FieldBIC, Value: pick(h.liveCase, germanBank, "")},
				casework.FieldInput{Name: domain.FieldCountry, Value: "DE"})}})))
	default:
		h.try("resubmit", errOf(h.svc.ResubmitCase(h.ctx, h.sam,
			casework.ResubmitCase{CaseTarget: on, Comment: "again"})))
	}
}

// changeTeam changes who may act: a delegation, its end, or a conflict of interest after which
// enough people remain.
func (h *teamHistory) changeTeam() {
	h.t.Helper()
	from, to := h.random.IntN(len(h.people)), pick(h.liveCase, h.team.accounts()...)
	switch n := h.random.IntN(4); {
	case n == 0 && len(h.delegations) > 0:
		h.try("end delegation", h.svc.EndDelegation(h.ctx, h.admin,
			casework.EndDelegation{ID: pick(h.liveCase, h.delegations...), Reason: "back"}))
	// A correction that is returned to a person with a conflict can only be abandoned, by a manager.
	case n == 1 && h.conflicted == domain.NoID && h.people[from].UserID != h.sam.UserID && h.stillStaffed(from):
		h.conflicted, h.conflictRevision = h.people[from].UserID, h.before.FactsRevision
		h.conflictOthers()
		h.try("conflict of "+h.people[from].Name, errOf(h.svc.DeclareConflict(h.ctx, h.admin,
			casework.DeclareConflict{Person: h.people[from].UserID, Party: h.agency,
				Reason: "brother"})))
		h.sweepControls()
	default:
		scope := pick(h.liveCase, domain.Scope{}, domain.Scope{},
			domain.Scope{BaseMinor: new(int64(300_000_00))},
			domain.Scope{Queues: []string{domain.QueueL1}})
		created, err := h.svc.CreateDelegation(h.ctx, h.people[from], casework.CreateDelegation{
			Delegator: h.people[from].UserID, Delegate: to.UserID,
			Until: time.Now().Add(h.clockOffset + day), Scope: scope})
		h.try("delegate "+h.people[from].Name+" to "+to.Name, err)
		if err == nil {
			h.delegations = append(h.delegations, created.ID)
		}
	}
}

// stillStaffed reports whether enough people remain without one, if any, without the submitter, and without
// those who are excluded.
func (h *teamHistory) stillStaffed(without int, further ...domain.ID) bool {
	excluded := []int{without}
	for at, person := range h.people {
		if person.UserID == h.sam.UserID || slices.Contains(h.submitters, h.head(person.UserID)) ||
			h.isExcluded(person.UserID) || slices.Contains(further, h.head(person.UserID)) ||
			len(further) > 0 && person.UserID == h.conflicted {
			excluded = append(excluded, at)
		}
	}
	for _, other := range h.others {
		for at, person := range h.people {
			if slices.Contains(other.excluded, h.head(person.UserID)) {
				excluded = append(excluded, at)
			}
		}
	}
	return h.team.staffed(excluded...)
}

func (h *teamHistory) endDelegations() {
	h.t.Helper()
	for _, id := range h.delegations {
		err := h.svc.EndDelegation(h.ctx, h.admin, casework.EndDelegation{ID: id, Reason: "over"})
		if err != nil && !domain.HasCode(err, domain.StateMismatch) {
			h.t.Fatal(err)
		}
	}
}

// changeControlData changes the risk of a country, the rate, or which names are one party.
func (h *teamHistory) changeControlData() {
	h.t.Helper()
	country := pick(h.liveCase, "FR", "NL", "CN")
	switch h.random.IntN(4) {
	case 0:
		proposed, err := h.setCountry(h.team.admins[0], country, "")
		h.try("propose to ease "+country, err)
		if err == nil && proposed.ProposalID != domain.NoID {
			h.try("confirm to ease "+country, h.confirm(h.team.admins[1], proposed.ProposalID))
		}
	case 1:
		if h.team.rate < 1_200_000 {
			h.team.rate += 20_000
			result, err := h.setRate(h.team.admins[0], "EUR", domain.RateText("EUR", h.team.rate))
			if err == nil && result.ProposalID != domain.NoID { // several rises together are a jump
				err = h.confirm(h.team.admins[1], result.ProposalID)
			}
			h.try("rate", err)
		}
	case 2:
		h.merged = true
		proposed, err := h.svc.GroupParty(h.ctx, h.team.admins[0],
			casework.GroupParty{Party: h.sister, With: h.agency, Reason: "one company"})
		if err == nil && proposed.ProposalID != domain.NoID {
			err = h.confirm(h.team.admins[1], proposed.ProposalID)
		}
		h.try("merge", err)
	default:
		h.try("list "+country, errOf(h.setCountry(h.admin, country, "high")))
	}
	h.sweepControls()
}

// actor returns a person for a review: mostly who has claimed it, at times on behalf of another.
func (h *teamHistory) actor(review domain.Review) domain.Actor {
	accounts := h.team.accounts()
	by := pick(h.liveCase, accounts...)
	at := slices.IndexFunc(accounts,
		func(p domain.Actor) bool { return p.UserID == review.Assignee })
	if at >= 0 && h.random.IntN(6) > 0 {
		by = accounts[at]
	}
	if len(h.delegations) > 0 && h.random.IntN(3) == 0 {
		by.OnBehalfOf = pick(h.liveCase, h.people...).UserID
	}
	return by
}

// reviewCommand runs a command on one of the open reviews.
func (h *teamHistory) reviewCommand() {
	h.t.Helper()
	open := h.undecidedReviews(h.id)
	if len(open) == 0 {
		return
	}
	review := open[h.random.IntN(len(open))]
	by, on := h.actor(review), casework.ReviewTarget{ReviewID: review.ID}
	switch n := h.random.IntN(34); {
	case n >= 30:
		h.splitOrMerge(by, on)
	case review.Status == domain.ReviewOpen && n < 25:
		h.claimAny(by, on)
	case n < 9:
		h.mayFall = true
		h.correctAny(review, by, on)
	case n < 12:
		h.mayFall = true
		h.try("confirm", errOf(h.svc.ConfirmFields(h.ctx, by, casework.ConfirmFields{
			ReviewTarget: on, Confirm: true, Names: []string{pick(h.liveCase, domain.FieldTotal,
				domain.FieldVendor, domain.FieldIBAN, domain.FieldCountry, domain.FieldNumber,
				domain.FieldBIC)}})))
	case n < 19:
		h.decideAny(review, by)
	case n < 21:
		h.try("release", errOf(h.svc.ReleaseReview(h.ctx, by, on)))
	case n == 21:
		h.try("claim next", errOf(h.svc.ClaimNextReview(h.ctx, by, casework.ClaimNext{})))
	case n == 22:
		h.clearAny(by, on)
	case n < 26:
		h.mayFall = true
		h.orderCommand(by, on)
	case n == 26:
		h.clockOffset += 25 * time.Minute
		h.setClockOffset(h.clockOffset)
		h.try("expire", errOf(h.svc.ExpireClaims(h.ctx)))
	case n == 27:
		h.changeLineItems(by, on)
	default:
		h.furtherCommand(10+h.random.IntN(3), review, by, on)
	}
}

// claimAny claims a review for a person, or for the first of the others who may.
func (h *teamHistory) claimAny(by domain.Actor, on casework.ReviewTarget) {
	h.t.Helper()
	err := errOf(h.svc.ClaimReview(h.ctx, by, on))
	h.try(by.Name+" claims", err)
	for at := 0; err != nil && at < len(h.people) && h.random.IntN(4) > 0; at++ {
		err = errOf(h.svc.ClaimReview(h.ctx, h.people[at], on))
		h.try(h.people[at].Name+" claims", err)
	}
}

// correctAny sets a value, clears one, or states that it cannot be determined.
func (h *teamHistory) correctAny(review domain.Review, by domain.Actor, on casework.ReviewTarget) {
	h.t.Helper()
	field := pick(h.liveCase, [][]string{
		{domain.FieldTotal, "500.00", "700.00", "700.00", "1500000.00", "33.00", "20000.00", ""},
		{domain.FieldVendor, "Alster Werke GmbH", "Invented GmbH", h.agency, h.sister, ""},
		{domain.FieldNumber, "L-9", h.number, ""}, {domain.FieldCurrency, "USD", "EUR", ""},
		{domain.FieldCountry, "FR", "NL", "DE", "IR", ""}, {domain.FieldBIC, germanBank, iranianBank, ""},
		{domain.FieldPayerCountry, "DE", "IR", ""}, {domain.FieldDeliveryCountry, "DE", "IR", ""},
		{domain.FieldPayerAccount, iranianAccount, invoiceAccount, ""},
		{domain.FieldIBAN, "GB33BUKB20201555555555", invoiceAccount, iranianAccount, ""}}...)
	input := casework.FieldInput{Name: field[0], Value: pick(h.liveCase, field[1:]...)}
	if review.Repairs() && h.random.IntN(3) == 0 {
		input.Value, input.Undetermined = "", "the page does not show it"
	}
	h.try("set "+input.Name+"="+input.Value, errOf(h.svc.CorrectFields(h.ctx, by,
		casework.CorrectFields{ReviewTarget: on, Confirm: true,
			Fields: []casework.FieldInput{input}})))
}

// decideAny decides a review.
func (h *teamHistory) decideAny(review domain.Review, by domain.Actor) {
	h.t.Helper()
	verdict := pick(h.liveCase, domain.Approve, domain.Approve, domain.Approve, domain.Approve,
		domain.Return, domain.Escalate, domain.Reject)
	if (h.kept != nil || h.paired) && verdict == domain.Reject { // a part has to reach its end
		verdict = domain.Approve
	}
	if h.bundled && h.random.IntN(8) == 0 {
		verdict = domain.Abstain
	}
	if review.Repairs() {
		verdict = pick(h.liveCase, domain.Repaired, domain.Repaired, domain.Return)
	}
	h.try(by.Name+" decides "+string(verdict), h.decide(by, review.ID, verdict,
		pick(h.liveCase, "checked", "checked", "")))
}
