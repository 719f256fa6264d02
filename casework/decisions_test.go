package casework_test

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
)

// slow asks two persons, lets them take a decision back, and lets managers take up what was closed.
const slow = `
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
` + seals

// slowly is a world with a case of that process in review.
func slowly(t *testing.T, total string) (w *world, sam domain.Actor, id domain.ID) {
	t.Helper()
	w = newWorld(t)
	sam = w.person("sam", domain.RoleSubmitter)
	w.publish(slow)
	return w, sam, w.slow(sam, total, "R-1")
}

func (w *world) slow(by domain.Actor, total, number string) domain.ID {
	w.t.Helper()
	w.desk.mu.Lock()
	w.desk.xml = invoiceXML(total, number)
	w.desk.mu.Unlock()
	submitted, err := w.hall.SubmitDocument(w.ctx, by, casework.SubmitDocument{File: upload(number), Process: "slow"})
	must(w.t, err)
	w.work()
	return submitted.CaseID
}

// undecided are the case's open and claimed reviews.
func (w *world) undecided(id domain.ID) []domain.Review {
	w.t.Helper()
	reviews, err := w.db.Reader().ReviewsOf(w.ctx, id)
	must(w.t, err)
	return slices.DeleteFunc(reviews, func(r domain.Review) bool { return r.Status != domain.ReviewOpen && r.Status != domain.ReviewClaimed })
}

func (w *world) votes(id domain.ID) int {
	w.t.Helper()
	bars, err := w.db.Reader().BarsOf(w.ctx, id, domain.NoID)
	must(w.t, err)
	return len(bars.Votes)
}

// takeSeat claims the first seat that the person may have and decides it.
func (w *world) takeSeat(by domain.Actor, id domain.ID, verdict domain.Verdict) domain.ID {
	w.t.Helper()
	for _, review := range w.undecided(id) {
		if _, err := w.hall.ClaimReview(w.ctx, by, casework.OnReview{ReviewID: review.ID}); err == nil {
			must(w.t, w.decide(by, review.ID, verdict, "because"))
			return review.ID
		}
	}
	w.t.Fatalf("%s finds no seat on %s", by.Name, id)
	return domain.NoID
}

func TestDecisionCanBeTakenBackUntilItTakesEffect(t *testing.T) {
	t.Parallel()
	w, _, id := slowly(t, "120000.00")
	jo, jill := w.person("jo", domain.RoleL1), w.person("jill", domain.RoleL1)
	seat := w.takeSeat(jo, id, domain.Reject)
	w.work()
	if c := w.kase(id); c.Status != domain.InReview || w.votes(id) != 1 {
		t.Fatalf("before its effect the case is %s with %d votes", c.Status, w.votes(id))
	}
	_, err := w.hall.UndoDecision(w.ctx, jill, casework.OnReview{ReviewID: seat})
	wantCode(t, err, domain.NotPermitted)
	again, err := w.hall.UndoDecision(w.ctx, jo, casework.OnReview{ReviewID: seat, Once: casework.Once{Key: "u"}})
	must(t, err)
	replayed, err := w.hall.UndoDecision(w.ctx, jo, casework.OnReview{ReviewID: seat, Once: casework.Once{Key: "u"}})
	must(t, err)
	_, err = w.hall.UndoDecision(w.ctx, jo, casework.OnReview{ReviewID: seat})
	wantCode(t, err, domain.StateMismatch)
	review, err := w.db.Reader().Review(w.ctx, again.ReviewID)
	must(t, err)
	if again != replayed || review.Assignee != jo.UserID || review.Seat != 3 || w.votes(id) != 0 || w.count(id, domain.DecisionUndone) != 1 {
		t.Fatalf("%+v, then %+v: %+v; %d votes", again, replayed, review, w.votes(id))
	}
	w.later(11 * time.Minute)
	w.work() // what was taken back has no effect
	if c := w.kase(id); c.Status != domain.InReview || len(w.undecided(id)) != 2 {
		t.Fatalf("the case is %s", c.Status)
	}
	w.takeSeat(jill, id, domain.Approve)
	late := w.takeSeat(jo, id, domain.Approve) // the seat that was opened for them again
	w.later(22 * time.Minute)
	w.work()
	_, err = w.hall.UndoDecision(w.ctx, jo, casework.OnReview{ReviewID: late})
	wantCode(t, err, domain.StateMismatch)
	decisions, err := w.db.Reader().Decisions(w.ctx, id)
	must(t, err)
	if c := w.kase(id); c.Status != domain.Archived || len(decisions) != 3 {
		t.Errorf("the case is %s after %d decisions", c.Status, len(decisions))
	}
	w.verify(id)
}

