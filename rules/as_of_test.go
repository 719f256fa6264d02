package rules

import (
	"strings"
	"testing"
	"time"

	"countersign/domain"
)

// The sum of other documents is one of a time, which the sentence states. An explanation of the finding holds when it
// is evaluated again at another time with the same sum.
func TestTheSumOfOtherDocumentsStatesItsTime(t *testing.T) {
	t.Parallel()
	input := cleanInvoiceInput()
	input.BaseMinor, input.Sums = 99_000, []DocumentSum{{By: ByCounterparty, Hours: 24,
		Band: domain.SumBand(99_000), BaseMinor: 495_000, Documents: 5}}
	input.Today = time.Date(2026, 11, 30, 9, 12, 0, 0, time.FixedZone("UTC+8", 8*3600))
	first := findRaised(evaluate(t, input), "split_small")
	input.Today = input.Today.Add(20 * time.Minute)
	second := findRaised(evaluate(t, input), "split_small")
	if first == nil || second == nil || !strings.HasPrefix(first.Message, "As of 2026-11-30 01:12 UTC, this document and 5 more ") {
		t.Fatalf("%+v", first)
	}
	rule, _ := setFor(t, "invoice").Rule("split_small")
	if chinese := rule.Render("zh", first.Evidence); !strings.HasPrefix(chinese, "截至 2026-11-30 01:12 UTC，本单据与") {
		t.Errorf("%q", chinese)
	}
	if first.Hash() != second.Hash() || first.Message == second.Message {
		t.Errorf("%q and %q", first.Message, second.Message)
	}
	second.Evidence["count"] = "6"
	if first.Hash() == second.Hash() {
		t.Error("an explanation holds for another sum")
	}
}

func evaluate(t *testing.T, input Input) []domain.Finding {
	t.Helper()
	found, _ := validateAndAssess(t, input)
	return found
}
