package views_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"countersign/domain"
	"countersign/views"
)

// A text that lets others decide, by another queue, level or duty, or by another review in the place of the
// present one, changes as many cases as it has reviews. None of them counts as the same, and a recorded report says
// how many there are, so that no report flatters such a text.
func TestRehearsalSaysThatOthersDecide(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	ada := h.person("ada", domain.RoleAdmin)
	decider := h.person("rita", domain.RoleL1)
	h.insertKnown(10, 1, fiftyThousand, h.person("sam", domain.RoleSubmitter).UserID, decider.UserID)
	const review = "id: review, kind: review, queue: L1, level: 1,"
	text := known(2, fiftyThousand)
	rehearse := func(document string) *views.Rehearsal {
		return h.rehearse(ada, views.RehearsalQuery{Change: views.RehearsalChange{Process: document},
			Closed: 10, Named: 10, Recorded: true, Base: 1})
	}
	if made := rehearse(text); made.Same != 10 || made.OtherReviews != 0 {
		t.Fatalf("the same text: %+v", made.RehearsalCounts)
	}
	for name, changed := range map[string]string{
		"queue":  strings.Replace(text, review, "id: review, kind: review, queue: L2, level: 1,", 1),
		"level":  strings.Replace(text, review, "id: review, kind: review, queue: L1, level: 2,", 1),
		"duty":   strings.Replace(text, review, "id: review, kind: review, queue: L1, level: 1, duty: other,", 1),
		"review": strings.ReplaceAll(strings.ReplaceAll(text, "to: review", "to: second"), review, strings.Replace(review, "id: review", "id: second", 1)),
	} {
		made := rehearse(changed)
		if made.Same != 3 || made.OtherReviews != 7 || made.MoreReviews+made.FewerReviews != 0 || len(made.Different) != 7 {
			t.Errorf("another %s: %d others, %+v", name, made.OtherReviews, made.RehearsalCounts)
		}
		if name != "review" && !slices.Equal(made.Different[0].Changed, []string{"review"}) {
			t.Errorf("another %s: %+v", name, made.Different[0].Changed)
		}
		recorded, err := json.Marshal(made.Sums(views.RehearsalQuery{}))
		if err != nil || !strings.Contains(string(recorded), `"otherReviews":7`) ||
			!strings.Contains(string(recorded), `"unassignedAfter":`) {
			t.Errorf("another %s: the report is %s, %v", name, recorded, err)
		}
	}
	// A report from before is read as it is: it does not say that there were none.
	var earlier domain.RehearsalSums
	if err := json.Unmarshal([]byte(`{"same": 10}`), &earlier); err != nil || earlier.OtherReviews != nil {
		t.Errorf("an earlier report: %+v, %v", earlier, err)
	}
}
