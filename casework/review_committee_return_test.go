package casework_test

import (
	"encoding/json"
	"testing"

	"countersign/casework"
	"countersign/domain"
	"countersign/events/generated"
)

// A member of a committee who returns the case tells its submitter why, whatever others have voted.
func TestReturnOfACommitteeKeepsItsReason(t *testing.T) {
	t.Parallel()
	for name, attributes := range map[string]string{"open": majorityOfThree, "hidden": hiddenMajority} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env, id := newCommitteeEnv(t, attributes)
			m := env.members("jo", "jill", "joe")
			env.decideNextSeat(m[0], id, domain.Reject)
			on := casework.ReviewTarget{ReviewID: env.undecidedReviews(id)[0].ID}
			must(t, errOf(env.svc.ClaimReview(env.ctx, m[1], on)))
			must(t, env.decide(m[1], on.ReviewID, domain.Return, "the address is missing"))
			env.drainQueue()
			for _, event := range env.caseEvents(id) {
				var body generated.CaseReturnedV1
				if event.Type != domain.CaseReturned {
					continue
				}
				must(t, json.Unmarshal(event.Body, &body))
				if body.Reason != "the address is missing" {
					t.Errorf("the reason is %q", body.Reason)
				}
			}
			env.requireState(id, domain.Returned, "returned")
			env.verifyCaseLog(id)
		})
	}
}

// A member whose hidden vote was revoked gives it again, also with the reason that a finding needs.
func TestAHiddenVoteWithAReasonIsGivenAgain(t *testing.T) {
	t.Parallel()
	env, _ := newCommitteeEnv(t, hiddenMajority)
	m := env.members("jo", "jill", "joe", "jan")
	id := env.submitSlow(env.person("sue", domain.RoleSubmitter), "120.00", "R-1")
	if env.finding(id, "duplicate_number") == nil {
		t.Fatalf("found %v", env.findingRules(id))
	}
	env.decideNextSeat(m[0], id, domain.Approve)
	on := casework.ReviewTarget{ReviewID: env.undecidedReviews(id)[0].ID}
	must(t, errOf(env.svc.ClaimReview(env.ctx, m[1], on)))
	must(t, errOf(env.svc.CorrectFields(env.ctx, m[1], casework.CorrectFields{ReviewTarget: on, Confirm: true,
		Fields: []casework.FieldInput{{Name: domain.FieldTotal, Value: "130.00"}}})))
	env.drainQueue()
	if votes := env.voteCount(id); votes != 0 {
		t.Fatalf("%d votes count", votes)
	}
	env.decideNextSeat(m[0], id, domain.Approve)
	env.decideNextSeat(m[2], id, domain.Approve)
	env.decideNextSeat(m[3], id, domain.Approve)
	env.drainQueue()
	env.requireState(id, domain.Archived)
	env.verifyCaseLog(id)
}
