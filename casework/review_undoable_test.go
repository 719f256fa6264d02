package casework_test

import (
	"strings"
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
)

// quickProcess has one reviewer and no undo of its own: only approvals within its limits can be
// undone, if the reviewer asks for it.
var quickProcess = strings.NewReplacer("key: slow", "key: quick", "    seats: 2\n", "",
	"    undo: 10m\n", "", "max_amount: 20000000", "max_amount: 200000").Replace(slowProcess)

// newQuickEnv returns a test environment with a case of quickProcess that jo has claimed.
func newQuickEnv(t *testing.T, total string) (
	env *testEnv, sam, jo domain.Actor, claimed domain.Review) {
	t.Helper()
	env = newTestEnv(t)
	sam, jo = env.person("sam", domain.RoleSubmitter), env.person("jo", domain.RoleSenior)
	env.publish(quickProcess)
	env.reader.xml = invoiceXML(total, "Q-1")
	return env, sam, jo, env.claim(jo, env.submitTo(sam, "quick", "invoice", "Q-1"))
}

func undoable(on domain.Review, verdict domain.Verdict) casework.DecideReview {
	return casework.DecideReview{ReviewTarget: casework.ReviewTarget{ReviewID: on.ID},
		Verdict: verdict, Reason: "because", Undoable: true}
}

func TestUndoableApprovalHasNoEffectUntilItsTimeEnds(t *testing.T) {
	t.Parallel()
	env, _, jo, review := newQuickEnv(t, "1200.00")
	must(t, errOf(env.decideStating(jo, undoable(review, domain.Approve))))
	env.drainQueue()
	env.setClockOffset(18 * time.Minute)
	env.drainQueue()
	id := review.CaseID
	if c := env.caseByID(id); c.Status != domain.InReview || c.Outcome != "" || c.ManifestKey != "" {
		t.Fatalf("within the time the case is %s, outcome %q", c.Status, c.Outcome)
	}
	// The worker that had the effect was killed: the sweeper finds it, and it happens once.
	env.notifier.drain()
	env.setClockOffset(time.Hour)
	_, err := env.svc.UndoDecision(env.ctx, jo, casework.ReviewTarget{ReviewID: review.ID})
	wantCode(t, err, domain.StateMismatch)
	for range 2 {
		_, err := env.svc.Sweep(env.ctx)
		must(t, err)
		env.drainQueue()
	}
	if c := env.caseByID(id); c.Status != domain.Archived ||
		env.countEvents(id, domain.CaseArchived) != 1 {
		t.Errorf("the case is %s; events %v", c.Status, env.eventTypes(id))
	}
	env.verifyCaseLog(id)
}

func TestUndoGivesTheReviewBack(t *testing.T) {
	t.Parallel()
	env, _, jo, review := newQuickEnv(t, "1200.00")
	jill := env.person("jill", domain.RoleSenior)
	must(t, errOf(env.decideStating(jo, undoable(review, domain.Approve))))
	on := casework.ReviewTarget{ReviewID: review.ID}
	_, err := env.svc.UndoDecision(env.ctx, jill, on)
	wantCode(t, err, domain.NotPermitted)
	again, err := env.svc.UndoDecision(env.ctx, jo, on)
	must(t, err)
	// In another window: it says that the decision does not count, not that it took effect.
	_, err = env.svc.UndoDecision(env.ctx, jo, on)
	wantCode(t, err, domain.StateMismatch)
	if !strings.Contains(err.Error(), "no longer counts") {
		t.Errorf("the second undo says %q", err)
	}
	reopened, err := env.db.Reader().Review(env.ctx, again.ReviewID)
	must(t, err)
	if reopened.Assignee != jo.UserID || env.voteCount(review.CaseID) != 0 {
		t.Errorf("%+v, %d votes", reopened, env.voteCount(review.CaseID))
	}
	must(t, errOf(env.svc.ClaimReview(env.ctx, jo, casework.ReviewTarget{ReviewID: again.ReviewID})))
	env.setClockOffset(time.Hour)
	env.drainQueue()
	if c := env.caseByID(review.CaseID); c.Status != domain.InReview {
		t.Errorf("the undone approval had an effect: %s", c.Status)
	}
}

