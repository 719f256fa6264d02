package casework_test

import (
	"slices"
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// paidInvoice is a process that pays an approved invoice by calls to other systems.
const paidInvoice = `
key: paid_invoice
version: 1
title: {en: Paid invoice, zh: 付款单据}
document_types: [invoice]
key_facts: [amount, currency, counterparty, account, document_hash]
re_enter: extract
on_abandon: seal_abandoned
nodes:
  - {id: start, kind: start, next: read}
  - {id: read, kind: stage, behaviour: read, queue: ocr, next: extract}
  - {id: extract, kind: stage, behaviour: extract, next: validate}
  - {id: validate, kind: stage, behaviour: validate, next: approval}
  - id: approval
    kind: review
    title: {en: Approve, zh: 审批}
    queue: L1
    on: {approve: pay, reject: seal_rejected, return: extract}
  - id: pay
    kind: saga
    title: {en: Pay and book, zh: 付款入账}
    steps:
      - {id: reserve, call: ledger.reserve, undo: ledger.release}
      - {id: pay, call: bank.pay, undo: bank.recall}
    on: {done: archive, undone: seal_rejected}
  - {id: archive, kind: stage, behaviour: archive, outcome: archived, next: archived}
  - {id: seal_rejected, kind: stage, behaviour: archive, outcome: rejected, next: rejected}
  - {id: seal_abandoned, kind: stage, behaviour: archive, outcome: abandoned, next: abandoned}
  - {id: archived, kind: end, status: archived}
  - {id: rejected, kind: end, status: rejected}
  - {id: abandoned, kind: end, status: abandoned}
`

// asArchived returns the check of a sample with the archived values of its case, changed by pairs.
func (env *testEnv) asArchived(sample, id domain.ID, pairs ...string) casework.CheckSample {
	env.t.Helper()
	values := map[string]string{}
	for _, name := range []string{"vendor", "number", "date", "total", "currency", "iban"} {
		values[name] = env.field(id, name).Normalised
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		values[pairs[i]] = pairs[i+1]
	}
	in := casework.CheckSample{SampleTarget: casework.SampleTarget{SampleID: sample}, Approves: true}
	for name, value := range values {
		in.Values = append(in.Values, casework.FieldInput{Name: name, Value: value})
	}
	return in
}

// findWrong lets a checker find the only sample wrong and a third person agree, and returns the
// correction case.
func (env *testEnv) findWrong(id domain.ID, checker, third domain.Actor) domain.ID {
	env.t.Helper()
	sample := env.take(checker)
	_, err := env.svc.CheckSample(env.ctx, checker, env.asArchived(sample, id, "total", "21.00"))
	must(env.t, err)
	env.take(third)
	done, err := env.svc.SettleSample(env.ctx, third, casework.SettleSample{
		SampleTarget: casework.SampleTarget{SampleID: sample}, Reason: "the total is 21.00"})
	must(env.t, err)
	env.drainQueue()
	return done.CorrectionID
}

// The correction of a paid case is approved and archived without a payment: no call is made, the
// database refuses one, and the archived case is not its duplicate.
func TestCorrectionPaysNothing(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.publish(paidInvoice)
	sam, lea, lia, sid := env.person("sam", domain.RoleSubmitter),
		env.person("lea", domain.RoleL1), env.person("lia", domain.RoleL1),
		env.person("sid", domain.RoleSenior)
	env.drawAllOf("paid_invoice", env.person("ada", domain.RoleAdmin),
		env.person("adam", domain.RoleAdmin))
	env.reader.xml = invoiceXML("120.00", "P-1")
	id := env.submitTo(sam, "paid_invoice", "invoice", "P-1")
	must(t, env.claimAndDecide(lea, id, "approval", domain.Approve))
	env.requireState(id, domain.Archived)
	if env.sagaSteps(id) != "ledger.reserve:done bank.pay:done" ||
		env.connector.sums["bank.pay"] != 12000 {
		t.Fatalf("paid by %s", env.sagaSteps(id))
	}
	env.draw()
	correction := env.findWrong(id, lia, sid)
	env.requireState(correction, domain.InReview, "approval")
	if duplicates := env.duplicatesOf(correction); len(duplicates) > 0 {
		t.Errorf("the correction is a duplicate of what it corrects: %v", duplicates)
	}
	wantCode(t, env.svc.MayRead(env.ctx, sam, correction), domain.NotFound)
	_, err := env.appPool().Exec(env.ctx, `INSERT INTO saga_steps (case_id, node, visit, step, undo,
		name, call, key, status) VALUES ($1, 'pay', 1, 1, false, 'reserve', 'ledger.reserve', 'k',
		'calling')`, correction)
	if err == nil {
		t.Error("the database allows a call of a correction case")
	}
	must(t, env.approve(lea, correction, "compared with the document",
		domain.RuleCorrection, "the values are right now"))
	env.requireState(correction, domain.Archived)
	if calls := env.connector.calls; !slices.Equal(calls, []string{"ledger.reserve", "bank.pay"}) {
		t.Errorf("the correction made calls: %v", calls)
	}
	if env.sagaSteps(correction) != "" || env.countEvents(correction, domain.SagaStepSkipped) != 2 {
		t.Errorf("steps %q, events %v", env.sagaSteps(correction), env.eventTypes(correction))
	}
	env.verifyCaseLog(correction)
	env.verifyManifest(correction)
}

// The correction case of a payment order shows the order, has none of its own, and another full
// order on the same document is stopped.
func TestCorrectionShowsTheOrder(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, mia := env.person("sam", domain.RoleSubmitter), env.person("mia", domain.RoleManager)
	al, ana := env.amlOfficer("al"), env.amlOfficer("ana")
	env.drawAllOf("cross_border_remittance", env.person("ada", domain.RoleAdmin),
		env.person("adam", domain.RoleAdmin))
	env.knowVendors()
	env.reader.xml = invoiceXML("717.97", "O-1")
	id := env.mustOrder(sam, order("717.97", "EUR", "P-1"))
	env.requireState(id, domain.Archived)
	env.draw()
	correction := env.findWrong(id, al, ana)
	env.requireState(correction, domain.InReview, "review_l1")
	if c := env.caseByID(correction); c.OrderRevision != 0 {
		t.Errorf("the correction has the order %d", c.OrderRevision)
	}
	reading := env.newViews()
	corrected, err := reading.Corrects(env.ctx, correction)
	must(t, err)
	if corrected == nil || corrected.ID != id || corrected.PaymentOrder == nil ||
		corrected.PaymentOrder.Reference != "P-1" || corrected.PassedAt.IsZero() {
		t.Fatalf("corrected %+v", corrected)
	}
	if none, err := reading.Corrects(env.ctx, id); err != nil || none != nil {
		t.Errorf("the archived case corrects %+v, %v", none, err)
	}
	for _, row := range []struct {
		by   domain.Actor
		want domain.ID
	}{{mia, correction}, {sam, domain.NoID}} {
		found, err := reading.Correction(env.ctx, row.by, env.caseByID(id))
		must(t, err)
		if found != row.want {
			t.Errorf("%s sees the correction %s", row.by.Name, found)
		}
	}
	must(t, env.approve(mia, correction, "compared with the document",
		domain.RuleCorrection, "the values are right now"))
	env.requireState(correction, domain.Archived)
	env.verifyCaseLog(correction)
	second := env.mustOrder(sam, order("717.97", "EUR", "P-2"))
	if env.caseByID(second).Status == domain.Archived {
		t.Error("the document was paid twice")
	}
}
