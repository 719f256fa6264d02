package casework_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"countersign/casework"
	"countersign/domain"
	"countersign/views"
)

// TestListsMatchAuthorization compares, on real rows and through the real SQL, the queue of everybody with what they may claim one
// by one: with limits, conflicts over groups, own accounts, own documents, votes given, delegations of every scope.
func TestListsMatchAuthorization(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	seed := rand.Uint64()
	draw := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // a generated data set, not a secret
	t.Logf("seed %d", seed)
	var people []domain.Actor
	for i := range 8 {
		roles := []domain.Role{[]domain.Role{domain.RoleL1, domain.RoleSenior, domain.RoleL2, domain.RoleManager}[i%4]}
		if draw.IntN(3) == 0 {
			roles = append(roles, domain.RoleSubmitter)
		}
		people = append(people, env.person(fmt.Sprintf("p%d", i), roles...))
	}
	some := func() domain.Actor { return people[draw.IntN(len(people))] }
	sam := env.person("sam", domain.RoleSubmitter)
	var reviews []domain.ID
	for n := range 12 {
		env.reader.mu.Lock()
		env.reader.xml = invoiceXML([]string{"120000.00", "600000.00", "2000000.00"}[n%3], fmt.Sprintf("L-%d", n))
		env.reader.mu.Unlock()
		id := env.submit(sam, fmt.Sprintf("law %d", n))
		env.drainQueue()
		review := env.openReview(id)
		reviews = append(reviews, review.ID)
		switch draw.IntN(4) {
		case 0:
			_, err := env.owner.Exec(env.ctx, `WITH c AS (UPDATE cases SET submitter = $1 WHERE id = $2) UPDATE reviews SET submitter = $1 WHERE case_id = $2`, some().UserID, id)
			must(t, err)
		case 1:
			_, err := env.owner.Exec(env.ctx, `INSERT INTO votes VALUES ($1, $2, $3, $4)`, id, review.Duty, some().UserID, review.ID)
			must(t, err)
		case 2:
			_, err := env.owner.Exec(env.ctx, `INSERT INTO case_interests VALUES ($1, $2, 'own_account')`, id, some().UserID)
			must(t, err)
		}
		if draw.IntN(3) == 0 {
			_, _ = env.svc.ClaimReview(env.ctx, some(), casework.ReviewTarget{ReviewID: review.ID})
		}
	}
	for range 6 {
		scope := domain.Scope{}
		if draw.IntN(2) == 0 {
			scope.Queues = []string{[]string{domain.QueueL1, domain.QueueL2}[draw.IntN(2)]}
		}
		if draw.IntN(2) == 0 {
			most := int64([]int{1_000_00, 20_000_000, 100_000_000}[draw.IntN(3)])
			scope.BaseMinor = &most
		}
		delegator := some()
		_, _ = env.svc.CreateDelegation(env.ctx, delegator, casework.CreateDelegation{Giver: delegator.UserID, Taker: some().UserID, Until: env.now().Add(day), Scope: scope})
	}
	barred := some()
	_, err := env.svc.DeclareConflict(env.ctx, barred, casework.DeclareConflict{Person: barred.UserID, Party: "Muster Holding"})
	must(t, err)
	_, err = env.svc.GroupParty(env.ctx, domain.SystemActor(), casework.GroupParty{Party: "Muster Werke GmbH", With: "Muster Holding"})
	must(t, err)
	window, shown, hidden := env.newViews(), 0, 0
	for _, person := range people {
		page, err := window.Queue(env.ctx, person, views.QueueQuery{First: 100})
		must(t, err)
		for _, id := range reviews {
			may := false
			if inquiry, err := window.ReviewAccessQuestion(env.ctx, person, id); err == nil {
				said, err := inquiry.Explain(domain.ActClaim)
				must(t, err)
				may = said.Allowed || len(inquiry.Delegators()) > 0
			}
			listed := slices.ContainsFunc(page.Reviews, func(r domain.Review) bool { return r.ID == id })
			if listed != may {
				t.Errorf("%s: listed %t, may claim %t: review %s", person.Name, listed, may, id)
			}
			if listed {
				shown++
			} else {
				hidden++
			}
		}
		if page.Total != int64(len(page.Reviews)) {
			t.Errorf("%s: %d are counted, %d listed", person.Name, page.Total, len(page.Reviews))
		}
	}
	if shown == 0 || hidden == 0 {
		t.Errorf("the world says too little: %d shown, %d hidden", shown, hidden)
	}
}
