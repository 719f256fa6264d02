package graph

import (
	"testing"

	"countersign/domain"
)

// What can be undone is stated as it is done, and only to people who review.
func TestUndoableDecisions(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("sam", domain.RoleSubmitter)
	w.person("lea", domain.RoleL1)
	for _, amount := range []string{"2000.00", "90000.00"} {
		w.submit("sam", amount)
		w.runPending()
	}
	const decide = `mutation($id: ID!) { decideReview(input: {reviewId: $id, decision: APPROVE, undoable: true,
		reason: "ordered"}) { review { undoUntil } userErrors { __typename } } }`
	list := w.mustExecute("lea", `{ reviews { nodes { id undoable case { amount { amount } } } } }`)
	for i := range 2 {
		id := list.text("reviews", "nodes", i, "id")
		small := list.text("reviews", "nodes", i, "case", "amount", "amount") == "2000.00"
		verdicts, _ := list.at("reviews", "nodes", i, "undoable").([]any)
		if small != (len(verdicts) == 1 && verdicts[0] == "APPROVE") {
			t.Errorf("small %v: %v can be undone", small, verdicts)
		}
		w.mustExecute("lea", `mutation($id: ID!) { claimReview(input: {reviewId: $id}) {
			userErrors { __typename } } }`, "id", id)
		got := w.mustExecute("lea", decide, "id", id)
		if small != (got.at("decideReview", "review", "undoUntil") != nil) ||
			small == (got.at("decideReview", "userErrors", 0, "__typename") == "NotPermitted") {
			t.Errorf("small %v: %+v", small, got.Data)
		}
	}
}
