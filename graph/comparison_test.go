package graph

import (
	"fmt"
	"strings"
	"testing"

	"countersign/domain"
	"countersign/graph/scalar"
)

const comparisonQuery = `query($review: ID!, $reference: String!) {
	comparison(reviewId: $review, reference: $reference) { refusal other { reference status createdAt decidedAt
		decidedBy { id name email } pages { number width height path }
		fields { name labels { name value } raw normalised } } } }`

// duplicateReview submits the same document as an invoice again and returns its open review and the
// reference of the case that its findings name first.
func (w *testEnv) duplicateReview(by, reader string) (review, reference string) {
	w.t.Helper()
	id := w.upload(by, submitMutation, map[string]any{"process": "document_approval",
		"documentType": "invoice"}, "%PDF-1.7\n2100.00\n").text("submitDocument", "case", "id")
	w.runPending()
	seen := w.mustExecute(reader, listedQuery, "id", id)
	return seen.text("case", "openReview", "id"), seen.text("case", "listedCases", 0, "reference")
}

// The reviewer of a duplicate reads the other document, its fields, status and who decided it, once
// they have claimed their review, and no other object of the case.
func TestComparison(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("sam", domain.RoleSubmitter)
	w.person("kim", domain.RoleL1)
	w.person("lea", domain.RoleL1)
	earlier, _ := w.duplicateReview("sam", "kim")
	claim(w, "kim", earlier)
	w.mustExecute("kim", `mutation($id: ID!) { decideReview(input: {reviewId: $id, decision: APPROVE}) {
		userErrors { ... on Refusal { code } } } }`, "id", earlier)
	w.runPending()
	review, reference := w.duplicateReview("sam", "lea")
	ask := func(by, reference string) result {
		return w.mustExecute(by, comparisonQuery, "review", review, "reference", reference)
	}
	if got := ask("lea", reference); got.text("comparison", "refusal") != "NOT_DECIDING" ||
		got.at("comparison", "other") != nil {
		t.Errorf("before the claim: %+v", got.Data)
	}
	claim(w, "lea", review)
	got := ask("lea", strings.ToLower(reference))
	if got.at("comparison", "refusal") != nil || got.text("comparison", "other", "status") != "ARCHIVED" ||
		got.text("comparison", "other", "decidedBy", 0, "name") != "kim" ||
		len(got.at("comparison", "other", "fields").([]any)) < 5 {
		t.Errorf("compared: %+v", got.Data)
	}
	_, key, err := scalar.ParseID(review)
	must(t, err)
	if path := got.text("comparison", "other", "pages", 0, "path"); path != fmt.Sprintf(
		"/compared/%s/%s/pages/1", key, reference) {
		t.Errorf("the page is at %s", path)
	}
	for name, none := range map[string]result{"another reference": ask("lea", "CS-2026-009999"),
		"the submitter": ask("sam", reference)} {
		if none.at("comparison") != nil {
			t.Errorf("%s: %+v", name, none.Data)
		}
	}
	listed := w.mustExecute("lea", `query($id: ID!) { review(id: $id) { case { listedCases {
		reference case { id } } } } }`, "id", review)
	if listed.at("review", "case", "listedCases", 0, "case") != nil {
		t.Errorf("the case itself: %+v", listed.Data)
	}
}

// A comparison shows the same of a case that is or was in an AML review as of one that was not, also who
// rejected it.
func TestComparisonOfAConfidentialCase(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, aml := range []bool{true, false} {
		w := newAMLWorld(t, aml)
		w.person("lea", domain.RoleL1)
		for _, when := range []string{"open", "rejected"} {
			if when == "rejected" {
				if aml {
					w.decide("amy", domain.QueueAML, "REJECT")
				} else {
					w.decide("rita", domain.QueueL1, "REJECT")
				}
			}
			review, reference := w.duplicateReview("sam", "lea")
			claim(w.testEnv, "lea", review)
			got := w.mustExecute("lea", comparisonQuery, "review", review, "reference", reference)
			if len(got.at("comparison", "other", "decidedBy").([]any)) != 0 ||
				got.at("comparison", "other", "decidedAt") != nil {
				t.Errorf("aml %v, %s: %+v", aml, when, got.Data)
			}
			text := withoutIDs(fmt.Sprint(got.Data))
			if earlier, known := seen[when]; known && earlier != text {
				t.Errorf("%s\nAML:     %s\nwithout: %s", when, earlier, text)
			}
			seen[when] = text
		}
	}
}
