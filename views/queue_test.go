package views_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
	"countersign/views"
)

// allPages reads the list page by page and checks what every page promises.
func (env *testEnv) allPages(actor domain.Actor, query views.QueueQuery, size int) []domain.Review {
	env.t.Helper()
	var all []domain.Review
	query.First, query.After = size, nil
	for {
		page, err := env.views.Queue(env.ctx, actor, query)
		must(env.t, err)
		if len(page.Reviews) > size || page.HasMore && len(page.Reviews) != size {
			env.t.Fatalf("a page of %d has %d reviews, more %v", size, len(page.Reviews),
				page.HasMore)
		}
		all = append(all, page.Reviews...)
		if !page.HasMore {
			if page.Total != int64(len(all)) {
				env.t.Errorf("pages of %d contain %d reviews, the total is %d", size, len(all),
					page.Total)
			}
			return all
		}
		last := page.Reviews[len(page.Reviews)-1]
		query.After = &views.QueueCursor{DecideBy: last.DecideBy, ID: last.ID}
	}
}

// For any assignment of a few deadlines to the reviews, pages of any size contain every review
// exactly once, ordered by deadline and id.
func TestQueuePagesOverEqualDeadlines(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	reviewer, manager := env.person("rita", domain.RoleL1), env.person("mia", domain.RoleManager)
	reviews := env.submitReviews(env.person("sam", domain.RoleSubmitter), 9, "2000.00")
	start := env.now().Add(10 * time.Hour).Truncate(time.Microsecond)
	for seed := range uint64(6) {
		random := rand.New(rand.NewPCG(seed, 1))
		for _, review := range reviews {
			deadline := start.Add(time.Duration(random.IntN(3)) * time.Microsecond)
			env.sql(`UPDATE reviews SET decide_by = $2 WHERE id = $1`, review.ID, deadline)
		}
		for _, size := range []int{1, 2, 3, 4, len(reviews), len(reviews) + 1} {
			for name, query := range map[string]views.QueueQuery{"own": {}, "all": {All: true}} {
				actor := reviewer
				if query.All {
					actor = manager
				}
				got := env.allPages(actor, query, size)
				if !slices.Equal(sorted(idsOf(got)), sorted(idsOf(reviews))) {
					t.Fatalf("seed %d, %s, pages of %d: %d of %d reviews", seed, name, size,
						len(got), len(reviews))
				}
				if !slices.IsSortedFunc(got, byDeadline) {
					t.Fatalf("seed %d, %s, pages of %d: not ordered by deadline and id", seed, name,
						size)
				}
			}
		}
	}
}

func byDeadline(a, b domain.Review) int {
	if c := a.DecideBy.Compare(b.DecideBy); c != 0 {
		return c
	}
	return bytes.Compare(a.ID[:], b.ID[:])
}

// queueState is a set of reviews in every state that a filter distinguishes.
type queueState struct {
	*testEnv
	rita, lea, mia, aud domain.Actor
	reviews             []domain.Review
}

func newQueueState(t *testing.T) *queueState {
	t.Helper()
	env := newTestEnv(t)
	s := &queueState{testEnv: env, rita: env.person("rita", domain.RoleL1),
		lea: env.person("lea", domain.RoleL1), mia: env.person("mia", domain.RoleManager),
		aud: env.person("aud", domain.RoleAuditor)}
	sam := env.person("sam", domain.RoleSubmitter)
	reviews := env.submitReviews(sam, 10, "2000.00")
	env.claim(s.rita, reviews[0])
	env.claim(s.lea, reviews[1])
	env.assign(s.mia, s.rita, reviews[2])
	env.assign(s.mia, s.lea, reviews[3])
	env.claim(s.rita, reviews[4]) // expires
	env.sql(`UPDATE reviews SET claim_until = clock() - interval '1 second' WHERE id = $1`,
		reviews[4].ID)
	_, err := env.service.ExpireClaims(env.ctx)
	must(t, err)
	past, later := env.now().Add(-time.Minute), env.now().Add(48*time.Hour)
	for _, review := range []domain.Review{reviews[0], reviews[5]} {
		env.sql(`UPDATE reviews SET claim_by = $2, decide_by = $2 WHERE id = $1`, review.ID, past)
	}
	for _, review := range []domain.Review{reviews[1], reviews[6]} {
		env.sql(`UPDATE reviews SET at_risk_from = $2, decide_by = $3 WHERE id = $1`, review.ID,
			past,
			later)
	}
	env.sql(`UPDATE reviews SET claim_by = $2 WHERE id = $1`, reviews[7].ID, past)
	env.sql(`UPDATE reviews SET paused_at = clock(), pause_reason = 'x', decide_by = $2
		WHERE id = $1`, reviews[8].ID, past)
	env.decide(s.lea, reviews[9], domain.Reject)
	for _, review := range reviews {
		now, err := env.db.Reader().Review(env.ctx, review.ID)
		must(t, err)
		s.reviews = append(s.reviews, now)
	}
	return s
}

