package casework_test

import (
	"strings"
	"sync"
	"testing"

	"countersign/casework"
	"countersign/domain"
)

const invoiceAccount = "DE89370400440532013000" // of the e-invoices of these tests

// order returns an order that pays the e-invoices of these tests.
func order(amount, currency, reference string) casework.OrderInput {
	return casework.OrderInput{Payer: "Kunde AG", Payee: "Muster Werke GmbH",
		Account: invoiceAccount, Country: "DE", Amount: amount, Currency: currency,
		Purpose: "invoice", Reference: reference}
}

// submitOrder submits an order with the e-invoice that the reader returns.
func (env *testEnv) submitOrder(
	by domain.Actor, in casework.OrderInput, content, key string,
) (domain.ID, error) {
	submitted, err := env.svc.SubmitDocument(env.ctx, by, casework.SubmitDocument{
		Process: remittance, DocumentType: casework.OrderDocumentType, Order: &in,
		File: upload(content), Once: casework.Once{Key: key}})
	return submitted.CaseID, err
}

func (env *testEnv) mustOrder(by domain.Actor, in casework.OrderInput) domain.ID {
	env.t.Helper()
	id, err := env.submitOrder(by, in, domain.NewID().String(), "")
	must(env.t, err)
	env.drainQueue()
	return id
}

func (env *testEnv) stateGround(by domain.Actor, id domain.ID, kind domain.GroundKind) error {
	env.t.Helper()
	review := env.claim(by, id)
	return errOf(env.svc.StateOrderGround(env.ctx, by, casework.StateOrderGround{
		ReviewTarget: casework.ReviewTarget{ReviewID: review.ID},
		Ground:       casework.GroundInput{Kind: kind, Explanation: "as agreed"}}))
}

func (env *testEnv) confirmGround(by domain.Actor, id domain.ID, number int) error {
	env.t.Helper()
	return errOf(env.svc.ConfirmOrderGround(env.ctx, by, casework.ConfirmOrderGround{
		ReviewTarget: casework.ReviewTarget{ReviewID: env.openReview(id).ID}, Number: number}))
}

func (env *testEnv) release(by domain.Actor, id domain.ID) {
	env.t.Helper()
	must(env.t, errOf(env.svc.ReleaseReview(env.ctx, by,
		casework.ReviewTarget{ReviewID: env.openReview(id).ID})))
}

// An order that equals its evidence passes without a person.
func TestOrderThatEqualsItsEvidencePasses(t *testing.T) {
	t.Parallel()
	env := newOrderEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	env.knowVendors()
	env.reader.xml = invoiceXML("717.97", "O-1")
	id := env.mustOrder(sam, order("717.97", "EUR", "P-1"))
	env.requireState(id, domain.Archived)
	c := env.caseByID(id)
	if c.Amount.String() != "717.97 EUR" || c.OrderRevision != 1 {
		t.Errorf("order %d over %s", c.OrderRevision, c.Amount)
	}
	env.verifyCaseLog(id)
}

// An order over 100 with evidence of 1.5 million, and one over 1.2 million with evidence of 717.97:
// the larger amount is at risk, and no approval lets them pass without a ground.
func TestOrderThatDiffersIsStopped(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		order, currency, evidence string
		base                      int64
	}{
		"100 for 1.5 million":   {"100", "EUR", "1500000.00", 165000000},
		"1.2 million for 717":   {"1200000", "USD", "717.97", 120000000},
		"the other currency":    {"717.97", "USD", "717.97", 78977},
		"one cent more":         {"717.98", "EUR", "717.97", 78978},
		"one cent less":         {"717.96", "EUR", "717.97", 78977},
		"a thousand times more": {"717970", "EUR", "717.97", 78976700},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := newOrderEnv(t)
			sam, mia, max := env.person("sam", domain.RoleSubmitter),
				env.person("mia", domain.RoleManager), env.person("max", domain.RoleManager)
			env.reader.xml = invoiceXML(row.evidence, "O-2")
			id := env.mustOrder(sam, order(row.order, row.currency, "P-1"))
			env.requireState(id, domain.InReview, "review_l1")
			if c := env.caseByID(id); c.BaseMinor != row.base {
				t.Errorf("%d is at risk, want %d", c.BaseMinor, row.base)
			}
			if finding := env.finding(id, "order_differs"); finding == nil ||
				finding.Severity != domain.SeverityBlocking {
				t.Fatalf("the finding is %+v", finding)
			}
			err := env.claimAndDecide(mia, id, "review_l1", domain.Approve)
			if err == nil {
				err = env.claimAndDecide(max, id, "review_l2", domain.Approve)
			}
			wantCode(t, err, domain.OrderUnsupported)
			env.verifyCaseLog(id)
		})
	}
}

