package casework_test

import (
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
	"countersign/views"
)

const day = 24 * time.Hour

// delegate creates a delegation for one day.
func (env *testEnv) delegate(delegator, delegate domain.Actor, scope domain.Scope) domain.ID {
	env.t.Helper()
	created, err := env.svc.CreateDelegation(env.ctx, delegator,
		casework.CreateDelegation{Delegator: delegator.UserID, Delegate: delegate.UserID,
			Until: env.now().Add(day), Scope: scope})
	must(env.t, err)
	return created.ID
}

func onBehalfOf(actor, delegator domain.Actor) domain.Actor {
	actor.OnBehalfOf = delegator.UserID
	return actor
}

// A delegate reads, claims and decides on behalf of the delegator, in the delegator's queues. Both
// names are recorded, and the vote counts for both.
func TestDecideOnBehalf(t *testing.T) {
	t.Parallel()
	env, _, id := newReviewEnv(t, "120000.00")
	rita, lars := env.person("rita", domain.RoleL1), env.person("lars", domain.RoleL2)
	review := env.openReview(id)
	wantCode(t, env.svc.MayRead(env.ctx, lars, id), domain.NotFound)
	_, err := env.svc.ClaimReview(env.ctx, onBehalfOf(lars, rita),
		casework.ReviewTarget{ReviewID: review.ID})
	wantCode(t, err, domain.NotPermitted)
	env.delegate(rita, lars, domain.Scope{})
	must(t, env.svc.MayRead(env.ctx, lars, id))
	readViews := env.newViews()
	queue, err := readViews.Queue(env.ctx, lars, views.QueueQuery{First: 10})
	must(t, err)
	cases, err := readViews.Cases(env.ctx, lars, views.CaseQuery{Limit: 10})
	must(t, err)
	if queue.Total != 1 || len(cases.Cases) != 1 {
		t.Errorf("the delegate's lists have %d and %d entries", queue.Total, len(cases.Cases))
	}
	_, err = env.svc.ClaimReview(env.ctx, lars, casework.ReviewTarget{ReviewID: review.ID})
	wantCode(t, err, domain.NotPermitted) // visible now, but only on behalf of rita
	question, err := readViews.ReviewAccessQuestion(env.ctx, lars, review.ID)
	must(t, err)
	if names := question.Delegators(); len(names) != 1 || names[0].ID != rita.UserID {
		t.Errorf("got the delegators %+v", names)
	}
	for range 2 {
		_, err = env.svc.ClaimReview(env.ctx, onBehalfOf(lars, rita),
			casework.ReviewTarget{ReviewID: review.ID})
		must(t, err)
	}
	wantCode(t, env.decide(lars, review.ID, domain.Approve, ""), domain.NotPermitted)
	must(t, env.decide(onBehalfOf(lars, rita), review.ID, domain.Approve, ""))
	decisions, err := env.db.Reader().Decisions(env.ctx, id)
	must(t, err)
	exclusions, err := env.db.Reader().Exclusions(env.ctx, id, []domain.ID{env.caseByID(id).PartyID})
	must(t, err)
	if len(decisions) != 1 || decisions[0].Actor != lars.UserID ||
		decisions[0].OnBehalfOf != rita.UserID || len(exclusions.Votes) != 2 {
		t.Errorf("decisions %+v, votes %+v", decisions, exclusions.Votes)
	}
	reading, err := env.db.Reader().EventsAfter(env.ctx, id, 0, 1000)
	must(t, err)
	for _, event := range reading.Events {
		if event.Type == domain.ReviewDecidedEvent &&
			(event.Actor != lars.UserID || event.OnBehalfOf != rita.UserID) {
			t.Errorf("the event names %s for %s", event.Actor, event.OnBehalfOf)
		}
	}
	env.drainQueue()
	env.verifyCaseLog(id)
}

