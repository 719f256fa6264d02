package workflow_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"countersign/workflow"
)

// assessedOnce is a process that assesses the risk before its only review. Tests replace its parts.
const assessedOnce = `key: assessed_once
title: {en: Assessed once}
re_enter: validate
on_replace: read
on_enter: validate
on_abandon: seal_abandoned
nodes:
  - {id: start, kind: start, next: read}
  - {id: read, kind: stage, behaviour: read, queue: ocr, next: validate}
  - {id: validate, kind: stage, behaviour: validate, next: assess}
  - {id: assess, kind: stage, behaviour: assess, next: review}
  - {id: review, kind: review, queue: L1, on: {approve: archive, reject: seal_rejected, return: validate}}
  - {id: archive, kind: stage, behaviour: archive, outcome: archived, next: archived}
  - {id: seal_rejected, kind: stage, behaviour: archive, outcome: rejected, next: rejected}
  - {id: seal_abandoned, kind: stage, behaviour: archive, outcome: abandoned, next: abandoned}
  - {id: archived, kind: end, status: archived}
  - {id: rejected, kind: end, status: rejected}
  - {id: abandoned, kind: end, status: abandoned}
`

// The lines of assessedOnce that tests replace.
const (
	assessLine = "  - {id: assess, kind: stage, behaviour: assess, next: review}\n"
	reviewLine = "  - {id: review, kind: review, queue: L1, on: {approve: archive, reject: seal_rejected, return: validate}}\n"
	toAssess   = "behaviour: validate, next: assess"
)

// forkOf is a fork of two branches that meet before the archive.
func forkOf(branches string) string {
	return "  - {id: both, kind: fork, to: [left, right]}\n" + branches + "  - {id: meet, kind: join, next: archive}\n"
}

const parallelReview = "  - {id: right, kind: review, queue: L1, " +
	"on: {approve: meet, reject: {to: seal_rejected, cancel: all}, return: {to: validate, cancel: all}}}\n"

// A way to the archive or to a payment past the assessment is reported, by whatever step a case takes it, and
// so is a review that decides without the findings of an assessment behind or beside it.
func TestRoutesPastTheAssessmentAreReported(t *testing.T) {
	t.Parallel()
	choice := func(guard, to string) string {
		return "  - {id: choice, kind: exclusive, branches: [{when: '" + guard + "', to: " + to + "}], default: assess}\n"
	}
	toChoice := "behaviour: validate, next: choice"
	for name, tc := range map[string]struct {
		edits []string // old, new, old, new …
		want  []string
	}{
		"none":      {nil, nil},
		"no assess": {[]string{toAssess, "behaviour: validate, next: review", assessLine, ""}, []string{"archive unassessed"}},
		"one branch of a gateway": {[]string{toAssess, toChoice, assessLine, assessLine + choice("base_minor < 5", "review")},
			[]string{"archive unassessed"}},
		"by the risk that is not assessed yet": {[]string{toAssess, toChoice, assessLine,
			assessLine + choice("risk < 30", "archive")}, []string{"archive unassessed"}},
		"a guard that is never true": {[]string{toAssess, toChoice, assessLine,
			assessLine + choice("risk < 3 && risk > 5", "review")}, nil},
		"a failed assessment": {[]string{assessLine, "  - {id: assess, kind: stage, behaviour: assess, next: review, " +
			"errors: [{to: review}]}\n"}, []string{"archive unassessed"}},
		"a review in one branch, the assessment in the other": {[]string{toAssess, "behaviour: validate, next: both",
			assessLine + reviewLine, forkOf("  - {id: left, kind: stage, behaviour: assess, next: meet}\n" + parallelReview)},
			[]string{"right assessed_late"}},
		"a review in each branch, the assessment in one": {[]string{toAssess, "behaviour: validate, next: both",
			assessLine + reviewLine, forkOf("  - {id: left, kind: stage, behaviour: assess, next: review_left}\n" +
				strings.Replace(parallelReview, "right", "review_left", 1) + parallelReview)}, nil},
		"a branch that leaves the fork": {[]string{toAssess, "behaviour: validate, next: both",
			assessLine + reviewLine, forkOf("  - {id: left, kind: stage, behaviour: assess, next: meet, " +
				"errors: [{to: seal_rejected, cancel: all}]}\n" +
				strings.Replace(parallelReview, "approve: meet, reject: {to: seal_rejected, cancel: all}",
					"approve: {to: archive, cancel: all}, reject: meet", 1))},
			[]string{"archive unassessed", "right assessed_late"}},
		"after the review": {[]string{toAssess, "behaviour: validate, next: review", assessLine,
			strings.Replace(assessLine, "review", "archive", 1), "approve: archive", "approve: assess"},
			[]string{"review assessed_late"}},
		"after the review, before another one": {[]string{toAssess, "behaviour: validate, next: first", assessLine,
			"  - {id: first, kind: review, queue: L1, on: {approve: assess, reject: seal_rejected, return: validate}}\n" +
				assessLine}, nil},
		"after the review, and a gateway decides by the findings": {[]string{toAssess, "behaviour: validate, next: review",
			assessLine, strings.Replace(assessLine, "review", "choice", 1) +
				"  - {id: choice, kind: exclusive, branches: [{when: 'blocking == 0', to: archive}], default: review}\n",
			"approve: archive", "approve: assess"}, nil},
		"a return":       {[]string{"return: validate", "return: review"}, nil},
		"a new document": {[]string{"on_replace: read", "on_replace: review"}, []string{"review unassessed_replace"}},
		"entered values": {[]string{"on_enter: validate", "on_enter: review"}, []string{"review unassessed_enter"}},
		"a payment before it": {[]string{toAssess, "behaviour: validate, next: pay", assessLine,
			"  - {id: pay, kind: saga, steps: [{id: send, call: pay}], on: {done: assess, undone: review}}\n" +
				strings.Replace(assessLine, "review", "archive", 1)}, []string{"archive unreviewed", "pay unassessed"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := assessedOnce
			for i := 0; i < len(tc.edits); i += 2 {
				if !strings.Contains(text, tc.edits[i]) {
					t.Fatalf("%q is not in the text", tc.edits[i])
				}
				text = strings.Replace(text, tc.edits[i], tc.edits[i+1], 1)
			}
			found := slices.DeleteFunc(cautions(t, text), func(one string) bool {
				return name != "a payment before it" && strings.Contains(one, "unreviewed")
			})
			if !slices.Equal(found, tc.want) {
				t.Errorf("found %q, want %q", found, tc.want)
			}
		})
	}
}