// Everything stood still over the time: the decision takes effect once, when the sweeper finds it.
func TestEffectThatWasSleptThrough(t *testing.T) {
	t.Parallel()
	w, _, id := slowly(t, "120000.00")
	w.takeSeat(w.person("jo", domain.RoleL1), id, domain.Reject)
	w.bell.take()
	w.later(time.Hour)
	if n, err := w.hall.Sweep(w.ctx); err != nil || n == 0 {
		t.Fatalf("%d rung: %v", n, err)
	}
	w.work()
	if c := w.kase(id); c.Status != domain.Rejected || w.count(id, domain.CaseRejected) != 1 || c.OutcomeReason != "because" {
		t.Errorf("the case is %s: %q; events %v", c.Status, c.OutcomeReason, w.types(id))
	}
}

// One of two has approved when the other corrects whom the money goes to: the approval falls, and only that seat and the
// one that was still open are asked.
func TestChangedKeyFactsAskTheSeatAgain(t *testing.T) {
	t.Parallel()
	w, _, id := slowly(t, "120000.00")
	jo, jill, max := w.person("jo", domain.RoleL1), w.person("jill", domain.RoleL1), w.person("max", domain.RoleManager)
	w.takeSeat(jo, id, domain.Approve)
	w.later(11 * time.Minute)
	w.work() // it has taken effect: one of two
	open := w.undecided(id)[0]
	must(t, first(w.hall.ClaimReview(w.ctx, jill, casework.OnReview{ReviewID: open.ID})))
	correct := casework.CorrectFields{OnReview: casework.OnReview{ReviewID: open.ID}, Fields: []casework.FieldInput{{Name: domain.FieldVendor, Value: "Another GmbH"}}, Confirm: true}
	must(t, first(w.hall.CorrectFields(w.ctx, jill, correct)))
	seats := w.undecided(id)
	if len(seats) != 2 || w.votes(id) != 0 || w.count(id, domain.VoteFell) != 1 || seats[0].Visit != 1 {
		t.Fatalf("open %+v; %d votes; events %v", seats, w.votes(id), w.types(id))
	}
	w.takeSeat(jo, id, domain.Approve)
	w.takeSeat(max, id, domain.Approve)
	w.later(40 * time.Minute)
	w.work()
	if c := w.kase(id); c.Status != domain.Archived {
		t.Errorf("the case is %s %v %+v", c.Status, w.types(id), w.undecided(id))
	}
	w.verify(id)
}

// A correction while another's approval can still be taken back: that approval never takes effect.
func TestChangedKeyFactsCallOffAnEffect(t *testing.T) {
	t.Parallel()
	w, _, id := slowly(t, "120000.00")
	jo, jill := w.person("jo", domain.RoleL1), w.person("jill", domain.RoleL1)
	w.takeSeat(jo, id, domain.Approve)
	open := w.undecided(id)[0]
	must(t, first(w.hall.ClaimReview(w.ctx, jill, casework.OnReview{ReviewID: open.ID})))
	must(t, first(w.hall.CorrectFields(w.ctx, jill, casework.CorrectFields{OnReview: casework.OnReview{ReviewID: open.ID}, Confirm: true,
		Fields: []casework.FieldInput{{Name: domain.FieldTotal, Value: "130000.00"}}})))
	w.later(30 * time.Minute)
	w.work()
	if got := w.undecided(id); len(got) != 2 || w.votes(id) != 0 {
		t.Errorf("open %+v, %d votes", got, w.votes(id))
	}
}

