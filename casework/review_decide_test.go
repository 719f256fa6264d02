package casework_test

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
)

// slowProcess requires two reviewers, allows them to undo a decision, and allows managers to reopen
// closed cases.
const slowProcess = `
key: slow
version: 1
on_abandon: seal_abandoned
re_enter: validate
reopen: [rejected, abandoned]
key_facts: [amount, currency, counterparty, account, document_hash]
nodes:
  - {id: start, kind: start, next: read}
  - {id: read, kind: stage, behaviour: read, queue: ocr, next: extract}
  - {id: extract, kind: stage, behaviour: extract, next: validate}
  - {id: validate, kind: stage, behaviour: validate, next: assess}
  - {id: assess, kind: stage, behaviour: assess, next: review}
  - id: review
    kind: review
    queue: L1
    seats: 2
    undo: 10m
    bulk: {max_amount: 20000000, max_risk: 100, undo: 20m}
    on: {approve: archive, reject: seal_rejected, return: validate}
` + sealNodes

// newSlowProcessEnv returns a test environment with a case of slowProcess in review.
func newSlowProcessEnv(t *testing.T, total string) (env *testEnv, sam domain.Actor, id domain.ID) {
	t.Helper()
	env = newTestEnv(t)
	sam = env.person("sam", domain.RoleSubmitter)
	env.publish(slowProcess)
	return env, sam, env.submitSlow(sam, total, "R-1")
}

func (env *testEnv) submitSlow(by domain.Actor, total, number string) domain.ID {
	env.t.Helper()
	env.reader.mu.Lock()
	env.reader.xml = invoiceXML(total, number)
	env.reader.mu.Unlock()
	submitted, err := env.svc.SubmitDocument(env.ctx, by,
		casework.SubmitDocument{File: upload(number), Process: "slow"})
	must(env.t, err)
	env.drainQueue()
	return submitted.CaseID
}

// undecidedReviews returns the case's open and claimed reviews.
func (env *testEnv) undecidedReviews(id domain.ID) []domain.Review {
	env.t.Helper()
	reviews, err := env.db.Reader().ReviewsOf(env.ctx, id)
	must(env.t, err)
	return slices.DeleteFunc(reviews,
		func(r domain.Review) bool {
			return r.Status != domain.ReviewOpen &&
				r.Status != domain.ReviewClaimed
		})
}

func (env *testEnv) voteCount(id domain.ID) int {
	env.t.Helper()
	exclusions, err := env.db.Reader().Exclusions(env.ctx, id, nil)
	must(env.t, err)
	return len(exclusions.Votes)
}

// decideNextSeat claims the first seat that the person may claim and decides it.
func (env *testEnv) decideNextSeat(
	by domain.Actor, id domain.ID, verdict domain.Verdict,
) domain.ID {
	env.t.Helper()
	for _, review := range env.undecidedReviews(id) {
		if _, err := env.svc.ClaimReview(env.ctx, by,
			casework.ReviewTarget{ReviewID: review.ID}); err == nil {
			must(env.t, env.decide(by, review.ID, verdict, "because"))
			return review.ID
		}
	}
	env.t.Fatalf("no open seat for %s on %s", by.Name, id)
	return domain.NoID
}

func TestDecisionCanBeUndoneUntilItTakesEffect(t *testing.T) {
	t.Parallel()
	env, _, id := newSlowProcessEnv(t, "120000.00")
	jo, jill := env.person("jo", domain.RoleL1), env.person("jill", domain.RoleL1)
	seat := env.decideNextSeat(jo, id, domain.Reject)
	env.drainQueue()
	if c := env.caseByID(id); c.Status != domain.InReview || env.voteCount(id) != 1 {
		t.Fatalf("before the decision takes effect the case is %s with %d votes", c.Status,
			env.voteCount(id))
	}
	_, err := env.svc.UndoDecision(env.ctx, jill, casework.ReviewTarget{ReviewID: seat})
	wantCode(t, err, domain.NotPermitted)
	again, err := env.svc.UndoDecision(env.ctx, jo,
		casework.ReviewTarget{ReviewID: seat, Once: casework.Once{Key: "u"}})
	must(t, err)
	replayed, err := env.svc.UndoDecision(env.ctx, jo,
		casework.ReviewTarget{ReviewID: seat, Once: casework.Once{Key: "u"}})
	must(t, err)
	_, err = env.svc.UndoDecision(env.ctx, jo, casework.ReviewTarget{ReviewID: seat})
	wantCode(t, err, domain.StateMismatch)
	review, err := env.db.Reader().Review(env.ctx, again.ReviewID)
	must(t, err)
	if again != replayed || review.Assignee != jo.UserID || review.Seat != 3 ||
		env.voteCount(id) != 0 || env.countEvents(id, domain.DecisionUndone) != 1 {
		t.Fatalf("%+v, then %+v: %+v; %d votes", again, replayed, review, env.voteCount(id))
	}
	env.setClockOffset(11 * time.Minute)
	env.drainQueue() // the undone decision has no effect
	if c := env.caseByID(id); c.Status != domain.InReview || len(env.undecidedReviews(id)) != 2 {
		t.Fatalf("the case is %s", c.Status)
	}
	env.decideNextSeat(jill, id, domain.Approve)
	// the seat that was reopened for the same person
	late := env.decideNextSeat(jo, id, domain.Approve)
	env.setClockOffset(22 * time.Minute)
	env.drainQueue()
	_, err = env.svc.UndoDecision(env.ctx, jo, casework.ReviewTarget{ReviewID: late})
	wantCode(t, err, domain.StateMismatch)
	decisions, err := env.db.Reader().Decisions(env.ctx, id)
	must(t, err)
	if c := env.caseByID(id); c.Status != domain.Archived || len(decisions) != 3 {
		t.Errorf("the case is %s after %d decisions", c.Status, len(decisions))
	}
	env.verifyCaseLog(id)
}

