package casework_test

import (
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
	"countersign/store"
)

// setMark sets the amount from which the reviewers of a process are drawn, by two administrators.
func (env *testEnv) setMark(process string, baseMinor int64) {
	env.t.Helper()
	name := domain.NewID().String()
	ada, adam := env.person("ada"+name, domain.RoleAdmin), env.person("adam"+name, domain.RoleAdmin)
	proposed, err := env.svc.ProposeDrawMark(env.ctx, ada, casework.ProposeDrawMark{
		Process: process, BaseMinor: baseMinor, Reason: "collusion"})
	must(env.t, err)
	must(env.t, env.confirm(adam, proposed.ProposalID))
}

// drawnEnv has a remittance above the mark, whose reviewer was drawn from the people.
type drawnEnv struct {
	*testEnv
	id     domain.ID
	sam    domain.Actor
	people []domain.Actor
}

func newDrawnEnv(t *testing.T, reviewers int) *drawnEnv {
	t.Helper()
	env := &drawnEnv{testEnv: newTestEnv(t)}
	env.sam = env.person("sam", domain.RoleSubmitter)
	for i := range reviewers {
		env.people = append(env.people, env.person("jo"+strconv.Itoa(i), domain.RoleL1))
	}
	env.setMark("cross_border_remittance", 100_000_00)
	env.id = env.submitRemittance(env.sam, "R-1")
	return env
}

// drawn returns the person who was drawn for the open review.
func (env *drawnEnv) drawn() domain.Actor {
	env.t.Helper()
	return env.actorOf(env.openReview(env.id).Assignee)
}

func (env *drawnEnv) actorOf(id domain.ID) domain.Actor {
	env.t.Helper()
	at := slices.IndexFunc(env.people, func(a domain.Actor) bool { return a.UserID == id })
	if at < 0 {
		env.t.Fatalf("%s was drawn, who is not one of the reviewers", id)
	}
	return env.people[at]
}

// another returns a reviewer who was not drawn.
func (env *drawnEnv) another() domain.Actor {
	env.t.Helper()
	drawn := env.drawn()
	return env.people[slices.IndexFunc(env.people,
		func(a domain.Actor) bool { return a.UserID != drawn.UserID })]
}

func (env *drawnEnv) on() casework.ReviewTarget {
	return casework.ReviewTarget{ReviewID: env.openReview(env.id).ID}
}

func (env *drawnEnv) draws() []store.ReviewDraw {
	env.t.Helper()
	draws, err := env.db.Reader().ReviewDraws(env.ctx, env.on().ReviewID)
	must(env.t, err)
	return draws
}

// Above the mark only the person who was drawn can claim the review, by whichever command.
func TestOnlyTheDrawnPersonCanClaim(t *testing.T) {
	t.Parallel()
	env := newDrawnEnv(t, 4)
	if env.countEvents(env.id, "review.drawn") != 1 || len(env.draws()) != 1 ||
		len(env.draws()[0].Candidates) != 4 {
		t.Fatalf("events %v, draws %+v", env.eventTypes(env.id), env.draws())
	}
	other := env.another()
	wantCode(t, errOf(env.svc.ClaimReview(env.ctx, other, env.on())), domain.NotEligible)
	wantCode(t, errOf(env.svc.ClaimNextReview(env.ctx, other, casework.ClaimNext{})),
		domain.NothingToClaim)
	bulk, err := env.svc.ClaimReviews(env.ctx, other,
		casework.BulkReviews{Reviews: []domain.ID{env.on().ReviewID}})
	must(t, err)
	wantCode(t, bulk[0].Err, domain.NotEligible)
	approved, err := env.svc.ApproveReviews(env.ctx, other,
		casework.BulkReviews{Reviews: []domain.ID{env.on().ReviewID}})
	must(t, err)
	wantCode(t, approved[0].Err, domain.NotEligible)
	for range 2 { // nothing is left to draw
		if n, err := env.svc.DrawReviewers(env.ctx); n != 0 || err != nil {
			t.Fatalf("%d drawn again, %v", n, err)
		}
	}
	drawn := env.drawn()
	must(t, errOf(env.svc.ClaimNextReview(env.ctx, drawn, casework.ClaimNext{})))
	must(t, env.decide(drawn, env.on().ReviewID, domain.Approve, ""))
	env.drainQueue()
	env.requireState(env.id, domain.Archived)
	env.verifyCaseLog(env.id)
}

