package casework_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
	"countersign/events"
	"countersign/events/generated"
)

// remindingProcess has a review with reminders four hours and one hour before its deadlines.
const remindingProcess = `
key: reminding
version: 1
on_abandon: seal_abandoned
remind_submitter: 72h
nodes:
  - {id: start, kind: start, next: read}
  - {id: read, kind: stage, behaviour: read, queue: ocr, next: extract}
  - {id: extract, kind: stage, behaviour: extract, next: review}
  - id: review
    kind: review
    queue: L1
    claim_within: 2h
    decide_within: 24h
    remind: [1h, 4h]
    escalate_to: L2
    on: {approve: archive, reject: seal_rejected, return: read}
` + sealNodes

// newReminderEnv returns a case of the process at its review, and two people who may claim it.
func newReminderEnv(t *testing.T) (env *testEnv, id domain.ID, jo, jill domain.Actor) {
	t.Helper()
	env = newTestEnv(t)
	jo, jill = env.person("jo", domain.RoleL1), env.person("jill", domain.RoleL1)
	env.publish(remindingProcess)
	return env, env.submitToProcess("reminding"), jo, jill
}

// reminders returns the reminders in the log of the case: the deadline and the time before it.
func (env *testEnv) reminders(id domain.ID) (found []string) {
	env.t.Helper()
	bodies, err := env.db.Reader().EventBodies(env.ctx, id, domain.ReviewReminded)
	must(env.t, err)
	for _, text := range bodies {
		body, err := events.Decode[generated.ReviewRemindedV1]([]byte(text))
		must(env.t, err)
		found = append(found, body.Deadline+" "+body.Before)
	}
	return found
}

func (env *testEnv) wantReminders(id domain.ID, want ...string) {
	env.t.Helper()
	env.drainQueue()
	if got := env.reminders(id); !slices.Equal(got, want) {
		env.t.Fatalf("the reminders are %q, want %q", got, want)
	}
}

// wantReminded checks the reminders among the notices of a person, the newest first, unread ones with a
// star.
func (env *testEnv) wantReminded(person domain.Actor, want string) {
	env.t.Helper()
	// An event after all others, for a person who may claim nothing.
	name := fmt.Sprintf("p%d", env.now().UnixNano())
	id, err := env.svc.PutUser(env.ctx, domain.SystemActor(), casework.PutUser{User: domain.User{
		Email: name + "@example.com", Name: name, Roles: []domain.Role{domain.RoleAML}}})
	must(env.t, err)
	last := domain.Actor{UserID: id, Name: name, Channel: domain.ChannelAPI}
	env.delegateTo(last)
	env.wantNotices(last, "delegation*")
	var found []string
	for _, kind := range strings.Fields(env.noticesOf(person)) {
		if strings.HasPrefix(kind, "reminder") {
			found = append(found, kind)
		}
	}
	if got := strings.Join(found, " "); got != want {
		env.t.Fatalf("%s has the reminders %q, want %q", person.Name, got, want)
	}
}

// An unclaimed review reminds the people who may claim it before the time to claim it ends, a claimed one
// its holder before the decision is due. Every task is delivered twice.
func TestReviewRemindsBeforeItsDeadlines(t *testing.T) {
	t.Parallel()
	env, id, jo, jill := newReminderEnv(t)
	amy, mia := env.amlOfficer("amy"), env.person("mia", domain.RoleManager)
	env.setClockOffset(55 * time.Minute)
	env.wantReminders(id)
	env.setClockOffset(61 * time.Minute)
	env.wantReminders(id, "claim_by 1h")
	env.wantReminded(jo, "reminder*")
	env.wantReminded(jill, "reminder*")
	env.claim(jo, id)
	env.wantReminded(jill, "reminder")
	env.setClockOffset(20*time.Hour + time.Minute)
	env.wantReminders(id, "claim_by 1h", "decide_by 4h")
	env.wantReminded(jo, "reminder* reminder")
	env.setClockOffset(23*time.Hour + time.Minute)
	env.wantReminders(id, "claim_by 1h", "decide_by 4h", "decide_by 1h")
	env.wantReminded(jo, "reminder* reminder reminder")
	must(t, errOf(env.svc.ExpireClaims(env.ctx)))
	review := env.claim(jo, id)
	must(t, env.decide(jo, review.ID, domain.Approve, ""))
	env.wantReminded(jo, "reminder reminder reminder")
	env.setClockOffset(30 * time.Hour)
	env.wantReminders(id, "claim_by 1h", "decide_by 4h", "decide_by 1h")
	env.verifyCaseLog(id)
	for _, person := range []domain.Actor{amy, mia} {
		env.wantReminded(person, "")
	}
}