// Level 2 changes the amount that level 1 approved: the case goes back to level 1, and its reviewer is asked again.
func TestFallenLevelIsAskedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sam := w.person("sam", domain.RoleSubmitter)
	sen, max, mia := w.person("sen", domain.RoleSenior), w.person("max", domain.RoleManager), w.person("mia", domain.RoleManager)
	w.desk.xml = invoiceXML("1200000.00", "R-1")
	submitted, err := w.hall.SubmitDocument(w.ctx, sam, casework.SubmitDocument{File: upload("big"), Process: "cross_border_remittance"})
	must(t, err)
	id := submitted.CaseID
	w.work()
	must(t, w.decide(sen, w.claim(sen, id).ID, domain.Approve, ""))
	second := w.claim(max, id)
	correct := casework.CorrectFields{OnReview: casework.OnReview{ReviewID: second.ID}, Fields: []casework.FieldInput{{Name: domain.FieldTotal, Value: "1300000.00"}}}
	_, err = w.hall.CorrectFields(w.ctx, max, correct)
	wantCode(t, err, domain.ConfirmationNeeded)
	correct.Confirm = true
	must(t, first(w.hall.CorrectFields(w.ctx, max, correct)))
	w.work()
	again := w.openReview(id)
	if again.Node != "review_l1" || again.Visit != 2 || again.BaseMinor <= second.BaseMinor || w.votes(id) != 0 {
		t.Fatalf("%+v; %d votes; events %v", again, w.votes(id), w.types(id))
	}
	must(t, w.decide(sen, w.claim(sen, id).ID, domain.Approve, ""))
	last := w.openReview(id)
	_, err = w.hall.ClaimReview(w.ctx, max, casework.OnReview{ReviewID: last.ID})
	wantCode(t, err, domain.FourEyes) // who set the amount does not approve it
	must(t, w.decide(mia, w.claim(mia, id).ID, domain.Approve, ""))
	w.work()
	if c := w.kase(id); c.Status != domain.Archived {
		t.Errorf("the case is %s", c.Status)
	}
	w.verify(id)
}

func TestReopenedCaseIsDecidedAnew(t *testing.T) {
	t.Parallel()
	w, sam, id := slowly(t, "120000.00")
	jo, jill, max := w.person("jo", domain.RoleL1), w.person("jill", domain.RoleL1), w.person("max", domain.RoleManager)
	reopen := casework.ReopenCase{OnCase: casework.OnCase{CaseID: id, Once: casework.Once{Key: "r"}}, Reason: "the bank has confirmed the account"}
	_, err := w.hall.ReopenCase(w.ctx, max, reopen)
	wantCode(t, err, domain.StateMismatch) // it is under way
	w.takeSeat(jill, id, domain.Approve)
	w.takeSeat(jo, id, domain.Reject)
	w.later(11 * time.Minute)
	w.work()
	closed := w.kase(id)
	if closed.Status != domain.Rejected {
		t.Fatalf("the case is %s", closed.Status)
	}
	for _, who := range []domain.Actor{sam, jo} {
		_, err := w.hall.ReopenCase(w.ctx, who, reopen)
		wantCode(t, err, domain.NotPermitted)
	}
	for range 2 {
		must(t, first(w.hall.ReopenCase(w.ctx, max, reopen)))
	}
	w.work()
	seats := w.undecided(id)
	decisions, err := w.db.Reader().Decisions(w.ctx, id)
	must(t, err)
	if len(seats) != 2 || seats[0].Visit != 2 || len(decisions) != 2 || w.votes(id) != 0 || w.count(id, domain.CaseReopened) != 1 {
		t.Fatalf("seats %+v, %d decisions, %d votes, events %v", seats, len(decisions), w.votes(id), w.types(id))
	}
	if c := w.kase(id); c.Status != domain.InReview || c.Outcome != "" || c.ManifestKey != "" {
		t.Errorf("%+v", c)
	}
	w.takeSeat(jo, id, domain.Approve) // who rejected it before may approve it now
	w.takeSeat(jill, id, domain.Approve)
	w.later(22 * time.Minute)
	w.work()
	if c := w.kase(id); c.Status != domain.Archived || c.ManifestKey == closed.ManifestKey {
		t.Errorf("the case is %s", c.Status)
	}
	_, err = w.hall.ReopenCase(w.ctx, max, casework.ReopenCase{OnCase: casework.OnCase{CaseID: id}, Reason: "again"})
	wantCode(t, err, domain.StateMismatch) // the process does not let what was archived be reopened
	w.verify(id)
}