// Everyone tries to claim at the same moment, before and after the draw.
func TestConcurrentClaimsOfADrawnReview(t *testing.T) {
	t.Parallel()
	env := newDrawnEnv(t, 6)
	on := env.on()
	drawn := env.drawn()
	var mu sync.Mutex
	var claimed []domain.ID
	var group sync.WaitGroup
	for _, by := range env.people {
		group.Go(func() {
			_, err := env.svc.ClaimReview(env.ctx, by, on)
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				claimed = append(claimed, by.UserID)
			} else if domain.CodeOf(err) == domain.Internal {
				t.Errorf("%s: %v", by.Name, err)
			}
		})
	}
	group.Wait()
	if len(claimed) != 1 || claimed[0] != drawn.UserID {
		t.Errorf("claimed by %v, drawn was %s", claimed, drawn.UserID)
	}
}

// Below the mark, and in other processes, reviews are claimed from the queue.
func TestBelowTheMarkNobodyIsDrawn(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, jo := env.person("sam", domain.RoleSubmitter), env.person("jo", domain.RoleL1)
	env.setMark("cross_border_remittance", 1_000_000_00)
	env.setMark("document_approval", 1_00)
	id := env.submitRemittance(sam, "R-1")
	if review := env.claim(jo, id); review.Drawn() {
		t.Error("a reviewer was drawn below the mark")
	}
}

// Reviewers who give a review back in turn cannot reach a person of their choice: everyone is drawn
// once before anyone is drawn again, and always another one than the last.
func TestReleasingCannotSteerADraw(t *testing.T) {
	t.Parallel()
	env := newDrawnEnv(t, 4)
	var order []domain.ID
	for range 6 {
		drawn := env.drawn()
		order = append(order, drawn.UserID)
		must(t, errOf(env.svc.ClaimReview(env.ctx, drawn, env.on())))
		must(t, errOf(env.svc.ReleaseReview(env.ctx, drawn, env.on())))
		if !env.openReview(env.id).AwaitsDraw() {
			t.Fatal("the review has a person before the next draw")
		}
		wantCode(t, errOf(env.svc.ClaimReview(env.ctx, drawn, env.on())), domain.NotEligible)
		env.drainQueue()
	}
	if first := order[:4]; len(slices.Compact(slices.SortedFunc(slices.Values(first),
		func(a, b domain.ID) int { return slices.Compare(a[:], b[:]) }))) != 4 {
		t.Errorf("a person was drawn twice before everyone was drawn: %v", order)
	}
	for i := range order[1:] {
		if order[i] == order[i+1] {
			t.Errorf("draw %d gave the review to the person who gave it back", i+2)
		}
	}
	for i, draw := range env.draws() {
		if draw.Attempt != i+1 {
			t.Errorf("draw %d has the number %d", i+1, draw.Attempt)
		}
	}
}

