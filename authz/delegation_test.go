package authz_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"countersign/authz"
	"countersign/domain"
)

func drawScope(t *rapid.T) domain.Scope {
	scope := domain.Scope{Queues: drawSome(t, "lent queues", drawnQueues), DocumentTypes: drawSome(t, "lent types", drawnTypes)}
	if rapid.Bool().Draw(t, "lent up to") {
		most := rapid.Int64Range(0, 40_000).Draw(t, "lent amount")
		scope.BaseMinor = &most
	}
	return scope
}

// TestDelegationScopeNarrows: what may be done on behalf of a delegator could be done in the whole name, within the scope.
func TestDelegationScopeNarrows(t *testing.T) {
	t.Parallel()
	allowed := 0
	rapid.Check(t, func(t *rapid.T) {
		policy, people, scope := drawPolicy(t), drawPeople(t), drawScope(t)
		// Rules, role and limits of both reach, so that the scope is what narrows.
		for _, object := range []authz.Object{authz.AnyReview, authz.QueueReview} {
			policy.Rules = append(policy.Rules, authz.Rule{Name: "reach " + string(object), Role: drawnRoles[1], Action: domain.ActClaim, Object: object})
		}
		for i := range people[:2] {
			people[i].Roles = append(people[i].Roles, drawnRoles[1])
			people[i].Limits = append(people[i].Limits, domain.Limit{Role: drawnRoles[1], Action: domain.ActDecide, Unlimited: true})
		}
		authority, err := authz.New(policy)
		if err != nil {
			t.Fatal(err)
		}
		lent := people[0].AsDelegator(scope)
		for _, row := range rapid.SliceOfN(rapid.Custom(drawReview), 4, 12).Draw(t, "rows") {
			if _, err := authority.AuthorizeOnBehalfOf(people[1], lent, domain.ActClaim, row); err != nil {
				continue
			}
			allowed++
			if _, err := authority.AuthorizeOnBehalfOf(people[1], people[0], domain.ActClaim, row); err != nil {
				t.Fatalf("the lent name may, the whole may not: %v\nscope %+v row %+v", err, scope, row)
			}
			if len(scope.Queues) > 0 && !slices.Contains(scope.Queues, row.Queue) {
				t.Fatalf("a queue that was not lent: %+v, scope %+v", row, scope)
			}
			if len(scope.DocumentTypes) > 0 && !slices.Contains(scope.DocumentTypes, row.DocumentType) {
				t.Fatalf("a type that was not lent: %+v, scope %+v", row, scope)
			}
			if scope.BaseMinor != nil && (!row.AmountKnown || row.BaseMinor > *scope.BaseMinor) {
				t.Fatalf("more than was lent: %+v, scope %+v", row, scope)
			}
		}
	})
	t.Logf("%d allowed", allowed)
	if !testing.Short() && allowed < 5 {
		t.Fatalf("the drawn worlds say too little: %d allowed", allowed)
	}
}

// TestFiltersWithDelegators: the lists of a person with lent names show what the person may do in any of them.
func TestFiltersWithDelegators(t *testing.T) {
	t.Parallel()
	byLent := 0
	rapid.Check(t, func(t *rapid.T) {
		authority, err := authz.New(drawPolicy(t))
		if err != nil {
			t.Fatal(err)
		}
		people := drawPeople(t)
		user, lent := people[0], []domain.User{people[1].AsDelegator(drawScope(t)), people[2].AsDelegator(drawScope(t))}
		queue, err1 := authority.QueueFilterWithDelegators(user, lent)
		reads, err2 := authority.ReadFilterWithDelegators(user, lent)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		for _, row := range rapid.SliceOfN(rapid.Custom(drawReview), 1, 12).Draw(t, "rows") {
			_, refusal := authority.Authorize(user, domain.ActClaim, row)
			may := refusal == nil
			for _, delegator := range lent {
				if _, err := authority.AuthorizeOnBehalfOf(user, delegator, domain.ActClaim, row); err == nil {
					may = true
					if refusal != nil {
						byLent++
					}
				}
			}
			if got := admits(t, queue, row); got != may {
				t.Fatalf("the list says %t, the check %t\nuser %+v\nlent %+v\nrow %+v", got, may, user, lent, row)
			}
			facts := domain.CaseFacts{Submitter: row.Submitter, DocumentType: row.DocumentType, Country: row.Country, BaseMinor: row.BaseMinor,
				AmountKnown: row.AmountKnown, ConflictedIDs: row.ConflictedIDs, OpenQueues: []string{row.Queue}, Deciders: row.VotedIDs}
			if got, refusal := admitsCase(t, reads, facts), authority.AuthorizeCaseRead(user, lent, facts); got != (refusal == nil) {
				t.Fatalf("the list of cases says %t, the check %v\nuser %+v\nlent %+v\nfacts %+v", got, refusal, user, lent, facts)
			}
		}
	})
	t.Logf("%d only in a lent name", byLent)
}
