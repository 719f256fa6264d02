package authz_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"countersign/authz"
	"countersign/domain"
)

var drawnAmounts = []int64{math.MinInt64, -1, 0, 1, 99, 100, 101, 5000, math.MaxInt64 - 1,
	math.MaxInt64}

// drawAmountCondition draws a condition on the amount, and sometimes on other facts.
func drawAmountCondition(t *rapid.T) string {
	parts := make([]string, rapid.IntRange(1, 3).Draw(t, "parts"))
	for i := range parts {
		amount := rapid.SampledFrom(drawnAmounts)
		op := rapid.SampledFrom([]string{"==", "!=", "<", "<=", ">", ">="}).Draw(t, "op")
		switch rapid.IntRange(0, 7).Draw(t, "part") {
		case 0:
			parts[i] = rapid.SampledFrom(drawnCaseConditions[1:]).Draw(t, "other")
		case 1:
			parts[i] = fmt.Sprintf("review.base_minor in [%d, %d]", amount.Draw(t, "a"),
				amount.Draw(t, "b"))
		case 2:
			parts[i] = fmt.Sprintf("%d %s review.base_minor", amount.Draw(t, "a"), op)
		default:
			parts[i] = fmt.Sprintf("review.base_minor %s %d", op, amount.Draw(t, "a"))
		}
		if rapid.IntRange(0, 3).Draw(t, "not") == 0 {
			parts[i] = "!(" + parts[i] + ")"
		}
	}
	return strings.Join(parts, rapid.SampledFrom([]string{" && ", " || "}).Draw(t, "operator"))
}

func drawAmount(t *rapid.T) int64 {
	amount := rapid.SampledFrom(drawnAmounts).Draw(t, "amount")
	switch near := rapid.Int64Range(-1, 1).Draw(t, "near"); {
	case near > 0 && amount == math.MaxInt64, near < 0 && amount == math.MinInt64:
		return amount
	default:
		return amount + near
	}
}

// drawAmountPolicy draws a policy for one role, so that mostly its conditions decide.
func drawAmountPolicy(t *rapid.T) authz.Policy {
	policy := authz.Policy{Version: 1}
	for i := range rapid.IntRange(1, 6).Draw(t, "rules") {
		rule := authz.Rule{Name: fmt.Sprint("rule ", i), Role: domain.RoleL1,
			Condition: drawAmountCondition(t), Action: domain.ActRead,
			Object: rapid.SampledFrom([]authz.Object{authz.AnyReview, authz.QueueReview,
				authz.AnyCase, authz.QueueCase}).Draw(t, "object")}
		if rapid.IntRange(0, 5).Draw(t, "deny") == 5 {
			rule.Effect = authz.Deny
		}
		policy.Rules = append(policy.Rules, rule)
	}
	return policy
}

// TestPrunedEqualsUnpruned compares enforcers with pruned conditions, also with small caches that
// fall back to coarser levels, with one that evaluates every condition.
func TestPrunedEqualsUnpruned(t *testing.T) {
	t.Parallel()
	results := map[bool]int{}
	rapid.Check(t, func(t *rapid.T) {
		policy := drawAmountPolicy(t)
		plain, err := authz.NewWithCacheSize(policy, 0)
		if err != nil {
			t.Fatal(err)
		}
		var others []*authz.Authority
		for _, most := range []int64{1, 3, 2000} {
			other, err := authz.NewWithCacheSize(policy, most)
			if err != nil {
				t.Fatal(err)
			}
			others = append(others, other)
		}
		user, delegate, delegator := junior(1), person(2, domain.RoleL2), junior(3)
		delegator = delegator.AsDelegator(
			domain.Scope{Queues: drawSome(t, "delegated queues", drawnQueues)})
		for range 6 {
			review := domain.ReviewFacts{Queue: rapid.SampledFrom(drawnQueues[:2]).Draw(t, "queue"),
				Status: domain.ReviewOpen, DocumentType: "invoice",
				Country:        rapid.SampledFrom([]string{"", "DE", "US"}).Draw(t, "country"),
				OtherCountries: drawOtherCountries(t),
				BaseMinor:      drawAmount(t), AmountKnown: rapid.Bool().Draw(t, "known"),
				Submitter: person(byte(rapid.IntRange(1, 4).Draw(t, "submitter"))).ID}
			document := domain.CaseFacts{Submitter: review.Submitter,
				DocumentType: review.DocumentType, Country: review.Country,
				OtherCountries: review.OtherCountries,
				BaseMinor:      review.BaseMinor, AmountKnown: review.AmountKnown,
				OpenQueues: []string{review.Queue}}
			for name, request := range map[string]func(*authz.Authority) (domain.Permit, error){
				"review": func(a *authz.Authority) (domain.Permit, error) {
					return a.Authorize(user,
						domain.ActRead, review)
				},
				"delegated": func(a *authz.Authority) (domain.Permit, error) {
					return a.AuthorizeOnBehalfOf(delegate, delegator, domain.ActRead, review)
				},
				"case": func(a *authz.Authority) (domain.Permit, error) {
					return a.AuthorizeCase(user, domain.ActRead, document)
				},
			} {
				want, wantErr := request(plain)
				results[want.Allowed]++
				for i, other := range others {
					if got, err := request(other); got != want ||
						domain.CodeOf(err) != domain.CodeOf(wantErr) {
						t.Fatalf("%s: %+v (%v) of authority %d, unpruned %+v (%v)\npolicy %+v\nreview %+v", name, got, err, i, want, wantErr, policy, review)
					}
				}
			}
		}
	})
	if results[true] < 15 || results[false] < 15 {
		t.Errorf("the random samples are too one-sided: %v", results)
	}
}

// TestAmountsArePrunedByBand checks that many amounts need few enforcers and that none evaluates a
// condition again.
func TestAmountsArePrunedByBand(t *testing.T) {
	t.Parallel()
	policy := authz.Policy{Version: 1, Rules: []authz.Rule{
		{Name: "small", Role: domain.RoleL1, Action: domain.ActClaim, Object: authz.QueueReview,
			Condition: "review.base_minor < 1000"},
		{Name: "known", Role: domain.RoleL1, Action: domain.ActClaim, Object: authz.QueueReview,
			Condition: "review.base_minor > 5000 && review.amount_known"}}}
	authority, err := authz.New(policy)
	if err != nil {
		t.Fatal(err)
	}
	user, facts := junior(1), openReview()
	for amount := range int64(10_000) {
		facts.BaseMinor = amount
		permit, _ := authority.Authorize(user, domain.ActClaim, facts)
		if want := amount < 1000 || amount > 5000; permit.Allowed != want {
			t.Fatalf("%d: %t", amount, permit.Allowed)
		}
	}
	// One enforcer for each band, and one or two more to find the reason of a refusal.
	if unpruned, pruned := authority.CachedEnforcers(domain.ActClaim); unpruned != 0 ||
		pruned < 3 || pruned > 9 {
		t.Errorf("%d unpruned enforcers, %d pruned ones", unpruned, pruned)
	}
}
