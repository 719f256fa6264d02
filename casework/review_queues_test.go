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

// submitRemittance submits a remittance that waits for a reviewer at level 1 and returns its case.
func (env *testEnv) submitRemittance(by domain.Actor, number string) domain.ID {
	env.t.Helper()
	env.reader.mu.Lock()
	env.reader.xml = invoiceXML("120000.00", number)
	env.reader.mu.Unlock()
	submitted, err := env.svc.SubmitDocument(env.ctx, by,
		casework.SubmitDocument{File: upload(number), Process: "cross_border_remittance"})
	must(env.t, err)
	env.drainQueue()
	return submitted.CaseID
}

// newServiceOnSharedPool returns a second service on the same database pool.
func (env *testEnv) newServiceOnSharedPool() *casework.Service {
	env.t.Helper()
	svc, err := casework.New(env.db,
		casework.Ports{Reader: env.reader, Blobs: dirBlobs{env.t.TempDir()},
			Notifier: env.notifier}, casework.Settings{},
		slog.New(slog.NewTextHandler(io.Discard, nil)))
	must(env.t, err)
	env.t.Cleanup(func() { svc.Close(context.WithoutCancel(env.ctx)) })
	return svc
}

// setQueue sets the rule of a queue as the operator does, without a second person.
func (env *testEnv) setQueue(rule domain.QueueRule) domain.QueueRule {
	env.t.Helper()
	after, err := env.svc.SetQueue(env.ctx, domain.SystemActor(), casework.SetQueue{Rule: rule})
	must(env.t, err)
	return after.Rule
}

func TestRoundRobinRotates(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, max := env.person("sam", domain.RoleSubmitter), env.person("max", domain.RoleManager)
	people := []domain.ID{env.person("jo", domain.RoleL1).UserID,
		env.person("jill", domain.RoleL1).UserID, max.UserID}
	env.setQueue(domain.QueueRule{Name: domain.QueueL1, Strategy: domain.StrategyRoundRobin})
	slices.SortFunc(people, func(a, b domain.ID) int { return slices.Compare(a[:], b[:]) })
	for i := range 6 {
		id := env.submitRemittance(sam, "R-"+strconv.Itoa(i))
		if review := env.openReview(id); review.Assignee != people[i%3] ||
			review.Status != domain.ReviewOpen {
			t.Errorf("review %d is assigned to %s, want %s", i, review.Assignee, people[i%3])
		}
		if env.countEvents(id, domain.ReviewReassigned) != 1 {
			t.Errorf("events %v", env.eventTypes(id))
		}
	}
}

func TestLeastLoadedUpToTheCap(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	jo, jill := env.person("jo", domain.RoleL1), env.person("jill", domain.RoleL1)
	env.claim(jo, env.submitRemittance(sam, "before"))
	env.setQueue(domain.QueueRule{Name: domain.QueueL1, Strategy: domain.StrategyLeastLoaded, Cap: 2})
	assigned := map[domain.ID]int{}
	for i := range 4 {
		assigned[env.openReview(env.submitRemittance(sam, "R-"+strconv.Itoa(i))).Assignee]++
	}
	// Jo had one already, so each now has two, and the fourth waits to be claimed.
	if assigned[jo.UserID] != 1 || assigned[jill.UserID] != 2 || assigned[domain.NoID] != 1 {
		t.Errorf("assigned: %v; Jo is %s, Jill %s", assigned, jo.UserID, jill.UserID)
	}
}

func TestAssignmentBySkill(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	jo, jill := env.person("jo", domain.RoleL1), env.person("jill", domain.RoleL1)
	env.setQueue(domain.QueueRule{Name: domain.QueueL1, Strategy: domain.StrategySkill})
	unassigned := env.submitRemittance(sam, "R-1")
	must(t, errOf(
		env.svc.SetSkills(env.ctx, domain.SystemActor(),
			casework.SetSkills{Person: jill.UserID,
				Skills: []string{"remittance", " german ", "german"}})))
	must(t, errOf(
		env.svc.SetSkills(env.ctx, domain.SystemActor(),
			casework.SetSkills{Person: jo.UserID, Skills: []string{"german"}})))
	matching := env.submitRemittance(sam, "R-2")
	kind := env.caseByID(matching).DocumentType
	must(t, errOf(
		env.svc.SetSkills(env.ctx, domain.SystemActor(),
			casework.SetSkills{Person: jill.UserID, Skills: []string{kind}})))
	matching = env.submitRemittance(sam, "R-3")
	if env.openReview(unassigned).Assignee != domain.NoID ||
		env.openReview(matching).Assignee != jill.UserID {
		t.Errorf("of type %q: %s and %s", kind, env.openReview(unassigned).Assignee,
			env.openReview(matching).Assignee)
	}
}