// matches is an independent model of the filters.
func (s *queueState) matches(review domain.Review, actor domain.Actor, q views.QueueQuery,
	now time.Time) bool {
	undecided := review.Status == domain.ReviewOpen || review.Status == domain.ReviewClaimed
	own := q.All || review.Assignee == domain.NoID || review.Assignee == actor.UserID
	return undecided && own &&
		(!q.Mine || review.Assignee == actor.UserID) &&
		(!q.Available || review.Status == domain.ReviewOpen && review.Assignee == domain.NoID) &&
		(q.Queue == "" || review.Queue == q.Queue) &&
		(q.Assignee == domain.NoID || review.Assignee == q.Assignee) &&
		(!q.ExpiredClaims || review.Status == domain.ReviewOpen &&
			review.PreviousAssignee == actor.UserID &&
			review.UnassignCause == domain.UnassignedByExpiry) &&
		(q.Due != views.DueOverdue || views.Overdue(review, now)) &&
		(q.Due != views.DueAtRisk || views.AtRisk(review, now))
}

// Every combination of filters returns exactly the reviews that the model selects, and counts them.
func TestQueueFiltersCombine(t *testing.T) {
	t.Parallel()
	s := newQueueState(t)
	combinations, nonEmpty := 0, 0
	for bits := range 1 << 5 {
		for _, due := range []views.Due{"", views.DueOverdue, views.DueAtRisk} {
			query := views.QueueQuery{Mine: bits&1 != 0, Available: bits&2 != 0,
				ExpiredClaims: bits&4 != 0, Due: due}
			if bits&8 != 0 {
				query.Queue = domain.QueueL1
			}
			if bits&16 != 0 {
				query.Assignee = s.lea.UserID
			}
			for _, actor := range []domain.Actor{s.rita, s.lea, s.mia} {
				query.All = actor.UserID == s.mia.UserID
				now := s.now()
				want := slices.DeleteFunc(slices.Clone(s.reviews), func(review domain.Review) bool {
					return !s.matches(review, actor, query, now)
				})
				got := s.allPages(actor, query, 3)
				if !slices.Equal(sorted(idsOf(got)), sorted(idsOf(want))) {
					t.Errorf("%s with %+v: %d reviews, want %d", actor.Name, query, len(got),
						len(want))
				}
				combinations++
				if len(want) > 0 {
					nonEmpty++
				}
			}
		}
	}
	if nonEmpty < combinations/10 {
		t.Errorf("only %d of %d combinations select anything", nonEmpty, combinations)
	}
}

