package authz_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"countersign/authz"
	"countersign/domain"
)

// explainedActions are the actions that the pages of a review explain.
var explainedActions = []domain.Action{domain.ActClaim, domain.ActRelease, domain.ActCorrect,
	domain.ActDecide, domain.ActEscalate, domain.ActReassign, domain.ActRead}

// drawAuthority draws a policy with rules for most actions of each role, people, and a review.
func drawAuthority(t *rapid.T) (*authz.Authority, []domain.User, domain.ReviewFacts) {
	policy := drawPolicy(t)
	for _, role := range drawnRoles[1:] {
		for _, action := range explainedActions {
			if rapid.IntRange(0, 3).Draw(t, "has rule") > 0 {
				policy.Rules = append(policy.Rules,
					authz.Rule{Name: string(role) + " " + string(action), Role: role,
						Action: action, Object: authz.AnyReview})
			}
		}
	}
	authority, err := authz.New(policy)
	if err != nil {
		t.Fatal(err)
	}
	return authority, drawPeople(t), drawReview(t)
}

// TestEligibleEqualsAuthorizeAfterAssignment checks that Eligible returns exactly the people whom
// Authorize would allow if the review were assigned to them.
func TestEligibleEqualsAuthorizeAfterAssignment(t *testing.T) {
	t.Parallel()
	total := 0
	rapid.Check(t, func(t *rapid.T) {
		authority, people, facts := drawAuthority(t)
		for _, action := range explainedActions {
			eligible := authority.Eligible(people, action, facts)
			for _, user := range people {
				_, refusal := authority.Authorize(user, action,
					authz.AsAssignedTo(user.ID, action, facts))
				if is := slices.ContainsFunc(eligible,
					func(u domain.User) bool { return u.ID == user.ID }); is != (refusal == nil) {
					t.Fatalf("%s: eligible %t, Authorize %v\nuser %+v\nfacts %+v", action, is,
						refusal, user, facts)
				}
			}
			total += len(eligible)
		}
	})
	t.Logf("%d eligible people", total)
	if total == 0 {
		t.Fatal("no sample had an eligible person")
	}
}

// TestAlikePeopleAreDecidedOnce checks the same for rules with conditions, also about the user, and for several
// people with the same roles and queues, for whom Casbin is asked once.
func TestAlikePeopleAreDecidedOnce(t *testing.T) {
	t.Parallel()
	total := 0
	rapid.Check(t, func(t *rapid.T) {
		authority, err := authz.New(drawPolicy(t))
		if err != nil {
			t.Fatal(err)
		}
		people, facts := drawPeople(t), drawReview(t)
		for i, user := range people { // another person with the same roles, queues and limits
			user.ID = person(byte(5 + i)).ID
			people = append(people, user)
		}
		for _, action := range []domain.Action{domain.ActClaim, domain.ActRead, domain.ActDecide} {
			eligible := authority.Eligible(people, action, facts)
			for _, user := range people {
				_, refusal := authority.Authorize(user, action, authz.AsAssignedTo(user.ID, action, facts))
				if is := slices.ContainsFunc(eligible,
					func(u domain.User) bool { return u.ID == user.ID }); is != (refusal == nil) {
					t.Fatalf("%s: eligible %t, Authorize %v\nuser %+v\nfacts %+v", action, is, refusal, user, facts)
				}
			}
			total += len(eligible)
		}
	})
	if total == 0 {
		t.Fatal("no sample had an eligible person")
	}
}

// TestReportedRuleIsTheReason checks that the reported hard rule alone refuses the action, and that
// it is the first such rule in the order of the reasons.
func TestReportedRuleIsTheReason(t *testing.T) {
	t.Parallel()
	reported := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		authority, people, facts := drawAuthority(t)
		for _, action := range explainedActions {
			for _, user := range people {
				explanation := authority.Explain(user, action, facts)
				if explanation.Allowed || !slices.Contains(authz.HardRules(), explanation.Rule) {
					continue
				}
				reported[explanation.Rule]++
				others := slices.DeleteFunc(authz.HardRules(),
					func(rule string) bool { return rule == explanation.Rule })
				if authority.AllowedWithout(user, action, facts, others...) {
					t.Fatalf("%s reports %s, which alone does not refuse\nuser %+v\nfacts %+v",
						action, explanation.Rule, user, facts)
				}
				if !authority.AllowedWithout(user, action, facts, authz.HardRules()...) {
					t.Fatalf("%s reports %s, but is refused also without hard rules\nuser %+v\nfacts %+v", action, explanation.Rule, user, facts)
				}
				// The rules before it in the order do not refuse.
				before := authz.HardRules()[:slices.Index(authz.HardRules(), explanation.Rule)]
				after := authz.HardRules()[len(before):]
				if !authority.AllowedWithout(user, action, facts, after...) {
					t.Fatalf("%s reports %s, but one of %v refuses already\nuser %+v\nfacts %+v",
						action, explanation.Rule, before, user, facts)
				}
			}
		}
	})
	t.Logf("reported: %v", reported)
	if !testing.Short() && len(reported) < 5 {
		t.Fatalf("the random samples are too one-sided: %v", reported)
	}
}