// The consistency check computes every draw again, and reports one that someone changed.
func TestAlteredDrawIsReported(t *testing.T) {
	t.Parallel()
	env := newDrawnEnv(t, 4)
	altered := func() int {
		found, err := env.svc.CheckConsistency(env.ctx,
			casework.ConsistencyCheck{Files: noFiles{}})
		must(t, err)
		return len(slices.DeleteFunc(found, func(one casework.Inconsistency) bool {
			return one.Kind != casework.AlteredDraw
		}))
	}
	if n := altered(); n != 0 {
		t.Fatalf("%d draws reported", n)
	}
	other := env.another().UserID.String()
	env.ownerExec(`ALTER TABLE review_draws DISABLE TRIGGER draws_stay`,
		`UPDATE review_draws SET person = '`+other+`'`)
	if n := altered(); n != 1 {
		t.Errorf("%d altered draws reported", n)
	}
	env.ownerExec(`UPDATE review_draws SET candidates = ARRAY['` + other + `'::uuid]`)
	if n := altered(); n != 1 {
		t.Errorf("%d draws with other candidates reported", n)
	}
}

// A manager cannot name the person, is not drawn by a draw that they request, and can request one.
func TestManagerCannotChooseTheDrawnPerson(t *testing.T) {
	t.Parallel()
	env := newDrawnEnv(t, 3)
	mia := env.person("mia", domain.RoleManager)
	reassign := func(by domain.Actor, to domain.ID) casework.ReassignResult {
		results, err := env.svc.ReassignReviews(env.ctx, by, casework.ReassignReviews{
			Reviews: []domain.ID{env.on().ReviewID}, To: to, Reason: "on leave"})
		must(t, err)
		return results[0]
	}
	before := env.drawn()
	for _, to := range []domain.ID{env.another().UserID, before.UserID, mia.UserID} {
		wantCode(t, reassign(mia, to).Err, domain.NotPermitted)
	}
	if env.drawn().UserID != before.UserID {
		t.Fatal("a refused assignment changed the person")
	}
	must(t, reassign(mia, domain.NoID).Err)
	second := env.drawn()
	if draws := env.draws(); second.UserID == before.UserID || len(draws) != 2 ||
		draws[1].RequestedBy != mia.UserID || slices.Contains(draws[1].Candidates, mia.UserID) {
		t.Errorf("draws %+v", draws)
	}
	wantCode(t, reassign(mia, domain.NoID).Err, domain.NotPermitted)
	// Nor may she ask with a second account.
	mona := env.person("mona", domain.RoleManager)
	for _, account := range []domain.Actor{mia, mona} {
		must(t, errOf(env.owner.Exec(env.ctx, `INSERT INTO person_marks (kind, value, user_id)
			VALUES ('own_account', sha256('mia'), $1)`, account.UserID)))
	}
	wantCode(t, reassign(mona, domain.NoID).Err, domain.NotPermitted)
	wantCode(t, errOf(env.svc.ClaimReview(env.ctx, before, env.on())), domain.NotEligible)
	must(t, errOf(env.svc.ClaimReview(env.ctx, second, env.on())))
	env.verifyCaseLog(env.id)
}

// A reviewer who does not claim the review in time loses it to the next one, with an alert. A queue
// that moves unclaimed reviews does not move it.
func TestUnclaimedDrawnReviewIsDrawnAgain(t *testing.T) {
	t.Parallel()
	env := newDrawnEnv(t, 3)
	env.setQueue(domain.QueueRule{Name: domain.QueueL1,
		Strategy: domain.StrategyPull, MoveAfterMissedClaims: 1, MoveToQueue: domain.QueueL2})
	first := env.drawn()
	env.setClockOffset(121 * time.Minute)
	env.drainQueue()
	review := env.openReview(env.id)
	if env.countEvents(env.id, domain.ReviewOverdue) != 1 || env.drawn().UserID == first.UserID ||
		review.Breaches != 1 || review.Draws != 2 || review.Queue != domain.QueueL1 {
		t.Fatalf("%+v after %v", review, env.eventTypes(env.id))
	}
	// An expired claim is not a release: the person can claim it again.
	second := env.drawn()
	must(t, errOf(env.svc.ClaimReview(env.ctx, second, env.on())))
	env.setClockOffset(3 * time.Hour)
	for want := 1; want >= 0; want-- {
		if n, err := env.svc.ExpireClaims(env.ctx); n != want || err != nil {
			t.Fatalf("%d claims expired, %v", n, err)
		}
	}
	env.drainQueue()
	if review := env.openReview(env.id); review.Assignee != second.UserID || review.Draws != 2 {
		t.Fatalf("after the expiry %+v", review)
	}
	must(t, errOf(env.svc.ClaimReview(env.ctx, second, env.on())))
}

