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

// Many take the next at the same moment: each gets one of their own, the soonest due first, and nobody waits in vain.
func TestClaimNextUnderRace(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	const people, reviews = 8, 12
	for i := range reviews {
		env.submitRemittance(sam, "R-"+strconv.Itoa(i))
	}
	var mu sync.Mutex
	taken := map[domain.ID]domain.ID{}
	var crowd sync.WaitGroup
	for i := range people {
		by := env.person("p"+strconv.Itoa(i), domain.RoleL1)
		crowd.Go(func() {
			for {
				got, err := env.svc.ClaimNextReview(env.ctx, by, casework.Once{})
				if domain.HasCode(err, domain.NothingToClaim) {
					return
				}
				if err != nil {
					t.Errorf("claim: %v", err)
					return
				}
				mu.Lock()
				if other, double := taken[got.ReviewID]; double {
					t.Errorf("%s was taken by %s and %s", got.ReviewID, other, by.UserID)
				}
				taken[got.ReviewID] = by.UserID
				mu.Unlock()
			}
		})
	}
	crowd.Wait()
	if len(taken) != reviews {
		t.Errorf("%d of %d reviews were taken", len(taken), reviews)
	}
}

// A claim without a heartbeat goes back to the queue by itself: its holder is told, the draft waits for them alone.
func TestClaimExpires(t *testing.T) {
	t.Parallel()
	env, id, jo, jill := newRemittanceEnv(t)
	review := env.claim(jo, id)
	must(t, env.svc.SaveDraft(env.ctx, jo, review.ID, []byte(`{"note":"half done"}`)))
	env.setClockOffset(25 * time.Minute)
	must(t, errOf(env.svc.Heartbeat(env.ctx, jo, review.ID)))
	env.setClockOffset(50 * time.Minute) // 25 min after the last sign of life
	if n, err := env.svc.ExpireClaims(env.ctx); err != nil || n != 0 {
		t.Fatalf("a live claim lapsed: %d, %v", n, err)
	}
	env.setClockOffset(60 * time.Minute)
	for want := 1; want >= 0; want-- { // swept twice, told once
		if n, err := env.svc.ExpireClaims(env.ctx); err != nil || n != want {
			t.Fatalf("%d lapsed, %v", n, err)
		}
	}
	free := env.openReview(id)
	if free.Status != domain.ReviewOpen || free.Assignee != domain.NoID || free.PreviousAssignee != jo.UserID || free.UnassignCause != domain.UnassignedByExpiry {
		t.Fatalf("%+v", free)
	}
	reading, err := env.db.Reader().EventsAfter(env.ctx, id, 0, 1000)
	must(t, err)
	var told generated.ReviewReleasedV1
	must(t, json.Unmarshal(reading.Events[len(reading.Events)-1].Body, &told))
	if told.FormerAssignee != jo.UserID || told.Reason != "expired" {
		t.Errorf("told %+v", told)
	}
	if _, err := env.svc.Heartbeat(env.ctx, jo, review.ID); !domain.HasCode(err, domain.NotClaimedByYou) {
		t.Errorf("a sign of life after the end: %v", err)
	}
	wantCode(t, env.decide(jo, review.ID, domain.Approve, ""), domain.NotClaimedByYou)
	if other := env.claim(jill, id); len(other.Draft) != 0 || other.PreviousAssignee != domain.NoID {
		t.Errorf("Jill sees %+v", other)
	}
	must(t, errOf(env.svc.ReleaseReview(env.ctx, jill, casework.ReviewTarget{ReviewID: review.ID})))
	if again := env.claim(jo, id); string(again.Draft) != `{"note":"half done"}` {
		t.Errorf("the draft is %q", again.Draft)
	}
	env.verifyCaseLog(id)
}
