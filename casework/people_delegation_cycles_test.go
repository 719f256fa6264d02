package casework_test

import (
	"slices"
	"sync"
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// Concurrent delegations on two processes never form a cycle: of two users who delegate to each
// other one is refused, of three in a cycle at least one.
func TestConcurrentDelegationsFormNoCycle(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	services := []*casework.Service{env.svc, env.newServiceOnOwnPool()}
	people := []domain.Actor{env.person("a", domain.RoleL1), env.person("b", domain.RoleL1),
		env.person("c", domain.RoleL1)}
	trials := raceRounds(20)
	for n := range trials {
		cycle := people[:2+n%2]
		created, errs := make([]casework.DelegationResult, len(cycle)), make([]error, len(cycle))
		var wait sync.WaitGroup
		for i, delegator := range cycle {
			wait.Go(func() {
				created[i], errs[i] = services[i%2].CreateDelegation(env.ctx, delegator,
					casework.CreateDelegation{Delegator: delegator.UserID,
						Delegate: cycle[(i+1)%len(cycle)].UserID, Until: env.now().Add(day)})
			})
		}
		wait.Wait()
		closed := true
		for i, err := range errs {
			if err != nil {
				closed = false
				if !slices.Contains([]domain.Code{domain.StateMismatch, domain.Busy},
					domain.CodeOf(err)) {
					t.Errorf("trial %d: %v", n, err)
				}
				continue
			}
			must(t, env.svc.EndDelegation(env.ctx, cycle[i],
				casework.EndDelegation{ID: created[i].ID}))
		}
		if closed {
			t.Errorf("trial %d: %d people form a cycle of delegations", n, len(cycle))
		}
	}
	t.Logf("%d cycles attempted concurrently on two processes: none was formed", trials)
}

// A conflict of the delegator or of the delegate, declared while the delegate works, applies to the
// delegation: a claim made on behalf of the delegator is released and can neither be repeated nor
// decided.
func TestConflictsApplyThroughDelegation(t *testing.T) {
	t.Parallel()
	for _, barred := range []string{"delegator", "delegate"} {
		t.Run(barred, func(t *testing.T) {
			t.Parallel()
			env, _, id := newReviewEnv(t, "120000.00")
			// the delegate could not claim it in their own name
			people := map[string]domain.Actor{"delegator": env.person("delegator", domain.RoleL1),
				"delegate": env.person("delegate", domain.RoleL2)}
			onBehalf := onBehalfOf(people["delegate"], people["delegator"])
			env.delegate(people["delegator"], people["delegate"], domain.Scope{})
			review := env.openReview(id)
			claim := func(actor domain.Actor) error {
				_, err := env.svc.ClaimReview(env.ctx, actor,
					casework.ReviewTarget{ReviewID: review.ID})
				return err
			}
			must(t, claim(onBehalf))
			_, err := env.svc.DeclareConflict(env.ctx, domain.SystemActor(),
				casework.DeclareConflict{Person: people[barred].UserID, Party: "Muster Werke GmbH"})
			must(t, err)
			if got := env.openReview(id); got.Status != domain.ReviewOpen ||
				got.Assignee != domain.NoID {
				t.Errorf("the review is still %s, assigned to %s", got.Status, got.Assignee)
			}
			if err := env.decide(onBehalf, review.ID, domain.Approve, ""); err == nil {
				t.Error("decided on behalf of the delegator")
			}
			wantCode(t, claim(onBehalf), domain.ConflictOfInterest)
			if n := env.queryInt(`SELECT count(*) FROM decisions WHERE case_id = $1`, id); n != 0 {
				t.Errorf("%d decisions", n)
			}
		})
	}
}
