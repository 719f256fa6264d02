package graph

import (
	"testing"
	"time"

	"countersign/domain"
	"countersign/graph/scalar"
)

// A ground that a delegate stated on behalf of a reviewer is not the reviewer's to confirm, which the
// order says, too.
func TestGroundOfADelegateOverTheAPI(t *testing.T) {
	t.Parallel()
	w := newOrderEnv(t)
	del := w.person("del", domain.RoleL1)
	w.mustExecute("ann", `mutation($in: CreateDelegationInput!) { createDelegation(input: $in) {
		delegation { id } userErrors { ... on Refusal { code message } } } }`, "in", map[string]any{
		"delegateId": scalar.GlobalID(scalar.KindPerson, del.UserID),
		"validUntil": time.Now().Add(48 * time.Hour).UTC().Format(time.RFC3339)})
	id := w.mustOrder("sam", "1000.00", order("600.00", "P-1"))
	ann := scalar.GlobalID(scalar.KindPerson, w.actor("ann").UserID)
	behalf := map[string]any{"onBehalfOf": ann}
	wantDone(t, w.onReview("del", id, "claimReview", "ClaimReviewInput", behalf))
	wantDone(t, w.onReview("del", id, "stateOrderGround", "StateOrderGroundInput", map[string]any{
		"onBehalfOf": ann, "ground": map[string]any{"kind": "PART_PAYMENT",
			"explanation": "as agreed"}}))
	w.releaseOrder("del", id)
	for by, want := range map[string]bool{"ann": false, "del": false, "ben": true} {
		if got := w.orderOf(by, id).at("case", "order", "grounds", 0, "confirmable"); got != want {
			t.Errorf("%s may confirm: %v, want %v", by, got, want)
		}
	}
	claim(w, "ann", w.openReviewOf(id))
	wantRefusal(t, w.confirmGround("ann", id, 1), "FourEyes", "")
	w.releaseOrder("ann", id)
	claim(w, "ben", w.openReviewOf(id))
	wantDone(t, w.confirmGround("ben", id, 1))
}
