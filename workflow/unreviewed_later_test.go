package workflow_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"countersign/workflow"
)

// twoReviews is a process with a review of two levels; the names in capitals are replaced by tests.
const twoReviews = `key: two_reviews
title: {en: Two reviews}
re_enter: RE_ENTER
on_replace: ON_REPLACE
on_enter: ON_ENTER
on_abandon: seal_abandoned
nodes:
  - {id: start, kind: start, next: read}
  - {id: read, kind: stage, behaviour: read, queue: ocr, next: validate}
  - {id: validate, kind: stage, behaviour: validate, next: assess}
  - {id: assess, kind: stage, behaviour: assess, next: first}
  - {id: first, kind: review, queue: L1, on: {approve: second, reject: REJECT_FIRST, return: RETURN}}
  - id: second
    kind: review
    queue: L2
    level: 2
    TIMEOUT
    on: {approve: archive, reject: REJECT_SECOND, return: validate}
  - {id: archive, kind: stage, behaviour: archive, outcome: archived, next: archived}
  - {id: seal_rejected, kind: stage, behaviour: archive, outcome: rejected, next: rejected}
  - {id: seal_abandoned, kind: stage, behaviour: archive, outcome: abandoned, next: abandoned}
  - {id: archived, kind: end, status: archived}
  - {id: rejected, kind: end, status: rejected}
  - {id: abandoned, kind: end, status: abandoned}
`

// withNames returns the process with the given names, and with harmless ones for the others.
func withNames(text string, names map[string]string) string {
	for _, usual := range [][2]string{{"RE_ENTER", "validate"}, {"ON_REPLACE", "read"}, {"ON_ENTER", "validate"},
		{"REJECT_FIRST", "seal_rejected"}, {"REJECT_SECOND", "seal_rejected"}, {"RETURN", "validate"},
		{"TIMEOUT", "duty: approval"}} {
		name, ok := names[usual[0]]
		if !ok {
			name = usual[1]
		}
		text = strings.ReplaceAll(text, usual[0], name)
	}
	return text
}

// cautions returns the node and rule of each caution.
func cautions(t *testing.T, text string) []string {
	t.Helper()
	def, err := workflow.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, one := range workflow.Cautions(def) {
		found = append(found, one.Node+" "+one.Rule)
		if one.Line == 0 || one.Values["node"] == "" || one.Message == "" {
			t.Errorf("%+v is not complete", one)
		}
	}
	return found
}

// unreviewedOnly returns the cautions about reviews, which change without the step that assesses the risk.
func unreviewedOnly(t *testing.T, text string) []string {
	t.Helper()
	return slices.DeleteFunc(cautions(t, text), func(one string) bool { return !strings.Contains(one, " unreviewed") })
}

// A return, a new document, entered values, a rejection or a time limit that leads to the archive without a
// review is reported at the node that decides it: no one would approve what is archived as approved.
func TestRoutesPastTheDecisionAreReported(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		names map[string]string
		want  []string
	}{
		"none":                    {nil, nil},
		"return":                  {map[string]string{"RETURN": "archive"}, []string{"first unreviewed_return"}},
		"new document":            {map[string]string{"ON_REPLACE": "archive"}, []string{"archive unreviewed_replace"}},
		"entered values":          {map[string]string{"ON_ENTER": "archive"}, []string{"archive unreviewed_enter"}},
		"rejection":               {map[string]string{"REJECT_SECOND": "archive"}, []string{"second unreviewed_reject"}},
		"rejection with appeal":   {map[string]string{"REJECT_FIRST": "second"}, nil},
		"rejection past a review": {map[string]string{"REJECT_FIRST": "archive"}, []string{"first unreviewed_reject"}},
		"time limit": {map[string]string{"TIMEOUT": "timeout: {after: 1h, to: archive}"},
			[]string{"second unreviewed_timeout"}},
		"time limit to the start": {map[string]string{"TIMEOUT": "timeout: {after: 1h, to: first}"}, nil},
		"time limit to a rejection": {map[string]string{"TIMEOUT": "timeout: {after: 1h, to: seal_rejected}"},
			nil},
	} {
		if found := unreviewedOnly(t, withNames(twoReviews, tc.names)); !slices.Equal(found, tc.want) {
			t.Errorf("%s: found %q, want %q", name, found, tc.want)
		}
	}
}

