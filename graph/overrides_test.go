package graph

import (
	"strings"
	"testing"

	"countersign/domain"
)

const requirementsOfReview = `query($id: ID!) { review(id: $id) { status case {
	approvalRequirements { rule override queue satisfied given { reason at person { name } } } } } }`

const overrideMutation = `mutation($in: OverrideFindingsInput!) { overrideFindings(input: $in) {
	review { status case { approvalRequirements { satisfied given { reason } } } }
	userErrors { ... on Refusal { code field message remedy } } } }`

// The review says which finding stops an approval, and who stated what about it; the submitter does
// not see it.
func TestOverridesOfAReview(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("sam", domain.RoleSubmitter)
	w.person("lea", domain.RoleL1)
	id := w.submit("sam", "2000.00\n\n"+withoutXML)
	w.runPending()
	review := w.mustExecute("lea", `query($id: ID!) { case(id: $id) { openReview { id } } }`, "id",
		id).text("case", "openReview", "id")
	claim(w, "lea", review)
	w.mustExecute("lea", `mutation($id: ID!) { correctFields(input: {reviewId: $id, fields: [
		{name: "net", value: "1999.00"}]}) { userErrors { ... on Refusal { code } } } }`, "id", review)
	if own := w.mustExecute("sam",
		`query($id: ID!) { case(id: $id) { approvalRequirements { rule } } }`,
		"id", id); len(own.at("case", "approvalRequirements").([]any)) != 0 {
		t.Errorf("the submitter sees %+v", own.Data)
	}
	needs := func(of result, path ...any) any {
		return of.at(append([]any{"review", "case", "approvalRequirements", 0}, path...)...)
	}
	found := w.mustExecute("lea", requirementsOfReview, "id", review)
	if needs(found, "rule") != "arithmetic" || needs(found, "override") != "REASON" ||
		needs(found, "satisfied") != false || needs(found, "queue") != nil {
		t.Fatalf("the requirement is %+v", found.Data)
	}
	const decide = `mutation($id: ID!) { decideReview(input: {reviewId: $id, decision: APPROVE}) {
		review { status } userErrors { ... on Refusal { code field message remedy } } } }`
	if refused := w.mustExecute("lea", decide, "id", review); refused.text("decideReview",
		"userErrors", 0, "code") != "ValidationFailed" || refused.text("decideReview",
		"userErrors", 0, "field") != "overrides" {
		t.Errorf("the refusal is %+v", refused.Data)
	}
	stated := w.mustExecute("lea", overrideMutation, "in", map[string]any{"reviewId": review,
		"overrides": []any{map[string]any{"rule": "arithmetic", "reason": "a discount"}}})
	if stated.text("overrideFindings", "review", "status") != "CLAIMED" || stated.text(
		"overrideFindings", "review", "case", "approvalRequirements", 0, "given", 0,
		"reason") != "a discount" {
		t.Fatalf("after the override: %+v", stated.Data)
	}
	found = w.mustExecute("lea", requirementsOfReview, "id", review)
	if needs(found, "satisfied") != true || needs(found, "given", 0, "person", "name") != "lea" {
		t.Errorf("the requirement is then %+v", found.Data)
	}
	// The document states no date, which its type requires.
	if refused := w.mustExecute("lea", decide, "id", review); refused.text("decideReview",
		"userErrors", 0, "field") != "reason" {
		t.Errorf("the refusal is %+v", refused.Data)
	}
	if done := w.mustExecute("lea", strings.Replace(decide, "APPROVE",
		`APPROVE, reason: "the vendor states no date"`, 1), "id", review); done.text("decideReview",
		"review", "status") != "DECIDED" {
		t.Errorf("the approval: %+v", done.Data)
	}
}