// A restriction of either person applies, and the smaller limit counts.
func TestDelegateAuthorization(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		total   string
		scope   domain.Scope
		prepare func(env *testEnv, sam, delegator, delegate domain.Actor)
		want    domain.Code
	}{
		"the delegate's limit is smaller": {"454546.37", domain.Scope{}, nil,
			domain.ApprovalLimit},
		"the delegated amount is smaller": {"120000.00",
			domain.Scope{BaseMinor: new(int64(1000))}, nil, domain.ApprovalLimit},
		"another document type is delegated": {"120000.00",
			domain.Scope{DocumentTypes: []string{"receipt"}}, nil, domain.ApprovalLimit},
		"another queue is delegated": {"120000.00",
			domain.Scope{Queues: []string{domain.QueueL2}}, nil, domain.NotFound},
		"the delegator has a conflict": {"120000.00", domain.Scope{},
			func(env *testEnv, _, delegator, _ domain.Actor) {
				_, err := env.svc.DeclareConflict(env.ctx, delegator,
					casework.DeclareConflict{Person: delegator.UserID, Party: "Muster Werke GmbH"})
				must(env.t, err)
			}, domain.ConflictOfInterest},
		"the delegator has voted": {"120000.00", domain.Scope{},
			func(env *testEnv, _, delegator, _ domain.Actor) {
				_, err := env.owner.Exec(env.ctx,
					`INSERT INTO votes SELECT case_id, duty, $1, id FROM reviews`, delegator.UserID)
				must(env.t, err)
			}, domain.FourEyes},
		"the delegator submitted it": {"120000.00", domain.Scope{},
			func(env *testEnv, _, delegator, _ domain.Actor) {
				_, err := env.owner.Exec(env.ctx, `UPDATE cases SET submitter = $1`,
					delegator.UserID)
				must(env.t, err)
			}, domain.OwnDocument},
		"the delegator's account is disabled": {"120000.00", domain.Scope{},
			func(env *testEnv, _, delegator, _ domain.Actor) {
				_, err := env.owner.Exec(env.ctx, `UPDATE users SET disabled = true WHERE id = $1`,
					delegator.UserID)
				must(env.t, err)
			}, domain.NotPermitted},
		"the delegation has expired": {"120000.00", domain.Scope{},
			func(env *testEnv, _, _, _ domain.Actor) { env.setClockOffset(25 * time.Hour) },
			domain.NotPermitted},
		"the delegation applies": {"120000.00",
			domain.Scope{BaseMinor: new(int64(13_200_000)), Queues: []string{domain.QueueL1},
				DocumentTypes: []string{"invoice"}}, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env, sam, id := newReviewEnv(t, tc.total)
			delegator, delegate := env.person("delegator", domain.RoleSenior),
				env.person("delegate", domain.RoleL1)
			env.delegate(delegator, delegate, tc.scope)
			if tc.prepare != nil {
				tc.prepare(env, sam, delegator, delegate)
			}
			_, err := env.svc.ClaimReview(env.ctx, onBehalfOf(delegate, delegator),
				casework.ReviewTarget{ReviewID: env.openReview(id).ID})
			if tc.want == "" {
				must(t, err)
				return
			}
			wantCode(t, err, tc.want)
			if _, err := env.svc.ClaimNextReview(env.ctx, onBehalfOf(delegate, delegator),
				casework.ClaimNext{}); err == nil {
				t.Error("ClaimNextReview claimed it")
			}
		})
	}
}