// A ground counts after another person confirmed it: not the one who stated it, and not for another
// difference.
func TestGroundNeedsTwoPersons(t *testing.T) {
	t.Parallel()
	env := newOrderEnv(t)
	sam, ann, ben := env.person("sam", domain.RoleSubmitter), env.person("ann", domain.RoleL1),
		env.person("ben", domain.RoleL1)
	env.reader.xml = invoiceXML("1000.00", "O-3")
	id := env.mustOrder(sam, order("600", "EUR", "P-1"))
	wantCode(t, env.stateGround(ann, id, domain.GroundSeveralInvoices), domain.InvalidInput)
	review := casework.ReviewTarget{ReviewID: env.openReview(id).ID}
	must(t, errOf(env.svc.StateOrderGround(env.ctx, ann, casework.StateOrderGround{
		ReviewTarget: review, Ground: casework.GroundInput{Kind: domain.GroundPartPayment,
			Explanation: "first part"}})))
	wantCode(t, env.confirmGround(ann, id, 1), domain.FourEyes)
	wantCode(t, env.decide(ann, review.ReviewID, domain.Approve, "checked"), domain.OrderUnsupported)
	wantCode(t, env.confirmGround(ben, id, 1), domain.NotClaimedByYou)
	env.release(ann, id)
	env.claim(ben, id)
	wantCode(t, env.confirmGround(ben, id, 2), domain.InvalidInput)
	must(t, env.confirmGround(ben, id, 1))
	if env.finding(id, "order_differs") != nil {
		t.Error("the finding stays after the confirmation")
	}
	must(t, env.decide(ben, env.openReview(id).ID, domain.Approve, ""))
	env.drainQueue()
	env.requireState(id, domain.Archived)
	env.verifyCaseLog(id)
}

// A ground of the submitter counts after a reviewer confirmed it.
func TestSubmittersGroundNeedsAReviewer(t *testing.T) {
	t.Parallel()
	env := newOrderEnv(t)
	sam, ann := env.person("sam", domain.RoleSubmitter), env.person("ann", domain.RoleL1)
	env.reader.xml = invoiceXML("1000.00", "O-4")
	in := order("600", "EUR", "P-1")
	in.Ground = &casework.GroundInput{Kind: domain.GroundPartPayment, Explanation: "half"}
	id := env.mustOrder(sam, in)
	env.requireState(id, domain.InReview, "review_l1")
	env.claim(ann, id)
	wantCode(t, env.decide(ann, env.openReview(id).ID, domain.Approve, "checked"),
		domain.OrderUnsupported)
	must(t, env.confirmGround(ann, id, 1))
	must(t, env.decide(ann, env.openReview(id).ID, domain.Approve, ""))
	env.drainQueue()
	env.requireState(id, domain.Archived)
	in.Ground.Kind, in.Reference = domain.GroundOtherPayee, "P-2"
	_, err := env.submitOrder(sam, in, "x", "")
	wantCode(t, err, domain.InvalidInput)
}