// All processes were down when the undo window ended: the decision takes effect once, when the
// sweeper finds it.
func TestDecisionEffectAfterDowntime(t *testing.T) {
	t.Parallel()
	env, _, id := newSlowProcessEnv(t, "120000.00")
	env.decideNextSeat(env.person("jo", domain.RoleL1), id, domain.Reject)
	env.notifier.drain()
	env.setClockOffset(time.Hour)
	if n, err := env.svc.Sweep(env.ctx); err != nil || n == 0 {
		t.Fatalf("%d enqueued: %v", n, err)
	}
	env.drainQueue()
	if c := env.caseByID(id); c.Status != domain.Rejected ||
		env.countEvents(id, domain.CaseRejected) != 1 || c.OutcomeReason != "because" {
		t.Errorf("the case is %s: %q; events %v", c.Status, c.OutcomeReason, env.eventTypes(id))
	}
}

// One of two reviewers has approved when the other corrects the payee: the approval is revoked, and
// only its seat and the open one must be decided.
func TestChangedKeyFactsReopenTheSeat(t *testing.T) {
	t.Parallel()
	env, _, id := newSlowProcessEnv(t, "120000.00")
	jo, jill, max := env.person("jo", domain.RoleL1), env.person("jill", domain.RoleL1),
		env.person("max", domain.RoleManager)
	env.decideNextSeat(jo, id, domain.Approve)
	env.setClockOffset(11 * time.Minute)
	env.drainQueue() // it has taken effect for one of two seats
	open := env.undecidedReviews(id)[0]
	must(t, errOf(env.svc.ClaimReview(env.ctx, jill, casework.ReviewTarget{ReviewID: open.ID})))
	correct := casework.CorrectFields{ReviewTarget: casework.ReviewTarget{ReviewID: open.ID},
		Fields:  []casework.FieldInput{{Name: domain.FieldVendor, Value: "Another GmbH"}},
		Confirm: true}
	must(t, errOf(env.svc.CorrectFields(env.ctx, jill, correct)))
	seats := env.undecidedReviews(id)
	if len(seats) != 2 || env.voteCount(id) != 0 || env.countEvents(id, domain.VoteRevoked) != 1 ||
		seats[0].Visit != 1 {
		t.Fatalf("open %+v; %d votes; events %v", seats, env.voteCount(id), env.eventTypes(id))
	}
	env.decideNextSeat(jo, id, domain.Approve)
	env.decideNextSeat(max, id, domain.Approve)
	env.setClockOffset(40 * time.Minute)
	env.drainQueue()
	if c := env.caseByID(id); c.Status != domain.Archived {
		t.Errorf("the case is %s %v %+v", c.Status, env.eventTypes(id), env.undecidedReviews(id))
	}
	env.verifyCaseLog(id)
}

// A correction while another reviewer's approval can still be undone: that approval never takes
// effect.
func TestChangedKeyFactsCancelPendingDecision(t *testing.T) {
	t.Parallel()
	env, _, id := newSlowProcessEnv(t, "120000.00")
	jo, jill := env.person("jo", domain.RoleL1), env.person("jill", domain.RoleL1)
	env.decideNextSeat(jo, id, domain.Approve)
	open := env.undecidedReviews(id)[0]
	must(t, errOf(env.svc.ClaimReview(env.ctx, jill, casework.ReviewTarget{ReviewID: open.ID})))
	must(t, errOf(
		env.svc.CorrectFields(env.ctx, jill,
			casework.CorrectFields{ReviewTarget: casework.ReviewTarget{ReviewID: open.ID},
				Confirm: true, Fields: []casework.FieldInput{
					{Name: domain.FieldTotal, Value: "130000.00"}}})))
	env.setClockOffset(30 * time.Minute)
	env.drainQueue()
	if got := env.undecidedReviews(id); len(got) != 2 || env.voteCount(id) != 0 {
		t.Errorf("open %+v, %d votes", got, env.voteCount(id))
	}
}

