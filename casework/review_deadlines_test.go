package casework_test

import (
	"slices"
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
)

// newRemittanceEnv returns a test environment with a remittance of 120,000 that waits for a
// reviewer, and two reviewers.
func newRemittanceEnv(t *testing.T) (env *testEnv, id domain.ID, jo, jill domain.Actor) {
	t.Helper()
	env = newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	jo, jill = env.person("jo", domain.RoleL1), env.person("jill", domain.RoleL1)
	env.reader.xml = invoiceXML("120000.00", "R-77")
	submitted, err := env.svc.SubmitDocument(env.ctx, sam,
		casework.SubmitDocument{File: upload("order"), Process: "cross_border_remittance"})
	must(t, err)
	env.drainQueue()
	return env, submitted.CaseID, jo, jill
}

func (env *testEnv) countEvents(id domain.ID, kind domain.EventType) int {
	n := 0
	for _, t := range env.eventTypes(id) {
		if t == kind {
			n++
		}
	}
	return n
}

// pendingDeadlines returns the kinds of the case's pending deadlines.
func (env *testEnv) pendingDeadlines(id domain.ID) []domain.RunKind {
	env.t.Helper()
	runs, err := env.db.Reader().RunsOf(env.ctx, id)
	must(env.t, err)
	var kinds []domain.RunKind
	for _, run := range runs {
		if run.Status == domain.RunPending {
			kinds = append(kinds, run.Kind)
		}
	}
	slices.Sort(kinds)
	return kinds
}

func TestUnclaimedReviewIsReassigned(t *testing.T) {
	t.Parallel()
	env, id, jo, jill := newRemittanceEnv(t)
	// Jo has a review already, so Jill has the fewest open reviews.
	env.reader.xml = invoiceXML("130000.00", "R-78")
	other := env.submit(env.person("sue", domain.RoleSubmitter), "other")
	env.drainQueue()
	env.claim(jo, other)

	env.setClockOffset(100 * time.Minute)
	env.drainQueue()
	if review := env.openReview(id); review.Assignee != domain.NoID ||
		env.countEvents(id, domain.ReviewOverdue) != 0 {
		t.Fatalf("before the deadline: %+v", review)
	}
	env.setClockOffset(121 * time.Minute)
	env.drainQueue()
	review := env.openReview(id)
	if review.Assignee != jill.UserID || env.countEvents(id, domain.ReviewOverdue) != 1 ||
		env.countEvents(id, domain.ReviewReassigned) != 1 {
		t.Fatalf("after two hours it is assigned to %s, Jill is %s; events %v", review.Assignee,
			jill.UserID, env.eventTypes(id))
	}
	// Jill does not claim it either, so it is reassigned to Jo.
	env.setClockOffset(242 * time.Minute)
	env.drainQueue()
	if review := env.openReview(id); review.Assignee != jo.UserID ||
		env.countEvents(id, domain.ReviewOverdue) != 2 {
		t.Fatalf("after four hours it is assigned to %s, Jo is %s", review.Assignee, jo.UserID)
	}
	must(t, errOf(env.svc.ClaimReview(env.ctx, jo, casework.ReviewTarget{ReviewID: review.ID})))
	must(t, env.decide(jo, review.ID, domain.Approve, ""))
	if pending := env.pendingDeadlines(id); len(pending) != 1 || pending[0] != domain.RunKindStage {
		t.Errorf("pending runs after the decision: %v", pending)
	}
	env.drainQueue()
	env.verifyCaseLog(id)
	if c := env.caseByID(id); c.Status != domain.Archived {
		t.Errorf("the case is %s", c.Status)
	}
}

// All processes were down at the deadline: the sweeper finds it, and it acts once.
func TestDeadlineAfterDowntime(t *testing.T) {
	t.Parallel()
	env, id, _, _ := newRemittanceEnv(t)
	env.notifier.drain() // simulates a lost queue
	env.setClockOffset(3 * time.Hour)
	n, err := env.svc.Sweep(env.ctx)
	must(t, err)
	if n == 0 {
		t.Fatal("the sweeper found nothing")
	}
	env.drainQueue()
	if env.countEvents(id, domain.ReviewOverdue) != 1 ||
		env.openReview(id).Assignee == domain.NoID {
		t.Errorf("events %v", env.eventTypes(id))
	}
}