// A lone reviewer cannot make the evidence say what the order says.
func TestEvidenceIsNotCorrectedToTheOrder(t *testing.T) {
	t.Parallel()
	env := newOrderEnv(t)
	sam, mia, max := env.person("sam", domain.RoleSubmitter),
		env.person("mia", domain.RoleManager), env.person("max", domain.RoleManager)
	env.reader.xml, env.reader.lines = nil, invoiceLines("Hafen Logistik GmbH", "O-5", "717.97")
	in := order("1200000", "EUR", "P-1")
	in.Payee = "Hafen Logistik GmbH"
	id := env.mustOrder(sam, in)
	env.claim(mia, id)
	must(t, env.correct(mia, id, domain.FieldTotal, "1200000.00"))
	if env.finding(id, "order_differs") == nil {
		t.Fatal("one person removed the difference")
	}
	err := env.decide(mia, env.openReview(id).ID, domain.Approve, "checked")
	if err == nil {
		err = env.claimAndDecide(max, id, "review_l2", domain.Approve)
	}
	wantCode(t, err, domain.OrderUnsupported)
	env.verifyCaseLog(id)
}

// The first of two approvals passes no money, and is nevertheless no signature without a word: it needs a
// reason while the document does not support the order.
func TestFirstApprovalOfAnUnsupportedOrderNeedsAReason(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.approvedBefore("Hafen Logistik GmbH", "remittance", invoiceAccount)
	sam, sid := env.person("sam", domain.RoleSubmitter), env.person("sid", domain.RoleSenior)
	env.person("mia", domain.RoleManager)
	env.reader.xml = invoiceXML("717.97", "O-9")
	id := env.mustOrder(sam, order("1200000", "USD", "P-9"))
	env.requireState(id, domain.InReview, "review_l1")
	env.claim(sid, id)
	wantCode(t, env.decide(sid, env.openReview(id).ID, domain.Approve, ""), domain.ValidationFailed)
	must(t, env.decide(sid, env.openReview(id).ID, domain.Approve, "the contract is attached"))
	env.drainQueue()
	env.requireState(id, domain.InReview, "review_l2")
	env.verifyCaseLog(id)
}

// A misread total is corrected by one person if the page shows the order's.
func TestMisreadEvidenceOfAnOrder(t *testing.T) {
	t.Parallel()
	env := newOrderEnv(t)
	sam, ann := env.person("sam", domain.RoleSubmitter), env.person("ann", domain.RoleL1)
	env.reader.xml, env.reader.lines = nil, append(invoiceLines("Hafen Logistik GmbH", "O-6",
		"15897.98"), "to pay 1,589.80")
	in := order("1589.80", "EUR", "P-1")
	in.Payee = "Hafen Logistik GmbH"
	id := env.mustOrder(sam, in)
	env.claim(ann, id)
	must(t, env.correct(ann, id, domain.FieldTotal, "1589.80"))
	if finding := env.finding(id, "order_differs"); finding != nil {
		t.Fatalf("the finding stays: %+v", finding)
	}
	must(t, env.decide(ann, env.openReview(id).ID, domain.Approve, ""))
	env.drainQueue()
	env.requireState(id, domain.Archived)
}