// The counters of a board agree with the lists that a click on each of them shows.
func TestCountersAgreeWithTheLists(t *testing.T) {
	t.Parallel()
	s := newQueueState(t)
	for _, actor := range []domain.Actor{s.rita, s.lea, s.mia} {
		counters, err := s.views.Counters(s.ctx, actor)
		must(t, err)
		late := views.QueueQuery{Mine: true}
		if actor.UserID == s.mia.UserID {
			late = views.QueueQuery{All: true}
		}
		overdue, atRisk := late, late
		overdue.Due, atRisk.Due = views.DueOverdue, views.DueAtRisk
		for name, counter := range map[string]struct {
			got   int64
			query views.QueueQuery
		}{
			"available":      {counters.Available, views.QueueQuery{Available: true}},
			"mine":           {counters.Mine, views.QueueQuery{Mine: true}},
			"expired claims": {counters.ExpiredClaims, views.QueueQuery{ExpiredClaims: true}},
			"overdue":        {counters.Overdue, overdue},
			"at risk":        {counters.AtRisk, atRisk},
		} {
			if listed := len(s.allPages(actor, counter.query, 100)); counter.got != int64(listed) {
				t.Errorf("%s of %s: %d, the list has %d", name, actor.Name, counter.got, listed)
			}
		}
	}
	mine, err := s.views.Counters(s.ctx, s.rita)
	must(t, err)
	if mine.Mine != 2 || mine.Overdue != 1 || mine.ExpiredClaims != 1 {
		t.Errorf("counters of rita: %+v", mine)
	}
}

// The counters of each queue agree with the reviews that are listed in it.
func TestQueueCountsAgreeWithTheLists(t *testing.T) {
	t.Parallel()
	s := newQueueState(t)
	for _, tc := range []struct {
		actor domain.Actor
		all   bool
	}{{s.rita, false}, {s.lea, false}, {s.mia, false}, {s.mia, true}} {
		counts, err := s.views.Queues(s.ctx, tc.actor, tc.all)
		must(t, err)
		want := map[string]views.QueueCount{}
		now := s.now()
		for _, review := range s.allPages(tc.actor, views.QueueQuery{All: tc.all}, 100) {
			count := want[review.Queue]
			count.Name = review.Queue
			switch {
			case review.Status == domain.ReviewClaimed:
				count.Claimed++
			case review.Assignee != domain.NoID:
				count.Assigned++
			default:
				count.Available++
			}
			if views.Overdue(review, now) {
				count.Overdue++
			}
			if views.AtRisk(review, now) {
				count.AtRisk++
			}
			want[review.Queue] = count
		}
		for _, count := range counts {
			expected := want[count.Name]
			expected.Name = count.Name // a user's own queue is listed even if it is empty
			if count != expected {
				t.Errorf("%s, all %v: %+v, want %+v", tc.actor.Name, tc.all, count, expected)
			}
			delete(want, count.Name)
		}
		if len(want) > 0 {
			t.Errorf("%s, all %v: queues %v are missing", tc.actor.Name, tc.all, want)
		}
	}
	own, err := s.views.Queues(s.ctx, s.mia, false)
	must(t, err)
	if !slices.ContainsFunc(own, func(c views.QueueCount) bool {
		return c == views.QueueCount{Name: domain.QueueL2}
	}) {
		t.Errorf("an empty queue of one's own is missing: %+v", own)
	}
}

// The list of unassigned reviews contains exactly those that the explanation says may be claimed.
func TestAvailableReviewsAreThoseThatMayBeClaimed(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	both := env.person("bo", domain.RoleSubmitter, domain.RoleSenior)
	rita, senior := env.person("rita", domain.RoleL1), env.person("lars", domain.RoleSenior)
	second, excluded := env.person("lena", domain.RoleL2), env.person("eva", domain.RoleL1)
	auditor := env.person("aud", domain.RoleAuditor)
	cases := []domain.ID{env.submit(sam, "2000.00"), env.submit(sam, "80000.00"),
		env.submit(sam, "900000.00"), env.submit(both, "3000.00"),
		env.submit(sam, "2500.00", "Beta AG")}
	env.declareConflict(excluded, "Beta AG")
	listed := 0
	for _, actor := range []domain.Actor{sam, both, rita, senior, second, excluded, auditor} {
		var available []domain.ID
		page, err := env.views.Queue(env.ctx, actor, views.QueueQuery{Available: true, First: 50})
		if !domain.HasCode(err, domain.NotPermitted) {
			must(t, err)
			available = idsOf(page.Reviews)
		}
		for _, id := range cases {
			review := env.reviewOf(id)
			allowed := false
			question, err := env.views.ReviewAccessQuestion(env.ctx, actor, review.ID)
			if err == nil {
				answer, explainErr := question.Explain(domain.ActClaim)
				must(t, explainErr)
				allowed = answer.Allowed
				if !allowed && answer.Sentence == "" {
					t.Errorf("%s is refused without a sentence", actor.Name)
				}
			} else if !domain.HasCode(err, domain.NotFound) &&
				!domain.HasCode(err, domain.ConflictOfInterest) {
				t.Fatal(err)
			}
			if isListed := slices.Contains(available, review.ID); isListed != allowed {
				t.Errorf("%s, case %s: listed %v, may claim %v", actor.Name, id, isListed, allowed)
			} else if isListed {
				listed++
			}
		}
	}
	if listed < 5 {
		t.Errorf("only %d reviews were listed", listed)
	}
}

