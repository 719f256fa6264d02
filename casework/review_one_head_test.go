package casework_test

import (
	"slices"
	"testing"

	"countersign/casework"
	"countersign/domain"
	"countersign/internal/einvoice"
)

// lowerable submits a remittance of which the machine read 1,200,000.00, and whose page shows 700.00 too.
func (env *testEnv) lowerable(by domain.Actor, country string) domain.ID {
	env.t.Helper()
	env.reader.xml, env.reader.lines = nil, append(invoiceLines("Hafen Logistik GmbH",
		documentNumber("L-"), "1200000.00"), "deposit EUR 700.00", "IBAN "+einvoice.Account)
	return env.submitDeclared(by, "cross_border_remittance", "remittance", "", "", country)
}

// A manager who corrects a misread amount at the review that only the larger amount needs, and returns the
// case, does not avoid that review: the case needs it after the submitter's answer.
func TestReturnAfterCorrectionKeepsTheSecondReview(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, sid, mia := env.person("sam", domain.RoleSubmitter), env.person("sid", domain.RoleSenior),
		env.reviewer("mia", domain.RoleManager, domain.RoleSenior)
	id := env.lowerable(sam, "DE")
	must(t, env.claimAndDecide(sid, id, "review_l1", domain.Approve))
	env.requireState(id, domain.InReview, "review_l2")
	env.claim(mia, id)
	must(t, env.correct(mia, id, domain.FieldTotal, "700.00"))
	if why := env.pending(id, domain.FieldTotal); why != "route_easier" {
		t.Errorf("the lower amount waits because of %q", why)
	}
	must(t, env.claimAndDecide(mia, id, "review_l2", domain.Return))
	must(t, errOf(env.svc.ResubmitCase(env.ctx, sam, casework.ResubmitCase{
		CaseTarget: casework.CaseTarget{CaseID: id}, Comment: "as before"})))
	env.drainQueue()
	env.requireState(id, domain.InReview, "review_l1")
	must(t, env.claimAndDecide(mia, id, "review_l1", domain.Approve))
	env.requireState(id, domain.InReview, "review_l2")
	wantCode(t, env.claimAndDecide(mia, id, "review_l2", domain.Approve), domain.FourEyes)
	env.verifyCaseLog(id)
}

// Votes of a delegate in the name of another person are not the approval of a second person for a value
// that the delegate changed.
func TestVoteForAnotherConfirmsNoOwnChange(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	pia, quin := env.reviewer("pia", domain.RoleAML, domain.RoleL1), env.reviewer("quin", domain.RoleAML)
	second := env.reviewer("pia+two", domain.RoleL1)
	env.delegate(quin, pia, domain.Scope{})
	for at, row := range []struct {
		enters, approves domain.Actor
		at               string
		last             domain.Actor
	}{
		{pia, onBehalfOf(pia, quin), "kyc", pia},
		{onBehalfOf(pia, quin), onBehalfOf(pia, quin), "kyc", pia},
		{onBehalfOf(pia, quin), pia, "credit", quin},
		{pia, second, "credit", pia},
	} {
		env.reader.xml = invoiceXML("500.00", documentNumber("M-"))
		id := env.submitTo(sam, "merchant_onboarding", "merchant_application", domain.NewID().String())
		on := casework.ReviewTarget{ReviewID: env.reviewAt(id, "kyc").ID}
		must(t, errOf(env.svc.ClaimReview(env.ctx, row.enters, on)))
		must(t, errOf(env.svc.CorrectFields(env.ctx, row.enters, casework.CorrectFields{ReviewTarget: on,
			Confirm: true, Fields: []casework.FieldInput{{Name: domain.FieldCountry, Value: "FR"}}})))
		if env.pending(id, domain.FieldCountry) == "" {
			t.Fatal("the value waits for no second person")
		}
		must(t, errOf(env.svc.ReleaseReview(env.ctx, row.enters, on)))
		must(t, env.claimAndDecide(row.approves, id, row.at, domain.Approve))
		last := map[string]string{"kyc": "credit", "credit": "kyc"}[row.at]
		if err := env.claimAndDecide(row.last, id, last, domain.Approve); !domain.HasCode(err,
			domain.FourEyes) {
			t.Errorf("row %d: the last approval got %v", at, err)
		}
		env.verifyCaseLog(id)
	}
}

// A correction of an archived case needs everybody whom the archived case needed: what its submitter and its
// reviewers stated counts for the correction too.
func TestCorrectionOfArchivedKeepsItsRisk(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, joe, al := env.person("sam", domain.RoleSubmitter), env.person("joe", domain.RoleL1),
		env.amlOfficer("al")
	env.reader.xml = invoiceXML("717.97", documentNumber("C-"))
	id := env.submitDeclared(sam, "cross_border_remittance", "remittance", "717.97", "EUR", "IR")
	must(t, env.claimAndDecide(al, id, "review_aml", domain.Approve))
	must(t, env.claimAndDecide(joe, id, "review_l1", domain.Approve))
	env.requireState(id, domain.Archived)
	want := env.caseByID(id)
	corrected, err := env.svc.CorrectArchived(env.ctx, joe,
		casework.CorrectArchived{CaseID: id, Reason: "the name is another one"})
	must(t, err)
	env.drainQueue()
	c := env.caseByID(corrected.CorrectionID)
	if c.BaseMinor < want.BaseMinor || !slices.Equal(c.Countries(), want.Countries()) ||
		c.Country != want.Country || c.Amount != want.Amount {
		t.Errorf("%d and %v are at risk, of the archived case %d and %v", c.BaseMinor, c.Countries(),
			want.BaseMinor, want.Countries())
	}
	env.requireState(c.ID, domain.InReview, "review_aml")
	env.verifyCaseLog(c.ID)
	env.verifyRows(c.ID)
}

