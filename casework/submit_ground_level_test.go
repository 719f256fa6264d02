package casework_test

import (
	"bytes"
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// Two reviewers of the first level who give and confirm a reason for an account that the document does not
// name do not pay the order: the second level decides, too, and states why.
func TestExplainedAccountNeedsTheSecondLevel(t *testing.T) {
	t.Parallel()
	env := newOrderEnv(t)
	sam, ann, ben := env.person("sam", domain.RoleSubmitter), env.person("ann", domain.RoleL1),
		env.person("ben", domain.RoleL1)
	max := env.person("max", domain.RoleManager)
	env.reader.xml = bytes.ReplaceAll(invoiceXML("717.97", "O-31"),
		[]byte(invoiceAccount), []byte("DE75512108001245126199"))
	id := env.mustOrder(sam, order("717.97", "EUR", "P-1"))
	env.requireState(id, domain.InReview, "review_l1")
	if env.finding(id, "order_account_differs") == nil {
		t.Fatalf("another account has no finding: %v", env.findingRules(id))
	}
	must(t, env.stateGround(ann, id, domain.GroundOtherPayee))
	env.release(ann, id)
	env.claim(ben, id)
	must(t, env.confirmGround(ben, id, 1))
	approve := func(by domain.Actor) error {
		return errOf(env.decideStating(by, casework.DecideReview{
			ReviewTarget: casework.ReviewTarget{ReviewID: env.openReview(id).ID}, Verdict: domain.Approve,
			Overrides: overridesOf([]string{"order_account_explained", "called the payee"})}))
	}
	must(t, approve(ben))
	env.drainQueue()
	env.requireState(id, domain.InReview, "review_l2")
	for _, by := range []domain.Actor{ann, ben} {
		if _, err := env.svc.ClaimReview(env.ctx, by,
			casework.ReviewTarget{ReviewID: env.openReview(id).ID}); err == nil {
			t.Errorf("%s claimed the review of the second level", by.Name)
		}
	}
	env.claim(max, id)
	must(t, approve(max))
	env.drainQueue()
	env.requireState(id, domain.Archived)
	env.verifyCaseLog(id)
}
