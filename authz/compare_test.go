package authz_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"countersign/authz"
	"countersign/domain"
)

// changed returns the built-in policy with other rules.
func changed(t *testing.T, change func([]authz.Rule) []authz.Rule) *authz.Authority {
	t.Helper()
	authority, err := authz.New(authz.Policy{Version: 2,
		Rules: change(slices.Clone(authz.DefaultPolicy().Rules))})
	if err != nil {
		t.Fatal(err)
	}
	return authority
}

func shown(changes []authz.RightChange) string {
	var lines []string
	for _, change := range changes {
		lines = append(lines, fmt.Sprintf("%s %s %t %s", change.Action, change.Object, change.Partly,
			strings.Join(change.Queues, "+")))
	}
	return strings.Join(lines, ", ")
}

func TestComparisonOfPolicies(t *testing.T) {
	t.Parallel()
	decides := []domain.Limit{{Role: domain.RoleL1, Action: domain.ActDecide, Unlimited: true}}
	junior := domain.User{ID: domain.NewID(), Roles: []domain.Role{domain.RoleL1},
		Queues: []string{"L1", "repair"}, Limits: decides}
	add := func(rule authz.Rule) func([]authz.Rule) []authz.Rule {
		rule.Name, rule.Role = "added", domain.RoleL1
		return func(rules []authz.Rule) []authz.Rule { return append(rules, rule) }
	}
	for name, tc := range map[string]struct {
		change       func([]authz.Rule) []authz.Rule
		gains, loses string
		without      bool // the user has no limit
	}{
		"nothing": {change: func(rules []authz.Rule) []authz.Rule {
			slices.Reverse(rules)
			return rules
		}},
		"a rule less": {change: func(rules []authz.Rule) []authz.Rule {
			return slices.DeleteFunc(rules, func(r authz.Rule) bool {
				return r.Role == domain.RoleL1 && r.Action == domain.ActDecide
			})
		}, loses: "decide review false L1+repair"},
		"the right to decide without a limit": {change: func(rules []authz.Rule) []authz.Rule {
			return slices.DeleteFunc(rules, func(r authz.Rule) bool {
				return r.Role == domain.RoleL1 && r.Action == domain.ActDecide
			})
		}, without: true},
		"every queue": {change: add(authz.Rule{Action: domain.ActClaim, Object: authz.AnyReview}),
			gains: "claim review true L2"},
		"global": {change: add(authz.Rule{Action: domain.ActPublish, Object: authz.GlobalObject}),
			gains: "publish house false "},
		"a deny for one amount": {change: add(authz.Rule{Action: domain.ActDecide,
			Object: authz.QueueReview, Effect: authz.Deny,
			Condition: `review.queue == "L1" && review.base_minor == 700`}),
			loses: "decide review true L1"},
		"own cases": {change: add(authz.Rule{Action: domain.ActAbandon, Object: authz.OwnCase}),
			gains: "abandon case false "},
		"of one country": {change: add(authz.Rule{Action: domain.ActReassign, Object: authz.QueueReview,
			Condition: `review.country in ["DE"]`}), gains: "reassign review false L1+repair"},
	} {
		t.Run(name, func(t *testing.T) {
			user := junior
			if tc.without {
				user.Limits = nil
			}
			before := changed(t, func(rules []authz.Rule) []authz.Rule { return rules })
			comparison := authz.Compare(before, changed(t, tc.change), []string{"L1", "L2", "AML"})
			change := comparison.Of(user)
			if shown(change.Gains) != tc.gains || shown(change.Loses) != tc.loses ||
				!comparison.Complete() {
				t.Errorf("gains %q, loses %q, complete %t", shown(change.Gains), shown(change.Loses),
					comparison.Complete())
			}
		})
	}
}

func TestFixedConditions(t *testing.T) {
	t.Parallel()
	user := domain.User{ID: domain.NewID(), Roles: []domain.Role{domain.RoleL1}, Queues: []string{"L1"}}
	for condition, want := range map[string]string{
		`review.country == "DE" || review.country != "DE"`:         "always",
		`review.base_minor < 100 || review.base_minor >= 100`:      "always",
		`review.queue in user.queues || !(review.queue in ["L1"])`: "always",
		`review.level > 3 && review.level < 2`:                     "never",
		`"L9" in user.queues`:                                      "never",
		`review.base_minor < 100`:                                  "",
		`review.submitter != user.id`:                              "",
		`review.queue != "L2"`:                                     "",
	} {
		before := changed(t, func(rules []authz.Rule) []authz.Rule { return rules })
		after := changed(t, func(rules []authz.Rule) []authz.Rule {
			return append(rules, authz.Rule{Name: "added", Role: domain.RoleL1,
				Action: domain.ActClaim, Object: authz.AnyReview, Condition: condition})
		})
		got := ""
		for _, fixed := range authz.Compare(before, after, nil).FixedConditions([]domain.User{user}) {
			got = map[bool]string{true: "always", false: "never"}[fixed.Always]
		}
		if got != want {
			t.Errorf("%s: %q, want %q", condition, got, want)
		}
	}
}

// TestComparisonFindsEveryDifference checks that a review about which two random policies differ for a
// user is of a gained or lost action.
func TestComparisonFindsEveryDifference(t *testing.T) {
	t.Parallel()
	differences := 0
	rapid.Check(t, func(t *rapid.T) {
		before, err1 := authz.New(drawPolicy(t))
		after, err2 := authz.New(drawPolicy(t))
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		people := drawPeople(t)
		comparison := authz.Compare(before, after, drawnQueues)
		change := comparison.Of(people[0])
		if !comparison.Complete() {
			return
		}
		has := func(list []authz.RightChange) bool {
			return slices.ContainsFunc(list, func(r authz.RightChange) bool {
				return r.Action == domain.ActClaim && r.Object == authz.AnyReview
			})
		}
		for _, row := range rapid.SliceOfN(rapid.Custom(drawReview), 4, 12).Draw(t, "rows") {
			row.OtherCountries = nil
			was := len(before.Eligible(people[:1], domain.ActClaim, row)) > 0
			is := len(after.Eligible(people[:1], domain.ActClaim, row)) > 0
			if was == is {
				continue
			}
			differences++
			if is && !has(change.Gains) || was && !has(change.Loses) {
				t.Fatalf("before %t, after %t, not in %+v\nuser %+v\nrow %+v", was, is, change,
					people[0], row)
			}
		}
	})
	if !testing.Short() && differences < 5 {
		t.Fatalf("the random samples are too one-sided: %d differences", differences)
	}
}