// A delegate cannot claim it for the drawn person, and the drawn person cannot choose a delegate.
func TestDrawnReviewIsNotDelegated(t *testing.T) {
	t.Parallel()
	env := newDrawnEnv(t, 3)
	drawn, other := env.drawn(), env.another()
	env.delegate(drawn, other, domain.Scope{})
	onBehalf := other
	onBehalf.OnBehalfOf = drawn.UserID
	wantCode(t, errOf(env.svc.ClaimReview(env.ctx, onBehalf, env.on())), domain.NotEligible)
	wantCode(t, errOf(env.svc.ClaimNextReview(env.ctx, onBehalf, casework.ClaimNext{})),
		domain.NothingToClaim)
	must(t, errOf(env.svc.ClaimReview(env.ctx, drawn, env.on())))
}

// A manager cannot take people out of a draw by recording that they are out of office. People who
// record it themselves are not drawn.
func TestAbsencesRecordedByOthersDoNotSteerADraw(t *testing.T) {
	t.Parallel()
	env := newDrawnEnv(t, 4)
	mia := env.person("mia", domain.RoleManager)
	drawn, away := env.drawn(), env.another()
	absent := func(by domain.Actor, person domain.ID) {
		must(t, errOf(env.svc.SetAbsence(env.ctx, by, casework.SetAbsence{Person: person,
			From: env.now(), Until: env.now().Add(time.Hour)})))
	}
	absent(away, away.UserID)
	for _, person := range env.people {
		if person.UserID != drawn.UserID && person.UserID != away.UserID {
			absent(mia, person.UserID)
		}
	}
	must(t, errOf(env.svc.ClaimReview(env.ctx, drawn, env.on())))
	must(t, errOf(env.svc.ReleaseReview(env.ctx, drawn, env.on())))
	env.drainQueue()
	candidates := env.draws()[1].Candidates
	if len(candidates) != 3 || slices.Contains(candidates, away.UserID) ||
		slices.Contains(candidates, drawn.UserID) {
		t.Errorf("candidates %v", candidates)
	}
}

// The holder of a review who raises its amount above the mark loses it, and so does one who holds it
// when the mark is set.
func TestPickedReviewIsDrawnWhenItReachesTheMark(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	jo := env.person("jo", domain.RoleL1)
	env.person("jill", domain.RoleL1)
	env.person("jack", domain.RoleL1)
	raised, held, free := env.submitRemittance(sam, "R-1"), env.submitRemittance(sam, "R-2"),
		env.submitRemittance(sam, "R-3")
	env.setMark("cross_border_remittance", 150_000_00)
	env.sweepControls()
	env.claim(jo, raised)
	env.claim(jo, held)
	must(t, env.correct(jo, raised, domain.FieldTotal, "180000.00"))
	review := env.openReview(raised)
	if !review.AwaitsDraw() || env.countEvents(raised, "review.draw_required") != 1 {
		t.Fatalf("above the mark: %+v", review)
	}
	wantCode(t, env.decide(jo, review.ID, domain.Approve, ""), domain.FourEyes) // set the amount
	env.drainQueue()
	if env.countEvents(raised, "review.drawn") != 1 {
		t.Errorf("events %v", env.eventTypes(raised))
	}

	env.setMark("cross_border_remittance", 100_000_00)
	wantCode(t, env.decide(jo, env.openReview(held).ID, domain.Approve, ""),
		domain.NotClaimedByYou) // before any sweep
	for range 2 {
		env.sweepControls()
		env.drainQueue()
	}
	for _, id := range []domain.ID{held, free} {
		if review := env.openReview(id); review.Draws != 1 || review.Assignee == domain.NoID ||
			env.countEvents(id, "review.drawn") != 1 {
			t.Errorf("%+v after %v", review, env.eventTypes(id))
		}
		env.verifyCaseLog(id)
	}
	env.setMark("cross_border_remittance", 0)
	env.sweepControls()
	if !env.openReview(free).Drawn() {
		t.Error("a drawn review became free to claim")
	}
	if env.openReview(env.submitRemittance(sam, "R-4")).Drawn() {
		t.Error("a reviewer was drawn without a mark")
	}
}

