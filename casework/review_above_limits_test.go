package casework_test

import (
	"fmt"
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// limitedReviewers creates reviewers of a role each, with the limits, and removes the unlimited ones.
func (env *testEnv) limitedReviewers(limits ...int64) []domain.Actor {
	env.t.Helper()
	roles := []domain.Role{domain.RoleL1, domain.RoleSenior, domain.RoleManager}
	var people []domain.Actor
	for n, limit := range limits {
		role := roles[min(n, len(roles)-1)]
		must(env.t, env.svc.SetLimit(env.ctx, domain.SystemActor(), domain.Limit{Role: role,
			Action: domain.ActDecide, BaseMinor: limit}))
		people = append(people, env.reviewer(fmt.Sprintf("lim%d", n), role))
	}
	return people
}

// A total above every limit was misread. No reviewer could decide it: two with the highest limits
// correct it together, and then one of them approves; no one else can, and no one alone.
func TestAmountAboveEveryLimitIsResolvedByTwo(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	people := env.limitedReviewers(50000000, 100000000, 200000000, 200000000)
	low, next, top, peer := people[0], people[1], people[2], people[3]
	id := env.submitRead(sam, append(invoiceLines("Hafen Logistik GmbH", "A-1", "5000000.00"),
		"deposit 5,000.00")...)
	env.requireState(id, domain.InReview, "review_l1")
	on := func() casework.ReviewTarget {
		return casework.ReviewTarget{ReviewID: env.openReview(id).ID}
	}
	for _, other := range []domain.Actor{low, next} {
		wantCode(t, errOf(env.svc.ClaimReview(env.ctx, other, on())), domain.ApprovalLimit)
	}
	env.claim(top, id)
	wantCode(t, env.decide(top, on().ReviewID, domain.Approve, "sure"), domain.ApprovalLimit)
	wantCode(t, env.decide(top, on().ReviewID, domain.Reject, "sure"), domain.ApprovalLimit)
	for range 2 {
		must(t, env.correct(top, id, domain.FieldTotal, "5000.00"))
		if why := env.pending(id, domain.FieldTotal); why != "limit" {
			t.Fatalf("one person alone: it waits because of %q", why)
		}
	}
	env.release(top, id)
	env.claim(peer, id)
	must(t, env.correct(peer, id, domain.FieldTotal, "5000.00"))
	if c := env.caseByID(id); c.BaseMinor != 550000 {
		t.Fatalf("two persons leave %d at risk", c.BaseMinor)
	}
	must(t, env.decide(peer, on().ReviewID, domain.Approve, ""))
	env.drainQueue()
	env.requireState(id, domain.Archived)
	env.verifyCaseLog(id)
}

// The amount is right. The reviewers with the highest limits cannot approve it; one can return it.
func TestAmountAboveEveryLimitIsReturned(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	people := env.limitedReviewers(50000000, 100000000, 200000000)
	next, top := people[1], people[2]
	id := env.submitRead(sam, invoiceLines("Hafen Logistik GmbH", "A-2", "5000000.00")...)
	env.claim(next, id) // only one person has the largest limit
	wantCode(t, env.decide(next, env.openReview(id).ID, domain.Approve, "sure"),
		domain.ApprovalLimit)
	env.release(next, id)
	env.claim(top, id)
	wantCode(t, env.decide(top, env.openReview(id).ID, domain.Approve, "sure"),
		domain.ApprovalLimit)
	must(t, env.decide(top, env.openReview(id).ID, domain.Return, "split it"))
	env.drainQueue()
	env.requireState(id, domain.Returned, "returned")
	env.verifyCaseLog(id)
}

// While a person has a limit for the amount, no one else gets more rights, even if that person is
// away; an excluded person is no such person.
func TestHighestLimitsDoNotReplaceALargerOne(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	people := env.limitedReviewers(50000000, 200000000)
	mia := env.person("mia", domain.RoleManager)
	id := env.submitRead(sam, append(invoiceLines("Hafen Logistik GmbH", "A-3", "5000000.00"),
		"deposit 5,000.00")...)
	on := casework.ReviewTarget{ReviewID: env.openReview(id).ID}
	wantCode(t, errOf(env.svc.ClaimReview(env.ctx, people[1], on)), domain.ApprovalLimit)
	must(t, errOf(env.svc.DeclareConflict(env.ctx, domain.SystemActor(), casework.DeclareConflict{
		Person: mia.UserID, Party: "Hafen Logistik GmbH", Reason: "brother"})))
	env.claim(people[1], id)
	must(t, env.correct(people[1], id, domain.FieldTotal, "5000.00"))
	env.release(people[1], id)
	env.claim(people[0], id) // the next limit
	must(t, env.correct(people[0], id, domain.FieldTotal, "5000.00"))
	if c := env.caseByID(id); c.BaseMinor != 550000 {
		t.Fatalf("%d is at risk", c.BaseMinor)
	}
	env.verifyCaseLog(id)
}
