package casework_test

import (
	"strings"
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
)

// limited is a process whose review its step ends after a time, with 24 h to decide.
func limited(after string) string {
	return strings.Replace(committeeProcess("    decide_within: 24h\n    escalate_to: L2\n    escalate_level: 2\n"),
		"after: 48h", "after: "+after, 1)
}

func newLimitedEnv(t *testing.T, after string) (env *testEnv, id domain.ID) {
	t.Helper()
	env = newTestEnv(t)
	env.publish(limited(after))
	return env, env.submitSlow(env.person("sam", domain.RoleSubmitter), "120.00", "R-1")
}

// end returns when the timer of the step ends its reviews.
func (env *testEnv) end(id domain.ID) time.Time {
	env.t.Helper()
	review := env.openReview(id)
	runs, err := env.db.Reader().RunsOf(env.ctx, id)
	must(env.t, err)
	timer := domain.StepTimer(runs, review.Node, review.Visit)
	if timer == nil {
		env.t.Fatalf("no timer in %+v", runs)
	}
	return timer.RunAfter
}

// The deadline of a review is the end of its step, if that comes first: lists sort by it and people are warned before
// it. No one decided too late, because the step has ended.
func TestTheEndOfAStepIsTheDeadlineOfItsReview(t *testing.T) {
	t.Parallel()
	env, id := newLimitedEnv(t, "30m")
	review := env.openReview(id)
	if !review.DecideBy.Equal(env.end(id)) {
		t.Fatalf("to decide by %s, the step ends at %s", review.DecideBy, env.end(id))
	}
	env.setClockOffset(20 * time.Minute)
	env.drainQueue()
	if n := env.countEvents(id, domain.ReviewAtRisk); n != 0 {
		t.Errorf("warned %d times after 20 minutes", n)
	}
	env.setClockOffset(25 * time.Minute)
	for range 2 { // delivered twice
		env.drainQueue()
	}
	if n := env.countEvents(id, domain.ReviewAtRisk); n != 1 {
		t.Errorf("warned %d times after 25 minutes", n)
	}
	env.setClockOffset(31 * time.Minute)
	for range 2 {
		env.drainQueue()
	}
	if node := env.openReview(id).Node; node != "late" || env.countEvents(id, domain.ReviewOverdue) != 0 {
		t.Errorf("at %s, events %v", node, env.eventTypes(id))
	}
	env.verifyRows(id)
}

func TestALaterEndOfAStepLeavesTheDeadline(t *testing.T) {
	t.Parallel()
	env, id := newLimitedEnv(t, "72h")
	review := env.openReview(id)
	if within := review.DecideBy.Sub(review.CreatedAt); within < 24*time.Hour-time.Minute || !review.DecideBy.Before(env.end(id)) {
		t.Errorf("to decide within %s", within)
	}
	env.setClockOffset(25 * time.Hour)
	env.drainQueue()
	if n := env.countEvents(id, domain.ReviewOverdue); n == 0 {
		t.Errorf("events %v", env.eventTypes(id))
	}
}

// A seat that opens later in the step, and a pause, which does not stop the time limit, keep its end.
func TestTheEndOfAStepStays(t *testing.T) {
	t.Parallel()
	env, id := newLimitedEnv(t, "6h")
	jo, max := env.person("jo", domain.RoleL1), env.person("max", domain.RoleManager)
	end := env.end(id)
	env.setClockOffset(time.Hour)
	must(t, errOf(env.svc.PauseDeadlines(env.ctx, max, casework.PauseDeadlines{CaseID: id, Reason: "a call"})))
	env.setClockOffset(3 * time.Hour)
	must(t, errOf(env.svc.ResumeDeadlines(env.ctx, max, casework.PauseDeadlines{CaseID: id})))
	if review := env.openReview(id); !review.DecideBy.Equal(end) || review.AtRiskFrom.After(end) {
		t.Errorf("after the pause to decide by %s, at risk from %s; the step ends at %s", review.DecideBy,
			review.AtRiskFrom, end)
	}
	must(t, env.decide(jo, env.claim(jo, id).ID, domain.Escalate, "please look"))
	if review := env.openReview(id); review.Level != 2 || !review.DecideBy.Equal(end) {
		t.Errorf("escalated: level %d, to decide by %s; the step ends at %s", review.Level, review.DecideBy, end)
	}
}

// addedLimit gives the review of document_approval a time limit.
var addedLimit = []string{"    # Low-risk documents up to",
	"    timeout: {after: 90m, to: seal_rejected}\n    # Low-risk documents up to"}

// A migration to a version with a time limit gives it to the reviews that are open.
func TestAMigrationBringsTheEndOfTheStep(t *testing.T) {
	t.Parallel()
	for name, restart := range map[string]bool{"kept deadlines": false, "deadlines that restart": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := newTestEnv(t)
			sam := env.person("sam", domain.RoleSubmitter)
			env.person("lea", domain.RoleSenior)
			ada, abe := env.admins()
			id := env.invoiceInReview(sam)
			before := env.openReview(id)
			env.setClockOffset(time.Hour)
			env.publishNext("document_approval", 1, addedLimit...)
			plan := casework.PlanMigration{Process: "document_approval", From: 1, To: 2, RestartDeadlines: restart}
			if progress := env.migrate(ada, abe, plan); progress.Count(domain.Moved) != 1 {
				t.Fatalf("%+v", progress)
			}
			after := env.openReview(id)
			if !after.DecideBy.Equal(env.end(id)) || after.DecideBy.After(before.DecideBy) {
				t.Errorf("to decide by %s, before by %s; the step ends at %s", after.DecideBy, before.DecideBy, env.end(id))
			}
			env.setClockOffset(3 * time.Hour)
			for range 2 {
				env.drainQueue()
			}
			if c := env.caseByID(id); c.Status != domain.Rejected {
				t.Errorf("after the end of the step the case is %s: %v", c.Status, env.eventTypes(id))
			}
			env.consistent()
		})
	}
}

// The undo of such a migration gives the reviews their former deadline, and their step no end.
func TestAnUndoTakesTheEndOfTheStepBack(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	env.person("lea", domain.RoleSenior)
	ada, abe := env.admins()
	id := env.invoiceInReview(sam)
	before := env.openReview(id)
	env.publishNext("document_approval", 1, addedLimit...)
	progress := env.migrate(ada, abe, casework.PlanMigration{Process: "document_approval", From: 1, To: 2})
	if after := env.openReview(id); !after.DecideBy.Before(before.DecideBy) {
		t.Fatalf("to decide by %s, before by %s", after.DecideBy, before.DecideBy)
	}
	if undone := env.undo(ada, abe, progress); undone.Count(domain.Moved) != 1 {
		t.Fatalf("%+v", undone)
	}
	if is := env.openReview(id); !is.DecideBy.Equal(before.DecideBy) || !is.AtRiskFrom.Equal(before.AtRiskFrom) {
		t.Errorf("to decide by %s, at risk from %s; before %s and %s", is.DecideBy, is.AtRiskFrom,
			before.DecideBy, before.AtRiskFrom)
	}
	env.setClockOffset(3 * time.Hour)
	for range 2 {
		env.drainQueue()
	}
	if c := env.caseByID(id); c.Status != domain.InReview {
		t.Errorf("at the end that was taken back the case is %s: %v", c.Status, env.eventTypes(id))
	}
	env.consistent()
}