// A review whose claim expired is assigned again, to another person if there is one.
func TestExpiredClaimIsReassigned(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	jo, jill := env.person("jo", domain.RoleL1), env.person("jill", domain.RoleL1)
	id := env.submitRemittance(sam, "R-1")
	env.claim(jo, id)
	env.setQueue(domain.QueueRule{Name: domain.QueueL1, Strategy: domain.StrategyLeastLoaded})
	env.setClockOffset(31 * time.Minute)
	n, err := env.svc.ExpireClaims(env.ctx)
	must(t, err)
	env.drainQueue()
	if review := env.openReview(id); n != 1 || review.Assignee == jo.UserID ||
		review.Assignee == domain.NoID {
		t.Errorf("%d claims expired; the review is assigned to %s, Jo is %s, Jill %s", n,
			review.Assignee, jo.UserID, jill.UserID)
	}
}

// Only eligible people are assigned a review: the submitter is skipped, also when it is their turn.
func TestSubmitterIsNeverAssignedTheirOwnCase(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	both, max := env.person("both", domain.RoleSubmitter, domain.RoleL1),
		env.person("max", domain.RoleManager)
	env.setQueue(domain.QueueRule{Name: domain.QueueL1, Strategy: domain.StrategyRoundRobin})
	for i := range 3 {
		if review := env.openReview(env.submitRemittance(both,
			"R-"+strconv.Itoa(i))); review.Assignee != max.UserID {
			t.Errorf("review %d is assigned to %s", i, review.Assignee)
		}
	}
}

func TestQueuePermissions(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	max, ann := env.person("max", domain.RoleManager), env.person("ann", domain.RoleAdmin)
	rule := domain.QueueRule{Name: domain.QueueL1, Strategy: domain.StrategyLeastLoaded, Cap: 5}
	for _, name := range []domain.Role{domain.RoleSubmitter, domain.RoleL1, domain.RoleL2,
		domain.RoleAuditor} {
		_, err := env.svc.SetQueue(env.ctx, env.person(string(name), name),
			casework.SetQueue{Rule: rule})
		wantCode(t, err, domain.NotPermitted)
	}
	once := casework.Once{Key: "q"}
	first, err := env.svc.SetQueue(env.ctx, max,
		casework.SetQueue{Once: once, Rule: rule, ExpectedVersion: "0"})
	must(t, err)
	again, err := env.svc.SetQueue(env.ctx, max,
		casework.SetQueue{Once: once, Rule: rule, ExpectedVersion: "0"})
	must(t, err)
	if first != again || first.ProposalID == domain.NoID || first.Rule.Version != 0 {
		t.Errorf("%+v, then %+v", first, again)
	}
	_, err = env.confirmed(max, first.ProposalID)
	wantCode(t, err, domain.NotPermitted)
	must(t, errOf(env.confirmed(ann, first.ProposalID)))
	_, err = env.svc.SetQueue(env.ctx, ann, casework.SetQueue{Rule: rule, ExpectedVersion: "0"})
	wantCode(t, err, domain.StaleVersion)
	same, err := env.svc.SetQueue(env.ctx, ann, casework.SetQueue{Rule: rule, ExpectedVersion: "1"})
	must(t, err)
	if same.ProposalID != domain.NoID || same.Rule.Cap != 5 {
		t.Errorf("an unchanged rule: %+v", same)
	}
	// A proposal is based on the rule that it was made for.
	rule.Cap = 6
	stale, err := env.svc.SetQueue(env.ctx, max, casework.SetQueue{Rule: rule})
	must(t, err)
	rule.Cap = 7
	env.setQueue(rule)
	_, err = env.confirmed(ann, stale.ProposalID)
	wantCode(t, err, domain.StaleVersion)
	for _, wrong := range []domain.QueueRule{
		{Name: "", Strategy: domain.StrategyPull}, {Name: "L1", Strategy: "guess"},
		{Name: "L1", Strategy: domain.StrategyPull, Cap: -1},
		{Name: "L1", Strategy: domain.StrategyPull, MoveAfterMissedClaims: 2},
		{Name: "L1", Strategy: domain.StrategyPull, MoveAfterMissedClaims: 2, MoveToQueue: "L1"},
		{Name: "L1", Strategy: domain.StrategyPull, Calendar: "none"},
	} {
		_, err := env.svc.SetQueue(env.ctx, max, casework.SetQueue{Rule: wrong})
		wantCode(t, err, domain.InvalidInput)
	}
}