func TestApprovingManyAtOnce(t *testing.T) {
	t.Parallel()
	w, sam, inside := slowly(t, "120000.00")
	jo := w.person("jo", domain.RoleL1)
	both := w.person("both", domain.RoleSubmitter, domain.RoleL1)
	own, large, plain := w.slow(both, "110000.00", "R-2"), w.slow(sam, "190000.00", "R-3"), w.order(sam, "R-4")
	taken := w.slow(sam, "120000.00", "R-5")
	w.claim(jo, taken)
	var bulk casework.Bulk
	ids := []domain.ID{inside, own, large, plain, taken}
	for _, id := range ids {
		bulk.Reviews = append(bulk.Reviews, w.undecided(id)[0].ID)
	}
	bulk.Once = casework.Once{Key: "b"}
	bulk.Expected = map[domain.ID]string{}
	wants := []domain.Code{"", domain.OwnDocument, domain.NotPermitted, domain.NotPermitted, domain.AlreadyClaimed}
	for round := range 2 {
		results, err := w.hall.ApproveReviews(w.ctx, both, bulk)
		must(t, err)
		for i, item := range results {
			if item.Code != wants[i] || item.ReviewID != bulk.Reviews[i] {
				t.Errorf("round %d, item %d: %s (%s), want %s", round, i, item.Code, item.Message, wants[i])
			}
		}
	}
	// What was refused is nobody's, as before.
	for i, id := range ids[1:4] {
		if review := w.undecided(id)[0]; review.Status != domain.ReviewOpen || review.Assignee != domain.NoID {
			t.Errorf("item %d: %+v", i+1, review)
		}
	}
	if w.votes(inside) != 1 || w.kase(inside).Status != domain.InReview {
		t.Errorf("%d votes, the case is %s", w.votes(inside), w.kase(inside).Status)
	}
	w.later(15 * time.Minute) // later than one decision, sooner than one of many
	must(t, first(w.hall.UndoDecision(w.ctx, both, casework.OnReview{ReviewID: bulk.Reviews[0]})))
	if w.votes(inside) != 0 || len(w.undecided(inside)) != 2 {
		t.Errorf("%d votes, %d open", w.votes(inside), len(w.undecided(inside)))
	}
}

func TestClaimingManyAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sam, jo, jill := w.person("sam", domain.RoleSubmitter), w.person("jo", domain.RoleL1), w.person("jill", domain.RoleL1)
	var bulk casework.Bulk
	for i := range 3 {
		bulk.Reviews = append(bulk.Reviews, w.openReview(w.order(sam, "R-"+strconv.Itoa(i))).ID)
	}
	must(t, first(w.hall.ClaimReview(w.ctx, jill, casework.OnReview{ReviewID: bulk.Reviews[1]})))
	bulk.Expected = map[domain.ID]string{bulk.Reviews[2]: "7.7"}
	results, err := w.hall.ClaimReviews(w.ctx, jo, bulk)
	must(t, err)
	for i, want := range []domain.Code{"", domain.AlreadyClaimed, domain.StaleVersion} {
		if results[i].Code != want {
			t.Errorf("item %d: %s, want %s", i, results[i].Code, want)
		}
	}
	_, err = w.hall.ClaimReviews(w.ctx, jo, casework.Bulk{})
	wantCode(t, err, domain.InvalidInput)
}
