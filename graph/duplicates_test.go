package graph

import (
	"strings"
	"testing"

	"countersign/domain"
)

const listedQuery = `query($id: ID!) { case(id: $id) { id reference openReview { id }
	listedCases { reference clearable case { reference status } } } }`

const clearMutation = `mutation($in: ClearDuplicateInput!) { clearDuplicate(input: $in) {
	review { status case { listedCases { reference clearable } } }
	userErrors { ... on Refusal { code message remedy } } } }`

// A reviewer sees which case a finding lists, and may state that it is no duplicate, unless they
// submitted it. The submitter sees neither.
func TestListedCasesAndClearDuplicate(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("sam", domain.RoleSubmitter)
	w.person("kim", domain.RoleL1, domain.RoleSubmitter)
	w.person("lea", domain.RoleL1)
	one := w.submit("kim", "2000.00")
	w.runPending()
	two := w.submit("sam", "2000.00\n") // another file
	w.runPending()
	if own := w.mustExecute("sam", listedQuery, "id", two); len(
		own.at("case", "listedCases").([]any)) != 0 {
		t.Errorf("the submitter sees %+v", own.Data)
	}
	reference := w.mustExecute("lea", listedQuery, "id", one).text("case", "reference")
	seen := w.mustExecute("lea", listedQuery, "id", two)
	if seen.text("case", "listedCases", 0, "reference") != reference ||
		seen.at("case", "listedCases", 0, "clearable") != true ||
		seen.text("case", "listedCases", 0, "case", "reference") != reference {
		t.Fatalf("the reviewer sees %+v", seen.Data)
	}
	if own := w.mustExecute("kim", listedQuery, "id", two); own.at("case", "listedCases", 0,
		"clearable") != false {
		t.Errorf("the submitter of the other document sees %+v", own.Data)
	}
	review := seen.text("case", "openReview", "id")
	input := map[string]any{"reviewId": review, "reference": reference, "reason": "a part delivery"}
	claim(w, "kim", review)
	if refused := w.mustExecute("kim", clearMutation, "in", input); refused.text("clearDuplicate",
		"userErrors", 0, "code") != "OwnDocument" {
		t.Errorf("the refusal is %+v", refused.Data)
	}
	w.mustExecute("kim", `mutation($id: ID!) { releaseReview(input: {reviewId: $id}) {
		userErrors { ... on Refusal { code } } } }`, "id", review)
	claim(w, "lea", review)
	cleared := w.mustExecute("lea", clearMutation, "in", input)
	if cleared.text("clearDuplicate", "review", "status") != "CLAIMED" || len(cleared.at(
		"clearDuplicate", "review", "case", "listedCases").([]any)) != 0 {
		t.Errorf("after it was cleared: %+v", cleared.Data)
	}
}

const rejectedQuery = `query($id: ID!) { case(id: $id) {
	listedCases { reference archived rejectedAt rejectionReason case { reference } } } }`

// A reviewer who may not read a decided case learns when and why it was rejected, but not the case.
func TestRejectionOfAnUnreadableCase(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("sam", domain.RoleSubmitter)
	w.person("kim", domain.RoleL1)
	w.person("lea", domain.RoleL1)
	one := w.submit("sam", "2000.00")
	w.runPending()
	earlier := w.mustExecute("kim", listedQuery, "id", one)
	review := earlier.text("case", "openReview", "id")
	claim(w, "kim", review)
	w.mustExecute("kim", `mutation($id: ID!) { decideReview(input: {reviewId: $id, decision: REJECT,
		reason: "Not ordered."}) { userErrors { ... on Refusal { code } } } }`, "id", review)
	w.runPending()
	two := w.submit("sam", "2000.00")
	w.runPending()
	seen := w.mustExecute("lea", rejectedQuery, "id", two)
	if seen.text("case", "listedCases", 0, "reference") != earlier.text("case", "reference") ||
		seen.text("case", "listedCases", 0, "rejectionReason") != "Not ordered." ||
		seen.at("case", "listedCases", 0, "rejectedAt") == nil ||
		seen.at("case", "listedCases", 0, "case") != nil {
		t.Errorf("the reviewer sees %+v", seen.Data)
	}
	if own := w.mustExecute("sam", rejectedQuery, "id", two); len(
		own.at("case", "listedCases").([]any)) != 0 {
		t.Errorf("the submitter sees %+v", own.Data)
	}
}

// A reviewer who may not read a case that was archived learns from the finding that it was.
func TestListedCaseThatWasArchived(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("sam", domain.RoleSubmitter)
	w.person("kim", domain.RoleL1)
	w.person("lea", domain.RoleL1)
	one := w.submit("sam", "2000.00")
	w.runPending()
	review := w.mustExecute("kim", listedQuery, "id", one).text("case", "openReview", "id")
	claim(w, "kim", review)
	two := w.submit("sam", "2000.00")
	w.runPending()
	if seen := w.mustExecute("lea", rejectedQuery, "id", two); seen.at("case", "listedCases", 0,
		"archived") != false {
		t.Errorf("before: %+v", seen.Data)
	}
	w.mustExecute("kim", `mutation($id: ID!) { decideReview(input: {reviewId: $id, decision: APPROVE}) {
		userErrors { ... on Refusal { code } } } }`, "id", review)
	w.runPending()
	if seen := w.mustExecute("lea", rejectedQuery, "id", two); seen.at("case", "listedCases", 0,
		"archived") != true || seen.at("case", "listedCases", 0, "case") != nil {
		t.Errorf("after: %+v", seen.Data)
	}
}

// The reason of a rejection of a process with an AML review is confidential, whichever review
// rejected; who may see AML reviews reads it.
func TestConfidentialReasonOfAnEarlierRejection(t *testing.T) {
	t.Parallel()
	for name, aml := range map[string]bool{"by AML": true, "by L1": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newAMLWorld(t, aml)
			if aml {
				w.decide("amy", domain.QueueAML, "REJECT")
			} else {
				w.decide("rita", domain.QueueL1, "REJECT")
			}
			again := w.upload("sam", submitMutation, map[string]any{
				"process": "cross_border_remittance", "documentType": "remittance",
				"country": riskyCountry}, "%PDF-1.7\n2100.00\n").text("submitDocument", "case", "id")
			w.runPending()
			seen := w.mustExecute("max", rejectedQuery, "id", again)
			if seen.at("case", "listedCases", 0, "rejectedAt") == nil ||
				seen.at("case", "listedCases", 0, "rejectionReason") != nil {
				t.Errorf("the manager sees %+v", seen.Data)
			}
			if seen := w.mustExecute("aud", rejectedQuery, "id", again); !strings.Contains(seen.text(
				"case", "listedCases", 0, "rejectionReason"), "zebra") {
				t.Errorf("the auditor sees %+v", seen.Data)
			}
		})
	}
}
