package casework_test

import (
	"slices"
	"sync"
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// Names that are lent at once, over two processes, never end in a cycle: of two that lend to each other one is refused, of
// three in a ring at least one.
func TestConcurrentDelegationsFormNoCycle(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	services := []*casework.Service{env.svc, env.newServiceOnOwnPool()}
	people := []domain.Actor{env.person("a", domain.RoleL1), env.person("b", domain.RoleL1), env.person("c", domain.RoleL1)}
	trials := raceRounds(20)
	for n := range trials {
		cycle := people[:2+n%2]
		made, refused := make([]casework.DelegationResult, len(cycle)), make([]error, len(cycle))
		var wait sync.WaitGroup
		for i, delegator := range cycle {
			wait.Go(func() {
				made[i], refused[i] = services[i%2].CreateDelegation(env.ctx, delegator, casework.CreateDelegation{Giver: delegator.UserID,
					Taker: cycle[(i+1)%len(cycle)].UserID, Until: env.now().Add(day)})
			})
		}
		wait.Wait()
		closed := true
		for i, err := range refused {
			if err != nil {
				closed = false
				if !slices.Contains([]domain.Code{domain.StateMismatch, domain.Busy}, domain.CodeOf(err)) {
					t.Errorf("trial %d: %v", n, err)
				}
				continue
			}
			must(t, env.svc.EndDelegation(env.ctx, cycle[i], casework.EndDelegation{ID: made[i].ID}))
		}
		if closed {
			t.Errorf("trial %d: %d people lent their names in a ring", n, len(cycle))
		}
	}
	t.Logf("%d rings tried at once over two processes: none was closed", trials)
}

// A conflict that is declared while a delegate works reaches across the lent name, whosever it is: a claim that stands on
// the name alone is withdrawn, and neither taken up again nor decided.
func TestConflictsApplyThroughDelegation(t *testing.T) {
	t.Parallel()
	for _, barred := range []string{"giver", "taker"} {
		t.Run(barred, func(t *testing.T) {
			t.Parallel()
			env, _, id := newReviewEnv(t, "120000.00")
			people := map[string]domain.Actor{"giver": env.person("giver", domain.RoleL1), "taker": env.person("taker", domain.RoleL2)} // of itself the delegate could not have it
			lent := onBehalfOf(people["taker"], people["giver"])
			env.delegate(people["giver"], people["taker"], domain.Scope{})
			review := env.openReview(id)
			claim := func(who domain.Actor) error {
				_, err := env.svc.ClaimReview(env.ctx, who, casework.ReviewTarget{ReviewID: review.ID})
				return err
			}
			must(t, claim(lent))
			_, err := env.svc.DeclareConflict(env.ctx, domain.SystemActor(), casework.DeclareConflict{Person: people[barred].UserID, Party: "Muster Werke GmbH"})
			must(t, err)
			if got := env.openReview(id); got.Status != domain.ReviewOpen || got.Assignee != domain.NoID {
				t.Errorf("the review is still %s, held by %s", got.Status, got.Assignee)
			}
			if err := env.decide(lent, review.ID, domain.Approve, ""); err == nil {
				t.Error("decided in the lent name")
			}
			wantCode(t, claim(lent), domain.ConflictOfInterest)
			if n := env.queryInt(`SELECT count(*) FROM decisions WHERE case_id = $1`, id); n != 0 {
				t.Errorf("%d decisions", n)
			}
		})
	}
}
