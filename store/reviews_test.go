package store_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"countersign/domain"
	"countersign/store"
)

// openReviewsFilter lets anyone claim any open review.
func openReviewsFilter() domain.Filter { return domain.Where(domain.ColStatus, "==", "open") }

// claimNext claims as casework does: it locks the first review, then writes the claim.
func claimNext(w *testEnv, person domain.ID) (domain.ID, error) {
	var got domain.ID
	err := w.db.InTx(w.ctx, func(tx *store.Tx) error {
		if _, _, err := tx.LockAuthority(w.ctx, person); err != nil {
			return err
		}
		review, err := tx.NextForClaim(w.ctx, openReviewsFilter())
		if err != nil {
			return err
		}
		c, now, err := tx.LockCase(w.ctx, review.CaseID)
		if err != nil {
			return err
		}
		change := nextChange(c, now)
		review.Assignee, review.Status, review.ClaimedAt, review.ClaimUntil = person,
			domain.ReviewClaimed, now, now.Add(time.Minute)
		review.Version++
		change.ReviewUpdates = []domain.Review{review}
		written, err := tx.Apply(w.ctx, change)
		if err == nil && !written {
			w.t.Error("a claim on locked rows was not written")
		}
		got = review.ID
		return err
	})
	return got, err
}

// Twenty reviewers repeatedly claim the next review: each review is claimed by exactly one of them.
func TestNextForClaimUnderRace(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	const reviews, racers = 40, 20
	submitter := w.person(domain.RoleSubmitter).ID
	for range reviews {
		change := w.newCaseChange(submitter, domain.NoID)
		change.NewReviews = []domain.Review{openReview(change.Case, "review",
			change.Case.CreatedAt)}
		w.apply(change)
	}
	people := make([]domain.ID, racers)
	for i := range people {
		people[i] = w.person(domain.RoleL1).ID
	}
	var mu sync.Mutex
	owners := map[domain.ID]domain.ID{}
	var group sync.WaitGroup
	for _, person := range people {
		group.Go(func() {
			for {
				review, err := claimNext(w, person)
				if domain.HasCode(err, domain.NothingToClaim) {
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				if owner, twice := owners[review]; twice {
					t.Errorf("review %v went to %v and %v", review, owner, person)
				}
				owners[review] = person
				mu.Unlock()
			}
		})
	}
	group.Wait()
	// A reviewer may stop early while another still has the last rows locked; the remaining reviews
	// must be claimable.
	for len(owners) < reviews {
		review, err := claimNext(w, people[0])
		w.must(err)
		owners[review] = people[0]
	}
	if n := w.rows("reviews", "status = 'claimed' AND version = 2"); n != reviews {
		t.Errorf("%d reviews claimed once, want %d", n, reviews)
	}
	for review, owner := range owners {
		if got, err := w.read().Review(w.ctx, review); err != nil || got.Assignee != owner {
			t.Errorf("review %v is held by %v, reported to %v: %v", review, got.Assignee, owner,
				err)
		}
	}
}

func TestNextForClaimOrder(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	submitter := w.person().ID
	now := w.now()
	var want []domain.ID
	for _, key := range []struct {
		priority int
		due      time.Duration
	}{{1, 3 * time.Hour}, {5, 9 * time.Hour}, {1, time.Hour}, {5, 2 * time.Hour}} {
		change := w.newCaseChange(submitter, domain.NoID)
		review := openReview(change.Case, "review", now)
		review.Priority, review.DecideBy = key.priority, now.Add(key.due)
		change.NewReviews = []domain.Review{review}
		w.apply(change)
		want = append(want, review.ID)
	}
	want = []domain.ID{want[3], want[1], want[2], want[0]}
	person := w.person()
	for i := range want {
		if got, err := claimNext(w, person.ID); err != nil || got != want[i] {
			t.Errorf("claim %d is %v, want %v: %v", i, got, want[i], err)
		}
	}
	_, err := claimNext(w, person.ID)
	wantCode(t, err, domain.NothingToClaim)
}

func TestHeartbeatAndDraft(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	c, review := w.underReview()
	reviewer := w.person(domain.RoleL1).ID
	tx := w.db.Autocommit()
	if _, live, err := tx.Heartbeat(w.ctx, review.ID, reviewer, time.Hour); err != nil || live {
		t.Errorf("heartbeat without a claim: %v %v", live, err)
	}
	_, review = w.claim(c, review, reviewer)
	until, live, err := tx.Heartbeat(w.ctx, review.ID, reviewer, time.Hour)
	w.must(err)
	if !live || until.Sub(review.ClaimUntil) < 45*time.Minute {
		t.Errorf("live %v until %v, was %v", live, until, review.ClaimUntil)
	}
	if kept, err := tx.SaveDraft(w.ctx, review.ID, c.Submitter, []byte("x"),
		time.Hour); err != nil || kept {
		t.Errorf("another person's draft: %v %v", kept, err)
	}
	if kept, err := tx.SaveDraft(w.ctx, review.ID, reviewer, []byte(`{"note":"half"}`),
		time.Hour); err != nil || !kept {
		t.Errorf("draft: %v %v", kept, err)
	}
	got, err := w.read().Review(w.ctx, review.ID)
	w.must(err)
	if string(got.Draft) != `{"note":"half"}` || got.Version != review.Version {
		t.Errorf("draft %s, version %d", got.Draft, got.Version)
	}
	if lapsed, err := w.read().ExpiredClaims(w.ctx, 10); err != nil || len(lapsed) != 0 {
		t.Errorf("lapsed %v: %v", lapsed, err)
	}
	w.shiftClock(61 * time.Minute)
	lapsed, err := w.read().ExpiredClaims(w.ctx, 10)
	w.must(err)
	if len(lapsed) != 1 || lapsed[0].ID != review.ID {
		t.Errorf("lapsed %v", lapsed)
	}
	if _, live, err := tx.Heartbeat(w.ctx, review.ID, reviewer, time.Hour); err != nil || live {
		t.Errorf("heartbeat of a lapsed claim: %v %v", live, err)
	}
}

func TestQueuePageWalksByDueTime(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	submitter := w.person().ID
	now := w.now()
	due := map[domain.ID]time.Time{}
	for i := range 9 {
		change := w.newCaseChange(submitter, domain.NoID)
		review := openReview(change.Case, "review", now)
		review.DecideBy = now.Add(time.Duration(i%3) * time.Hour)
		change.NewReviews = []domain.Review{review}
		w.apply(change)
		due[review.ID] = review.DecideBy
	}
	var cursor *store.QueueCursor
	var seen []domain.Review
	for {
		page, err := w.read().QueuePage(w.ctx, openReviewsFilter(), store.DueAny, cursor, 4)
		w.must(err)
		if len(page) == 0 {
			break
		}
		seen = append(seen, page...)
		cursor = &store.QueueCursor{DecideBy: page[len(page)-1].DecideBy, ID: page[len(page)-1].ID}
	}
	if len(seen) != 9 || !slices.IsSortedFunc(seen,
		func(a, b domain.Review) int { return a.DecideBy.Compare(b.DecideBy) }) {
		t.Errorf("%d reviews, sorted by due time: %v", len(seen), seen)
	}
	for _, review := range seen {
		delete(due, review.ID)
	}
	if n, err := w.read().QueueCount(w.ctx, openReviewsFilter(), store.DueAny); err != nil ||
		n.Reviews != 9 || len(due) != 0 {
		t.Errorf("count %+v, not listed %v: %v", n, due, err)
	}
}

func TestLockReviews(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	c, review := w.underReview()
	w.inTx(func(tx *store.Tx) error {
		got, err := tx.LockReviews(w.ctx, c.ID)
		if err == nil && (len(got) != 1 || got[0].ID != review.ID) {
			t.Errorf("locked %v", got)
		}
		other := w.db.InTx(w.ctx, func(other *store.Tx) error {
			_, err := other.NextForClaim(w.ctx, openReviewsFilter())
			return err
		})
		wantCode(t, other, domain.NothingToClaim)
		return err
	})
}

// filterSubject is a review with everything that a filter may use.
type filterSubject struct {
	review domain.Review
	person domain.ID
	facts  map[domain.AntiKind]bool // whether the person has such a row
}

// evaluate evaluates a filter in Go; it is the reference for the rendered SQL.
func (f *filterSubject) evaluate(filter domain.Filter) bool {
	switch {
	case filter.Const != nil:
		return *filter.Const
	case filter.Not != nil:
		return !f.evaluate(*filter.Not)
	case filter.Anti != nil:
		return !f.facts[filter.Anti.Kind]
	case filter.Compare != nil:
		return f.compare(*filter.Compare)
	case filter.Or != nil:
		return slices.ContainsFunc(filter.Or, f.evaluate)
	}
	return !slices.ContainsFunc(filter.And,
		func(part domain.Filter) bool { return !f.evaluate(part) })
}

func (f *filterSubject) compare(c domain.Comparison) bool {
	texts := map[domain.Column]string{domain.ColQueue: f.review.Queue,
		domain.ColDocumentType: f.review.DocumentType, domain.ColCountry: f.review.Country}
	numbers := map[domain.Column]int64{domain.ColBaseMinor: f.review.BaseMinor,
		domain.ColLevel: int64(f.review.Level)}
	if c.Op == "in" {
		return slices.Contains(c.Values, texts[c.Column])
	}
	if text, ok := texts[c.Column]; ok {
		return (text == c.Value) == (c.Op == "==")
	}
	if c.Column == domain.ColAmountKnown {
		return (f.review.AmountKnown == c.Value) == (c.Op == "==")
	}
	a, b := numbers[c.Column], c.Value.(int64) //nolint:forcetypeassert // generated below
	switch c.Op {
	case "==":
		return a == b
	case "!=":
		return a != b
	case "<":
		return a < b
	case "<=":
		return a <= b
	case ">":
		return a > b
	}
	return a >= b
}

func drawFilter(t *rapid.T, person domain.ID, depth int) domain.Filter {
	kinds := []string{"const", "text", "in", "number", "bool", "anti"}
	if depth > 0 {
		kinds = append(kinds, "and", "or", "not", "and", "or")
	}
	parts := func() []domain.Filter {
		list := []domain.Filter{}
		for range rapid.IntRange(0, 3).Draw(t, "parts") {
			list = append(list, drawFilter(t, person, depth-1))
		}
		return list
	}
	switch rapid.SampledFrom(kinds).Draw(t, "kind") {
	case "const":
		return domain.Constant(rapid.Bool().Draw(t, "value"))
	case "text":
		column := rapid.SampledFrom([]domain.Column{domain.ColQueue, domain.ColDocumentType,
			domain.ColCountry}).Draw(t, "column")
		return domain.Where(column, rapid.SampledFrom([]string{"==", "!="}).Draw(t, "op"),
			rapid.SampledFrom([]string{"L1", "invoice", "DE", "", "' OR true --", "ü"}).Draw(t,
				"text"))
	case "in":
		values := rapid.SliceOfN(rapid.SampledFrom([]string{"L1", "L2", "AML", "x"}), 0, 3).Draw(t,
			"values")
		return domain.Filter{Compare: &domain.Comparison{Column: domain.ColQueue, Op: "in",
			Values: values}}
	case "number":
		return domain.Where(rapid.SampledFrom([]domain.Column{domain.ColBaseMinor,
			domain.ColLevel}).Draw(t, "column"),
			rapid.SampledFrom([]string{"==", "!=", "<", "<=", ">", ">="}).Draw(t, "op"),
			rapid.SampledFrom([]int64{0, 1, 129999, 130000, 130001}).Draw(t, "n"))
	case "bool":
		return domain.Where(domain.ColAmountKnown, rapid.SampledFrom([]string{"==", "!="}).Draw(t,
			"op"), rapid.Bool().Draw(t, "b"))
	case "anti":
		return domain.Without(rapid.SampledFrom([]domain.AntiKind{domain.AntiVote,
			domain.AntiInterest, domain.AntiConflict}).Draw(t, "anti"), person)
	case "not":
		inner := drawFilter(t, person, depth-1)
		return domain.Filter{Not: &inner}
	case "and":
		return domain.All(parts()...)
	}
	return domain.Any(parts()...)
}

// The rendered SQL admits exactly the rows that the filter admits.
func TestRenderedFilterEqualsTheFilter(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	c, review := w.underReview()
	worlds := []*filterSubject{{review: review, person: w.person().ID,
		facts: map[domain.AntiKind]bool{}}}
	barred := w.person().ID
	w.asOwner(`INSERT INTO votes VALUES ($1, $2, $3, $4)`, c.ID, review.Duty, barred, review.ID)
	w.asOwner(`INSERT INTO case_interests VALUES ($1, $2, 'own_account')`, c.ID, barred)
	sister := w.party("sister of the party")
	w.joinGroup(sister, c.PartyID)
	w.conflict(barred, sister)
	worlds = append(worlds, &filterSubject{review: review, person: barred,
		facts: map[domain.AntiKind]bool{domain.AntiVote: true, domain.AntiInterest: true,
			domain.AntiConflict: true}})
	rapid.Check(t, func(rt *rapid.T) {
		world := rapid.SampledFrom(worlds).Draw(rt, "world")
		filter := drawFilter(rt, world.person, 3)
		admits, err := w.read().ReviewMatches(w.ctx, filter, review.ID)
		if err != nil {
			rt.Fatal(err)
		}
		if admits != world.evaluate(filter) {
			rt.Fatalf("the store says %v of %+v", admits, filter)
		}
	})
}

func TestCaseFilters(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	c, review := w.underReview()
	decider := w.person(domain.RoleL1)
	c, review = w.claim(c, review, decider.ID)
	may := func(filter domain.Filter) bool {
		yes, err := w.read().CaseMatches(w.ctx, filter, c.ID)
		w.must(err)
		return yes
	}
	if !may(domain.HasReviewIn("AML", "L1")) || may(domain.HasReviewIn("L2")) ||
		may(domain.HasReviewIn()) {
		t.Error("cases by the queues of their live reviews")
	}
	if may(domain.HasDecisionOf(decider.ID)) {
		t.Error("nothing is decided yet")
	}
	w.apply(decisionChange(c, review, decider.ID, domain.Reject, w.now()))
	if !may(domain.HasDecisionOf(decider.ID)) || may(domain.HasDecisionOf(c.Submitter)) ||
		may(domain.HasReviewIn("L1")) {
		t.Error("cases by who decided")
	}
	if !may(domain.Where(domain.ColSubmitter, "==", c.Submitter)) ||
		may(domain.Where(domain.ColSubmitter, "==", decider.ID)) {
		t.Error("cases by submitter")
	}
	for name, filter := range map[string]domain.Filter{
		"a column reviews have alone": domain.Where(domain.ColQueue, "==", "L1"),
		"an unknown operator":         domain.Where(domain.ColCountry, "like", "D%"),
		"votes of no duty":            domain.Without(domain.AntiVote, decider.ID),
		"an unknown exclusion":        domain.Without("mood", decider.ID),
	} {
		if _, err := w.read().CaseMatches(w.ctx, filter, c.ID); err == nil {
			t.Errorf("%s is not refused", name)
		}
		if _, err := w.read().CaseList(w.ctx, filter, store.CaseQuery{Limit: 1}); err == nil {
			t.Errorf("%s is not refused in a list", name)
		}
		if _, err := w.read().Incidents(w.ctx, filter, 1); err == nil {
			t.Errorf("%s is not refused among incidents", name)
		}
	}
	bad := domain.Where("ssn", "==", "1")
	if _, err := w.read().QueuePage(w.ctx, bad, store.DueAny, nil, 1); err == nil {
		t.Error("an unknown column is not refused in a queue")
	}
	if _, err := w.read().QueueCount(w.ctx, domain.Any(bad), store.DueAny); err == nil {
		t.Error("an unknown column is not refused in a count")
	}
	if _, err := w.read().ReviewMatches(w.ctx, domain.Filter{Not: &bad}, review.ID); err == nil {
		t.Error("an unknown column is not refused for a review")
	}
	if err := w.db.InTx(w.ctx, func(tx *store.Tx) error {
		_,
			err := tx.NextForClaim(w.ctx, bad)
		return err
	}); err == nil {
		t.Error("an unknown column is not refused for the next review")
	}
}
