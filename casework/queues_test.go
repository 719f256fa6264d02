package casework_test

import (
	"context"
	"io"
	"log/slog"
	"slices"
	"strconv"
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
)

// order submits a remittance that waits for a reviewer at level 1 and returns its case.
func (w *world) order(by domain.Actor, number string) domain.ID {
	w.t.Helper()
	w.desk.mu.Lock()
	w.desk.xml = invoiceXML("120000.00", number)
	w.desk.mu.Unlock()
	submitted, err := w.hall.SubmitDocument(w.ctx, by, casework.SubmitDocument{File: upload(number), Process: "cross_border_remittance"})
	must(w.t, err)
	w.work()
	return submitted.CaseID
}

// another is a second process on the same database.
func (w *world) another() *casework.Hall {
	w.t.Helper()
	hall, err := casework.New(w.db, casework.Ports{Reader: w.desk, Blobs: folder{w.t.TempDir()}, Bell: w.bell}, casework.Settings{},
		slog.New(slog.NewTextHandler(io.Discard, nil)))
	must(w.t, err)
	w.t.Cleanup(func() { hall.Close(context.WithoutCancel(w.ctx)) })
	return hall
}

// queue sets how a queue works.
func (w *world) queue(by domain.Actor, rule domain.QueueRule) domain.QueueRule {
	w.t.Helper()
	after, err := w.hall.SetQueue(w.ctx, by, casework.SetQueue{Rule: rule})
	must(w.t, err)
	return after
}

func TestRoundRobinGivesEachTheirTurn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sam, max := w.person("sam", domain.RoleSubmitter), w.person("max", domain.RoleManager)
	people := []domain.ID{w.person("jo", domain.RoleL1).UserID, w.person("jill", domain.RoleL1).UserID, max.UserID}
	w.queue(max, domain.QueueRule{Name: domain.QueueL1, Strategy: domain.StrategyRoundRobin})
	slices.SortFunc(people, func(a, b domain.ID) int { return slices.Compare(a[:], b[:]) })
	for i := range 6 {
		id := w.order(sam, "R-"+strconv.Itoa(i))
		if review := w.openReview(id); review.Assignee != people[i%3] || review.Status != domain.ReviewOpen {
			t.Errorf("review %d is with %s, its turn is %s", i, review.Assignee, people[i%3])
		}
		if w.count(id, domain.ReviewReassigned) != 1 {
			t.Errorf("events %v", w.types(id))
		}
	}
}

func TestLeastLoadedUpToTheCap(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sam, ann := w.person("sam", domain.RoleSubmitter), w.person("ann", domain.RoleAdmin)
	jo, jill := w.person("jo", domain.RoleL1), w.person("jill", domain.RoleL1)
	w.claim(jo, w.order(sam, "before"))
	w.queue(ann, domain.QueueRule{Name: domain.QueueL1, Strategy: domain.StrategyLeastLoaded, Cap: 2})
	given := map[domain.ID]int{}
	for i := range 4 {
		given[w.openReview(w.order(sam, "R-"+strconv.Itoa(i))).Assignee]++
	}
	// Jo had one, so each has two now, and the fourth waits for whoever takes it.
	if given[jo.UserID] != 1 || given[jill.UserID] != 2 || given[domain.NoID] != 1 {
		t.Errorf("given out: %v; Jo is %s, Jill %s", given, jo.UserID, jill.UserID)
	}
}

func TestSkillsDecideWhoIsGivenIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sam, max := w.person("sam", domain.RoleSubmitter), w.person("max", domain.RoleManager)
	jo, jill := w.person("jo", domain.RoleL1), w.person("jill", domain.RoleL1)
	w.queue(max, domain.QueueRule{Name: domain.QueueL1, Strategy: domain.StrategySkill})
	nobody := w.order(sam, "R-1")
	must(t, first(w.hall.SetSkills(w.ctx, max, casework.SetSkills{Person: jill.UserID, Skills: []string{"remittance", " german ", "german"}})))
	must(t, first(w.hall.SetSkills(w.ctx, max, casework.SetSkills{Person: jo.UserID, Skills: []string{"german"}})))
	hers := w.order(sam, "R-2")
	kind := w.kase(hers).DocumentType
	must(t, first(w.hall.SetSkills(w.ctx, max, casework.SetSkills{Person: jill.UserID, Skills: []string{kind}})))
	hers = w.order(sam, "R-3")
	if w.openReview(nobody).Assignee != domain.NoID || w.openReview(hers).Assignee != jill.UserID {
		t.Errorf("of type %q: %s and %s", kind, w.openReview(nobody).Assignee, w.openReview(hers).Assignee)
	}
}

