package casework_test

import (
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// enterTotal enters the total of a returned case and resubmits the case.
func (env *testEnv) enterTotal(by, submitter domain.Actor, id domain.ID, total string) {
	env.t.Helper()
	target := casework.CaseTarget{CaseID: id}
	must(env.t, errOf(env.svc.EnterFields(env.ctx, by, casework.EnterFields{CaseTarget: target,
		Fields: []casework.FieldInput{{Name: domain.FieldTotal, Value: total}}})))
	must(env.t, errOf(env.svc.ResubmitCase(env.ctx, submitter,
		casework.ResubmitCase{CaseTarget: target})))
	env.drainQueue()
}

// requireAtRisk checks the amount at risk in the base currency.
func (env *testEnv) requireAtRisk(id domain.ID, want int64) {
	env.t.Helper()
	if c := env.caseByID(id); c.BaseMinor != want {
		env.t.Fatalf("%d is at risk, want %d; differing %v", c.BaseMinor, want, c.DifferingFields)
	}
}

// A submitter who is also a reviewer does not lower the misread total of their own returned case by the
// rules for reviewers, and neither does a delegate on their behalf. A reviewer accepts it.
func TestSubmitterResolvesNothing(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	both, jan, del := env.person("both", domain.RoleSubmitter, domain.RoleL1),
		env.person("jan", domain.RoleL1), env.person("del", domain.RoleManager)
	env.delegate(both, del, domain.Scope{})
	for _, by := range []domain.Actor{both, onBehalfOf(del, both)} {
		id := env.submitRead(both, append(invoiceLines("Hafen Logistik GmbH",
			documentNumber("S-"), "158980.00"), "paid in advance 1,589.80")...)
		must(t, env.claimAndDecide(jan, id, "review_l1", domain.Return))
		env.enterTotal(by, both, id, "1589.80")
		env.requireAtRisk(id, 17487800)
		if why := env.pending(id, domain.FieldTotal); why != "submitter" {
			t.Errorf("it waits because of %q", why)
		}
		env.claim(jan, id)
		must(t, env.correct(jan, id, domain.FieldTotal, "1589.80"))
		env.requireAtRisk(id, 174878)
		must(t, env.decide(jan, env.openReview(id).ID, domain.Approve, ""))
		env.drainQueue()
		env.requireState(id, domain.Archived)
		env.verifyCaseLog(id)
	}
}

// One reviewer accepts the amount by which the submitter, or a delegate on their behalf, replaced what
// they had declared: the same people decide at both.
func TestReviewerAcceptsRestatement(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	both, sid, del := env.person("both", domain.RoleSubmitter, domain.RoleSenior),
		env.person("sid", domain.RoleSenior), env.person("del", domain.RoleManager)
	env.delegate(both, del, domain.Scope{})
	for _, by := range []domain.Actor{both, onBehalfOf(del, both)} {
		env.reader.xml, env.reader.lines = nil, invoiceLines("Hafen Logistik GmbH",
			documentNumber("T-"), "1589.80")
		id := env.submitDeclared(both, "document_approval", "invoice", "158980", "EUR", "")
		must(t, env.claimAndDecide(sid, id, "review_l1", domain.Return))
		env.drainQueue()
		env.enterTotal(by, both, id, "1589.80")
		env.requireAtRisk(id, 17487800)
		env.claim(sid, id)
		must(t, env.correct(sid, id, domain.FieldTotal, "1589.80", domain.FieldCurrency, "EUR"))
		if why := env.pending(id, domain.FieldTotal); why != "" {
			t.Errorf("it waits because of %q", why)
		}
		env.requireAtRisk(id, 174878)
		env.verifyCaseLog(id)
	}
}

// What the submitter enters, or a delegate on their behalf, does not confirm what a reviewer proposes
// instead of a value that an e-invoice states, before it or after it.
func TestSubmitterIsNotTheSecondPerson(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	both, sid, mia, del := env.person("both", domain.RoleSubmitter, domain.RoleSenior),
		env.person("sid", domain.RoleSenior), env.person("mia", domain.RoleManager),
		env.person("del", domain.RoleManager)
	env.delegate(both, del, domain.Scope{})
	for _, by := range []domain.Actor{both, onBehalfOf(del, both)} {
		number := documentNumber("T-")
		env.reader.xml = invoiceXML("158980.00", number)
		env.reader.lines = invoiceLines("Muster Werke GmbH", number, "1589.80")
		id := env.submit(both, domain.NewID().String())
		env.drainQueue()
		propose := func(reviewer domain.Actor) {
			t.Helper()
			env.claim(reviewer, id)
			must(t, env.correct(reviewer, id, domain.FieldTotal, "1589.80", domain.FieldCurrency,
				"EUR"))
		}
		propose(sid)
		must(t, env.decide(sid, env.openReview(id).ID, domain.Return, "which amount?"))
		env.drainQueue()
		env.enterTotal(by, both, id, "1589.80")
		env.requireAtRisk(id, 17487800)
		propose(sid)
		env.requireAtRisk(id, 17487800)
		env.release(sid, id)
		propose(mia)
		env.requireAtRisk(id, 174878)
		// Net and tax of the e-invoice do not add up to the corrected total.
		wantCode(t, env.decide(mia, env.openReview(id).ID, domain.Approve, ""), domain.ValidationFailed)
		must(t, env.decide(mia, env.openReview(id).ID, domain.Approve, "net and tax are of the order"))
		env.drainQueue()
		env.requireState(id, domain.Archived)
		env.verifyCaseLog(id)
	}
}

// A delegate and the delegator are one person: neither confirms what the other proposed.
func TestDelegateAndDelegatorAreOnePerson(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, sid, sue := env.person("sam", domain.RoleSubmitter), env.person("sid", domain.RoleSenior),
		env.person("sue", domain.RoleSenior)
	env.delegate(sid, sue, domain.Scope{})
	env.reader.xml, env.reader.lines = nil, invoiceLines("Hafen Logistik GmbH", "U-1", "1589.80")
	id := env.submitDeclared(sam, "document_approval", "invoice", "158980", "EUR", "")
	for _, by := range []domain.Actor{onBehalfOf(sue, sid), sid} {
		env.claim(by, id)
		must(t, env.correct(by, id, domain.FieldTotal, "1589.80", domain.FieldCurrency, "EUR"))
		env.requireAtRisk(id, 17487800)
		env.release(by, id)
	}
	env.verifyCaseLog(id)
}