// Level 2 changes the amount that level 1 approved: the review of level 2 stays open, and after its
// decision the reviewer of level 1 must decide again.
func TestRevokedLevelIsReviewedAgain(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	sen, max, mia := env.person("sen", domain.RoleSenior), env.person("max", domain.RoleManager),
		env.person("mia", domain.RoleManager)
	env.reader.xml = invoiceXML("1200000.00", "R-1")
	submitted, err := env.svc.SubmitDocument(env.ctx, sam,
		casework.SubmitDocument{File: upload("big"), Process: "cross_border_remittance"})
	must(t, err)
	id := submitted.CaseID
	env.drainQueue()
	must(t, env.decide(sen, env.claim(sen, id).ID, domain.Approve, ""))
	second := env.claim(max, id)
	correct := casework.CorrectFields{ReviewTarget: casework.ReviewTarget{ReviewID: second.ID},
		Fields: []casework.FieldInput{{Name: domain.FieldTotal, Value: "1300000.00"}}}
	_, err = env.svc.CorrectFields(env.ctx, max, correct)
	wantCode(t, err, domain.ConfirmationNeeded)
	correct.Confirm = true
	must(t, errOf(env.svc.CorrectFields(env.ctx, max, correct)))
	env.drainQueue()
	last := env.openReview(id)
	if last.ID != second.ID || last.BaseMinor <= second.BaseMinor || env.voteCount(id) != 0 {
		t.Fatalf("%+v; %d votes; events %v", last, env.voteCount(id), env.eventTypes(id))
	}
	_, err = env.svc.ClaimReview(env.ctx, max, casework.ReviewTarget{ReviewID: last.ID})
	wantCode(t, err, domain.FourEyes) // the reviewer who set the amount may not approve it
	must(t, env.decide(mia, env.claim(mia, id).ID, domain.Approve, "checked"))
	env.drainQueue()
	again := env.openReview(id)
	if again.Node != "review_l1" || again.Visit != 2 || again.BaseMinor != last.BaseMinor {
		t.Fatalf("%+v; events %v", again, env.eventTypes(id))
	}
	must(t, env.decide(sen, env.claim(sen, id).ID, domain.Approve, "checked"))
	env.drainQueue()
	if c := env.caseByID(id); c.Status != domain.Archived || c.Marking.Visits["review_l2"] != 1 {
		t.Errorf("the case is %s, %+v", c.Status, c.Marking)
	}
	env.verifyCaseLog(id)
}

func TestReopenedCaseIsDecidedAgain(t *testing.T) {
	t.Parallel()
	env, sam, id := newSlowProcessEnv(t, "120000.00")
	jo, jill, max := env.person("jo", domain.RoleL1), env.person("jill", domain.RoleL1),
		env.person("max", domain.RoleManager)
	reopen := casework.ReopenCase{CaseTarget: casework.CaseTarget{CaseID: id,
		Once: casework.Once{Key: "r"}}, Reason: "the bank has confirmed the account"}
	_, err := env.svc.ReopenCase(env.ctx, max, reopen)
	wantCode(t, err, domain.StateMismatch) // still in progress
	env.decideNextSeat(jill, id, domain.Approve)
	env.decideNextSeat(jo, id, domain.Reject)
	env.setClockOffset(11 * time.Minute)
	env.drainQueue()
	closed := env.caseByID(id)
	if closed.Status != domain.Rejected {
		t.Fatalf("the case is %s", closed.Status)
	}
	for _, actor := range []domain.Actor{sam, jo} {
		_, err := env.svc.ReopenCase(env.ctx, actor, reopen)
		wantCode(t, err, domain.NotPermitted)
	}
	for range 2 {
		must(t, errOf(env.svc.ReopenCase(env.ctx, max, reopen)))
	}
	env.drainQueue()
	seats := env.undecidedReviews(id)
	decisions, err := env.db.Reader().Decisions(env.ctx, id)
	must(t, err)
	if len(seats) != 2 || seats[0].Visit != 2 || len(decisions) != 2 || env.voteCount(id) != 0 ||
		env.countEvents(id, domain.CaseReopened) != 1 {
		t.Fatalf("seats %+v, %d decisions, %d votes, events %v", seats, len(decisions),
			env.voteCount(id), env.eventTypes(id))
	}
	if c := env.caseByID(id); c.Status != domain.InReview || c.Outcome != "" ||
		c.ManifestKey != "" {
		t.Errorf("%+v", c)
	}
	env.decideNextSeat(jo, id, domain.Approve) // the reviewer who rejected it may approve it now
	env.decideNextSeat(jill, id, domain.Approve)
	env.setClockOffset(22 * time.Minute)
	env.drainQueue()
	if c := env.caseByID(id); c.Status != domain.Archived || c.ManifestKey == closed.ManifestKey {
		t.Errorf("the case is %s", c.Status)
	}
	_, err = env.svc.ReopenCase(env.ctx, max,
		casework.ReopenCase{CaseTarget: casework.CaseTarget{CaseID: id}, Reason: "again"})
	wantCode(t, err, domain.StateMismatch) // the process does not allow reopening an archived case
	env.verifyCaseLog(id)
}

