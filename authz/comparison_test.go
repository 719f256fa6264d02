package authz_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"countersign/authz"
	"countersign/domain"
)

// TestComparisonNarrows checks that who compares may decide the review and could read the other case if
// it waited in its queue, has no conflict with its party and did not submit it. Nothing else of the
// policy changes: the filter of cases is asked by reading alone.
func TestComparisonNarrows(t *testing.T) {
	t.Parallel()
	allowed, refused := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		policy, people := drawPolicy(t), drawPeople(t)
		for _, action := range []domain.Action{domain.ActDecide, domain.ActRead} {
			object := authz.QueueReview
			if action == domain.ActRead {
				object = authz.QueueCase
			}
			policy.Rules = append(policy.Rules, authz.Rule{Name: "all " + string(action),
				Role: drawnRoles[1], Action: action, Object: object})
		}
		authority, err := authz.New(policy)
		if err != nil {
			t.Fatal(err)
		}
		user := people[0]
		user.Roles = append(user.Roles, drawnRoles[1])
		user.Limits = append(user.Limits, domain.Limit{Role: drawnRoles[1], Action: domain.ActDecide,
			Unlimited: true})
		for _, row := range rapid.SliceOfN(rapid.Custom(drawReview), 2, 8).Draw(t, "rows") {
			if rapid.Bool().Draw(t, "claimed") {
				row.Status, row.Assignee, row.ClaimActive = domain.ReviewClaimed, user.ID, true
			}
			drawn := drawReview(t)
			other := domain.CaseFacts{CaseID: domain.ID{9}, Submitter: drawn.Submitter,
				DocumentType: drawn.DocumentType, Country: drawn.Country,
				OtherCountries: drawn.OtherCountries, BaseMinor: drawn.BaseMinor,
				AmountKnown: drawn.AmountKnown, ConflictedIDs: drawn.ConflictedIDs}
			decides, err := authority.DecidesReview(user, nil, row)
			if err != nil {
				t.Fatal(err)
			}
			reads, err := authority.ReadsForComparison(user, nil, row, other)
			if err != nil {
				t.Fatal(err)
			}
			_, refusal := authority.Authorize(user, domain.ActDecide, row)
			waiting := other
			waiting.OpenQueues = []string{row.Queue}
			_, closed := authority.AuthorizeCase(user, domain.ActRead, waiting)
			want := refusal == nil && closed == nil && !user.IsSamePerson(other.Submitter)
			if decides != (refusal == nil) || reads != want ||
				reads && slices.Contains(other.ConflictedIDs, user.ID) {
				t.Fatalf("decides %v (%v), reads %v (%v)\nreview %+v\nother %+v", decides, refusal, reads,
					closed, row, other)
			}
			if reads {
				allowed++
			} else {
				refused++
			}
		}
	})
	if allowed == 0 || refused == 0 {
		t.Errorf("%d allowed, %d refused", allowed, refused)
	}
}
