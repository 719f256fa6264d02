package store_test

import (
	"cmp"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"countersign/domain"
	"countersign/store"
)

// quotedQueueName must not be written into the SQL.
const quotedQueueName = "Zürich 'A'"

// seedReviews creates reviews of every state, time and assignee in three queues.
func seedReviews(w *testEnv, people []domain.ID) []domain.ID {
	var ids []domain.ID
	submitter := w.person().ID
	now := w.now()
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(of ...domain.ID) domain.ID { return of[random.IntN(len(of))] }
	for range 60 {
		change := w.newCaseChange(submitter, domain.NoID)
		review := openReview(change.Case, "review", now)
		review.Queue = []string{domain.QueueL1, domain.QueueL2, quotedQueueName}[random.IntN(3)]
		review.Priority, review.BaseMinor = random.IntN(2), int64(random.IntN(3)*100)
		review.DecideBy = now.Add(time.Duration(random.IntN(10)-3) * time.Hour)
		review.ClaimBy, review.AtRiskFrom = review.DecideBy.Add(
			-time.Duration(random.IntN(5))*time.Hour), review.DecideBy.Add(-2*time.Hour)
		review.Assignee = pick(domain.NoID, domain.NoID, people[0], people[1])
		change.NewReviews = []domain.Review{review}
		w.apply(change)
		ids = append(ids, review.ID)
		switch random.IntN(6) {
		case 0:
			w.asOwner(`UPDATE reviews SET status = 'decided' WHERE id = $1`, review.ID)
		case 1:
			w.asOwner(`UPDATE reviews SET status = 'claimed', assignee = $2,
				claim_until = clock() + interval '1 h' WHERE id = $1`, review.ID, people[0])
		case 2:
			w.asOwner(`UPDATE reviews SET paused_at = clock() WHERE id = $1`, review.ID)
		case 3:
			w.asOwner(`UPDATE reviews SET left_by = $2, left_how = 'expired', at_risk_from = NULL
				WHERE id = $1`, review.ID, people[0])
		}
	}
	return ids
}

func sampleFilters(me domain.ID) map[string]domain.Filter {
	status := func(s domain.ReviewStatus) domain.Filter {
		return domain.Where(domain.ColStatus, "==", string(s))
	}
	held := func(by domain.ID) domain.Filter { return domain.Where(domain.ColAssignee, "==", by) }
	queues := func(names ...string) domain.Filter {
		return domain.Filter{Compare: &domain.Comparison{Column: domain.ColQueue, Op: "in",
			Values: names}}
	}
	waiting := domain.Any(status(domain.ReviewOpen), status(domain.ReviewClaimed))
	claimable := domain.Any(domain.All(status(domain.ReviewOpen),
		domain.Any(held(domain.NoID), held(me))), domain.All(status(domain.ReviewClaimed),
		held(me)))
	all := []string{domain.QueueL1, domain.QueueL2, quotedQueueName}
	return map[string]domain.Filter{
		"claimable in all": domain.All(queues(all...), claimable,
			domain.Where(domain.ColBaseMinor, "<=", int64(100))),
		"claimable in two arms": domain.All(domain.Any(queues(domain.QueueL1),
			domain.All(queues(quotedQueueName), domain.Where(domain.ColBaseMinor, ">", int64(0)))),
			claimable),
		"claimable in one": domain.All(queues(quotedQueueName), claimable),
		"available": domain.All(queues(all...), claimable, status(domain.ReviewOpen),
			held(domain.NoID)),
		"mine": domain.All(queues(all...), claimable, held(me)),
		"lapsed": domain.All(claimable, status(domain.ReviewOpen),
			domain.Where(domain.ColPreviousAssignee, "==", me),
			domain.Where(domain.ColUnassignCause, "==", "expired")),
		"the board": waiting,
		"the board but one": domain.All(waiting, domain.Where(domain.ColQueue, "!=",
			domain.QueueL1)),
		"of any status": queues(domain.QueueL1, domain.QueueL2),
		"of no queue":   domain.All(queues(), claimable),
		"nothing":       domain.All(domain.Constant(false), waiting),
	}
}