// One administrator alone changes no calendar.
func TestCalendarsByTwo(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	max, ann := env.person("max", domain.RoleManager), env.person("ann", domain.RoleAdmin)
	in := casework.SetCalendar{Name: "office", Zone: "UTC", Holidays: []string{"2026-12-25"}}
	in.Hours[1] = []domain.TimeRange{{From: 540, To: 1020}}
	own, err := env.svc.SetCalendar(env.ctx, ann, in)
	must(t, err)
	_, err = env.confirmed(ann, own.ProposalID)
	wantCode(t, err, domain.FourEyes)
	must(t, errOf(env.svc.WithdrawControlChange(env.ctx, ann, casework.EndProposal{
		ProposalID: own.ProposalID, Reason: "again"})))
	proposed, err := env.svc.SetCalendar(env.ctx, max, in)
	must(t, err)
	known, err := env.db.Reader().Calendars(env.ctx)
	must(t, err)
	if len(known) != 0 {
		t.Fatalf("one person made %+v", known)
	}
	must(t, errOf(env.confirmed(ann, proposed.ProposalID)))
	if known, err = env.db.Reader().Calendars(env.ctx); err != nil || len(known) != 1 ||
		known[0].Zone != "UTC" || len(known[0].Hours[1]) != 1 || known[0].Holidays[0] != "2026-12-25" {
		t.Fatalf("%+v %v", known, err)
	}
	unchanged, err := env.svc.SetCalendar(env.ctx, max, in)
	must(t, err)
	if unchanged.ProposalID != domain.NoID {
		t.Error("an unchanged calendar was proposed")
	}
}

// Another process applies a change of the queue configuration at its next step, without any message
// between them.
func TestQueueConfigReloadsInEveryProcess(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, max := env.person("sam", domain.RoleSubmitter), env.person("max", domain.RoleManager)
	other := env.newServiceOnSharedPool()
	env.submitRemittance(sam, "R-0") // both services have loaded a queue configuration
	_, err := other.SetQueue(env.ctx, domain.SystemActor(),
		casework.SetQueue{Rule: domain.QueueRule{Name: domain.QueueL1,
			Strategy: domain.StrategyLeastLoaded}})
	must(t, err)
	if review := env.openReview(env.submitRemittance(sam, "R-1")); review.Assignee != max.UserID {
		t.Errorf("the review is assigned to %s", review.Assignee)
	}
}

// setOfficeHours sets working hours from Monday to Friday, 9 to 17, in the zone for a queue.
func (env *testEnv) setOfficeHours(queue, zone string) {
	env.t.Helper()
	var hours [7][]domain.TimeRange
	for day := time.Monday; day <= time.Friday; day++ {
		hours[day] = []domain.TimeRange{{From: 9 * 60, To: 17 * 60}}
	}
	must(env.t, errOf(
		env.svc.SetCalendar(env.ctx, domain.SystemActor(),
			casework.SetCalendar{Name: "office", Zone: zone, Hours: hours})))
	env.setQueue(domain.QueueRule{Name: queue, Strategy: domain.StrategyPull, Calendar: "office"})
}

func TestDeadlinesAreCountedInWorkingTime(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	env.person("jo", domain.RoleL1)
	env.setOfficeHours(domain.QueueL1, "Asia/Shanghai")
	calendars, err := env.db.Reader().Calendars(env.ctx)
	must(t, err)
	office := calendars[0]
	id := env.submitRemittance(sam, "R-1")
	review := env.openReview(id)
	reading, err := env.db.Reader().EventsAfter(env.ctx, id, 0, 1000)
	must(t, err)
	at := slices.IndexFunc(reading.Events,
		func(e domain.Event) bool { return e.Type == domain.ReviewOpened })
	// deadlines count from the step that opened the review; its row is written slightly later
	opened := reading.Events[at].At
	for name, c := range map[string]struct {
		at     time.Time
		within time.Duration
	}{
		"claim by":     {review.ClaimBy, 2 * time.Hour},
		"at risk from": {review.AtRiskFrom, 24 * time.Hour * 4 / 5},
		"decide by":    {review.DecideBy, 24 * time.Hour},
	} {
		if got := office.Between(opened, c.at); got != c.within {
			t.Errorf("%s %s: %s of work from %s, want %s", name, c.at, got, opened, c.within)
		}
	}
	env.setClockOffset(time.Until(review.ClaimBy) - 30*time.Minute)
	env.drainQueue()
	if env.countEvents(id, domain.ReviewOverdue) != 0 {
		t.Error("overdue before the deadline")
	}
	env.setClockOffset(time.Until(review.ClaimBy) + time.Minute)
	env.drainQueue()
	if env.countEvents(id, domain.ReviewOverdue) != 1 {
		t.Errorf("events %v", env.eventTypes(id))
	}
}