// What a reviewer stated about a part of a file is not about the whole: after a merge it does not confirm
// the same total of the file.
func TestStatementAboutAPartDoesNotConfirmTheFile(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, rita, lea, mia := env.person("sam", domain.RoleSubmitter), env.person("rita", domain.RoleSenior),
		env.person("lea", domain.RoleSenior), env.person("mia", domain.RoleManager)
	_, parts := env.splitTwo(sam, rita, "600120.00", "120.00", "600000.00")
	env.claim(lea, parts[0])
	must(t, env.correct(lea, parts[0], domain.FieldTotal, "120.00"))
	env.verifyRows(parts[0])
	if env.openReview(parts[0]).Assignee != lea.UserID {
		env.claim(lea, parts[0])
	}
	merged, err := env.merge(lea, parts[0], "")
	must(t, err)
	env.drainQueue()
	whole := env.caseByID(merged.CaseID)
	env.claim(mia, whole.ID)
	must(t, env.correct(mia, whole.ID, domain.FieldTotal, "120.00"))
	if why := env.pending(whole.ID, domain.FieldTotal); why == "" {
		t.Errorf("one person lowered %d to %d", whole.BaseMinor, env.caseByID(whole.ID).BaseMinor)
	}
	env.verifyRows(whole.ID)
}

// The correction of a case with a payment order needs everybody whom the order needed, although it pays
// nothing and reads another country from the document.
func TestCorrectionOfAnOrderKeepsItsRisk(t *testing.T) {
	t.Parallel()
	env := newOrderEnv(t)
	sam, joe, al := env.person("sam", domain.RoleSubmitter), env.person("joe", domain.RoleL1),
		env.amlOfficer("al")
	number := documentNumber("O-")
	env.reader.xml = invoiceXML("717.97", number)
	in := order("717.97", "EUR", number)
	in.Country = "IR"
	id := env.mustOrder(sam, in)
	must(t, env.claimAndDecide(al, id, "review_aml", domain.Approve))
	must(t, env.claimAndDecide(joe, id, "review_l1", domain.Approve))
	env.requireState(id, domain.Archived)
	corrected, err := env.svc.CorrectArchived(env.ctx, joe,
		casework.CorrectArchived{CaseID: id, Reason: "the date is another one"})
	must(t, err)
	env.drainQueue()
	c := env.caseByID(corrected.CorrectionID)
	if !slices.Contains(c.Countries(), "IR") || c.OrderRevision != 0 {
		t.Errorf("%v are at risk, the order has revision %d", c.Countries(), c.OrderRevision)
	}
	env.requireState(c.ID, domain.InReview, "review_aml")
	env.verifyRows(c.ID)
}

// One reviewer who finds that the page of a part has no amount does not remove the amount that was read from
// the whole file.
func TestUndeterminedValueRemovesNoInheritedOne(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, rita, lea := env.person("sam", domain.RoleSubmitter), env.person("rita", domain.RoleSenior),
		env.person("lea", domain.RoleSenior)
	env.reader.mu.Lock()
	env.reader.xml, env.reader.lines = nil, invoiceLines("Alpha Supplies GmbH", "A-1001", "600000.00")
	env.reader.others = [][]string{invoiceLines("Beta Trading GmbH", "B-2002", "")[:6]}
	env.reader.mu.Unlock()
	id := env.submitTo(sam, "document_approval", "invoice", domain.NewID().String())
	env.claim(rita, id)
	split, err := env.split(rita, id, "", twoParts...)
	must(t, err)
	env.drainQueue()
	part := split.Parts[1]
	want := env.caseByID(part).BaseMinor
	env.requireState(part, domain.InReview, "repair")
	env.claim(lea, part)
	must(t, errOf(env.svc.CorrectFields(env.ctx, lea, casework.CorrectFields{
		ReviewTarget: casework.ReviewTarget{ReviewID: env.openReview(part).ID}, Confirm: true,
		Fields: []casework.FieldInput{{Name: domain.FieldTotal, Undetermined: "no amount on the page"},
			{Name: domain.FieldCurrency, Value: "EUR"}}})))
	must(t, env.decide(lea, env.openReview(part).ID, domain.Repaired, ""))
	env.drainQueue()
	if c := env.caseByID(part); c.BaseMinor < want || want < 660_000_00 {
		t.Errorf("%d is at risk, before it were %d", c.BaseMinor, want)
	}
	env.requireState(part, domain.InReview, "review_l1")
	env.verifyRows(part)
}
