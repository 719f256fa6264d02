package casework_test

import (
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
)

// routedProcess has a gateway before a review whose decisions can be undone, and a second branch.
const routedProcess = `
key: routed
version: 1
on_abandon: seal_abandoned
re_enter: validate
key_facts: [country]
nodes:
  - {id: start, kind: start, next: read}
  - {id: read, kind: stage, behaviour: read, queue: ocr, next: extract}
  - {id: extract, kind: stage, behaviour: extract, next: validate}
  - {id: validate, kind: stage, behaviour: validate, next: assess}
  - {id: assess, kind: stage, behaviour: assess, next: both}
  - {id: both, kind: fork, to: [destination, other]}
  - id: destination
    kind: exclusive
    branches: [{when: 'findings.exists(f, f.rule == "high_risk_country")', to: aml}]
    default: review
  - id: aml
    kind: review
    queue: AML
    escalate_to: ""
    on: {approve: review, reject: {to: seal_rejected, cancel: all}}
  - id: review
    kind: review
    queue: L1
    undo: 10m
    bulk: {max_amount: 200000000, max_risk: 100, undo: 20m}
    on: {approve: merged, reject: {to: seal_rejected, cancel: all}}
  - {id: merged, kind: exclusive, default: joined}
  - {id: other, kind: review, queue: L2, duty: other, on: {approve: joined, reject: {to: seal_rejected, cancel: all}}}
  - {id: joined, kind: join, next: archive}
` + sealNodes

// corrects claims the review at a node and sets one field.
func (env *testEnv) corrects(by domain.Actor, id domain.ID, node, field, value string) domain.Review {
	env.t.Helper()
	review := env.reviewAt(id, node)
	must(env.t, errOf(env.svc.ClaimReview(env.ctx, by,
		casework.ReviewTarget{ReviewID: review.ID})))
	must(env.t, errOf(env.svc.CorrectFields(env.ctx, by,
		casework.CorrectFields{ReviewTarget: casework.ReviewTarget{ReviewID: review.ID},
			Fields: []casework.FieldInput{{Name: field, Value: value}}, Confirm: true})))
	env.drainQueue()
	return review
}

// reviewAt returns the undecided review at a node.
func (env *testEnv) reviewAt(id domain.ID, node string) domain.Review {
	env.t.Helper()
	for _, review := range env.undecidedReviews(id) {
		if review.Node == node {
			return review
		}
	}
	env.t.Fatalf("no open review at %s: %+v", node, env.caseByID(id).Marking)
	return domain.Review{}
}

// visits returns how often the case has entered a node.
func (env *testEnv) visits(id domain.ID, node string) int {
	env.t.Helper()
	return env.caseByID(id).Marking.Visits[node]
}

func (env *testEnv) remittanceOf(by domain.Actor, total string) domain.ID {
	env.t.Helper()
	env.reader.xml = invoiceXML(total, documentNumber("R-"))
	return env.submitTo(by, "cross_border_remittance", "remittance", domain.NewID().String())
}

// A reviewer sets a high-risk country and approves the case: it is brought before the
// anti-money-laundering reviewer, and the first reviewer is not asked again.
func TestCountrySetByTheReviewerLeadsToAML(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, sid, mia, al := env.person("sam", domain.RoleSubmitter),
		env.person("sid", domain.RoleSenior), env.person("mia", domain.RoleManager),
		env.amlOfficer("al")
	for total, rest := range map[string][]string{"150000.00": nil, "1200000.00": {"review_l2"}} {
		id := env.remittanceOf(sam, total)
		env.requireState(id, domain.InReview, "review_l1")
		review := env.corrects(sid, id, "review_l1", domain.FieldCountry, "IR")
		must(t, env.decide(sid, review.ID, domain.Approve, ""))
		env.drainQueue()
		env.requireState(id, domain.InReview, "review_aml")
		must(t, env.claimAndDecide(al, id, "review_aml", domain.Approve))
		for _, node := range rest {
			env.requireState(id, domain.InReview, node)
			must(t, env.claimAndDecide(mia, id, node, domain.Approve))
		}
		env.requireState(id, domain.Archived)
		if env.visits(id, "review_l1") != 1 || env.visits(id, "validate") != 1 {
			t.Errorf("%s: %+v", total, env.caseByID(id).Marking)
		}
		env.verifyCaseLog(id)
	}
}

