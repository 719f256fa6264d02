package authz_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"countersign/authz"
	"countersign/domain"
)

func drawScope(t *rapid.T) domain.Scope {
	scope := domain.Scope{Queues: drawSome(t, "delegated queues", drawnQueues),
		DocumentTypes: drawSome(t, "delegated types", drawnTypes)}
	if rapid.Bool().Draw(t, "has amount") {
		most := rapid.Int64Range(0, 40_000).Draw(t, "delegated amount")
		scope.BaseMinor = &most
	}
	return scope
}

// TestDelegationScopeNarrows checks that an action allowed by a scoped delegation is also allowed
// without the scope, and is within the scope.
func TestDelegationScopeNarrows(t *testing.T) {
	t.Parallel()
	allowed := 0
	rapid.Check(t, func(t *rapid.T) {
		policy, people, scope := drawPolicy(t), drawPeople(t), drawScope(t)
		// The rules, roles and limits of both users allow everything, so that only the scope
		// restricts.
		for _, object := range []authz.Object{authz.AnyReview, authz.QueueReview} {
			policy.Rules = append(policy.Rules,
				authz.Rule{Name: "all " + string(object), Role: drawnRoles[1],
					Action: domain.ActClaim, Object: object})
		}
		for i := range people[:2] {
			people[i].Roles = append(people[i].Roles, drawnRoles[1])
			people[i].Limits = append(people[i].Limits,
				domain.Limit{Role: drawnRoles[1], Action: domain.ActDecide, Unlimited: true})
		}
		authority, err := authz.New(policy)
		if err != nil {
			t.Fatal(err)
		}
		delegator := people[0].AsDelegator(scope)
		for _, row := range rapid.SliceOfN(rapid.Custom(drawReview), 4, 12).Draw(t, "rows") {
			if _, err := authority.AuthorizeOnBehalfOf(people[1], delegator, domain.ActClaim,
				row); err != nil {
				continue
			}
			allowed++
			if _, err := authority.AuthorizeOnBehalfOf(people[1], people[0], domain.ActClaim,
				row); err != nil {
				t.Fatalf("allowed with the scope, refused without it: %v\nscope %+v row %+v", err,
					scope, row)
			}
			if len(scope.Queues) > 0 && !slices.Contains(scope.Queues, row.Queue) {
				t.Fatalf("a queue outside the scope: %+v, scope %+v", row, scope)
			}
			if len(scope.DocumentTypes) > 0 &&
				!slices.Contains(scope.DocumentTypes, row.DocumentType) {
				t.Fatalf("a document type outside the scope: %+v, scope %+v", row, scope)
			}
			if scope.BaseMinor != nil && (!row.AmountKnown || row.BaseMinor > *scope.BaseMinor) {
				t.Fatalf("an amount outside the scope: %+v, scope %+v", row, scope)
			}
		}
	})
	t.Logf("%d allowed", allowed)
	if !testing.Short() && allowed < 5 {
		t.Fatalf("the random samples are too one-sided: %d allowed", allowed)
	}
}

// TestFiltersWithDelegators checks that the filters of a delegate match exactly what the user can
// do for themselves or on behalf of any delegator.
func TestFiltersWithDelegators(t *testing.T) {
	t.Parallel()
	byDelegation := 0
	rapid.Check(t, func(t *rapid.T) {
		authority, err := authz.New(drawPolicy(t))
		if err != nil {
			t.Fatal(err)
		}
		people := drawPeople(t)
		user, delegators := people[0], []domain.User{people[1].AsDelegator(drawScope(t)),
			people[2].AsDelegator(drawScope(t))}
		queue, err1 := authority.QueueFilterWithDelegators(user, delegators)
		reads, err2 := authority.ReadFilterWithDelegators(user, delegators)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		for _, row := range rapid.SliceOfN(rapid.Custom(drawReview), 1, 12).Draw(t, "rows") {
			_, refusal := authority.Authorize(user, domain.ActClaim, row)
			may := refusal == nil
			for _, delegator := range delegators {
				if _, err := authority.AuthorizeOnBehalfOf(user, delegator, domain.ActClaim,
					row); err == nil {
					may = true
					if refusal != nil {
						byDelegation++
					}
				}
			}
			if got := admits(t, queue, row); got != may {
				t.Fatalf("the filter returns %t, the check %t\nuser %+v\ndelegators %+v\nrow %+v",
					got, may, user, delegators, row)
			}
			facts := domain.CaseFacts{Submitter: row.Submitter, DocumentType: row.DocumentType,
				Country: row.Country, BaseMinor: row.BaseMinor, AmountKnown: row.AmountKnown,
				ConflictedIDs: row.ConflictedIDs, OpenQueues: []string{row.Queue},
				Deciders: row.VotedIDs}
			if got, refusal := admitsCase(t, reads, facts),
				authority.AuthorizeCaseRead(user, delegators, facts); got != (refusal == nil) {
				t.Fatalf("the filter of cases returns %t, the check %v\nuser %+v\ndelegators %+v\nfacts %+v", got, refusal, user, delegators,
					facts)
			}
		}
	})
	t.Logf("%d only by delegation", byDelegation)
}