func TestPausedDeadlinesKeepRemainingTime(t *testing.T) {
	t.Parallel()
	env, id, jo, _ := newRemittanceEnv(t)
	max := env.person("max", domain.RoleManager)
	before := env.openReview(id)
	env.setClockOffset(time.Hour)
	_, err := env.svc.PauseDeadlines(env.ctx, max, casework.PauseDeadlines{CaseID: id})
	wantCode(t, err, domain.InvalidInput) // no reason
	_, err = env.svc.PauseDeadlines(env.ctx, jo,
		casework.PauseDeadlines{CaseID: id, Reason: "waiting"})
	wantCode(t, err, domain.NotPermitted)
	paused, err := env.svc.PauseDeadlines(env.ctx, max,
		casework.PauseDeadlines{CaseID: id, Reason: "the bank answers on Monday"})
	must(t, err)
	if len(paused.Reviews) != 1 || len(env.pendingDeadlines(id)) != 0 {
		t.Fatalf("%+v; pending %v", paused, env.pendingDeadlines(id))
	}
	env.setClockOffset(50 * time.Hour)
	env.drainQueue()
	if env.countEvents(id, domain.ReviewOverdue)+env.countEvents(id, domain.ReviewAtRisk) != 0 {
		t.Errorf("a paused review has deadline events: %v", env.eventTypes(id))
	}
	resumed, err := env.svc.ResumeDeadlines(env.ctx, max,
		casework.PauseDeadlines{ReviewID: before.ID})
	must(t, err)
	after := env.openReview(id)
	if len(resumed.Reviews) != 1 || after.Paused() {
		t.Fatalf("%+v, %+v", resumed, after)
	}
	for name, moved := range map[string]time.Duration{"claim by": after.ClaimBy.Sub(before.ClaimBy),
		"decide by": after.DecideBy.Sub(before.DecideBy),
		"at risk":   after.AtRiskFrom.Sub(before.AtRiskFrom)} {
		if (moved - 49*time.Hour).Abs() > time.Minute {
			t.Errorf("%s moved by %s in a pause of 49 h", name, moved)
		}
	}
	if got := env.pendingDeadlines(id); !slices.Equal(got,
		[]domain.RunKind{domain.RunKindAtRisk, domain.RunKindClaimBy, domain.RunKindDecideBy}) {
		t.Errorf("pending %v", got)
	}
	env.setClockOffset(50*time.Hour + 61*time.Minute)
	env.drainQueue()
	if env.countEvents(id, domain.ReviewOverdue) != 1 {
		t.Errorf("events %v", env.eventTypes(id))
	}
	again, err := env.svc.ResumeDeadlines(env.ctx, max,
		casework.PauseDeadlines{ReviewID: before.ID})
	must(t, err)
	if len(again.Reviews) != 0 || env.countEvents(id, domain.ReviewResumed) != 1 {
		t.Errorf("%+v, events %v", again, env.eventTypes(id))
	}
}

// After two missed deadlines the review moves to the managers' queue.
func TestReviewMovesToTheManagers(t *testing.T) {
	t.Parallel()
	env, id, _, _ := newRemittanceEnv(t)
	max := env.person("max", domain.RoleManager)
	env.setQueue(domain.QueueRule{Name: domain.QueueL1, Strategy: domain.StrategyPull,
		MoveAfterMissedClaims: 2, MoveToQueue: domain.QueueL2})
	env.setClockOffset(121 * time.Minute)
	env.drainQueue()
	if review := env.openReview(id); review.Queue != domain.QueueL1 || review.Breaches != 1 ||
		review.Assignee == domain.NoID {
		t.Fatalf("after the first deadline: %+v", review)
	}
	env.setClockOffset(242 * time.Minute)
	env.drainQueue()
	review := env.openReview(id)
	if review.Queue != domain.QueueL2 || review.Assignee != domain.NoID ||
		env.countEvents(id, domain.ReviewMoved) != 1 {
		t.Fatalf("after the second deadline: %+v; events %v", review, env.eventTypes(id))
	}
	claimed, err := env.svc.ClaimNextReview(env.ctx, max, casework.ClaimNext{})
	must(t, err)
	must(t, env.decide(max, claimed.ReviewID, domain.Approve, ""))
	env.drainQueue()
	if c := env.caseByID(id); c.Status != domain.Archived {
		t.Errorf("the case is %s", c.Status)
	}
	env.verifyCaseLog(id)
}
