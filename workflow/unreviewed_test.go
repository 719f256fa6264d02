package workflow_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"countersign/workflow"
)

func unreviewed(t *testing.T, text string) []workflow.Problem {
	t.Helper()
	def, err := workflow.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return workflow.Unreviewed(def)
}

// Every built-in process has a review for the largest amounts.
func TestBuiltInProcessesReviewTheLargestAmounts(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("definitions/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if found := unreviewed(t, string(text)); len(found) > 0 {
			t.Errorf("%s: %+v", file, found)
		}
	}
}

// A process whose review was removed, or whose bound was lost, is reported with the route.
func TestUnreviewedCasesAreReported(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("definitions/document_approval.yaml")
	if err != nil {
		t.Fatal(err)
	}
	source := string(text)
	for name, tc := range map[string]struct{ old, now string }{
		"otherwise archived": {"        to: archive\n    default: review_l1",
			"        to: review_l1\n    default: archive"},
		"no bound":           {"amount_known && base_minor < 100000", "true"},
		"only a lower bound": {"amount_known && base_minor < 100000", "base_minor >= 5"},
		"only the risk":      {"amount_known && base_minor < 100000", "risk < 20"},
		"unknown amounts":    {"amount_known && base_minor < 100000", "(!amount_known || base_minor < 100000)"},
		"a time limit": {"    bulk: {max_amount: 500000, max_risk: 29, undo: 30s}",
			"    timeout: {after: 24h, to: archive}"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			changed := strings.Replace(source, tc.old, tc.now, 1)
			if changed == source {
				t.Fatalf("%q is not in the text", tc.old)
			}
			found := unreviewed(t, changed)
			if len(found) != 1 || found[0].Rule != "unreviewed" || found[0].Node != "archive" ||
				!slices.Contains(found[0].Path, "assess done") {
				t.Errorf("found %+v", found)
			}
			if late := slices.Contains(found[0].Path, "review_l1 times out"); late != (name == "a time limit") {
				t.Errorf("the route is %q", found[0].Path)
			}
		})
	}
	for name, tc := range map[string]struct{ old, now string }{
		"another bound": {"base_minor < 100000", "base_minor < 9000000"},
		"either bound":  {"amount_known && base_minor < 100000", "amount_known && (base_minor < 5 || base_minor < 7)"},
	} {
		if found := unreviewed(t, strings.Replace(source, tc.old, tc.now, 1)); len(found) > 0 {
			t.Errorf("%s: %+v", name, found)
		}
	}
}

// A review in one of two parallel branches suffices; a process without amounts needs one too.
func TestUnreviewedBranches(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("definitions/content_review.yaml")
	if err != nil {
		t.Fatal(err)
	}
	past := strings.Replace(string(text), "    queue: ocr\n    next: review", "    queue: ocr\n    next: choice", 1)
	past = strings.Replace(past, "  - id: review\n", `  - id: choice
    kind: exclusive
    branches:
      - when: country == "US"
        to: archive
    default: review
  - id: review
`, 1)
	if found := unreviewed(t, past); len(found) != 1 || found[0].Rule != "unreviewed_all" {
		t.Errorf("a route past the review: %+v", found)
	}
	parallel := strings.Replace(string(text), "    queue: ocr\n    next: review", "    queue: ocr\n    next: both", 1)
	parallel = strings.Replace(parallel, "  - id: review\n", `  - id: both
    kind: fork
    to: [check, review]
  - id: check
    kind: stage
    behaviour: validate
    next: meet
  - id: meet
    kind: join
    next: archive
  - id: review
`, 1)
	parallel = strings.Replace(parallel, "approve: archive\n      reject: seal_rejected",
		"approve: meet\n      reject: {to: seal_rejected, cancel: all}", 1)
	if found := unreviewed(t, parallel); len(found) > 0 {
		t.Errorf("a parallel review: %+v", found)
	}
}
