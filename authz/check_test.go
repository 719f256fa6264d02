package authz_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"countersign/authz"
	"countersign/domain"
)

var placeholderPattern = regexp.MustCompile(`\{\{(\w+)\}\}`)

// pageMessages returns the frontend's messages for the problems of a policy by language and check.
func pageMessages(t *testing.T) map[string]map[string]string {
	t.Helper()
	messages := map[string]map[string]string{}
	for _, language := range []string{"en", "zh"} {
		text, err := os.ReadFile("../frontend/src/i18n/" + language + "/problems.json")
		if err != nil {
			t.Fatal(err)
		}
		var byCheck map[string]string
		if err := json.Unmarshal(text, &byCheck); err != nil {
			t.Fatal(err)
		}
		messages[language] = byCheck
	}
	return messages
}

// TestProblemsHaveMessages checks that every problem has a message in the frontend and the values
// that the message needs.
func TestProblemsHaveMessages(t *testing.T) {
	t.Parallel()
	messages := pageMessages(t)
	expect := func(want string, problems []authz.Problem) {
		if len(problems) != 1 || problems[0].Check != want {
			t.Errorf("want %s, got %+v", want, problems)
			return
		}
		for language, byCheck := range messages {
			sentence, known := byCheck[want]
			for _, value := range placeholderPattern.FindAllStringSubmatch(sentence, -1) {
				if _, has := problems[0].Values[value[1]]; !has {
					t.Errorf("%s: %s uses %s, which the problem does not have: %+v", language, want,
						value[1], problems[0].Values)
				}
			}
			if !known {
				t.Errorf("%s has no message for %s", language, want)
			}
		}
	}
	rule := authz.Rule{Name: "one", Role: domain.RoleL1, Action: domain.ActClaim,
		Object: authz.AnyReview}
	checked := func(change func(*authz.Rule)) []authz.Problem {
		changed := rule
		change(&changed)
		return authz.Check([]authz.Rule{changed})
	}
	if problems := authz.Check([]authz.Rule{rule}); len(problems) > 0 {
		t.Fatalf("a valid rule: %+v", problems)
	}
	_, unreadable := authz.ParseDocument([]byte(`{"rulez": []}`))
	expect("policy_text", unreadable)
	expect("policy_same_name", authz.Check([]authz.Rule{rule, rule}))
	expect("policy_nameless", checked(func(r *authz.Rule) { r.Role = "" }))
	expect("policy_effect", checked(func(r *authz.Rule) { r.Effect = "perhaps" }))
	expect("policy_meaningless", checked(func(r *authz.Rule) { r.Object = authz.GlobalObject }))
	expect("policy_house",
		checked(func(r *authz.Rule) {
			r.Action, r.Object, r.Condition = domain.ActPublish,
				authz.GlobalObject, "true"
		}))
	expect("policy_name", checked(func(r *authz.Rule) { r.Condition = "user.unlimited" }))
	for condition, want := range map[string]string{
		" ":                                      "condition_empty",
		strings.Repeat("true || ", 600) + "true": "condition_long",
		"review.nope == 1":                       "condition_unknown_name",
		"1 +":                                    "condition_syntax",
		"review.level":                           "condition_no_truth",
		"review.amount_known ? true : false":     "condition_not_allowed",
		"review.level + 1 == 2":                  "condition_inside",
		"review.base_minor <= review.level":      "condition_two_columns",
		`review.queue < "L2"`:                    "condition_numbers_only",
		`user.queues == ["L1"]`:                  "condition_only_after_in",
		`review.submitter == ""`:                 "condition_person_id",
		"null == null":                           "condition_values",
		`user.queues.exists(q, q == "L1")`:       "condition_operands",
		"review.queue in []":                     "condition_list_empty",
		"review.queue in [user.id]":              "condition_list_plain",
	} {
		expect(want, checked(func(r *authz.Rule) { r.Condition = condition }))
	}
}