// A review whose claim ran out is given out again, and not to the same person when there is another.
func TestLapsedReviewIsGivenToAnother(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sam, max := w.person("sam", domain.RoleSubmitter), w.person("max", domain.RoleManager)
	jo, jill := w.person("jo", domain.RoleL1), w.person("jill", domain.RoleL1)
	id := w.order(sam, "R-1")
	w.claim(jo, id)
	w.queue(max, domain.QueueRule{Name: domain.QueueL1, Strategy: domain.StrategyLeastLoaded})
	w.later(31 * time.Minute)
	n, err := w.hall.LapseClaims(w.ctx)
	must(t, err)
	w.work()
	if review := w.openReview(id); n != 1 || review.Assignee == jo.UserID || review.Assignee == domain.NoID {
		t.Errorf("%d lapsed; it is with %s, Jo is %s, Jill %s", n, review.Assignee, jo.UserID, jill.UserID)
	}
}

// Nobody but the eligible is ever given a review: whoever submitted it is left out, also when it is their turn.
func TestSubmitterIsNeverGivenTheirOwn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	both, max := w.person("both", domain.RoleSubmitter, domain.RoleL1), w.person("max", domain.RoleManager)
	w.queue(max, domain.QueueRule{Name: domain.QueueL1, Strategy: domain.StrategyRoundRobin})
	for i := range 3 {
		if review := w.openReview(w.order(both, "R-"+strconv.Itoa(i))); review.Assignee != max.UserID {
			t.Errorf("review %d is with %s", i, review.Assignee)
		}
	}
}

func TestWhoMaySetQueues(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	max, ann := w.person("max", domain.RoleManager), w.person("ann", domain.RoleAdmin)
	rule := domain.QueueRule{Name: domain.QueueL1, Strategy: domain.StrategyLeastLoaded, Cap: 5}
	for _, name := range []domain.Role{domain.RoleSubmitter, domain.RoleL1, domain.RoleL2, domain.RoleAuditor} {
		_, err := w.hall.SetQueue(w.ctx, w.person(string(name), name), casework.SetQueue{Rule: rule})
		wantCode(t, err, domain.NotPermitted)
	}
	once := casework.Once{Key: "q"}
	first, err := w.hall.SetQueue(w.ctx, max, casework.SetQueue{Once: once, Rule: rule, ExpectedVersion: "0"})
	must(t, err)
	again, err := w.hall.SetQueue(w.ctx, max, casework.SetQueue{Once: once, Rule: rule, ExpectedVersion: "0"})
	must(t, err)
	if first != again || first.Version != 1 {
		t.Errorf("%+v, then %+v", first, again)
	}
	_, err = w.hall.SetQueue(w.ctx, ann, casework.SetQueue{Rule: rule, ExpectedVersion: "0"})
	wantCode(t, err, domain.StaleVersion)
	for _, wrong := range []domain.QueueRule{
		{Name: "", Strategy: domain.StrategyPull}, {Name: "L1", Strategy: "guess"}, {Name: "L1", Strategy: domain.StrategyPull, Cap: -1},
		{Name: "L1", Strategy: domain.StrategyPull, HandAfter: 2}, {Name: "L1", Strategy: domain.StrategyPull, HandAfter: 2, HandTo: "L1"},
		{Name: "L1", Strategy: domain.StrategyPull, Calendar: "none"},
	} {
		_, err := w.hall.SetQueue(w.ctx, max, casework.SetQueue{Rule: wrong})
		wantCode(t, err, domain.InvalidInput)
	}
}

// A change of the book is known to another process at its next step, without a word between them.
func TestBookIsReadAnewEverywhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sam, max := w.person("sam", domain.RoleSubmitter), w.person("max", domain.RoleManager)
	other := w.another()
	w.order(sam, "R-0") // both halls have read a book
	_, err := other.SetQueue(w.ctx, max, casework.SetQueue{Rule: domain.QueueRule{Name: domain.QueueL1, Strategy: domain.StrategyLeastLoaded}})
	must(t, err)
	if review := w.openReview(w.order(sam, "R-1")); review.Assignee != max.UserID {
		t.Errorf("it is with %s", review.Assignee)
	}
}

// office sets working hours of Monday to Friday from 9 to 17 in the zone for a queue.
func (w *world) office(by domain.Actor, queue, zone string) {
	w.t.Helper()
	var hours [7][]domain.Span
	for day := time.Monday; day <= time.Friday; day++ {
		hours[day] = []domain.Span{{From: 9 * 60, To: 17 * 60}}
	}
	must(w.t, first(w.hall.SetCalendar(w.ctx, by, casework.SetCalendar{Name: "office", Zone: zone, Hours: hours})))
	w.queue(by, domain.QueueRule{Name: queue, Strategy: domain.StrategyPull, Calendar: "office"})
}

func TestDeadlinesAreCountedInWorkingTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sam, max := w.person("sam", domain.RoleSubmitter), w.person("max", domain.RoleManager)
	w.person("jo", domain.RoleL1)
	w.office(max, domain.QueueL1, "Asia/Shanghai")
	calendars, err := w.db.Reader().Calendars(w.ctx)
	must(t, err)
	office := calendars[0]
	id := w.order(sam, "R-1")
	review := w.openReview(id)
	for name, c := range map[string]struct {
		at     time.Time
		within time.Duration
	}{
		"claim by": {review.ClaimBy, 2 * time.Hour}, "at risk from": {review.AtRiskFrom, 24 * time.Hour * 4 / 5}, "decide by": {review.DecideBy, 24 * time.Hour},
	} {
		if got := office.Between(review.CreatedAt, c.at); got != c.within {
			t.Errorf("%s %s: %s of work from %s, want %s", name, c.at, got, review.CreatedAt, c.within)
		}
	}
	w.later(time.Until(review.ClaimBy) - 30*time.Minute)
	w.work()
	if w.count(id, domain.ReviewOverdue) != 0 {
		t.Error("overdue before its time")
	}
	w.later(time.Until(review.ClaimBy) + time.Minute)
	w.work()
	if w.count(id, domain.ReviewOverdue) != 1 {
		t.Errorf("events %v", w.types(id))
	}
}

func TestPausedDeadlinesKeepTheTimeThatIsLeft(t *testing.T) {
	t.Parallel()
	w, id, jo, _ := remitted(t)
	max := w.person("max", domain.RoleManager)
	before := w.openReview(id)
	w.later(time.Hour)
	_, err := w.hall.PauseDeadlines(w.ctx, max, casework.PauseDeadlines{CaseID: id})
	wantCode(t, err, domain.InvalidInput) // no reason
	_, err = w.hall.PauseDeadlines(w.ctx, jo, casework.PauseDeadlines{CaseID: id, Reason: "waiting"})
	wantCode(t, err, domain.NotPermitted)
	paused, err := w.hall.PauseDeadlines(w.ctx, max, casework.PauseDeadlines{CaseID: id, Reason: "the bank answers on Monday"})
	must(t, err)
	if len(paused.Reviews) != 1 || len(w.pendingDeadlines(id)) != 0 {
		t.Fatalf("%+v; there wait %v", paused, w.pendingDeadlines(id))
	}
	w.later(50 * time.Hour)
	w.work()
	if w.count(id, domain.ReviewOverdue)+w.count(id, domain.ReviewAtRisk) != 0 {
		t.Errorf("a paused review was told to be late: %v", w.types(id))
	}
	resumed, err := w.hall.ResumeDeadlines(w.ctx, max, casework.PauseDeadlines{ReviewID: before.ID})
	must(t, err)
	after := w.openReview(id)
	if len(resumed.Reviews) != 1 || after.Paused() {
		t.Fatalf("%+v, %+v", resumed, after)
	}
	for name, moved := range map[string]time.Duration{"claim by": after.ClaimBy.Sub(before.ClaimBy), "decide by": after.DecideBy.Sub(before.DecideBy),
		"at risk": after.AtRiskFrom.Sub(before.AtRiskFrom)} {
		if (moved - 49*time.Hour).Abs() > time.Minute {
			t.Errorf("%s moved by %s in a pause of 49 h", name, moved)
		}
	}
	if got := w.pendingDeadlines(id); !slices.Equal(got, []domain.RunKind{domain.KindAtRisk, domain.KindClaimBy, domain.KindDecideBy}) {
		t.Errorf("there wait %v", got)
	}
	w.later(50*time.Hour + 61*time.Minute)
	w.work()
	if w.count(id, domain.ReviewOverdue) != 1 {
		t.Errorf("events %v", w.types(id))
	}
	again, err := w.hall.ResumeDeadlines(w.ctx, max, casework.PauseDeadlines{ReviewID: before.ID})
	must(t, err)
	if len(again.Reviews) != 0 || w.count(id, domain.ReviewResumed) != 1 {
		t.Errorf("%+v, events %v", again, w.types(id))
	}
}

// Nobody claims it twice: the third time it is the managers'.
func TestReviewMovesToTheManagers(t *testing.T) {
	t.Parallel()
	w, id, _, _ := remitted(t)
	max := w.person("max", domain.RoleManager)
	w.queue(max, domain.QueueRule{Name: domain.QueueL1, Strategy: domain.StrategyPull, HandAfter: 2, HandTo: domain.QueueL2})
	w.later(121 * time.Minute)
	w.work()
	if review := w.openReview(id); review.Queue != domain.QueueL1 || review.Breaches != 1 || review.Assignee == domain.NoID {
		t.Fatalf("after the first time: %+v", review)
	}
	w.later(242 * time.Minute)
	w.work()
	review := w.openReview(id)
	if review.Queue != domain.QueueL2 || review.Assignee != domain.NoID || w.count(id, domain.ReviewMoved) != 1 {
		t.Fatalf("after the second time: %+v; events %v", review, w.types(id))
	}
	claimed, err := w.hall.ClaimNextReview(w.ctx, max, casework.Once{})
	must(t, err)
	must(t, w.decide(max, claimed.ReviewID, domain.Approve, ""))
	w.work()
	if c := w.kase(id); c.Status != domain.Archived {
		t.Errorf("the case is %s", c.Status)
	}
	w.verify(id)
}