// Only a manager who may reassign reads everyone's reviews.
func TestAllReviewsNeedTheRightToReassign(t *testing.T) {
	t.Parallel()
	s := newQueueState(t)
	for _, actor := range []domain.Actor{s.rita, s.aud} {
		_, err := s.views.Queue(s.ctx, actor, views.QueueQuery{All: true, First: 5})
		wantCode(t, err, domain.NotPermitted)
		_, err = s.views.Queues(s.ctx, actor, true)
		wantCode(t, err, domain.NotPermitted)
		_, err = s.views.Forecast(s.ctx, actor, domain.QueueL1, time.Hour)
		wantCode(t, err, domain.NotPermitted)
		_, err = s.views.Eligible(s.ctx, actor, s.reviews[6].ID)
		wantCode(t, err, domain.NotPermitted)
	}
	forecast, err := s.views.Forecast(s.ctx, s.mia, domain.QueueL1, time.Hour, 72*time.Hour)
	must(t, err)
	if len(forecast.Breaches) != 2 || forecast.Breaches[0].Count > forecast.Breaches[1].Count {
		t.Errorf("the forecast is not cumulative: %+v", forecast)
	}
}

// A review that left the list is returned in its present state to users who may still read it.
func TestRemovedReviewsAreReturnedToTheirReaders(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	rita, lea := env.person("rita", domain.RoleL1), env.person("lea", domain.RoleL1)
	outsider := env.person("otto", domain.RoleSubmitter)
	review := env.submitReviews(env.person("sam", domain.RoleSubmitter), 1, "2000.00")[0]
	env.claim(lea, review)
	for actor, want := range map[*domain.Actor]int{&rita: 1, &lea: 1, &outsider: 0} {
		left, err := env.views.RemovedFromQueue(env.ctx, *actor,
			[]domain.ID{review.ID, domain.NewID()})
		must(t, err)
		if len(left) != want || want == 1 && left[0].Assignee != lea.UserID {
			t.Errorf("%s reads %+v", actor.Name, left)
		}
	}
	none, err := env.views.RemovedFromQueue(env.ctx, rita, nil)
	must(t, err)
	if none == nil || len(none) != 0 {
		t.Errorf("without ids: %v", none)
	}
}