// A worker died with the task, or no worker was there: the last reminder that is due is given once.
func TestReminderAfterDowntime(t *testing.T) {
	t.Parallel()
	env, id, jo, _ := newReminderEnv(t)
	env.claim(jo, id)
	lost := env.notifier.drain()
	env.setClockOffset(23*time.Hour + 20*time.Minute)
	must(t, errOf(env.svc.Sweep(env.ctx)))
	env.notifier.Enqueue(env.ctx, lost)
	env.wantReminders(id, "decide_by 1h")
	must(t, errOf(env.svc.Sweep(env.ctx)))
	env.wantReminders(id, "decide_by 1h")
	env.wantReminded(jo, "reminder*")
}

// A review without deadlines that run reminds no one: paused, returned, decided or escalated.
func TestNoReminderOfAWaitingReview(t *testing.T) {
	t.Parallel()
	for name, stop := range map[string]func(*testEnv, domain.ID, domain.Actor){
		"paused": func(env *testEnv, id domain.ID, _ domain.Actor) {
			must(env.t, errOf(env.svc.PauseDeadlines(env.ctx, env.person("max", domain.RoleManager),
				casework.PauseDeadlines{CaseID: id, Reason: "the bank answers on Monday"})))
		},
		"returned": func(env *testEnv, id domain.ID, jo domain.Actor) {
			must(env.t, env.decide(jo, env.openReview(id).ID, domain.Return, "the date is missing"))
		},
		"approved": func(env *testEnv, id domain.ID, jo domain.Actor) {
			must(env.t, env.decide(jo, env.openReview(id).ID, domain.Approve, ""))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env, id, jo, _ := newReminderEnv(t)
			env.claim(jo, id)
			stop(env, id, jo)
			env.setClockOffset(48 * time.Hour)
			env.wantReminders(id)
		})
	}
}

// A resumed review has its reminders before the new deadline, and a reassigned one those of its new time
// to claim. The reminder before the decision is not repeated.
func TestRemindersMoveWithTheDeadline(t *testing.T) {
	t.Parallel()
	env, id, jo, jill := newReminderEnv(t)
	max := env.person("max", domain.RoleManager)
	env.claim(jo, id)
	must(t, errOf(env.svc.PauseDeadlines(env.ctx, max,
		casework.PauseDeadlines{CaseID: id, Reason: "the bank answers on Monday"})))
	env.setClockOffset(10 * time.Hour)
	must(t, errOf(env.svc.ResumeDeadlines(env.ctx, max, casework.PauseDeadlines{CaseID: id})))
	env.setClockOffset(23*time.Hour + time.Minute)
	env.wantReminders(id)
	must(t, errOf(env.svc.ReassignReviews(env.ctx, max, casework.ReassignReviews{
		Reviews: []domain.ID{env.openReview(id).ID}, To: jill.UserID, Reason: "holidays"})))
	env.setClockOffset(24*time.Hour + 2*time.Minute)
	env.wantReminders(id, "claim_by 1h")
	env.wantReminded(jill, "reminder*")
	env.claim(jill, id)
	env.setClockOffset(30*time.Hour + time.Minute)
	env.wantReminders(id, "claim_by 1h", "decide_by 4h")
	for range 3 { // each release schedules the reminders again
		_, err := env.svc.ExpireClaims(env.ctx)
		must(t, err)
		env.claim(jill, id)
		env.setClockOffset(env.clockOffset + 40*time.Minute)
	}
	env.setClockOffset(33*time.Hour + time.Minute)
	env.wantReminders(id, "claim_by 1h", "decide_by 4h", "decide_by 1h")
	env.setClockOffset(36 * time.Hour)
	env.wantReminders(id, "claim_by 1h", "decide_by 4h", "decide_by 1h")
}