// The second reviewer sets the country: the vote of the first is revoked. Both missing reviews
// follow in the order of the process, and the second reviewer is not asked again.
func TestCountrySetByTheManager(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, sid, mia, al := env.person("sam", domain.RoleSubmitter),
		env.person("sid", domain.RoleSenior), env.person("mia", domain.RoleManager),
		env.amlOfficer("al")
	id := env.remittanceOf(sam, "1200000.00")
	must(t, env.claimAndDecide(sid, id, "review_l1", domain.Approve))
	review := env.corrects(mia, id, "review_l2", domain.FieldCountry, "IR")
	env.requireState(id, domain.InReview, "review_l2") // the open review stays open
	if env.voteCount(id) != 0 {
		t.Fatalf("%d votes", env.voteCount(id))
	}
	must(t, env.decide(mia, review.ID, domain.Approve, ""))
	env.drainQueue()
	env.requireState(id, domain.InReview, "review_aml")
	must(t, env.claimAndDecide(al, id, "review_aml", domain.Approve))
	env.requireState(id, domain.InReview, "review_l1")
	must(t, env.claimAndDecide(sid, id, "review_l1", domain.Approve))
	env.requireState(id, domain.Archived)
	if env.visits(id, "review_l2") != 1 || env.visits(id, "review_l1") != 2 {
		t.Errorf("%+v", env.caseByID(id).Marking)
	}
	env.verifyCaseLog(id)
}

// A first reviewer raises the amount above the limit for one review.
func TestRaisedAmountLeadsToTheManager(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, sid, sue, mia := env.person("sam", domain.RoleSubmitter),
		env.person("sid", domain.RoleSenior), env.person("sue", domain.RoleSenior),
		env.person("mia", domain.RoleManager)
	id := env.remittanceOf(sam, "900000.00")
	env.corrects(sid, id, "review_l1", domain.FieldTotal, "1200000.00")
	must(t, env.claimAndDecide(sue, id, "review_l1", domain.Approve))
	env.requireState(id, domain.InReview, "review_l2")
	must(t, env.claimAndDecide(mia, id, "review_l2", domain.Approve))
	env.requireState(id, domain.Archived)
	env.verifyCaseLog(id)
}

// The route is evaluated when a decision takes effect: after the undo window. It only adds to the branch of the
// decision.
func TestRouteIsEvaluatedAfterTheUndoWindow(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.publish(routedProcess)
	sam, jo, mia, al := env.person("sam", domain.RoleSubmitter), env.person("jo", domain.RoleL1),
		env.person("mia", domain.RoleManager), env.amlOfficer("al")
	for _, bulk := range []bool{false, true} {
		env.setClockOffset(0)
		env.reader.xml = invoiceXML("1200.00", documentNumber("R-"))
		id := env.submitTo(sam, "routed", "invoice", domain.NewID().String())
		other := env.reviewAt(id, "other")
		review := env.corrects(jo, id, "review", domain.FieldCountry, "IR")
		if bulk { // a corrected value differs from what was read, so a bulk approval does not take it
			results, err := env.svc.ApproveReviews(env.ctx, jo,
				casework.BulkReviews{Reviews: []domain.ID{review.ID}})
			must(t, err)
			wantCode(t, results[0].Err, domain.NotPermitted)
		}
		must(t, env.decide(jo, review.ID, domain.Approve, ""))
		env.drainQueue()
		env.requireState(id, domain.InReview, "review", "other") // it can still be undone
		env.setClockOffset(30 * time.Minute)
		env.drainQueue()
		env.requireState(id, domain.InReview, "other", "aml")
		if env.reviewAt(id, "other").ID != other.ID {
			t.Error("the review of the other branch was opened again")
		}
		must(t, env.claimAndDecide(mia, id, "other", domain.Approve))
		must(t, env.claimAndDecide(al, id, "aml", domain.Approve))
		env.requireState(id, domain.Archived)
		if env.visits(id, "review") != 1 || env.visits(id, "other") != 1 {
			t.Errorf("%+v", env.caseByID(id).Marking)
		}
		env.verifyCaseLog(id)
	}
}

// A branch has arrived at its join when its vote is revoked: its review is opened again when the
// last branch arrives, and that one is not asked again.
func TestRevokedBranchIsReviewedAgain(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, mia, al := env.person("sam", domain.RoleSubmitter),
		env.person("mia", domain.RoleManager), env.amlOfficer("al")
	env.reader.xml = invoiceXML("120.00", "M-1")
	id := env.submitTo(sam, "merchant_onboarding", "merchant_application", "m")
	must(t, env.claimAndDecide(mia, id, "credit", domain.Approve))
	review := env.corrects(al, id, "kyc", domain.FieldCountry, "FR")
	if env.voteCount(id) != 0 {
		t.Fatalf("%d votes", env.voteCount(id))
	}
	must(t, env.decide(al, review.ID, domain.Approve, ""))
	env.drainQueue()
	if env.reviewAt(id, "credit").Visit != 2 || len(env.undecidedReviews(id)) != 1 {
		t.Fatalf("%+v", env.undecidedReviews(id))
	}
	must(t, env.claimAndDecide(mia, id, "credit", domain.Approve))
	env.requireState(id, domain.Archived)
	env.verifyCaseLog(id)
}
