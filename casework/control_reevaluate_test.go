package casework_test

import (
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
)

// sweepControls evaluates cases after changes of control data, and runs what follows.
func (env *testEnv) sweepControls() {
	env.t.Helper()
	_, err := env.svc.Sweep(env.ctx)
	must(env.t, err)
	env.drainQueue()
}

// approves claims the open review of a case and approves it, without running what follows.
func (env *testEnv) approves(by domain.Actor, id domain.ID) {
	env.t.Helper()
	env.claim(by, id)
	must(env.t, env.decide(by, env.openReview(id).ID, domain.Approve, ""))
}

// A country that is listed after the approval and before the archive stops the case for the
// anti-money-laundering review. No reviewer is asked twice, and the late result of the archive is refused.
func TestCountryListedBeforeRelease(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, sid, ada, al := env.person("sam", domain.RoleSubmitter),
		env.person("sid", domain.RoleSenior), env.person("ada", domain.RoleAdmin),
		env.amlOfficer("al")
	id := env.remittanceOf(sam, "150000.00")
	env.approves(sid, id)
	if c := env.caseByID(id); c.Status != domain.Approved {
		t.Fatalf("the case is %s", c.Status)
	}
	must(t, errOf(env.setCountry(ada, "DE", "high")))
	for range 2 { // the second time changes nothing
		_, err := env.svc.ReevaluateCases(env.ctx)
		must(t, err)
	}
	env.drainQueue() // the run of the archive was withdrawn
	env.requireState(id, domain.InReview, "review_aml")
	if c := env.caseByID(id); c.Outcome != "" || env.finding(id, "high_risk_country") == nil ||
		env.countEvents(id, "route.reevaluated") != 1 {
		t.Errorf("outcome %q, events %v", c.Outcome, env.eventTypes(id))
	}
	must(t, env.claimAndDecide(al, id, "review_aml", domain.Approve))
	env.requireState(id, domain.Archived)
	if env.visits(id, "review_l1") != 1 {
		t.Errorf("%+v", env.caseByID(id).Marking)
	}
	env.verifyCaseLog(id)

	n := env.queryInt(`SELECT count(*) FROM control_changes`)
	env.setClockOffset(env.clockOffset + 3*time.Minute)
	env.sweepControls()
	if left := env.queryInt(`SELECT count(*) FROM control_changes`); n != 1 || left != 0 {
		t.Errorf("%d changes, %d after the second pass", n, left)
	}
}

// A decision that takes effect before the sweep has reached its case is carried out with the present
// control data, immediately or after its undo window.
func TestDecisionUsesPresentControlData(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.publish(routedProcess)
	sam, sid, jo, ada, mia := env.person("sam", domain.RoleSubmitter),
		env.person("sid", domain.RoleSenior), env.person("jo", domain.RoleL1),
		env.person("ada", domain.RoleAdmin), env.person("mia", domain.RoleManager)
	id := env.remittanceOf(sam, "150000.00")
	env.reader.xml = invoiceXML("1200.00", "U-1")
	undo := env.submitTo(sam, "routed", "invoice", domain.NewID().String())
	review := env.reviewAt(undo, "review")
	must(t, errOf(env.svc.ClaimReview(env.ctx, jo, casework.ReviewTarget{ReviewID: review.ID})))
	must(t, env.decide(jo, review.ID, domain.Approve, ""))
	env.claim(sid, id)
	version := casework.ReviewVersion(env.openReview(id), env.caseByID(id).FactsRevision)
	must(t, errOf(env.setCountry(ada, "DE", "high")))
	_, err := env.svc.DecideReview(env.ctx, sid, casework.DecideReview{Verdict: domain.Approve,
		ReviewTarget: casework.ReviewTarget{ReviewID: env.openReview(id).ID,
			ExpectedVersion: version}})
	wantCode(t, err, domain.StaleVersion) // the reviewer has not seen the finding
	must(t, env.decide(sid, env.openReview(id).ID, domain.Approve, ""))
	env.drainQueue()
	env.requireState(id, domain.InReview, "review_aml")
	env.setClockOffset(env.clockOffset + 30*time.Minute)
	env.drainQueue()
	env.requireState(undo, domain.InReview, "other", "aml")
	must(t, env.claimAndDecide(mia, undo, "other", domain.Approve))
	env.verifyCaseLog(id)
	env.verifyCaseLog(undo)
}