// A reviewer who corrects the total to an amount that the page shows may decide it below the mark,
// and loses the review above it.
func TestCorrectionToTheMarkEndsTheClaim(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	jo, jill := env.person("jo", domain.RoleL1), env.person("jill", domain.RoleL1)
	env.setMark("document_approval", 150_000_00)
	id := env.submitRead(sam, append(invoiceLines("Hafen Logistik GmbH", "A-1", "20000.00"),
		"deposit 180,000.00")...)
	env.claim(jo, id)
	must(t, env.correct(jo, id, domain.FieldTotal, "180000.00"))
	review := env.openReview(id)
	if !review.AwaitsDraw() || env.countEvents(id, "review.draw_required") != 1 {
		t.Fatalf("%+v after %v", review, env.eventTypes(id))
	}
	wantCode(t, env.decide(jo, review.ID, domain.Approve, ""), domain.NotClaimedByYou)
	env.drainQueue()
	if drawn := env.openReview(id).Assignee; drawn != jo.UserID && drawn != jill.UserID {
		t.Errorf("%s was drawn", drawn)
	}
	env.verifyCaseLog(id)
}

// The seats of one duty have different people. A bulk approval that is refused does not give the
// review back, and an undone decision goes back to its person.
func TestSeatsAreDrawnSeparately(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	env.publish(slowProcess)
	actors := map[domain.ID]domain.Actor{}
	for i := range 3 {
		one := env.person("jo"+strconv.Itoa(i), domain.RoleL1)
		actors[one.UserID] = one
	}
	env.setMark("slow", 1_000_00)
	id := env.submitSlow(sam, "300000.00", "R-1") // above the limit of bulk approvals
	seats := env.undecidedReviews(id)
	if len(seats) != 2 || seats[0].Assignee == seats[1].Assignee ||
		seats[0].Assignee == domain.NoID || seats[1].Assignee == domain.NoID {
		t.Fatalf("seats %+v", seats)
	}
	one := actors[seats[0].Assignee]
	results, err := env.svc.ApproveReviews(env.ctx, one,
		casework.BulkReviews{Reviews: []domain.ID{seats[0].ID}})
	must(t, err)
	wantCode(t, results[0].Err, domain.NotPermitted)
	env.drainQueue()
	on := casework.ReviewTarget{ReviewID: seats[0].ID}
	must(t, errOf(env.svc.ClaimReview(env.ctx, one, on)))
	must(t, env.decide(one, seats[0].ID, domain.Approve, ""))
	undone, err := env.svc.UndoDecision(env.ctx, one, on)
	must(t, err)
	env.drainQueue()
	for _, review := range env.undecidedReviews(id) {
		if review.ID == undone.ReviewID && review.Assignee != one.UserID {
			t.Errorf("the undone decision went to %s", review.Assignee)
		}
		by := actors[review.Assignee]
		must(t, errOf(env.svc.ClaimReview(env.ctx, by,
			casework.ReviewTarget{ReviewID: review.ID})))
		must(t, env.decide(by, review.ID, domain.Approve, ""))
	}
	env.verifyCaseLog(id)
}