// TestListsAgreeWithTheFilter: however the rows are found, a list, its count and the next review to
// claim are those that the filter admits row by row.
func TestListsAgreeWithTheFilter(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	people := []domain.ID{w.person().ID, w.person().ID}
	ids := seedReviews(w, people)
	for name, filter := range sampleFilters(people[0]) {
		var admitted []domain.Review
		for _, id := range ids {
			yes, err := w.read().ReviewMatches(w.ctx, filter, id)
			w.must(err)
			if yes {
				review, err := w.read().Review(w.ctx, id)
				w.must(err)
				admitted = append(admitted, review)
			}
		}
		slices.SortFunc(admitted, func(a, b domain.Review) int {
			return cmp.Or(a.DecideBy.Compare(b.DecideBy), slices.Compare(a.ID[:], b.ID[:]))
		})
		now := w.now()
		for _, due := range []store.Due{store.DueAny, store.DueOverdue, store.DueAtRisk} {
			var want []domain.ID
			for _, review := range admitted {
				if due == store.DueAny || due == store.DueOverdue && store.Overdue(review, now) ||
					due == store.DueAtRisk && store.AtRisk(review, now) {
					want = append(want, review.ID)
				}
			}
			if name == "claimable in all" && len(want) < 3 {
				t.Errorf("%s, %q: the house has only %d", name, due, len(want))
			}
			checkList(t, w, name, filter, due, want)
		}
		checkCounts(t, w, name, filter, admitted, now)
		checkNext(t, w, name, filter, admitted)
	}
}

// checkList reads the list page by page.
func checkList(t *testing.T, w *testEnv, name string, filter domain.Filter, due store.Due,
	want []domain.ID) {
	t.Helper()
	var got []domain.ID
	var after *store.QueueCursor
	for {
		page, err := w.read().QueuePage(w.ctx, filter, due, after, 7)
		w.must(err)
		for _, review := range page {
			got = append(got, review.ID)
			after = &store.QueueCursor{DecideBy: review.DecideBy, ID: review.ID}
		}
		if len(page) < 7 {
			break
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s, %q: listed %v, admitted %v", name, due, got, want)
	}
	if n, err := w.read().QueueCount(w.ctx, filter, due); err != nil || n.Reviews != int64(len(want)) {
		t.Errorf("%s, %q: counted %d of %d: %v", name, due, n, len(want), err)
	}
}

func checkCounts(t *testing.T, w *testEnv, name string, filter domain.Filter,
	admitted []domain.Review, now time.Time) {
	t.Helper()
	want := map[string]store.QueueCounts{}
	one := map[bool]int64{true: 1}
	for _, r := range admitted {
		open, claimed := r.Status == domain.ReviewOpen, r.Status == domain.ReviewClaimed
		if !open && !claimed {
			continue
		}
		c := want[r.Queue]
		c.Queue = r.Queue
		c.Available += one[open && r.Assignee == domain.NoID]
		c.Assigned += one[open && r.Assignee != domain.NoID]
		c.Claimed += one[claimed]
		c.Overdue += one[store.Overdue(r, now)]
		c.AtRisk += one[store.AtRisk(r, now)]
		want[r.Queue] = c
	}
	got, err := w.read().QueueCounts(w.ctx, filter)
	w.must(err)
	for _, counts := range got {
		if counts != want[counts.Queue] {
			t.Errorf("%s: counted %+v, want %+v", name, counts, want[counts.Queue])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%s: %d queues of %d", name, len(got), len(want))
	}
}

// checkNext reads the next review in a transaction that is rolled back.
func checkNext(t *testing.T, w *testEnv, name string, filter domain.Filter,
	admitted []domain.Review) {
	t.Helper()
	admitted = slices.DeleteFunc(slices.Clone(admitted),
		func(r domain.Review) bool { return r.Status != domain.ReviewOpen })
	slices.SortStableFunc(admitted,
		func(a, b domain.Review) int { return cmp.Compare(b.Priority, a.Priority) })
	takenBack := errors.New("taken back")
	err := w.db.InTx(w.ctx, func(tx *store.Tx) error {
		if len(admitted) == 0 {
			_, err := tx.NextForClaim(w.ctx, filter)
			wantCode(t, err, domain.NothingToClaim)
			return takenBack
		}
		got, err := tx.NextForClaim(w.ctx, filter)
		if err != nil || got.ID != admitted[0].ID {
			t.Errorf("%s: next is %v, want %v: %v", name, got.ID, admitted[0].ID, err)
		}
		// Concurrent claims skip locked reviews.
		other := w.db.InTx(w.ctx, func(other *store.Tx) error {
			second, err := other.NextForClaim(w.ctx, filter)
			if len(admitted) > 1 && (err != nil || second.ID != admitted[1].ID) {
				t.Errorf("%s: the second is %v, want %v: %v", name, second.ID, admitted[1].ID, err)
			}
			return takenBack
		})
		return other
	})
	if !errors.Is(err, takenBack) {
		t.Error(err)
	}
}
