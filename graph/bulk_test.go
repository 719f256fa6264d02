package graph

import (
	"slices"
	"testing"

	"countersign/domain"
	"countersign/graph/scalar"
)

func TestBulkApprovalsAreUndone(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("sam", domain.RoleSubmitter)
	w.person("lea", domain.RoleL1)
	w.person("ma", domain.RoleManager)
	for _, amount := range []string{"2000.00", "90000.00"} {
		w.submit("sam", amount)
		w.runPending()
	}
	list := w.mustExecute("ma", `{ reviews(filter: {all: true}) { nodes { id version case { amount
		{ amount } } } } }`)
	items := []map[string]any{}
	small := ""
	for i := range 2 {
		id := list.text("reviews", "nodes", i, "id")
		if list.text("reviews", "nodes", i, "case", "amount", "amount") == "2000.00" {
			small = id
		}
		items = append(items, map[string]any{"reviewId": id,
			"expectedVersion": list.text("reviews", "nodes", i, "version")})
	}
	preview := w.mustExecute("ma", `query($ids: [ID!]!) { reassignPreview(reviewIds: $ids) { loads
		{ person { name } before after } refused } }`,
		"ids", []string{items[0]["reviewId"].(string), items[1]["reviewId"].(string)}) //nolint:forcetypeassert // made above
	// The manager is not chosen automatically while another person is eligible.
	if loads := preview.at("reassignPreview", "loads").([]any); len(loads) != 1 || //nolint:forcetypeassert // a list
		preview.text("reassignPreview", "loads", 0, "person", "name") != "lea" ||
		preview.at("reassignPreview", "loads", 0, "before") != float64(0) ||
		preview.at("reassignPreview", "loads", 0, "after") != float64(2) {
		t.Errorf("preview: %+v", preview.Data)
	}
	const approve = `mutation($items: [ReviewItemInput!]!) { approveReviews(input: {items: $items, idempotencyKey: "b"}) {
		results { reviewId review { id undoUntil status } userErrors { __typename ... on Refusal { values { name value } } } } userErrors { __typename } } }`
	for range 2 {
		got := w.mustExecute("lea", approve, "items", items)
		for i := range 2 {
			done := got.at("approveReviews", "results", i, "review") != nil
			if done != (got.text("approveReviews", "results", i, "reviewId") == small) {
				t.Fatalf("item %d: %+v", i, got.Data)
			}
			if done && got.text("approveReviews", "results", i, "review", "undoUntil") == "" {
				t.Errorf("the decision cannot be undone: %+v", got.Data)
			}
		}
	}
	got := w.mustExecute("lea", `mutation($id: ID!) { undoDecision(input: {reviewId: $id}) {
		review { id status assignee { name } } userErrors { __typename } } }`, "id", small)
	again := got.text("undoDecision", "review", "id")
	if again == small || got.text("undoDecision", "review", "status") != "OPEN" {
		t.Errorf("%+v", got.Data)
	}
	claim := w.mustExecute("lea", `mutation($items: [ReviewItemInput!]!) { claimReviews(input:
		{items: $items}) { results { review { status } userErrors { __typename } } } }`,
		"items", []map[string]any{{"reviewId": again}, {"reviewId": small}})
	if claim.text("claimReviews", "results", 0, "review", "status") != "CLAIMED" ||
		claim.at("claimReviews", "results", 1, "review") != nil {
		t.Errorf("%+v", claim.Data)
	}
}

func TestClosedCaseIsReopenedOverGraphQL(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("sam", domain.RoleSubmitter)
	w.person("lea", domain.RoleL1)
	w.person("ma", domain.RoleManager)
	id := w.submit("sam", "90000.00")
	w.runPending()
	review := w.mustExecute("lea", `mutation { claimNextReview(input: {}) { review { id }
		userErrors { __typename } } }`).text("claimNextReview", "review", "id")
	w.mustExecute("lea", `mutation($id: ID!) { decideReview(input: {reviewId: $id, decision:
		REJECT, reason: "no"}) { review { id } userErrors { __typename } } }`, "id", review)
	w.runPending()
	const reopen = `mutation($id: ID!) { reopenCase(input: {caseId: $id, reason:
		"the bank confirmed", idempotencyKey: "r"}) { case { status } userErrors { __typename } }
		}`
	for _, by := range []string{"sam", "lea"} {
		if got := w.mustExecute(by, reopen, "id", id); got.text("reopenCase", "userErrors", 0,
			"__typename") != "NotPermitted" {
			t.Errorf("%s: %+v", by, got.Data)
		}
	}
	if got := w.mustExecute("ma", reopen, "id", id); got.text("reopenCase", "case",
		"status") != "PROCESSING" {
		t.Errorf("%+v", got.Data)
	}
	w.runPending()
	if got := w.mustExecute("ma", `query($id: ID!) { case(id: $id) { status decisions { verdict }
		} }`, "id", id); got.text("case", "status") != "IN_REVIEW" ||
		got.text("case", "decisions", 0, "verdict") != "REJECT" {
		t.Errorf("%+v", got.Data)
	}
}

// The reviews of named cases are those of the list: of a case of which the list shows none, there is none
// either, whether it exists or not.
func TestReviewsOfNamedCases(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("sam", domain.RoleSubmitter)
	w.person("lea", domain.RoleL1)
	w.person("ma", domain.RoleManager)
	var ids []string
	for _, amount := range []string{"2000.00", "3000.00", "900000.00"} {
		ids = append(ids, w.submit("sam", amount))
		w.runPending()
	}
	missing := scalar.GlobalID(scalar.KindCase, domain.NewID())
	for _, row := range []struct {
		by    string
		all   bool
		cases []string
		want  []string
	}{
		{"lea", false, ids[:1], ids[:1]},
		{"lea", false, []string{ids[1], ids[2], missing}, ids[1:2]}, // the third is above the limit
		{"lea", false, []string{missing}, nil},
		{"lea", false, []string{}, nil},
		{"sam", false, ids, nil},
		{"ma", true, ids[1:], ids[1:]},
	} {
		got := w.mustExecute(row.by, `query($f: ReviewFilter!) { reviews(filter: $f) { totalCount nodes { case { id } } } }`,
			"f", map[string]any{"cases": row.cases, "all": row.all})
		var found []string
		for i := range int(got.at("reviews", "totalCount").(float64)) { //nolint:forcetypeassert // a number
			found = append(found, got.text("reviews", "nodes", i, "case", "id"))
		}
		slices.Sort(found)
		want := slices.Sorted(slices.Values(row.want))
		if !slices.Equal(found, want) {
			t.Errorf("%s sees the reviews of %v, want %v", row.by, found, want)
		}
	}
	if got := w.execute("lea", `query($f: ReviewFilter!) { reviews(filter: $f) { totalCount } }`, "f",
		map[string]any{"cases": []string{"x"}}); len(got.Errors) == 0 {
		t.Error("a text that is no id of a case is accepted")
	}
	if got := w.execute("lea", `query($f: ReviewFilter!) { reviews(filter: $f) { totalCount } }`, "f",
		map[string]any{"cases": slices.Repeat([]string{missing}, 101)}); len(got.Errors) == 0 {
		t.Error("101 cases are accepted")
	}
}
