package graph

import (
	"testing"

	"countersign/domain"
)

// Events that the viewer may not see do not count among the requested number of newest events.
func TestNewestEventsCountOnlyVisibleOnes(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("sam", domain.RoleSubmitter)
	w.person("lea", domain.RoleL1)
	id := w.submit("sam", "90000.00")
	w.runPending()
	review := w.mustExecute("lea", reviewOfCase, "id", id).text("case", "openReview", "id")
	for range 3 { // visible to staff only, and the newest
		claim(w, "lea", review)
		w.mustExecute("lea", `mutation($input: ReleaseReviewInput!) { releaseReview(input: $input)
			{ userErrors { __typename } } }`,
			"input", map[string]any{"reviewId": review})
	}
	const newest = `query($id: ID!, $n: Int!) { case(id: $id) { lastEvents(last: $n) { seq type }
		} }`
	all := w.mustExecute("sam", newest, "id", id, "n", 100).at("case", "lastEvents").([]any)
	for _, n := range []int{1, 2, 5} {
		got := w.mustExecute("sam", newest, "id", id, "n", n).at("case", "lastEvents").([]any)
		if len(got) != n {
			t.Fatalf("asked for %d of %d, got %v", n, len(all), got)
		}
		for i, event := range got {
			if want := all[len(all)-n+
				i].(map[string]any)["seq"]; event.(map[string]any)["seq"] != want {
				t.Errorf("of the newest %d, number %d is %v, want seq %v", n, i, event, want)
			}
		}
	}
	staff := w.mustExecute("lea", newest, "id", id, "n", 1)
	if staff.text("case", "lastEvents", 0, "type") != "review.released" {
		t.Errorf("staff see %+v", staff.Data)
	}
}