// A rate that lifts a case above a mark adds the review of that mark. The vote of a reviewer whose
// limit covers the new amount counts.
func TestRateLiftsCaseAboveTheMark(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, sid, mia, ada := env.person("sam", domain.RoleSubmitter),
		env.person("sid", domain.RoleSenior), env.person("mia", domain.RoleManager),
		env.person("ada", domain.RoleAdmin)
	id := env.remittanceOf(sam, "900000.00")
	open := env.remittanceOf(sam, "890000.00")
	env.approves(sid, id)
	must(t, errOf(env.setRate(ada, "EUR", "1.15")))
	env.sweepControls()
	if c := env.caseByID(id); c.BaseMinor != 103500000 {
		t.Errorf("%d is at risk", c.BaseMinor)
	}
	if c, review := env.caseByID(open), env.openReview(open); c.BaseMinor != 102350000 ||
		review.BaseMinor != c.BaseMinor {
		t.Errorf("%d and %d are at risk", c.BaseMinor, review.BaseMinor)
	}
	env.requireState(id, domain.InReview, "review_l2")
	must(t, env.claimAndDecide(mia, id, "review_l2", domain.Approve))
	env.requireState(id, domain.Archived)
	must(t, env.claimAndDecide(sid, open, "review_l1", domain.Approve))
	env.requireState(open, domain.InReview, "review_l2")
	must(t, errOf(env.setRate(ada, "EUR", "1.1")))
	env.sweepControls()
	if c := env.caseByID(open); c.BaseMinor != 102350000 {
		t.Errorf("after a lower rate %d is at risk", c.BaseMinor)
	}
	env.verifyCaseLog(id)
	env.verifyCaseLog(open)
}

// A rate that rises while a case is with its submitter counts when the case continues.
func TestRateRisesWhileTheCaseIsReturned(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, sid, ada := env.person("sam", domain.RoleSubmitter),
		env.person("sid", domain.RoleSenior), env.person("ada", domain.RoleAdmin)
	env.person("mia", domain.RoleManager)
	id := env.remittanceOf(sam, "900000.00")
	must(t, env.claimAndDecide(sid, id, "review_l1", domain.Return))
	must(t, errOf(env.setRate(ada, "EUR", "1.15")))
	env.sweepControls()
	must(t, errOf(env.svc.ResubmitCase(env.ctx, sam,
		casework.ResubmitCase{CaseTarget: casework.CaseTarget{CaseID: id}})))
	env.drainQueue()
	if c, review := env.caseByID(id), env.openReview(id); c.BaseMinor != 103500000 ||
		review.BaseMinor != c.BaseMinor {
		t.Errorf("%d and %d are at risk", c.BaseMinor, review.BaseMinor)
	}
	must(t, env.claimAndDecide(sid, id, "review_l1", domain.Approve))
	env.requireState(id, domain.InReview, "review_l2")
	env.verifyCaseLog(id)
}

// A conflict that is declared after a vote removes the vote: before the release the same review is
// opened again, and at an open later review the earlier one follows its decision.
func TestConflictAfterTheVote(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, sid, sue, mia, ada := env.person("sam", domain.RoleSubmitter),
		env.person("sid", domain.RoleSenior), env.person("sue", domain.RoleSenior),
		env.person("mia", domain.RoleManager), env.person("ada", domain.RoleAdmin)
	open := env.remittanceOf(sam, "1200000.00")
	env.approves(sid, open)
	released := env.remittanceOf(sam, "150000.00")
	env.approves(sid, released)
	must(t, errOf(env.svc.DeclareConflict(env.ctx, ada, casework.DeclareConflict{
		Person: sid.UserID, Party: "Muster Werke GmbH", Reason: "brother"})))
	env.sweepControls()
	env.requireState(released, domain.InReview, "review_l1")
	env.requireState(open, domain.InReview, "review_l2")
	if env.voteCount(released)+env.voteCount(open) != 0 {
		t.Error("the votes of the person count")
	}
	wantCode(t, env.claimAndDecide(sid, released, "review_l1", domain.Approve),
		domain.ConflictOfInterest)
	must(t, env.claimAndDecide(sue, released, "review_l1", domain.Approve))
	env.requireState(released, domain.Archived)
	must(t, env.claimAndDecide(mia, open, "review_l2", domain.Approve))
	env.requireState(open, domain.InReview, "review_l1")
	must(t, env.claimAndDecide(sue, open, "review_l1", domain.Approve))
	env.requireState(open, domain.Archived)
	env.verifyCaseLog(released)
	env.verifyCaseLog(open)
}