// Reminders count the working time of the queue, as its deadlines do.
func TestRemindersCountWorkingTime(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	jo := env.person("jo", domain.RoleL1)
	env.setOfficeHours(domain.QueueL1, "Asia/Shanghai")
	env.publish(remindingProcess)
	id := env.submitToProcess("reminding")
	env.claim(jo, id)
	calendars, err := env.db.Reader().Calendars(env.ctx)
	must(t, err)
	runs, err := env.db.Reader().RunsOf(env.ctx, id)
	must(t, err)
	due, counted := env.openReview(id).DecideBy, map[time.Duration]int{}
	for _, run := range runs {
		if run.Kind == domain.RunKindRemind {
			counted[calendars[0].Between(run.RunAfter, due)]++
		}
	}
	if counted[4*time.Hour] != 1 || counted[time.Hour] != 1 {
		t.Errorf("the reminders are %v of work before the decision", counted)
	}
}

// Reminders of a review that no one has reach a bounded number of people, and only those who may claim
// it: not its submitter, a person of another queue or one who is out of office.
func TestReminderOfAnUnclaimedReviewIsBounded(t *testing.T) {
	t.Parallel()
	env, id, jo, _ := newReminderEnv(t)
	for i := range 30 {
		env.person(fmt.Sprintf("l%d", i), domain.RoleL1)
	}
	must(t, errOf(env.svc.SetAbsence(env.ctx, jo, casework.SetAbsence{Person: jo.UserID,
		Until: env.now().Add(48 * time.Hour)})))
	env.setClockOffset(61 * time.Minute)
	env.wantReminders(id, "claim_by 1h")
	env.wantReminded(jo, "")
	var people, outside int
	must(t, env.owner.QueryRow(env.ctx, `SELECT count(*), count(*) FILTER (WHERE NOT EXISTS (SELECT FROM
		user_queues q WHERE q.user_id = n.recipient AND q.queue = 'L1')) FROM notices n
		WHERE kind = 'reminder'`).Scan(&people, &outside))
	if people != 20 || outside != 0 {
		t.Errorf("%d people were reminded, %d of them of other queues", people, outside)
	}
}

// A reminder whose review was given to another person or decided before the notices are made reaches no
// one who has nothing to do with it any more.
func TestReminderIsStillTrueWhenItIsMade(t *testing.T) {
	t.Parallel()
	env, id, jo, jill := newReminderEnv(t)
	env.setClockOffset(61 * time.Minute)
	env.wantReminders(id, "claim_by 1h")
	env.claim(jo, id)
	env.wantReminded(jo, "")
	env.wantReminded(jill, "")
}

// A running review has the reminders of the version that its case moves to, and those of the old
// version are not given.
func TestRemindersOfAMigratedCase(t *testing.T) {
	t.Parallel()
	env, id, jo, _ := newReminderEnv(t)
	ada, abe := env.admins()
	env.claim(jo, id)
	env.publishNext("reminding", 1, "remind: [1h, 4h]", "remind: [3h]")
	env.publishNext("reminding", 2, "remind: [3h]", "undo: 1m")
	first := env.openReview(id).Version
	for _, plan := range []casework.PlanMigration{{Process: "reminding", From: 1, To: 2},
		{Process: "reminding", From: 2, To: 3}} {
		if progress := env.migrate(ada, abe, plan); progress.Count(domain.Moved) != 1 {
			t.Fatalf("%+v", progress)
		}
		if plan.From == 1 {
			env.setClockOffset(20*time.Hour + time.Minute)
			env.wantReminders(id)
			env.setClockOffset(21*time.Hour + time.Minute)
			env.wantReminders(id, "decide_by 3h")
		}
	}
	env.setClockOffset(23*time.Hour + time.Minute)
	env.wantReminders(id, "decide_by 3h")
	if version := env.openReview(id).Version; version != first+2 {
		t.Errorf("the review has the version %d", version)
	}
	env.consistent()
}