// A preview changes nothing and agrees with the command: what leaves one person reaches another.
func TestReassignmentPreviewAgreesWithTheCommand(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	rita, lea := env.person("rita", domain.RoleL1), env.person("lea", domain.RoleL1)
	mia, small := env.person("mia", domain.RoleManager), env.person("lena", domain.RoleL2)
	reviews := env.submitReviews(env.person("sam", domain.RoleSubmitter), 5, "2000.00")
	env.assign(mia, rita, reviews[:4]...)
	loads := func() map[domain.ID]int {
		counts, err := env.db.Reader().OpenReviewCounts(env.ctx,
			[]domain.ID{rita.UserID, lea.UserID, mia.UserID, small.UserID})
		must(t, err)
		return counts
	}
	before := loads()
	ids := append(idsOf(reviews), domain.NewID())
	preview, err := env.views.PreviewReassignment(env.ctx, mia, ids, lea.UserID)
	must(t, err)
	changes := preview.Loads
	if !slices.Equal(preview.Refused, ids[5:]) || fmt.Sprint(loads()) != fmt.Sprint(before) {
		t.Errorf("refused %v, loads %v after a preview of %v", preview.Refused, loads(), before)
	}
	env.assign(mia, lea, reviews...)
	after := loads()
	for _, change := range changes {
		if change.Before != before[change.Person] || change.After != after[change.Person] {
			t.Errorf("%+v, in fact from %d to %d", change, before[change.Person],
				after[change.Person])
		}
	}
	if len(changes) != 2 {
		t.Errorf("changes %+v", changes)
	}
	preview, err = env.views.PreviewReassignment(env.ctx, mia, idsOf(reviews), small.UserID)
	must(t, err)
	if len(preview.Refused) != len(reviews) {
		t.Errorf("a person of another level is assigned %d reviews", len(reviews)-len(preview.Refused))
	}
	preview, err = env.views.PreviewReassignment(env.ctx, mia, idsOf(reviews), lea.UserID)
	must(t, err)
	if !slices.Equal(preview.Loads, []views.LoadChange{{Person: lea.UserID, Before: 5, After: 5}}) ||
		preview.Kept != 5 {
		t.Errorf("five reviews that lea has are given to her: %+v", preview)
	}
	preview, err = env.views.PreviewReassignment(env.ctx, mia, idsOf(reviews), domain.NoID)
	must(t, err)
	moved := 0
	for _, change := range preview.Loads {
		if change.Person == mia.UserID {
			t.Errorf("the manager who spreads the work receives some: %+v", preview.Loads)
		}
		moved += change.After - change.Before
	}
	if len(preview.Refused) != 0 || moved != 0 {
		t.Errorf("spreading assigned reviews changes the sum of the loads by %d: %+v", moved,
			preview.Loads)
	}
	for _, ids := range [][]domain.ID{nil, make([]domain.ID, 201)} {
		_, err = env.views.PreviewReassignment(env.ctx, mia, ids, domain.NoID)
		wantCode(t, err, domain.InvalidInput)
	}
}

// A delegate sees the reviews of the delegator until the delegation ends, and on whose behalf.
func TestDelegatesSeeTheDelegatorsQueue(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	rita, lena := env.person("rita", domain.RoleL1), env.person("lena", domain.RoleL2)
	review := env.submitReviews(env.person("sam", domain.RoleSubmitter), 1, "2000.00")[0]
	alone, err := env.views.Queue(env.ctx, lena, views.QueueQuery{First: 5})
	must(t, err)
	_, err = env.views.Review(env.ctx, lena, review.ID)
	wantCode(t, err, domain.NotFound)
	end := env.now().Add(time.Hour).Truncate(time.Microsecond)
	_, err = env.service.CreateDelegation(env.ctx, rita, casework.CreateDelegation{
		Delegator: rita.UserID, Delegate: lena.UserID, Until: end})
	must(t, err)
	page, err := env.views.Queue(env.ctx, lena, views.QueueQuery{First: 5})
	must(t, err)
	if len(alone.Reviews) != 0 || !alone.Until.IsZero() || len(page.Reviews) != 1 ||
		!page.Until.Equal(end) {
		t.Errorf("without delegation %+v, with it %+v", alone, page)
	}
	question, err := env.views.ReviewAccessQuestion(env.ctx, lena, review.ID)
	must(t, err)
	if names := namesOf(question.Delegators()); !slices.Equal(names, []string{"rita"}) {
		t.Errorf("on behalf of %v", names)
	}
	if answer, err := question.Explain(domain.ActClaim); err != nil || answer.Allowed {
		t.Errorf("on their own behalf: %+v %v", answer, err)
	}
	right, err := env.views.MayWatch(env.ctx, lena, review.CaseID)
	must(t, err)
	if right.Audience != domain.AudienceStaff || !right.Until.Equal(end) || right.Left <= 0 ||
		right.Left > time.Hour {
		t.Errorf("the right to watch: %+v", right)
	}
	env.setClockOffset(2 * time.Hour)
	page, err = env.views.Queue(env.ctx, lena, views.QueueQuery{First: 5})
	must(t, err)
	if len(page.Reviews) != 0 {
		t.Errorf("after the end: %+v", page)
	}
	_, err = env.views.MayWatch(env.ctx, lena, review.CaseID)
	wantCode(t, err, domain.NotFound)
}
