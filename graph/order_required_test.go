package graph

import (
	"strings"
	"testing"

	"countersign/domain"
	"countersign/store"
	"countersign/workflow"
)

// acceptWithoutOrder publishes the built-in remittance with optional orders, for tests whose subject
// is not the order.
func (w *testEnv) acceptWithoutOrder() {
	w.t.Helper()
	const key = "cross_border_remittance"
	row, err := w.db.Reader().Definition(w.t.Context(), key, 1)
	must(w.t, err)
	text := strings.Replace(row.Document, "order: required", "order: optional", 1)
	must(w.t, w.db.InTx(w.t.Context(), func(tx *store.Tx) error {
		_, err := tx.PublishDefinition(w.t.Context(), store.NewDefinition{Key: key, Version: 2,
			Document: string(workflow.WithVersion([]byte(text), 2)), HasAmount: true,
			By: domain.SystemUserID})
		return err
	}))
}

// A file without the order that its process requires is refused with what to do, and the same file
// is accepted with one.
func TestRequiredOrderOverTheAPI(t *testing.T) {
	t.Parallel()
	w := newOrderEnv(t)
	without := map[string]any{"process": "cross_border_remittance", "documentType": "remittance",
		"country": "DE", "amount": map[string]any{"amount": "717.97", "currency": "EUR"}}
	answer := w.upload("sam", `mutation($input: SubmitDocumentInput!) { submitDocument(input: $input) {
		case { id } userErrors { __typename ... on Refusal { code message remedy field } } } }`,
		without, "%PDF-1.7\n717.97\n")
	refused := func(name string) string {
		return answer.text("submitDocument", "userErrors", 0, name)
	}
	if refused("code") != "OrderRequired" || refused("field") != "order" || refused("remedy") == "" ||
		refused("__typename") != "StateMismatch" || answer.at("submitDocument", "case") != nil {
		t.Errorf("without an order: %+v", answer)
	}
	w.mustOrder("sam", "717.97", order("717.97", "P-1"))
	found := w.mustExecute("sam", `{ processDefinitions(first: 20, filter: {newest: true}) {
		nodes { key order } } }`)
	want := map[string]string{"cross_border_remittance": "REQUIRED", "document_approval": "NONE",
		"merchant_onboarding": "NONE", "content_review": "NONE", "document_approval_model": "NONE"}
	for i := range found.at("processDefinitions", "nodes").([]any) {
		key := found.text("processDefinitions", "nodes", i, "key")
		if got := found.text("processDefinitions", "nodes", i, "order"); got != want[key] {
			t.Errorf("%s: %s, want %s", key, got, want[key])
		}
	}
}

// What a reviewer reads about an approval before deciding is what the command then answers: at each
// review, before and after the ground of the order.
func TestApprovalOfAnOrderIsExplained(t *testing.T) {
	t.Parallel()
	w := newOrderEnv(t)
	w.person("sid", domain.RoleSenior)
	w.person("max", domain.RoleManager)
	explained := func(by, id string) (allowed any, code, remedy string) {
		found := w.mustExecute(by, `query($id: ID!) { review(id: $id) { explain(action: APPROVE) {
			allowed code sentence remedy values { name value } } } }`, "id", w.openReviewOf(id))
		return found.at("review", "explain", "allowed"), found.text("review", "explain", "code"),
			found.text("review", "explain", "remedy")
	}
	want := func(by, id string, allowed bool, code string) {
		t.Helper()
		if got, said, remedy := explained(by, id); got != allowed || said != code ||
			!allowed && remedy == "" {
			t.Errorf("%s may approve: %v, %q, %q; want %v, %q", by, got, said, remedy, allowed, code)
		}
	}
	id := w.mustOrder("sam", "1000.00", order("600.00", "P-1"))
	want("ann", id, false, "OrderUnsupported") // before the claim too
	claim(w, "ann", w.openReviewOf(id))
	want("ann", id, false, "OrderUnsupported")
	wantDone(t, w.stateGround("ann", id, "PART_PAYMENT"))
	want("ann", id, false, "OrderUnsupported") // not confirmed
	wantRefusal(t, w.decideOrder("ann", id, "APPROVE", ""), "OrderUnsupported", "")
	w.releaseOrder("ann", id)
	claim(w, "ben", w.openReviewOf(id))
	wantDone(t, w.confirmGround("ben", id, 1))
	want("ben", id, true, "")
	want("mia", id, false, "NotClaimedByYou")
	wantDone(t, w.decideOrder("ben", id, "APPROVE", ""))

	// Where another review follows, the first approval passes nothing and is accepted with a reason.
	large := w.mustOrder("sue", "1200000.00", order("1000000.00", "P-2"))
	claim(w, "sid", w.openReviewOf(large))
	want("sid", large, true, "")
	wantDone(t, w.decideOrder("sid", large, "APPROVE", "the contract is attached"))
	w.runPending()
	claim(w, "max", w.openReviewOf(large))
	want("max", large, false, "OrderUnsupported")
	wantRefusal(t, w.decideOrder("max", large, "APPROVE", ""), "OrderUnsupported", "")
}