// The submitter of a returned document is reminded once while the case waits for them, and not after the
// answer. Each return has its own reminder.
func TestSubmitterIsRemindedOfAReturn(t *testing.T) {
	t.Parallel()
	env, id, jo, _ := newReminderEnv(t)
	sam := domain.Actor{UserID: env.caseByID(id).Submitter, Channel: domain.ChannelAPI}
	giveBack := func() {
		review := env.claim(jo, id)
		must(t, env.decide(jo, review.ID, domain.Return, "the date is missing"))
	}
	answer := func() {
		must(t, errOf(env.svc.ResubmitCase(env.ctx, sam, casework.ResubmitCase{
			CaseTarget: casework.CaseTarget{CaseID: id}, Comment: "it is there"})))
		env.drainQueue()
	}
	giveBack()
	env.setClockOffset(71 * time.Hour)
	env.drainQueue()
	answer()
	env.setClockOffset(73 * time.Hour)
	env.drainQueue()
	if n := env.countEvents(id, "case.reminded"); n != 0 {
		t.Fatalf("%d reminders of an answered return", n)
	}
	giveBack()
	env.setClockOffset(146 * time.Hour)
	env.drainQueue()
	if n := env.countEvents(id, "case.reminded"); n != 1 {
		t.Fatalf("%d reminders, events %v", n, env.eventTypes(id))
	}
	env.wantReminded(sam, "reminder*")
	env.wantReminded(jo, "")
	answer()
	env.wantReminded(sam, "reminder")
	env.setClockOffset(300 * time.Hour)
	env.drainQueue()
	if n := env.countEvents(id, "case.reminded"); n != 1 {
		t.Errorf("%d reminders after the answer", n)
	}
	env.verifyCaseLog(id)
}

// A reminder names no case to a person who may not see it: those who cannot claim an AML review are not
// reminded, and the reminder of a person who loses the right later is not shown any more.
func TestRemindersKeepTheRightsOfTheirCase(t *testing.T) {
	t.Parallel()
	env, id, jo, jill := newReminderEnv(t)
	amy := env.amlOfficer("amy")
	env.publish(strings.NewReplacer("key: reminding", "key: screening", "queue: L1", "queue: AML").
		Replace(remindingProcess))
	screened := env.submitToProcess("screening")
	env.setClockOffset(62 * time.Minute)
	env.wantReminders(id, "claim_by 1h")
	env.wantReminders(screened, "claim_by 1h")
	env.wantReminded(jo, "reminder*")
	env.wantReminded(jill, "reminder*")
	env.wantReminded(amy, "reminder*")
	shown := func(person domain.Actor) string {
		list, err := env.newViews().NoticeList(env.ctx, person, domain.NoticeQuery{Limit: 10})
		must(t, err)
		var lines []string
		for _, line := range list.Lines {
			lines = append(lines, string(line.Kind)+" "+line.Reference+" "+line.Queue)
		}
		return strings.Join(lines, ", ")
	}
	if got := shown(jill); got != "reminder "+env.caseByID(id).Reference+" L1" {
		t.Errorf("Jill is shown %q", got)
	}
	if got := shown(amy); got != "reminder "+env.caseByID(screened).Reference+" AML" {
		t.Errorf("Amy is shown %q", got)
	}
	must(t, errOf(env.svc.DeclareConflict(env.ctx, jill, casework.DeclareConflict{Person: jill.UserID,
		Party: env.caseByID(id).Counterparty, Reason: "family"})))
	if got := shown(jill); got != "" {
		t.Errorf("Jill is shown %q after her conflict of interest", got)
	}
}
