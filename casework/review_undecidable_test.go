package casework_test

import (
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// A rate adds a second review, and the only manager has given the first approval. No one may decide the
// second review: the manager is offered to claim and return it, and nothing else. Afterwards another
// reviewer gives the first approval.
func TestReviewThatNoOneMayDecideIsReturned(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, sid, mia, ada := env.person("sam", domain.RoleSubmitter),
		env.person("sid", domain.RoleSenior), env.person("mia", domain.RoleManager),
		env.person("ada", domain.RoleAdmin)
	id := env.remittanceOf(sam, "900000.00")
	env.approves(mia, id)
	must(t, errOf(env.setRate(ada, "EUR", "1.15")))
	env.sweepControls()
	env.requireState(id, domain.InReview, "review_l2")
	on := casework.ReviewTarget{ReviewID: env.openReview(id).ID}
	if !env.offered(mia, on.ReviewID, domain.ActClaim) || env.offered(sid, on.ReviewID, domain.ActClaim) {
		t.Error("the manager is not offered to claim it, or the senior reviewer is")
	}
	must(t, errOf(env.svc.ClaimReview(env.ctx, mia, on)))
	if env.offered(mia, on.ReviewID, domain.ActDecide) || !env.offered(mia, on.ReviewID, domain.ActReturn) {
		t.Error("the manager is offered to decide, or not to return")
	}
	for _, verdict := range []domain.Verdict{domain.Approve, domain.Reject} {
		wantCode(t, env.decide(mia, on.ReviewID, verdict, "sure"), domain.FourEyes)
	}
	must(t, env.decide(mia, on.ReviewID, domain.Return, "another reviewer approves first"))
	env.drainQueue()
	must(t, errOf(env.svc.ResubmitCase(env.ctx, sam,
		casework.ResubmitCase{CaseTarget: casework.CaseTarget{CaseID: id}})))
	env.drainQueue()
	must(t, env.claimAndDecide(sid, id, "review_l1", domain.Approve))
	must(t, env.claimAndDecide(mia, id, "review_l2", domain.Approve))
	env.requireState(id, domain.Archived)
	env.verifyCaseLog(id)
}

// offered reports whether the page of a review offers an action to a person who may read it.
func (env *testEnv) offered(by domain.Actor, review domain.ID, action domain.Action) bool {
	env.t.Helper()
	question, err := env.newViews().ReviewAccessQuestion(env.ctx, by, review)
	if domain.HasCode(err, domain.NotFound) {
		return false
	}
	must(env.t, err)
	answer, err := question.Explain(action)
	must(env.t, err)
	return answer.Allowed
}

// An order over an amount above every limit is restated. Two reviewers with the highest limits accept
// the smaller amount together; then one of them approves.
func TestRestatementOfAnAmountAboveEveryLimit(t *testing.T) {
	t.Parallel()
	env := newOrderEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	people := env.limitedReviewers(50000000, 100000000, 200000000, 200000000)
	next, top, peer := people[1], people[2], people[3]
	env.reader.xml = invoiceXML("717.97", "O-1")
	id := env.mustOrder(sam, order("5000000", "EUR", "P-1"))
	on := func() casework.ReviewTarget {
		return casework.ReviewTarget{ReviewID: env.openReview(id).ID}
	}
	if !env.offered(top, on().ReviewID, domain.ActClaim) || env.offered(next, on().ReviewID, domain.ActClaim) {
		t.Error("those with the highest limits are not offered to claim it, or another one is")
	}
	env.claim(top, id)
	must(t, env.decide(top, on().ReviewID, domain.Return, "which amount?"))
	env.drainQueue()
	must(t, env.restate(sam, id, order("717.97", "EUR", "P-1")))
	must(t, errOf(env.svc.ResubmitCase(env.ctx, sam,
		casework.ResubmitCase{CaseTarget: casework.CaseTarget{CaseID: id}})))
	env.drainQueue()
	env.claim(top, id)
	for range 2 {
		must(t, errOf(env.svc.AcceptOrder(env.ctx, top, on())))
		if c := env.caseByID(id); c.BaseMinor != 550000000 {
			t.Fatalf("one person alone leaves %d at risk", c.BaseMinor)
		}
	}
	env.release(top, id)
	env.claim(peer, id)
	must(t, errOf(env.svc.AcceptOrder(env.ctx, peer, on())))
	if c := env.caseByID(id); c.BaseMinor != 78977 {
		t.Fatalf("two persons leave %d at risk", c.BaseMinor)
	}
	must(t, env.decide(peer, on().ReviewID, domain.Approve, ""))
	env.drainQueue()
	env.requireState(id, domain.Archived)
	env.verifyCaseLog(id)
}