// In parallel branches a rejection or a time limit that arrives at the join lets the other branch decide
// alone, and a new fork behind one is followed with all of its branches.
func TestRoutesPastAParallelDecisionAreReported(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("definitions/merchant_onboarding.yaml")
	if err != nil {
		t.Fatal(err)
	}
	const rejects = "      approve: both\n      reject: {to: seal_rejected, cancel: all}"
	for name, tc := range map[string]struct {
		old, now string
		want     []string
	}{
		"as published": {rejects, rejects, nil},
		"rejection":    {rejects, "      approve: both\n      reject: both", []string{"credit unreviewed_reject"}},
		"time limit": {"    escalate_to: L2\n    on:\n" + rejects,
			"    timeout: {after: 1h, to: both}\n    on:\n" + rejects, []string{"credit unreviewed_timeout"}},
		"rejection to the fork": {rejects, "      approve: both\n      reject: {to: checks, cancel: all}", nil},
	} {
		at := strings.LastIndex(string(source), tc.old)
		if at < 0 {
			t.Fatalf("%s: %q is not in the text", name, tc.old)
		}
		text := string(source[:at]) + tc.now + string(source[at+len(tc.old):])
		if found := unreviewedOnly(t, text); !slices.Equal(found, tc.want) {
			t.Errorf("%s: found %q, want %q", name, found, tc.want)
		}
	}
}

// Only amounts for which a guard leaves no review are reported, as for documents that no one reviews.
func TestASmallAmountMayBePassedByATimeLimit(t *testing.T) {
	t.Parallel()
	choice := "  - id: choice\n    kind: exclusive\n    branches:\n" +
		"      - {when: amount_known && base_minor < 5, to: archive}\n    default: first\n  - {id: archive,"
	text := strings.Replace(withNames(twoReviews,
		map[string]string{"TIMEOUT": "timeout: {after: 1h, to: choice}"}), "  - {id: archive,", choice, 1)
	if found := cautions(t, text); len(found) > 0 {
		t.Errorf("found %q", found)
	}
	if found := cautions(t, strings.Replace(text, "< 5", "> 5", 1)); len(found) != 1 {
		t.Errorf("found %q", found)
	}
}

// No built-in process and no template needs a confirmation or has a committee that can wait for ever. Two
// built-in processes for documents that are no bills do not assess the risk.
func TestBuiltInProcessesAndTemplatesNeedNoCaution(t *testing.T) {
	t.Parallel()
	for _, folder := range []string{"definitions", "templates"} {
		files, err := filepath.Glob(folder + "/*.yaml")
		if err != nil || len(files) == 0 {
			t.Fatal(files, err)
		}
		for _, file := range files {
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			text := string(source)
			if folder == "templates" {
				text = strings.SplitN(text, "---\n", 3)[2]
			}
			def, err := workflow.Parse([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			bills := def.Key != "content_review" && def.Key != "merchant_onboarding"
			for _, one := range workflow.Cautions(def) {
				if bills || one.Rule != "unassessed" {
					t.Errorf("%s: %+v", file, one)
				}
			}
			for _, one := range workflow.Warnings(def) {
				if one.Rule == "committee_waits" || one.Rule == "replaced_unread" {
					t.Errorf("%s: %+v", file, one)
				}
			}
		}
	}
}

// A committee without a time limit waits for ever if too few members vote.
func TestACommitteeWithoutATimeLimitIsAWarning(t *testing.T) {
	t.Parallel()
	committee := "seats: 3\n    quorum: 2\n    decide_by: majority"
	limited := committee + "\n    timeout: {after: 1h, to: seal_rejected}"
	for _, tc := range []struct {
		text string
		want bool
	}{
		{withNames(twoReviews, map[string]string{"TIMEOUT": committee}), true},
		{withNames(twoReviews, map[string]string{"TIMEOUT": limited}), false},
		{withNames(twoReviews, map[string]string{"TIMEOUT": "seats: 3"}), false},
	} {
		if found := hasWarning(t, tc.text, "committee_waits"); found != tc.want {
			t.Errorf("%v, want %v: %s", found, tc.want, tc.text)
		}
	}
}

// A replaced document that is not read leaves the values of the earlier one.
func TestANewDocumentThatIsNotReadIsAWarning(t *testing.T) {
	t.Parallel()
	for target, want := range map[string]bool{"read": false, "validate": true, "first": true} {
		text := withNames(twoReviews, map[string]string{"ON_REPLACE": target})
		if found := hasWarning(t, text, "replaced_unread"); found != want {
			t.Errorf("%s: %v", target, found)
		}
	}
}

func hasWarning(t *testing.T, text, rule string) bool {
	t.Helper()
	def, err := workflow.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(workflow.Verify(def).Warnings,
		func(one workflow.Problem) bool { return one.Rule == rule })
}
