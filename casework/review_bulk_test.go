package casework_test

import (
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// A bulk approval is evaluated with the present control data like a single decision: a reviewer who has
// not seen what that adds does not approve it.
func TestBulkApprovalUsesPresentControlData(t *testing.T) {
	t.Parallel()
	for _, claimed := range []bool{false, true} {
		env := newTestEnv(t)
		env.publish(routedProcess)
		sam, jo, ada := env.person("sam", domain.RoleSubmitter), env.person("jo", domain.RoleL1),
			env.person("ada", domain.RoleAdmin)
		env.reader.xml = invoiceXML("1200.00", "B-"+domain.NewID().String()[24:])
		id := env.submitTo(sam, "routed", "invoice", domain.NewID().String())
		review := env.reviewAt(id, "review")
		if claimed {
			must(t, errOf(env.svc.ClaimReview(env.ctx, jo,
				casework.ReviewTarget{ReviewID: review.ID})))
			review = env.reviewAt(id, "review")
		}
		bulk := casework.BulkReviews{Reviews: []domain.ID{review.ID},
			Expected: map[domain.ID]string{review.ID: casework.ReviewVersion(review,
				env.caseByID(id).FactsRevision)}}
		must(t, errOf(env.setCountry(ada, "DE", "high")))
		results, err := env.svc.ApproveReviews(env.ctx, jo, bulk)
		must(t, err)
		if results[0].Code != domain.StaleVersion || env.voteCount(id) != 0 {
			t.Errorf("claimed %v: %s (%s), %d votes", claimed, results[0].Code, results[0].Message,
				env.voteCount(id))
		}
		if after := env.reviewAt(id, "review"); (after.Status == domain.ReviewClaimed) != claimed {
			t.Errorf("claimed %v: the review is %s", claimed, after.Status)
		}
		if env.finding(id, "high_risk_country") == nil {
			t.Errorf("claimed %v: the case was not evaluated again", claimed)
		}
		env.verifyCaseLog(id)
	}
}
