package casework_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"countersign/casework"
	"countersign/domain"
	"countersign/views"
)

// TestListsMatchAuthorization compares each person's queue, from real rows and the real SQL, with
// the reviews that they may claim individually, with limits, conflicts over groups, own accounts,
// own documents, votes and delegations of every scope.
func TestListsMatchAuthorization(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	seed := rand.Uint64()
	draw := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // a generated data set, not a secret
	t.Logf("seed %d", seed)
	var people []domain.Actor
	for i := range 8 {
		roles := []domain.Role{[]domain.Role{domain.RoleL1, domain.RoleSenior, domain.RoleL2,
			domain.RoleManager}[i%4]}
		if draw.IntN(3) == 0 {
			roles = append(roles, domain.RoleSubmitter)
		}
		people = append(people, env.person(fmt.Sprintf("p%d", i), roles...))
	}
	randomPerson := func() domain.Actor { return people[draw.IntN(len(people))] }
	sam := env.person("sam", domain.RoleSubmitter)
	var reviews []domain.ID
	for n := range 12 {
		env.reader.mu.Lock()
		env.reader.xml = invoiceXML([]string{"120000.00", "600000.00", "2000000.00"}[n%3],
			fmt.Sprintf("L-%d", n))
		env.reader.mu.Unlock()
		id := env.submit(sam, fmt.Sprintf("list %d", n))
		env.drainQueue()
		review := env.openReview(id)
		reviews = append(reviews, review.ID)
		switch draw.IntN(4) {
		case 0:
			_, err := env.owner.Exec(env.ctx,
				`WITH c AS (UPDATE cases SET submitter = $1 WHERE id = $2) UPDATE reviews SET submitter = $1 WHERE case_id = $2`, randomPerson().UserID, id)
			must(t, err)
		case 1:
			_, err := env.owner.Exec(env.ctx, `INSERT INTO votes VALUES ($1, $2, $3, $4)`, id,
				review.Duty, randomPerson().UserID, review.ID)
			must(t, err)
		case 2:
			_, err := env.owner.Exec(env.ctx,
				`INSERT INTO case_interests VALUES ($1, $2, 'own_account')`, id,
				randomPerson().UserID)
			must(t, err)
		}
		if draw.IntN(3) == 0 {
			_, _ = env.svc.ClaimReview(env.ctx, randomPerson(),
				casework.ReviewTarget{ReviewID: review.ID})
		}
	}
	for range 6 {
		scope := domain.Scope{}
		if draw.IntN(2) == 0 {
			scope.Queues = []string{[]string{domain.QueueL1, domain.QueueL2}[draw.IntN(2)]}
		}
		if draw.IntN(2) == 0 {
			limit := int64([]int{1_000_00, 20_000_000, 100_000_000}[draw.IntN(3)])
			scope.BaseMinor = &limit
		}
		delegator := randomPerson()
		_, _ = env.svc.CreateDelegation(env.ctx, delegator,
			casework.CreateDelegation{Delegator: delegator.UserID, Delegate: randomPerson().UserID,
				Until: env.now().Add(day), Scope: scope})
	}
	conflicted := randomPerson()
	_, err := env.svc.DeclareConflict(env.ctx, conflicted,
		casework.DeclareConflict{Person: conflicted.UserID, Party: "Muster Holding"})
	must(t, err)
	env.joinGroups("Muster Werke GmbH", "Muster Holding")
	readViews, shown, hidden := env.newViews(), 0, 0
	for _, person := range people {
		page, err := readViews.Queue(env.ctx, person, views.QueueQuery{First: 100})
		must(t, err)
		for _, id := range reviews {
			may := false
			if question, err := readViews.ReviewAccessQuestion(env.ctx, person, id); err == nil {
				explanation, err := question.Explain(domain.ActClaim)
				must(t, err)
				// A review that no one can decide is in no queue: a few may claim it to return it.
				own := explanation.Allowed &&
					!strings.HasPrefix(explanation.Sentence, "No one can decide")
				may = own || len(question.Delegators()) > 0
			}
			listed := slices.ContainsFunc(page.Reviews,
				func(r domain.Review) bool { return r.ID == id })
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
			t.Errorf("%s: %d counted, %d listed", person.Name, page.Total, len(page.Reviews))
		}
	}
	if shown == 0 || hidden == 0 {
		t.Errorf("the generated data covers too little: %d listed, %d not listed", shown, hidden)
	}
}