// The end of a delegation, early or by expiry, releases the claims made on behalf of the delegator,
// and no others.
func TestEndedDelegationReleasesClaims(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(env *testEnv, delegator domain.Actor, id domain.ID){
		"early": func(env *testEnv, delegator domain.Actor, id domain.ID) {
			for _, want := range []domain.Code{"", domain.StateMismatch} {
				err := env.svc.EndDelegation(env.ctx, delegator,
					casework.EndDelegation{ID: id, Reason: "back"})
				if domain.CodeOf(err) != want {
					env.t.Errorf("ended: %v, want %q", err, want)
				}
			}
		},
		"by expiry": func(env *testEnv, _ domain.Actor, _ domain.ID) {
			env.setClockOffset(25 * time.Hour)
			_, err := env.owner.Exec(env.ctx,
				`UPDATE reviews SET claim_until = clock() + interval '1 hour' WHERE status = 'claimed'`)
			must(env.t, err)
			for _, want := range []int{1, 0} {
				if n, err := env.svc.ApplyDelegationTransitions(env.ctx); err != nil || n != want {
					env.t.Errorf("%d transitions, want %d (%v)", n, want, err)
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env, sam, id := newReviewEnv(t, "120000.00")
			own := env.submit(sam, "second")
			env.drainQueue()
			delegator, delegate := env.person("delegator", domain.RoleL1),
				env.person("delegate", domain.RoleL2)
			stranger := env.person("stranger", domain.RoleL1)
			delegation := env.delegate(delegator, delegate, domain.Scope{})
			// the delegation started
			if _, err := env.svc.ApplyDelegationTransitions(env.ctx); err != nil {
				t.Fatal(err)
			}
			_, err := env.svc.ClaimReview(env.ctx, onBehalfOf(delegate, delegator),
				casework.ReviewTarget{ReviewID: env.openReview(id).ID})
			must(t, err)
			env.claim(stranger, own)
			wantCode(t, env.svc.EndDelegation(env.ctx, stranger,
				casework.EndDelegation{ID: delegation}), domain.NotFound)
			end(env, delegator, delegation)
			if got := env.openReview(id); got.Status != domain.ReviewOpen {
				t.Errorf("the review is still %s", got.Status)
			}
			if got := env.openReview(own); got.Assignee != stranger.UserID {
				t.Errorf("another user's claim is assigned to %s", got.Assignee)
			}
		})
	}
}

func TestRefusedDelegations(t *testing.T) {
	t.Parallel()
	env, _, id := newReviewEnv(t, "120000.00")
	var people []domain.Actor
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g"} {
		people = append(people, env.person(name, domain.RoleL1))
	}
	ada := env.person("ada", domain.RoleAdmin)
	try := func(by, delegator, delegate domain.Actor, until time.Duration) error {
		_, err := env.svc.CreateDelegation(env.ctx, by,
			casework.CreateDelegation{Delegator: delegator.UserID, Delegate: delegate.UserID,
				Until: env.now().Add(until)})
		return err
	}
	a, b, c := people[0], people[1], people[2]
	wantCode(t, try(a, a, a, day), domain.InvalidInput)
	wantCode(t, try(a, b, a, day), domain.NotPermitted) // to oneself, on behalf of another user
	wantCode(t, try(a, a, ada, day), domain.NotEligible)
	wantCode(t, try(a, a, b, -day), domain.InvalidInput)
	wantCode(t, try(a, a, b, 400*day), domain.InvalidInput)
	// the same as for a user who is not a reviewer
	wantCode(t, try(a, a, domain.Actor{UserID: domain.NewID()}, day), domain.NotEligible)
	wantCode(t, try(ada, a, domain.Actor{UserID: domain.NewID()}, day), domain.NotFound)
	sue := env.person("sue", domain.RoleSubmitter)
	wantCode(t, try(sue, sue, a, day), domain.NotPermitted) // not a reviewer
	must(t, try(a, a, b, day))
	wantCode(t, try(a, a, b, day), domain.StateMismatch)
	wantCode(t, try(b, b, a, day), domain.StateMismatch)
	must(t, try(b, b, c, day))
	wantCode(t, try(c, c, a, day), domain.StateMismatch)
	for i := 2; i < 5; i++ {
		must(t, try(people[i], people[i], people[i+1], day))
	}
	// the sixth in the chain
	wantCode(t, try(people[5], people[5], people[6], day), domain.StateMismatch)
	// A conflict of interest: g has claimed a review that h may not see.
	g, h := people[6], env.person("h", domain.RoleL1)
	_, err := env.svc.DeclareConflict(env.ctx, h,
		casework.DeclareConflict{Person: h.UserID, Party: "Muster Werke GmbH"})
	must(t, err)
	env.claim(g, id)
	wantCode(t, try(g, g, h, day), domain.ConflictOfInterest)
	_, err = env.svc.ReleaseReview(env.ctx, g,
		casework.ReviewTarget{ReviewID: env.openReview(id).ID})
	must(t, err)
	must(t, try(g, g, h, day))
	_, err = env.svc.ClaimReview(env.ctx, onBehalfOf(h, g),
		casework.ReviewTarget{ReviewID: env.openReview(id).ID})
	wantCode(t, err, domain.ConflictOfInterest)
}

// Creating an absence or delegation reports how many reviews no other user could take.
func TestDelegationReportsUncoveredReviews(t *testing.T) {
	t.Parallel()
	env, _, _ := newReviewEnv(t, "120000.00")
	rita, lars := env.person("rita", domain.RoleL1), env.person("lars", domain.RoleL2)
	until := env.now().Add(day)
	absence, err := env.svc.SetAbsence(env.ctx, rita,
		casework.SetAbsence{Person: rita.UserID, Until: until})
	must(t, err)
	if absence.UncoveredReviews != 1 {
		t.Errorf("%d uncovered reviews, want 1", absence.UncoveredReviews)
	}
	delegation, err := env.svc.CreateDelegation(env.ctx, rita,
		casework.CreateDelegation{Delegator: rita.UserID, Delegate: lars.UserID, Until: until})
	must(t, err)
	narrow, err := env.svc.CreateDelegation(env.ctx, rita,
		casework.CreateDelegation{Delegator: rita.UserID,
			Delegate: env.person("ulla", domain.RoleL2).UserID, Until: until,
			Scope: domain.Scope{BaseMinor: new(int64(1))}})
	must(t, err)
	// with so small an amount no review of rita's is in scope
	if delegation.UncoveredReviews != 0 || narrow.UncoveredReviews != 0 {
		t.Errorf("%d uncovered reviews with a delegation, %d with a narrow one", delegation.UncoveredReviews,
			narrow.UncoveredReviews)
	}
}

