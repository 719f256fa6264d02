package casework_test

import (
	"slices"
	"sync"
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// Names that are lent at once, over two processes, never end in a circle: of two that lend to each other one is refused, of
// three in a ring at least one.
func TestNamesAreNotLentInACircleAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	halls := []*casework.Hall{w.hall, w.second()}
	people := []domain.Actor{w.person("a", domain.RoleL1), w.person("b", domain.RoleL1), w.person("c", domain.RoleL1)}
	trials := rounds(20)
	for n := range trials {
		ring := people[:2+n%2]
		made, refused := make([]casework.Delegated, len(ring)), make([]error, len(ring))
		var wait sync.WaitGroup
		for i, giver := range ring {
			wait.Go(func() {
				made[i], refused[i] = halls[i%2].CreateDelegation(w.ctx, giver, casework.CreateDelegation{Giver: giver.UserID,
					Taker: ring[(i+1)%len(ring)].UserID, Until: w.now().Add(day)})
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
			must(t, w.hall.EndDelegation(w.ctx, ring[i], casework.EndDelegation{ID: made[i].ID}))
		}
		if closed {
			t.Errorf("trial %d: %d people lent their names in a ring", n, len(ring))
		}
	}
	t.Logf("%d rings tried at once over two processes: none was closed", trials)
}

// A conflict that is declared while a stand-in works reaches across the lent name, whosever it is: a claim that stands on
// the name alone is withdrawn, and neither taken up again nor decided.
func TestConflictsReachAcrossALentName(t *testing.T) {
	t.Parallel()
	for _, barred := range []string{"giver", "taker"} {
		t.Run(barred, func(t *testing.T) {
			t.Parallel()
			w, _, id := reviewed(t, "120000.00")
			people := map[string]domain.Actor{"giver": w.person("giver", domain.RoleL1), "taker": w.person("taker", domain.RoleL2)} // of itself the taker could not have it
			lent := inNameOf(people["taker"], people["giver"])
			w.lend(people["giver"], people["taker"], domain.Scope{})
			review := w.openReview(id)
			claim := func(who domain.Actor) error {
				_, err := w.hall.ClaimReview(w.ctx, who, casework.OnReview{ReviewID: review.ID})
				return err
			}
			must(t, claim(lent))
			_, err := w.hall.DeclareConflict(w.ctx, domain.SystemActor(), casework.DeclareConflict{Person: people[barred].UserID, Party: "Muster Werke GmbH"})
			must(t, err)
			if got := w.openReview(id); got.Status != domain.ReviewOpen || got.Assignee != domain.NoID {
				t.Errorf("the review is still %s, held by %s", got.Status, got.Assignee)
			}
			if err := w.decide(lent, review.ID, domain.Approve, ""); err == nil {
				t.Error("decided in the lent name")
			}
			wantCode(t, claim(lent), domain.ConflictOfInterest)
			if n := w.number(`SELECT count(*) FROM decisions WHERE case_id = $1`, id); n != 0 {
				t.Errorf("%d decisions", n)
			}
		})
	}
}