// A letter of the payee that the engine misread with certainty is corrected by two people, because the
// earlier name speaks against the order until then.
func TestMisreadPayeeOfTheEvidence(t *testing.T) {
	t.Parallel()
	env := newOrderEnv(t)
	sam, ann, ben := env.person("sam", domain.RoleSubmitter), env.person("ann", domain.RoleL1),
		env.person("ben", domain.RoleL1)
	const payee = "Hafen Logistik GmbH"
	env.reader.xml, env.reader.lines = nil, invoiceLines("Hafen Logistic GmbH", "O-8", "1589.80")
	in := order("1589.80", "EUR", "P-1")
	in.Payee = payee
	id := env.mustOrder(sam, in)
	env.claim(ann, id)
	must(t, env.correct(ann, id, domain.FieldVendor, payee))
	if why := env.pending(id, domain.FieldVendor); why != "not_on_page" {
		t.Errorf("it waits because of %q", why)
	}
	if finding := env.finding(id, "order_payee_differs"); finding == nil {
		t.Error("one person ended the difference from the order")
	}
	if review := env.openReview(id); review.Assignee == ann.UserID {
		must(t, errOf(env.svc.ReleaseReview(env.ctx, ann,
			casework.ReviewTarget{ReviewID: review.ID})))
	}
	env.claim(ben, id)
	must(t, env.correct(ben, id, domain.FieldVendor, payee))
	if finding := env.finding(id, "order_payee_differs"); finding != nil {
		t.Errorf("the finding stays: %+v", finding)
	}
	must(t, env.decide(ben, env.openReview(id).ID, domain.Approve, ""))
	env.drainQueue()
	env.requireState(id, domain.Archived)
}

// A doubtful name on the evidence is replaced by the order's payee by one person, who sees the page, but
// not by a third name. The doubtful one still finds conflicts and evidence of other orders.
func TestDoubtfulPayeeOfTheEvidence(t *testing.T) {
	t.Parallel()
	env := newOrderEnv(t)
	sam, ann, ben := env.person("sam", domain.RoleSubmitter), env.person("ann", domain.RoleL1),
		env.person("ben", domain.RoleL1)
	env.person("joe", domain.RoleL1)
	const payee, read = "Hafen Logistik GmbH", "Alster Werke GmbH"
	must(t, errOf(env.svc.DeclareConflict(env.ctx, domain.SystemActor(),
		casework.DeclareConflict{Person: ben.UserID, Party: read, Reason: "brother"})))
	env.reader.xml, env.reader.lines = nil, invoiceLines(read, "O-9", "1589.80")
	env.reader.vendorConfidence = 0.3
	in := order("1589.80", "EUR", "P-1")
	in.Payee = payee
	id := env.mustOrder(sam, in)
	if finding := env.finding(id, "order_payee_differs"); finding == nil {
		t.Error("nothing says that the evidence may be of another payee")
	}
	env.claim(ann, id)
	wantCode(t, env.correctUnconfirmed(ann, id, domain.FieldVendor, "Elbe Handel AG"),
		domain.ConfirmationNeeded)
	must(t, env.correct(ann, id, domain.FieldVendor, payee))
	if finding := env.finding(id, "order_payee_differs"); finding != nil {
		t.Errorf("the finding stays: %+v", finding)
	}
	wantCode(t, env.claimAndDecide(ben, id, "review_l1", domain.Approve), domain.ConflictOfInterest)
	must(t, env.decide(ann, env.openReview(id).ID, domain.Approve, ""))
	env.drainQueue()
	env.requireState(id, domain.Archived)
	env.verifyCaseLog(id)
}