// An absent person is assigned nothing. Assignments follow the substitutes as of the time of the
// assignment.
func TestAssigningFollowsSubstitutes(t *testing.T) {
	t.Parallel()
	env, _, id := newReviewEnv(t, "120000.00")
	mia := env.person("mia", domain.RoleManager)
	rita, rolf, rosa := env.person("rita", domain.RoleL1), env.person("rolf", domain.RoleL1),
		env.person("rosa", domain.RoleL1)
	reassign := func(to domain.ID) (domain.ID, domain.Code) {
		results, err := env.svc.ReassignReviews(env.ctx, mia,
			casework.ReassignReviews{Reviews: []domain.ID{env.openReview(id).ID}, To: to})
		must(t, err)
		return results[0].To, results[0].Code
	}
	setAbsence := func(person, substitute domain.Actor, from, until time.Duration) (domain.ID, error) {
		created, err := env.svc.SetAbsence(env.ctx, person,
			casework.SetAbsence{Person: person.UserID, Substitute: substitute.UserID,
				From: env.now().Add(from), Until: env.now().Add(until)})
		return created.ID, err
	}
	ritas, err := setAbsence(rita, rolf, 0, 2*day)
	must(t, err)
	_, err = setAbsence(rolf, rosa, 0, day)
	must(t, err)
	_, err = setAbsence(rosa, rita, 0, day)
	wantCode(t, err, domain.StateMismatch)
	_, err = setAbsence(rita, rosa, day, 3*day)
	wantCode(t, err, domain.StateMismatch)
	_, err = setAbsence(rosa, domain.Actor{}, 5*day, 6*day)
	must(t, err)
	if to, code := reassign(rita.UserID); to != rosa.UserID {
		t.Errorf("assigned to %s (%s), want rosa", to, code)
	}
	wantCode(t, env.svc.EndAbsence(env.ctx, rosa, casework.EndAbsence{ID: ritas}), domain.NotFound)
	env.setClockOffset(25 * time.Hour) // rolf is back
	if to, code := reassign(rita.UserID); to != rolf.UserID {
		t.Errorf("assigned to %s (%s), want rolf", to, code)
	}
	must(t, env.svc.EndAbsence(env.ctx, rita, casework.EndAbsence{ID: ritas}))
	if to, code := reassign(rita.UserID); to != rita.UserID {
		t.Errorf("assigned to %s (%s), want rita", to, code)
	}
	env.setClockOffset(5*day + time.Hour) // rosa is absent without a substitute
	if to, code := reassign(rosa.UserID); code != domain.NotEligible {
		t.Errorf("assigned to %s (%s), want nobody", to, code)
	}
	for range 3 {
		if to, _ := reassign(domain.NoID); to == rosa.UserID {
			t.Error("the least loaded is away")
		}
	}
}

// A value that a delegate introduces on behalf of another reviewer excludes both from the decision;
// otherwise the delegator would approve an amount that was set in their name.
func TestInterestOfTheDelegator(t *testing.T) {
	t.Parallel()
	env, _, id := newReviewEnv(t, "120000.00")
	rita, lars := env.person("rita", domain.RoleL1), env.person("lars", domain.RoleL1)
	env.delegate(rita, lars, domain.Scope{})
	review := env.openReview(id)
	correct := func() error {
		_, err := env.svc.CorrectFields(env.ctx, onBehalfOf(lars, rita), casework.CorrectFields{
			ReviewTarget: casework.ReviewTarget{ReviewID: review.ID}, Confirm: true,
			Fields: []casework.FieldInput{{Name: domain.FieldTotal, Value: "119000.00"}}})
		return err
	}
	must(t, errOf(env.svc.ClaimReview(env.ctx, onBehalfOf(lars, rita),
		casework.ReviewTarget{ReviewID: review.ID})))
	wantCode(t, correct(), domain.FourEyes) // no user remains who could decide
	ron := env.person("ron", domain.RoleL1)
	must(t, correct())
	for _, excluded := range []domain.Actor{rita, lars, onBehalfOf(lars, rita)} {
		_, err := env.svc.ClaimReview(env.ctx, excluded,
			casework.ReviewTarget{ReviewID: review.ID})
		wantCode(t, err, domain.FourEyes)
	}
	env.claim(ron, id)
	env.verifyCaseLog(id)
}