func TestClaimInTimeIsNotOverdue(t *testing.T) {
	t.Parallel()
	env, id, jo, _ := newRemittanceEnv(t)
	review := env.claim(jo, id)
	env.setClockOffset(20 * time.Minute)
	env.drainQueue()
	must(t, errOf(env.svc.ReleaseReview(env.ctx, jo, casework.ReviewTarget{ReviewID: review.ID})))
	// The release restarted the time to claim: two hours.
	env.setClockOffset(121 * time.Minute)
	env.drainQueue()
	if env.countEvents(id, domain.ReviewOverdue) != 0 {
		t.Errorf("events %v", env.eventTypes(id))
	}
	env.setClockOffset(142 * time.Minute)
	env.drainQueue()
	if env.countEvents(id, domain.ReviewOverdue) != 1 {
		t.Errorf("events %v", env.eventTypes(id))
	}
}

// A person who claims and releases a review again and again does not keep it from its claim deadline: only the time
// in which it was claimed does not count.
func TestAReleaseKeepsTheClaimDeadline(t *testing.T) {
	t.Parallel()
	env, id, jo, _ := newRemittanceEnv(t)
	opened := env.openReview(id).ClaimBy
	at := time.Duration(0)
	for range 3 { // open for 39 minutes, claimed for two
		at += 39 * time.Minute
		env.setClockOffset(at)
		env.drainQueue()
		env.setClockOffset(at) // the queue advances the clock to runs of the next minute
		review := env.claim(jo, id)
		at += 2 * time.Minute
		env.setClockOffset(at)
		must(t, errOf(env.svc.ReleaseReview(env.ctx, jo, casework.ReviewTarget{ReviewID: review.ID})))
	}
	if later := env.openReview(id).ClaimBy.Sub(opened); later < 6*time.Minute-time.Second || later > 7*time.Minute {
		t.Errorf("the deadline moved by %s, not by the six minutes of the claims", later)
	}
	if env.countEvents(id, domain.ReviewOverdue) != 0 {
		t.Errorf("overdue before: %v", env.eventTypes(id))
	}
	env.setClockOffset(at + 4*time.Minute)
	for range 2 { // delivered twice
		env.drainQueue()
	}
	if env.countEvents(id, domain.ReviewOverdue) != 1 {
		t.Errorf("events %v", env.eventTypes(id))
	}
}

// If no other reviewer is eligible, the overdue event is emitted and the deadline restarts.
func TestOverdueWithoutEligibleReviewer(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	env.reader.xml = invoiceXML("120000.00", "R-77")
	submitted, err := env.svc.SubmitDocument(env.ctx, sam,
		casework.SubmitDocument{File: upload("order"), Process: "cross_border_remittance"})
	must(t, err)
	id := submitted.CaseID
	env.drainQueue()
	env.setClockOffset(121 * time.Minute)
	env.drainQueue()
	if env.countEvents(id, domain.ReviewOverdue) != 1 ||
		env.openReview(id).Assignee != domain.NoID {
		t.Fatalf("events %v", env.eventTypes(id))
	}
	jo := env.person("jo", domain.RoleL1)
	env.setClockOffset(242 * time.Minute)
	env.drainQueue()
	if env.openReview(id).Assignee != jo.UserID {
		t.Errorf("events %v", env.eventTypes(id))
	}
}

func TestDecisionDeadline(t *testing.T) {
	t.Parallel()
	env, id, jo, _ := newRemittanceEnv(t)
	env.claim(jo, id)
	env.setClockOffset(20 * time.Hour)
	env.drainQueue()
	if env.countEvents(id, domain.ReviewAtRisk) != 1 ||
		env.countEvents(id, domain.ReviewOverdue) != 0 {
		t.Errorf("after 20 of 24 hours: %v", env.eventTypes(id))
	}
	env.setClockOffset(25 * time.Hour)
	env.drainQueue()
	if env.countEvents(id, domain.ReviewAtRisk) != 1 ||
		env.countEvents(id, domain.ReviewOverdue) != 1 {
		t.Errorf("after 25 hours: %v", env.eventTypes(id))
	}
}

func errOf[T any](_ T, err error) error { return err }