// Two orders of 600 on one invoice of 1,000 by two submitters at the same time: one passes.
func TestOrdersShareTheirEvidence(t *testing.T) {
	t.Parallel()
	env := newOrderEnv(t)
	sam, sue := env.person("sam", domain.RoleSubmitter), env.person("sue", domain.RoleSubmitter)
	people := []domain.Actor{env.person("ann", domain.RoleL1), env.person("ben", domain.RoleL1)}
	env.reader.xml = invoiceXML("1000.00", "O-7")
	var ids [2]domain.ID
	var errs [2]error
	var running sync.WaitGroup
	for i, by := range []domain.Actor{sam, sue} {
		running.Go(func() {
			in := order("600", "EUR", "P-"+by.Name)
			in.Ground = &casework.GroundInput{Kind: domain.GroundPartPayment, Explanation: "part"}
			ids[i], errs[i] = env.submitOrder(by, in, by.Name, "")
		})
	}
	running.Wait()
	must(t, errs[0])
	must(t, errs[1])
	env.drainQueue()
	for i, id := range ids {
		env.requireState(id, domain.InReview, "review_l1")
		env.claim(people[i], id)
		must(t, env.confirmGround(people[i], id, 1))
		if finding := env.finding(id, "order_sum"); finding == nil ||
			finding.Evidence["sum"] != "1200.00 EUR" ||
			finding.Evidence["document"] != "1000.00 EUR" {
			t.Errorf("the finding is %+v", finding)
		}
	}
	for i, id := range ids {
		running.Go(func() {
			errs[i] = env.decide(people[i], env.openReview(id).ID, domain.Approve, "part payments")
		})
	}
	running.Wait()
	if (errs[0] == nil) == (errs[1] == nil) {
		t.Fatalf("both decisions: %v, %v", errs[0], errs[1])
	}
	for i := range ids {
		if errs[i] != nil {
			wantCode(t, errs[i], domain.OrderUnsupported)
			first := env.caseByID(ids[1-i]).Reference
			err := env.decide(people[i], env.openReview(ids[i]).ID, domain.Approve, "part payments")
			if err == nil || !strings.Contains(err.Error(), first) {
				t.Errorf("the refusal does not name %s: %v", first, err)
			}
			must(t, env.decide(people[i], env.openReview(ids[i]).ID, domain.Reject, "used up"))
		}
	}
	env.drainQueue()
}

// A second order with the same payer and reference is refused; the same command returns the first.
func TestReferenceIsUniquePerPayer(t *testing.T) {
	t.Parallel()
	env := newOrderEnv(t)
	sam, sue := env.person("sam", domain.RoleSubmitter), env.person("sue", domain.RoleSubmitter)
	env.reader.xml = invoiceXML("717.97", "O-8")
	first, err := env.submitOrder(sam, order("717.97", "EUR", "Ref 2026-001"), "a", "key-1")
	must(t, err)
	again, err := env.submitOrder(sam, order("717.97", "EUR", "Ref 2026-001"), "a", "key-1")
	if err != nil || again != first {
		t.Errorf("the repetition returned %s, %v", again, err)
	}
	reference := env.caseByID(first).Reference
	for _, spelled := range []string{"Ref 2026-001", "REF2026-001", " ref  2026 - 001 ",
		"ref\u200b2026-001", "Ｒef 2026-001"} {
		in := order("717.97", "EUR", spelled)
		in.Payer = "KUNDE  ag"
		_, err := env.submitOrder(sue, in, "b", "")
		if spelled == "ref\u200b2026-001" {
			wantCode(t, err, domain.InvalidInput)
			continue
		}
		if !domain.HasCode(err, domain.InvalidInput) || !strings.Contains(err.Error(), reference) {
			t.Errorf("%q: %v", spelled, err)
		}
	}
	in := order("717.97", "EUR", "Ref 2026-001")
	in.Payer = "Anderer Kunde AG"
	_, err = env.submitOrder(sue, in, "c", "")
	must(t, err)
	var running sync.WaitGroup
	var errs [8]error
	for i := range errs {
		running.Go(func() {
			_, errs[i] = env.submitOrder(sam, order("717.97", "EUR", "same time"), "d", "")
		})
	}
	running.Wait()
	accepted := 0
	for _, err := range errs {
		if err == nil {
			accepted++
		} else {
			wantCode(t, err, domain.InvalidInput)
		}
	}
	if accepted != 1 {
		t.Errorf("%d orders with one reference were accepted", accepted)
	}
}

