package authz_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"countersign/authz"
	"countersign/domain"
)

// explainedActions are the actions that a page asks about a review.
var explainedActions = []domain.Action{domain.ActClaim, domain.ActRelease, domain.ActCorrect, domain.ActDecide, domain.ActEscalate, domain.ActReassign, domain.ActRead}

// drawAuthority is a policy with a rule for every action of each role that has any, people, and a review.
func drawAuthority(t *rapid.T) (*authz.Authority, []domain.User, domain.ReviewFacts) {
	policy := drawPolicy(t)
	for _, role := range drawnRoles[1:] {
		for _, action := range explainedActions {
			if rapid.IntRange(0, 3).Draw(t, "given") > 0 {
				policy.Rules = append(policy.Rules, authz.Rule{Name: string(role) + " " + string(action), Role: role, Action: action, Object: authz.AnyReview})
			}
		}
	}
	authority, err := authz.New(policy)
	if err != nil {
		t.Fatal(err)
	}
	return authority, drawPeople(t), drawReview(t)
}

// TestExplainNamesExactlyThosePeople: the people that an explanation names are those whom Authorize would let, had they
// been given the review.
func TestExplainNamesExactlyThosePeople(t *testing.T) {
	t.Parallel()
	named := 0
	rapid.Check(t, func(t *rapid.T) {
		authority, people, facts := drawAuthority(t)
		for _, action := range explainedActions {
			eligible := authority.Eligible(people, action, facts)
			for _, user := range people {
				_, refusal := authority.Authorize(user, action, authz.AsAssignedTo(user.ID, action, facts))
				if is := slices.ContainsFunc(eligible, func(u domain.User) bool { return u.ID == user.ID }); is != (refusal == nil) {
					t.Fatalf("%s: named %t, Authorize %v\nuser %+v\nfacts %+v", action, is, refusal, user, facts)
				}
			}
			named += len(eligible)
		}
	})
	t.Logf("%d people named", named)
	if named == 0 {
		t.Fatal("nobody was ever named")
	}
}

// TestNamedRuleIsTheReason: the rule that a refusal names is enough to refuse; and once every other rule that also stands
// in the way is lifted, lifting it changes the answer.
func TestNamedRuleIsTheReason(t *testing.T) {
	t.Parallel()
	told := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		authority, people, facts := drawAuthority(t)
		for _, action := range explainedActions {
			for _, user := range people {
				said := authority.Explain(user, action, facts)
				if said.Allowed || !slices.Contains(authz.HardRules(), said.Rule) {
					continue
				}
				told[said.Rule]++
				others := slices.DeleteFunc(authz.HardRules(), func(rule string) bool { return rule == said.Rule })
				if authority.AllowedWithout(user, action, facts, others...) {
					t.Fatalf("%s names %s, which alone does not refuse\nuser %+v\nfacts %+v", action, said.Rule, user, facts)
				}
				if !authority.AllowedWithout(user, action, facts, authz.HardRules()...) {
					t.Fatalf("%s names %s, but lifting every hard rule changes nothing\nuser %+v\nfacts %+v", action, said.Rule, user, facts)
				}
				// Those told before it do not stand in the way: the first that does is named.
				before := authz.HardRules()[:slices.Index(authz.HardRules(), said.Rule)]
				after := authz.HardRules()[len(before):]
				if !authority.AllowedWithout(user, action, facts, after...) {
					t.Fatalf("%s names %s, though one of %v stands in the way already\nuser %+v\nfacts %+v", action, said.Rule, before, user, facts)
				}
			}
		}
	})
	t.Logf("named: %v", told)
	if !testing.Short() && len(told) < 5 {
		t.Fatalf("the drawn worlds say too little: %v", told)
	}
}