func TestBulkApproval(t *testing.T) {
	t.Parallel()
	env, sam, inside := newSlowProcessEnv(t, "120000.00")
	jo := env.person("jo", domain.RoleL1)
	both := env.person("both", domain.RoleSubmitter, domain.RoleL1)
	own, large, withoutBulk := env.submitSlow(both, "110000.00", "R-2"),
		env.submitSlow(sam, "190000.00", "R-3"), env.submitRemittance(sam, "R-4")
	claimed := env.submitSlow(sam, "120000.00", "R-5")
	env.claim(jo, claimed)
	var bulk casework.BulkReviews
	ids := []domain.ID{inside, own, large, withoutBulk, claimed}
	for _, id := range ids {
		bulk.Reviews = append(bulk.Reviews, env.undecidedReviews(id)[0].ID)
	}
	bulk.Once = casework.Once{Key: "b"}
	bulk.Expected = map[domain.ID]string{}
	wants := []domain.Code{"", domain.OwnDocument, domain.NotPermitted, domain.NotPermitted,
		domain.AlreadyClaimed}
	for round := range 2 {
		results, err := env.svc.ApproveReviews(env.ctx, both, bulk)
		must(t, err)
		for i, item := range results {
			if item.Code != wants[i] || item.ReviewID != bulk.Reviews[i] {
				t.Errorf("round %d, item %d: %s (%s), want %s", round, i, item.Code, item.Message,
					wants[i])
			}
		}
	}
	// Refused reviews are unassigned, as before.
	for i, id := range ids[1:4] {
		if review := env.undecidedReviews(id)[0]; review.Status != domain.ReviewOpen ||
			review.Assignee != domain.NoID {
			t.Errorf("item %d: %+v", i+1, review)
		}
	}
	if env.voteCount(inside) != 1 || env.caseByID(inside).Status != domain.InReview {
		t.Errorf("%d votes, the case is %s", env.voteCount(inside), env.caseByID(inside).Status)
	}
	// after the undo window of a single decision, within that of a bulk decision
	env.setClockOffset(15 * time.Minute)
	must(t, errOf(
		env.svc.UndoDecision(env.ctx, both, casework.ReviewTarget{ReviewID: bulk.Reviews[0]})))
	if env.voteCount(inside) != 0 || len(env.undecidedReviews(inside)) != 2 {
		t.Errorf("%d votes, %d open", env.voteCount(inside), len(env.undecidedReviews(inside)))
	}
}

func TestBulkClaim(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, jo, jill := env.person("sam", domain.RoleSubmitter), env.person("jo", domain.RoleL1),
		env.person("jill", domain.RoleL1)
	var bulk casework.BulkReviews
	for i := range 3 {
		bulk.Reviews = append(bulk.Reviews,
			env.openReview(env.submitRemittance(sam, "R-"+strconv.Itoa(i))).ID)
	}
	must(t, errOf(
		env.svc.ClaimReview(env.ctx, jill, casework.ReviewTarget{ReviewID: bulk.Reviews[1]})))
	bulk.Expected = map[domain.ID]string{bulk.Reviews[2]: "7.7"}
	results, err := env.svc.ClaimReviews(env.ctx, jo, bulk)
	must(t, err)
	for i, want := range []domain.Code{"", domain.AlreadyClaimed, domain.StaleVersion} {
		if results[i].Code != want {
			t.Errorf("item %d: %s, want %s", i, results[i].Code, want)
		}
	}
	_, err = env.svc.ClaimReviews(env.ctx, jo, casework.BulkReviews{})
	wantCode(t, err, domain.InvalidInput)
}