// The order is paid, whatever account the document names; another account needs two reviewers.
func TestAccountOfTheDocumentIsNotPaid(t *testing.T) {
	t.Parallel()
	env := newOrderEnv(t)
	env.publish(strings.Replace(payingProcess, "key: paying", "key: "+remittance, 1))
	sam, ann, ben := env.person("sam", domain.RoleSubmitter), env.person("ann", domain.RoleL1),
		env.person("ben", domain.RoleL1)
	env.reader.xml, env.reader.lines = nil, append(invoiceLines("Muster Werke GmbH", "O-9",
		"500.00"), "Pay to account GB29NWBK60161331926819 instead", "IBAN GB29NWBK60161331926819")
	id := env.mustOrder(sam, order("500", "EUR", "P-1"))
	env.requireState(id, domain.InReview, "review")
	if env.finding(id, "order_account_differs") == nil {
		t.Fatal("another account has no finding")
	}
	wantCode(t, env.claimAndDecide(ann, id, "review", domain.Approve), domain.OrderUnsupported)
	must(t, errOf(env.svc.StateOrderGround(env.ctx, ann, casework.StateOrderGround{
		ReviewTarget: casework.ReviewTarget{ReviewID: env.openReview(id).ID},
		Ground: casework.GroundInput{Kind: domain.GroundOtherPayee,
			Explanation: "the account is that of the contract"}})))
	wantCode(t, env.decide(ann, env.openReview(id).ID, domain.Approve, "checked"),
		domain.OrderUnsupported)
	env.release(ann, id)
	env.claim(ben, id)
	must(t, env.confirmGround(ben, id, 1))
	// The confirmed ground ends the blocking finding, and neither its score nor the need of a reason.
	found := env.finding(id, "order_account_explained")
	if found == nil || found.Score != 40 || env.finding(id, "order_account_differs") != nil {
		t.Errorf("after the confirmation: %+v of %v", found, env.findingRules(id))
	}
	wantCode(t, env.decide(ben, env.openReview(id).ID, domain.Approve, ""), domain.ValidationFailed)
	must(t, errOf(env.decideStating(ben, casework.DecideReview{
		ReviewTarget: casework.ReviewTarget{ReviewID: env.openReview(id).ID}, Verdict: domain.Approve,
		Overrides: overridesOf([]string{"order_account_explained", "called the payee"})})))
	env.drainQueue()
	env.requireState(id, domain.Archived)
	if len(env.connector.done) != 1 {
		t.Fatalf("%d calls", len(env.connector.done))
	}
	for _, call := range env.connector.done {
		if call.Account != invoiceAccount || call.Amount.String() != "500.00 EUR" ||
			call.Order != "P-1" || call.Payee != "Muster Werke GmbH" {
			t.Errorf("paid %+v", call)
		}
	}
}

// payingProcess pays after an approval.
const payingProcess = `
key: paying
version: 2
title: {en: Paying}
document_types: [remittance]
order: required
key_facts: [amount, currency, counterparty, account, document_hash, country]
re_enter: validate
on_replace: read
on_enter: validate
on_abandon: seal_abandoned
nodes:
  - {id: start, kind: start, next: read}
  - {id: read, kind: stage, behaviour: read, queue: ocr, next: extract}
  - {id: extract, kind: stage, behaviour: extract, next: validate}
  - {id: validate, kind: stage, behaviour: validate, next: assess}
  - {id: assess, kind: stage, behaviour: assess, next: review}
  - id: review
    kind: review
    queue: L1
    level: 1
    duty: approval
    on: {approve: pay, reject: seal_rejected, return: validate}
  - id: pay
    kind: saga
    steps:
      - {id: transfer, call: bank.transfer, undo: bank.refund}
    on: {done: archive, undone: review}
  - {id: archive, kind: stage, behaviour: archive, outcome: archived, next: archived}
  - {id: seal_rejected, kind: stage, behaviour: archive, outcome: rejected, next: rejected}
  - {id: seal_abandoned, kind: stage, behaviour: archive, outcome: abandoned, next: abandoned}
  - {id: archived, kind: end, status: archived}
  - {id: rejected, kind: end, status: rejected}
  - {id: abandoned, kind: end, status: abandoned}
`
