package casework_test

import (
	"encoding/json"
	"strconv"
	"sync"
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
	"countersign/events/generated"
)

// Many reviewers claim the next review concurrently: each gets a different one, the soonest due
// first, until none is left.
func TestClaimNextUnderRace(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	const people, reviews = 8, 12
	for i := range reviews {
		env.submitRemittance(sam, "R-"+strconv.Itoa(i))
	}
	var mu sync.Mutex
	claimed := map[domain.ID]domain.ID{}
	var group sync.WaitGroup
	for i := range people {
		by := env.person("p"+strconv.Itoa(i), domain.RoleL1)
		group.Go(func() {
			for {
				got, err := env.svc.ClaimNextReview(env.ctx, by, casework.ClaimNext{})
				if domain.HasCode(err, domain.NothingToClaim) {
					return
				}
				if err != nil {
					t.Errorf("claim: %v", err)
					return
				}
				mu.Lock()
				if other, duplicate := claimed[got.ReviewID]; duplicate {
					t.Errorf("%s was claimed by %s and %s", got.ReviewID, other, by.UserID)
				}
				claimed[got.ReviewID] = by.UserID
				mu.Unlock()
			}
		})
	}
	group.Wait()
	if len(claimed) != reviews {
		t.Errorf("%d of %d reviews were claimed", len(claimed), reviews)
	}
}

// A claim after a review is refused unless the actor has decided that review, also if another person has.
func TestClaimNextAfterADecision(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	jo, jill := env.person("jo", domain.RoleL1), env.person("jill", domain.RoleL1)
	for i := range 3 {
		env.submitRemittance(sam, "A-"+strconv.Itoa(i))
	}
	first, err := env.svc.ClaimNextReview(env.ctx, jo, casework.ClaimNext{})
	must(t, err)
	after := casework.ClaimNext{After: first.ReviewID}
	wantCode(t, errOf(env.svc.ClaimNextReview(env.ctx, jo, after)), domain.StateMismatch)
	wantCode(t, errOf(env.svc.ClaimNextReview(env.ctx, jo,
		casework.ClaimNext{After: domain.NewID()})), domain.StateMismatch)
	must(t, env.decide(jo, first.ReviewID, domain.Approve, ""))
	wantCode(t, errOf(env.svc.ClaimNextReview(env.ctx, jill, after)), domain.StateMismatch)
	after.Key = "next"
	second, err := env.svc.ClaimNextReview(env.ctx, jo, after)
	must(t, err)
	again, err := env.svc.ClaimNextReview(env.ctx, jo, after)
	must(t, err)
	if second.ReviewID == first.ReviewID || again.ReviewID != second.ReviewID {
		t.Errorf("claimed %s after %s, then %s with the same key", second.ReviewID, first.ReviewID,
			again.ReviewID)
	}
	wantCode(t, errOf(env.svc.ClaimNextReview(env.ctx, jo,
		casework.ClaimNext{Once: after.Once})), domain.IdempotencyMismatch)
}

// A claim without a heartbeat expires: the former assignee is notified, and only they see the draft
// again.
func TestClaimExpires(t *testing.T) {
	t.Parallel()
	env, id, jo, jill := newRemittanceEnv(t)
	review := env.claim(jo, id)
	must(t, env.svc.SaveDraft(env.ctx, jo, review.ID, []byte(`{"note":"half done"}`)))
	env.setClockOffset(25 * time.Minute)
	must(t, errOf(env.svc.Heartbeat(env.ctx, jo, review.ID)))
	env.setClockOffset(50 * time.Minute) // 25 minutes after the last heartbeat
	if n, err := env.svc.ExpireClaims(env.ctx); err != nil || n != 0 {
		t.Fatalf("a live claim expired: %d, %v", n, err)
	}
	env.setClockOffset(60 * time.Minute)
	for want := 1; want >= 0; want-- { // swept twice, one event
		if n, err := env.svc.ExpireClaims(env.ctx); err != nil || n != want {
			t.Fatalf("%d claims expired, %v", n, err)
		}
	}
	released := env.openReview(id)
	if released.Status != domain.ReviewOpen || released.Assignee != domain.NoID ||
		released.PreviousAssignee != jo.UserID ||
		released.UnassignCause != domain.UnassignedByExpiry {
		t.Fatalf("%+v", released)
	}
	reading, err := env.db.Reader().EventsAfter(env.ctx, id, 0, 1000)
	must(t, err)
	var body generated.ReviewReleasedV1
	must(t, json.Unmarshal(reading.Events[len(reading.Events)-1].Body, &body))
	if body.FormerAssignee != jo.UserID || body.Reason != "expired" {
		t.Errorf("event body %+v", body)
	}
	if _, err := env.svc.Heartbeat(env.ctx, jo, review.ID); !domain.HasCode(err,
		domain.NotClaimedByYou) {
		t.Errorf("a heartbeat after the expiry: %v", err)
	}
	wantCode(t, env.decide(jo, review.ID, domain.Approve, ""), domain.NotClaimedByYou)
	if other := env.claim(jill, id); len(other.Draft) != 0 ||
		other.PreviousAssignee != domain.NoID {
		t.Errorf("Jill sees %+v", other)
	}
	must(t, errOf(env.svc.ReleaseReview(env.ctx, jill, casework.ReviewTarget{ReviewID: review.ID})))
	if again := env.claim(jo, id); string(again.Draft) != `{"note":"half done"}` {
		t.Errorf("the draft is %q", again.Draft)
	}
	env.verifyCaseLog(id)
}
