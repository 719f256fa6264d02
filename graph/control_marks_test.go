package graph

import (
	"testing"

	"countersign/domain"
)

// The mark of a process is proposed by one administrator, confirmed by another, and shown.
func TestDrawMarks(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	for _, name := range []string{"ada", "adam"} {
		w.person(name, domain.RoleAdmin)
	}
	w.person("rita", domain.RoleL1)
	const propose = `mutation($amount: String!) { proposeDrawMark(input: {reason: "collusion",
		process: "document_approval", amount: $amount}) {
		results { key applied proposal { id kind subject before after } }
		userErrors { ... on Refusal { code } } } }`
	for _, amount := range []string{"0", "-5", "much"} {
		refused := w.mustExecute("ada", propose, "amount", amount)
		if refused.text("proposeDrawMark", "userErrors", 0, "code") != "InvalidInput" {
			t.Errorf("%q: %+v", amount, refused)
		}
	}
	proposed := w.mustExecute("ada", propose, "amount", "1,000,000.00")
	id := proposed.text("proposeDrawMark", "results", 0, "proposal", "id")
	if proposed.text("proposeDrawMark", "results", 0, "proposal", "kind") != "DRAW_MARK" ||
		proposed.text("proposeDrawMark", "results", 0, "proposal", "after") != "1,000,000.00 USD" {
		t.Errorf("proposed %+v", proposed)
	}
	const confirm = `mutation($id: ID!) { confirmControlChange(input: {proposalId: $id}) {
		results { applied } userErrors { ... on Refusal { code } } } }`
	own := w.mustExecute("ada", confirm, "id", id)
	if own.text("confirmControlChange", "userErrors", 0, "code") != "FourEyes" {
		t.Errorf("confirmed alone %+v", own)
	}
	w.mustExecute("adam", confirm, "id", id)
	const read = `{ drawMarks { process amount { amount currency } reason setBy { name } } }`
	seen := w.mustExecute("ada", read)
	if seen.text("drawMarks", 0, "process") != "document_approval" ||
		seen.text("drawMarks", 0, "amount", "amount") != "1000000.00" ||
		seen.text("drawMarks", 0, "setBy", "name") != "adam" {
		t.Errorf("read %+v", seen)
	}
	none := w.mustExecute("adam", propose, "amount", "")
	w.mustExecute("ada", confirm, "id",
		none.text("proposeDrawMark", "results", 0, "proposal", "id"))
	if seen := w.mustExecute("ada", read); seen.at("drawMarks", 0, "amount") != nil {
		t.Errorf("without a mark %+v", seen)
	}
	if refused := w.execute("rita", read); len(refused.Errors) == 0 {
		t.Errorf("a reviewer reads the marks: %+v", refused)
	}
}