// The route past the assessment is named by its steps, with the decisions on it.
func TestTheRoutePastTheAssessmentIsNamed(t *testing.T) {
	t.Parallel()
	text := strings.Replace(strings.Replace(assessedOnce, assessLine, "", 1), toAssess, "behaviour: validate, next: review", 1)
	def, err := workflow.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	found := workflow.Cautions(def)
	want := []string{"started", "read done", "validate done", "review approve"}
	if len(found) != 1 || !slices.Equal(found[0].Path, want) {
		t.Errorf("found %+v, want the route %q", found, want)
	}
}

// An assessment in a called process counts, and a callable process itself is not reported: its callers decide.
func TestACalledProcessCanAssess(t *testing.T) {
	t.Parallel()
	called := `key: my_check
title: {en: My check}
callable: true
nodes:
  - {id: start, kind: start, next: WORK}
  - {id: WORK, kind: stage, behaviour: WORK, next: passed}
  - {id: passed, kind: end}
`
	caller := strings.Replace(assessedOnce, "kind: stage, behaviour: assess, next: review",
		"kind: call, process: my_check, on: {passed: review}", 1)
	for behaviour, want := range map[string][]string{"assess": nil, "validate": {"archive unassessed"}} {
		text := strings.ReplaceAll(called, "WORK", behaviour)
		recorded, problems, err := workflow.Record([]byte(caller),
			func(string) (int, string, error) { return 1, text, nil })
		if err != nil || len(problems) > 0 {
			t.Fatal(problems, err)
		}
		if found := cautions(t, string(recorded)); !slices.Equal(found, want) {
			t.Errorf("%s: found %q, want %q", behaviour, found, want)
		}
		if found := cautions(t, text); len(found) > 0 {
			t.Errorf("%s: the callable process: %q", behaviour, found)
		}
	}
}

// Each template, and each process from which the page of a new process can start, assesses the risk on every
// route to an approval.
func TestTemplatesAssessEveryCase(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("templates/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	starter, err := os.ReadFile("../frontend/src/features/definitions/starter.ts")
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{"a new process": strings.Split(string(starter), "`")[1]}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[file] = strings.SplitN(string(source), "---\n", 3)[2]
	}
	for name, text := range texts {
		if found := cautions(t, text); len(found) > 0 {
			t.Errorf("%s: %q", name, found)
		}
		if !strings.Contains(text, "behaviour: assess") {
			t.Errorf("%s has no assessment", name)
		}
	}
}