// Someone else acts within the time: the undo neither brings back an ended case nor claims that the
// approval took effect.
func TestUndoAfterTheCaseEnded(t *testing.T) {
	t.Parallel()
	env, sam, jo, review := newQuickEnv(t, "1200.00")
	must(t, errOf(env.decideStating(jo, undoable(review, domain.Approve))))
	must(t, errOf(env.svc.AbandonCase(env.ctx, sam, casework.AbandonCase{
		CaseTarget: casework.CaseTarget{CaseID: review.CaseID}, Reason: "sent twice"})))
	env.drainQueue()
	_, err := env.svc.UndoDecision(env.ctx, jo, casework.ReviewTarget{ReviewID: review.ID})
	wantCode(t, err, domain.StateMismatch)
	if !strings.Contains(err.Error(), "no longer counts") {
		t.Errorf("the undo says %q", err)
	}
	env.setClockOffset(time.Hour)
	env.drainQueue()
	if c := env.caseByID(review.CaseID); c.Status != domain.Abandoned ||
		env.countEvents(review.CaseID, domain.CaseArchived) != 0 {
		t.Errorf("the case is %s", c.Status)
	}
}

// A page that offers an undo never gives a final decision instead.
func TestUndoableIsRefusedWhereTheProcessHasNoUndo(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		total   string
		verdict domain.Verdict
		code    domain.Code
	}{
		"above the limit": {"2500.00", domain.Approve, domain.NotPermitted},
		"a rejection":     {"1200.00", domain.Reject, domain.NotPermitted},
	} {
		env, _, jo, review := newQuickEnv(t, test.total)
		_, err := env.decideStating(jo, undoable(review, test.verdict))
		wantCode(t, err, test.code)
		if env.voteCount(review.CaseID) != 0 {
			t.Errorf("%s: %d votes", name, env.voteCount(review.CaseID))
		}
		// Without the wish it is decided, immediately.
		in := undoable(review, test.verdict)
		in.Undoable = false
		must(t, errOf(env.decideStating(jo, in)))
		_, err = env.svc.UndoDecision(env.ctx, jo, casework.ReviewTarget{ReviewID: review.ID})
		wantCode(t, err, domain.StateMismatch)
	}
}

// A process with its own undo gives it to every verdict, and the longer time to approvals that ask.
func TestUndoableWithTheProcessesOwnUndo(t *testing.T) {
	t.Parallel()
	env, _, id := newSlowProcessEnv(t, "120000.00")
	jo := env.person("jo", domain.RoleL1)
	review := env.claim(jo, id)
	must(t, errOf(env.decideStating(jo, undoable(review, domain.Approve))))
	env.setClockOffset(15 * time.Minute)
	again, err := env.svc.UndoDecision(env.ctx, jo, casework.ReviewTarget{ReviewID: review.ID})
	must(t, err)
	must(t, errOf(env.svc.ClaimReview(env.ctx, jo, casework.ReviewTarget{ReviewID: again.ReviewID})))
	review, err = env.db.Reader().Review(env.ctx, again.ReviewID)
	must(t, err)
	must(t, errOf(env.decideStating(jo, undoable(review, domain.Reject))))
	env.setClockOffset(26 * time.Minute)
	_, err = env.svc.UndoDecision(env.ctx, jo, casework.ReviewTarget{ReviewID: review.ID})
	wantCode(t, err, domain.StateMismatch)
}

// Bulk limits do not lift a signature, and neither does the wish for an undo.
func TestUndoableApprovalStillNeedsItsSignature(t *testing.T) {
	t.Parallel()
	env := newSignedEnv(t)
	review := env.invoice(env.rita, "1500.00", "S-77")
	_, err := env.decideStating(env.rita, undoable(review, domain.Approve))
	wantCode(t, err, domain.SignatureRequired)
}