// A person who has a conflict of interest after they were drawn is replaced by the next draw; of two
// people this is the other one, who decides.
func TestDrawnPersonWithAConflictIsReplaced(t *testing.T) {
	t.Parallel()
	env := newDrawnEnv(t, 2)
	first := env.drawn()
	must(t, errOf(env.svc.DeclareConflict(env.ctx, first, casework.DeclareConflict{
		Person: first.UserID, Party: env.caseByID(env.id).Counterparty, Reason: "cousin"})))
	env.drainQueue()
	second := env.drawn()
	if second.UserID == first.UserID || len(env.draws()) != 2 {
		t.Fatalf("drawn %v after %v", second.UserID, first.UserID)
	}
	must(t, errOf(env.svc.ClaimReview(env.ctx, second, env.on())))
}

// No one is eligible: the alert comes as always, and the draw follows when someone is.
func TestDrawWithoutCandidates(t *testing.T) {
	t.Parallel()
	env := newDrawnEnv(t, 0)
	env.setClockOffset(121 * time.Minute)
	env.drainQueue()
	if review := env.openReview(env.id); !review.AwaitsDraw() ||
		env.countEvents(env.id, domain.ReviewOverdue) != 1 {
		t.Fatalf("%+v after %v", review, env.eventTypes(env.id))
	}
	env.people = []domain.Actor{env.person("jo", domain.RoleL1)}
	for want := 1; want >= 0; want-- { // swept twice
		if n, err := env.svc.DrawReviewers(env.ctx); n != want || err != nil {
			t.Fatalf("%d reviewers drawn, %v", n, err)
		}
	}
	only := env.drawn()
	must(t, errOf(env.svc.ClaimReview(env.ctx, only, env.on())))
	must(t, errOf(env.svc.ReleaseReview(env.ctx, only, env.on())))
	env.drainQueue()
	if env.drawn().UserID != only.UserID {
		t.Error("no one else is left, and the person was not drawn again")
	}
}

// Neither one person nor the application, without a confirmed proposal, sets a mark or names the
// person of a drawn review.
func TestMarksAndDrawsNeedTheirRules(t *testing.T) {
	t.Parallel()
	env := newDrawnEnv(t, 3)
	ada := env.person("ada", domain.RoleAdmin)
	none := casework.ProposeDrawMark{Process: "cross_border_remittance", Reason: "less work"}
	proposed, err := env.svc.ProposeDrawMark(env.ctx, ada, none)
	must(t, err)
	wantCode(t, env.confirm(ada, proposed.ProposalID), domain.FourEyes)
	_, err = env.svc.ProposeDrawMark(env.ctx, env.person("mia", domain.RoleManager), none)
	wantCode(t, err, domain.NotPermitted)
	for _, bad := range []casework.ProposeDrawMark{{Process: "none", Reason: "x"},
		{Process: "document_approval", BaseMinor: -1, Reason: "x"},
		{Process: "document_approval", BaseMinor: 1}} {
		wantCode(t, errOf(env.svc.ProposeDrawMark(env.ctx, ada, bad)), domain.InvalidInput)
	}
	review, other := env.openReview(env.id), env.another()
	app := env.appPool()
	for name, statement := range map[string]string{
		"mark":     `INSERT INTO draw_marks (process, version, reason, set_by, proposal_id) VALUES ('cross_border_remittance', 2, 'x', $1, $2)`,
		"assignee": `UPDATE reviews SET assignee = $1 WHERE id = $2`,
		"claim":    `UPDATE reviews SET assignee = $1, status = 'claimed' WHERE id = $2`,
		"free":     `UPDATE reviews SET draws = 0, assignee = $1 WHERE id = $2`,
		"draw":     `UPDATE review_draws SET person = $1 WHERE review_id = $2`,
	} {
		id := review.ID
		if name == "mark" {
			id = proposed.ProposalID
		}
		if _, err := app.Exec(env.ctx, statement, other.UserID, id); err == nil {
			t.Errorf("the database allowed to change the %s", name)
		}
	}
}
