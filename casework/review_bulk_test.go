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
		env.reader.xml = invoiceXML("1200.00", documentNumber("B-"))
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

// approveTogether approves the reviews in one command and returns the code for each.
func (env *testEnv) approveTogether(
	by domain.Actor, key, reason string, reviews ...domain.Review,
) []domain.Code {
	env.t.Helper()
	bulk := casework.BulkReviews{Once: casework.Once{Key: key}, Reason: reason}
	for _, review := range reviews {
		bulk.Reviews = append(bulk.Reviews, review.ID)
	}
	results, err := env.svc.ApproveReviews(env.ctx, by, bulk)
	must(env.t, err)
	codes := make([]domain.Code, 0, len(results))
	for _, result := range results {
		codes = append(codes, result.Code)
	}
	return codes
}

// The one reason of a bulk approval overrides no finding: a case whose finding needs a reason, or that
// lacks a value, is left out. The rest are approved, and the same command again approves nothing more.
func TestBulkApprovalOverridesNoFinding(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.publish(routedProcess)
	sam, jo := env.person("sam", domain.RoleSubmitter), env.person("jo", domain.RoleL1)
	env.reader.xml = invoiceXML("1200.00", "B-clean")
	clean := env.submitTo(sam, "routed", "invoice", "clean")
	env.reader.xml = uncleanInvoice("1300.00", "B-unclean")
	unclean := env.submitTo(sam, "routed", "invoice", "unclean")
	first, second := env.reviewAt(clean, "review"), env.reviewAt(unclean, "review")
	for range 2 {
		codes := env.approveTogether(jo, "key", "all of them are fine", first, second)
		if codes[0] != "" || codes[1] != domain.NotPermitted {
			t.Errorf("the results are %q", codes)
		}
	}
	given, err := env.db.Reader().Overrides(env.ctx, unclean)
	must(t, err)
	if len(given) != 0 || env.voteCount(unclean) != 0 || env.voteCount(clean) != 1 {
		t.Errorf("%d overrides, %d and %d votes", len(given), env.voteCount(unclean), env.voteCount(clean))
	}
	if after := env.reviewAt(unclean, "review"); after.Status != domain.ReviewOpen {
		t.Errorf("the review that was left out is %s", after.Status)
	}
	env.verifyCaseLog(clean)
	env.verifyCaseLog(unclean)
}

// A selection contains what changed after it was made: the review of another person, one's own document, a
// review of a step without bulk approval. Each is refused with its cause, and the rest is done.
func TestBulkCommandsRefuseEachReviewForItself(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.publish(routedProcess)
	sam := env.person("sam", domain.RoleSubmitter)
	jo := env.person("jo", domain.RoleL1, domain.RoleL2, domain.RoleSubmitter)
	lea, ma := env.person("lea", domain.RoleL1), env.person("ma", domain.RoleManager)
	submit := func(by domain.Actor, name string) domain.Review {
		env.reader.xml = invoiceXML("1200.00", name)
		return env.reviewAt(env.submitTo(by, "routed", "invoice", name), "review")
	}
	free, taken, own := submit(sam, "free"), submit(sam, "taken"), submit(jo, "own")
	must(t, errOf(env.svc.ClaimReview(env.ctx, lea, casework.ReviewTarget{ReviewID: taken.ID})))
	other := env.reviewAt(free.CaseID, "other")
	codes := env.approveTogether(jo, "a", "", taken, own, free, other)
	if codes[0] == "" || codes[1] == "" || codes[2] != "" || codes[3] == "" {
		t.Errorf("the approvals end with %q", codes)
	}
	if env.voteCount(free.CaseID) != 1 || env.voteCount(own.CaseID) != 0 || env.voteCount(taken.CaseID) != 0 {
		t.Error("votes of refused approvals")
	}
	claims, err := env.svc.ClaimReviews(env.ctx, jo, casework.BulkReviews{Reviews: []domain.ID{own.ID, taken.ID,
		other.ID}})
	must(t, err)
	if claims[0].Err == nil || claims[1].Code != domain.AlreadyClaimed || claims[2].Err != nil {
		t.Errorf("the claims end with %+v", claims)
	}
	for range 2 {
		moved, err := env.svc.ReassignReviews(env.ctx, ma, casework.ReassignReviews{Once: casework.Once{Key: "m"},
			Reviews: []domain.ID{taken.ID, own.ID}, To: jo.UserID, Reason: "leave"})
		must(t, err)
		if moved[0].Code != "" || moved[1].Code != domain.NotEligible {
			t.Errorf("reassigned: %+v", moved)
		}
	}
	if n := env.countEvents(taken.CaseID, "review.reassigned"); n != 1 {
		t.Errorf("the same command twice reassigned %d times", n)
	}
	many := make([]domain.ID, 501)
	for i := range many {
		many[i] = domain.NewID()
	}
	_, err = env.svc.ReassignReviews(env.ctx, ma, casework.ReassignReviews{Reviews: many, Reason: "leave"})
	wantCode(t, err, domain.InvalidInput)
	_, err = env.svc.ApproveReviews(env.ctx, jo, casework.BulkReviews{Reviews: many})
	wantCode(t, err, domain.InvalidInput)
}
