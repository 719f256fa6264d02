package casework_test

import (
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
	"countersign/store"
	"countersign/views"
)

const day = 24 * time.Hour

// lend lets the taker act in the giver's name for a day.
func (w *world) lend(giver, taker domain.Actor, scope domain.Scope) domain.ID {
	w.t.Helper()
	made, err := w.hall.CreateDelegation(w.ctx, giver, casework.CreateDelegation{Giver: giver.UserID, Taker: taker.UserID, Until: w.now().Add(day), Scope: scope})
	must(w.t, err)
	return made.ID
}

func inNameOf(actor, giver domain.Actor) domain.Actor {
	actor.OnBehalfOf = giver.UserID
	return actor
}

// A stand-in reads, claims and decides in the giver's name, with the giver's queues; both names are on record, and both
// have given their vote.
func TestDecideInAnothersName(t *testing.T) {
	t.Parallel()
	w, _, id := reviewed(t, "120000.00")
	rita, lars := w.person("rita", domain.RoleL1), w.person("lars", domain.RoleL2)
	review := w.openReview(id)
	wantCode(t, w.hall.MayRead(w.ctx, lars, id), domain.NotFound)
	_, err := w.hall.ClaimReview(w.ctx, inNameOf(lars, rita), casework.OnReview{ReviewID: review.ID})
	wantCode(t, err, domain.NotPermitted)
	w.lend(rita, lars, domain.Scope{})
	must(t, w.hall.MayRead(w.ctx, lars, id))
	window := w.window()
	queue, err := window.Queue(w.ctx, lars, views.QueueQuery{First: 10})
	must(t, err)
	cases, err := window.Cases(w.ctx, lars, store.CaseQuery{Limit: 10})
	must(t, err)
	if queue.Total != 1 || len(cases.Cases) != 1 {
		t.Errorf("the stand-in's lists hold %d and %d", queue.Total, len(cases.Cases))
	}
	_, err = w.hall.ClaimReview(w.ctx, lars, casework.OnReview{ReviewID: review.ID})
	wantCode(t, err, domain.NotPermitted) // seen now, but only in rita's name
	inquiry, err := window.Inquire(w.ctx, lars, review.ID)
	must(t, err)
	if names := inquiry.StandIn(); len(names) != 1 || names[0].ID != rita.UserID {
		t.Errorf("stands in for %+v", names)
	}
	for range 2 {
		_, err = w.hall.ClaimReview(w.ctx, inNameOf(lars, rita), casework.OnReview{ReviewID: review.ID})
		must(t, err)
	}
	wantCode(t, w.decide(lars, review.ID, domain.Approve, ""), domain.NotPermitted)
	must(t, w.decide(inNameOf(lars, rita), review.ID, domain.Approve, ""))
	decisions, err := w.db.Reader().Decisions(w.ctx, id)
	must(t, err)
	bars, err := w.db.Reader().BarsOf(w.ctx, id, w.kase(id).PartyID)
	must(t, err)
	if len(decisions) != 1 || decisions[0].Actor != lars.UserID || decisions[0].OnBehalfOf != rita.UserID || len(bars.Votes) != 2 {
		t.Errorf("decisions %+v, votes %+v", decisions, bars.Votes)
	}
	reading, err := w.db.Reader().EventsAfter(w.ctx, id, 0, 1000)
	must(t, err)
	for _, event := range reading.Events {
		if event.Type == domain.ReviewWasDecided && (event.Actor != lars.UserID || event.OnBehalfOf != rita.UserID) {
			t.Errorf("the event names %s for %s", event.Actor, event.OnBehalfOf)
		}
	}
	w.work()
	w.verify(id)
}

// What holds for one of the two persons holds for both; the smaller limit counts.
func TestStandInLaw(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		total   string
		scope   domain.Scope
		prepare func(w *world, sam, giver, taker domain.Actor)
		want    domain.Code
	}{
		"the taker's limit is smaller":  {"454546.37", domain.Scope{}, nil, domain.ApprovalLimit},
		"the amount lent is smaller":    {"120000.00", domain.Scope{BaseMinor: new(int64(1000))}, nil, domain.ApprovalLimit},
		"another document type is lent": {"120000.00", domain.Scope{DocumentTypes: []string{"receipt"}}, nil, domain.ApprovalLimit},
		"another queue is lent":         {"120000.00", domain.Scope{Queues: []string{domain.QueueL2}}, nil, domain.NotFound},
		"a conflict of the giver": {"120000.00", domain.Scope{}, func(w *world, _, giver, _ domain.Actor) {
			_, err := w.hall.DeclareConflict(w.ctx, giver, casework.DeclareConflict{Person: giver.UserID, Party: "Muster Werke GmbH"})
			must(w.t, err)
		}, domain.ConflictOfInterest},
		"the giver gave a vote": {"120000.00", domain.Scope{}, func(w *world, _, giver, _ domain.Actor) {
			_, err := w.owner.Exec(w.ctx, `INSERT INTO votes SELECT case_id, duty, $1, id FROM reviews`, giver.UserID)
			must(w.t, err)
		}, domain.FourEyes},
		"the giver submitted it": {"120000.00", domain.Scope{}, func(w *world, _, giver, _ domain.Actor) {
			_, err := w.owner.Exec(w.ctx, `UPDATE cases SET submitter = $1`, giver.UserID)
			must(w.t, err)
		}, domain.OwnDocument},
		"the giver's account is off": {"120000.00", domain.Scope{}, func(w *world, _, giver, _ domain.Actor) {
			_, err := w.owner.Exec(w.ctx, `UPDATE users SET disabled = true WHERE id = $1`, giver.UserID)
			must(w.t, err)
		}, domain.NotPermitted},
		"it is over": {"120000.00", domain.Scope{}, func(w *world, _, _, _ domain.Actor) { w.later(25 * time.Hour) }, domain.NotPermitted},
		"it holds":   {"120000.00", domain.Scope{BaseMinor: new(int64(13_200_000)), Queues: []string{domain.QueueL1}, DocumentTypes: []string{"invoice"}}, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, sam, id := reviewed(t, tc.total)
			giver, taker := w.person("giver", domain.RoleSenior), w.person("taker", domain.RoleL1)
			w.lend(giver, taker, tc.scope)
			if tc.prepare != nil {
				tc.prepare(w, sam, giver, taker)
			}
			_, err := w.hall.ClaimReview(w.ctx, inNameOf(taker, giver), casework.OnReview{ReviewID: w.openReview(id).ID})
			if tc.want == "" {
				must(t, err)
				return
			}
			wantCode(t, err, tc.want)
			if _, err := w.hall.ClaimNextReview(w.ctx, inNameOf(taker, giver), casework.Once{}); err == nil {
				t.Error("claim next takes it")
			}
		})
	}
}

// The end of a delegation, by hand or by time, takes back what was claimed in the lent name, and only that.
func TestEndedDelegationWithdraws(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(w *world, giver domain.Actor, id domain.ID){
		"by hand": func(w *world, giver domain.Actor, id domain.ID) {
			for _, want := range []domain.Code{"", domain.NotFound} {
				err := w.hall.EndDelegation(w.ctx, giver, casework.EndDelegation{ID: id, Reason: "back"})
				if domain.CodeOf(err) != want {
					w.t.Errorf("ended: %v, want %q", err, want)
				}
			}
		},
		"by time": func(w *world, _ domain.Actor, _ domain.ID) {
			w.later(25 * time.Hour)
			_, err := w.owner.Exec(w.ctx, `UPDATE reviews SET claim_until = clock() + interval '1 hour' WHERE status = 'claimed'`)
			must(w.t, err)
			for _, want := range []int{1, 0} {
				if n, err := w.hall.TurnPowers(w.ctx); err != nil || n != want {
					w.t.Errorf("%d turned, want %d (%v)", n, want, err)
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, sam, id := reviewed(t, "120000.00")
			own := w.submit(sam, "second")
			w.work()
			giver, taker := w.person("giver", domain.RoleL1), w.person("taker", domain.RoleL2)
			stranger := w.person("stranger", domain.RoleL1)
			delegation := w.lend(giver, taker, domain.Scope{})
			if _, err := w.hall.TurnPowers(w.ctx); err != nil { // it began
				t.Fatal(err)
			}
			_, err := w.hall.ClaimReview(w.ctx, inNameOf(taker, giver), casework.OnReview{ReviewID: w.openReview(id).ID})
			must(t, err)
			w.claim(stranger, own)
			wantCode(t, w.hall.EndDelegation(w.ctx, stranger, casework.EndDelegation{ID: delegation}), domain.NotFound)
			end(w, giver, delegation)
			if got := w.openReview(id); got.Status != domain.ReviewOpen {
				t.Errorf("the review is still %s", got.Status)
			}
			if got := w.openReview(own); got.Assignee != stranger.UserID {
				t.Errorf("another's claim went to %s", got.Assignee)
			}
		})
	}
}

func TestRefusedDelegations(t *testing.T) {
	t.Parallel()
	w, _, id := reviewed(t, "120000.00")
	var people []domain.Actor
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g"} {
		people = append(people, w.person(name, domain.RoleL1))
	}
	ada := w.person("ada", domain.RoleAdmin)
	try := func(by, giver, taker domain.Actor, until time.Duration) error {
		_, err := w.hall.CreateDelegation(w.ctx, by, casework.CreateDelegation{Giver: giver.UserID, Taker: taker.UserID, Until: w.now().Add(until)})
		return err
	}
	a, b, c := people[0], people[1], people[2]
	wantCode(t, try(a, a, a, day), domain.InvalidInput)
	wantCode(t, try(a, b, a, day), domain.NotPermitted) // to oneself, another's name
	wantCode(t, try(a, a, ada, day), domain.NotEligible)
	wantCode(t, try(a, a, b, -day), domain.InvalidInput)
	wantCode(t, try(a, a, b, 400*day), domain.InvalidInput)
	wantCode(t, try(a, a, domain.Actor{UserID: domain.NewID()}, day), domain.NotEligible) // as for who decides nothing
	wantCode(t, try(ada, a, domain.Actor{UserID: domain.NewID()}, day), domain.NotFound)
	sue := w.person("sue", domain.RoleSubmitter)
	wantCode(t, try(sue, sue, a, day), domain.NotPermitted) // there is nothing to lend
	must(t, try(a, a, b, day))
	wantCode(t, try(a, a, b, day), domain.StateMismatch)
	wantCode(t, try(b, b, a, day), domain.StateMismatch)
	must(t, try(ada, b, c, day))
	wantCode(t, try(c, c, a, day), domain.StateMismatch)
	for i := 2; i < 5; i++ {
		must(t, try(people[i], people[i], people[i+1], day))
	}
	wantCode(t, try(people[5], people[5], people[6], day), domain.StateMismatch) // the sixth on end
	// Across a conflict: g holds work that h may not see.
	g, h := people[6], w.person("h", domain.RoleL1)
	_, err := w.hall.DeclareConflict(w.ctx, h, casework.DeclareConflict{Person: h.UserID, Party: "Muster Werke GmbH"})
	must(t, err)
	w.claim(g, id)
	wantCode(t, try(g, g, h, day), domain.ConflictOfInterest)
	_, err = w.hall.ReleaseReview(w.ctx, g, casework.OnReview{ReviewID: w.openReview(id).ID})
	must(t, err)
	must(t, try(g, g, h, day))
	_, err = w.hall.ClaimReview(w.ctx, inNameOf(h, g), casework.OnReview{ReviewID: w.openReview(id).ID})
	wantCode(t, err, domain.ConflictOfInterest)
}

// Set-up says how many reviews would find nobody.
func TestSetUpWarns(t *testing.T) {
	t.Parallel()
	w, _, _ := reviewed(t, "120000.00")
	rita, lars := w.person("rita", domain.RoleL1), w.person("lars", domain.RoleL2)
	until := w.now().Add(day)
	away, err := w.hall.SetAbsence(w.ctx, rita, casework.SetAbsence{Person: rita.UserID, Until: until})
	must(t, err)
	if away.Nobody != 1 {
		t.Errorf("%d reviews find nobody, want 1", away.Nobody)
	}
	lent, err := w.hall.CreateDelegation(w.ctx, rita, casework.CreateDelegation{Giver: rita.UserID, Taker: lars.UserID, Until: until})
	must(t, err)
	narrow, err := w.hall.CreateDelegation(w.ctx, rita, casework.CreateDelegation{Giver: rita.UserID, Taker: w.person("ulla", domain.RoleL2).UserID,
		Until: until, Scope: domain.Scope{BaseMinor: new(int64(1))}})
	must(t, err)
	if lent.Nobody != 0 || narrow.Nobody != 0 { // under so small an amount rita's name reaches no review at all
		t.Errorf("with a stand-in %d, with a narrow one %d reviews find nobody", lent.Nobody, narrow.Nobody)
	}
}

// Nothing is given to who is away; their substitutes are followed, evaluated when it is given.
func TestAssigningFollowsSubstitutes(t *testing.T) {
	t.Parallel()
	w, _, id := reviewed(t, "120000.00")
	mia := w.person("mia", domain.RoleManager)
	rita, rolf, rosa := w.person("rita", domain.RoleL1), w.person("rolf", domain.RoleL1), w.person("rosa", domain.RoleL1)
	give := func(to domain.ID) (domain.ID, domain.Code) {
		results, err := w.hall.ReassignReviews(w.ctx, mia, casework.ReassignReviews{Reviews: []domain.ID{w.openReview(id).ID}, To: to})
		must(t, err)
		return results[0].To, results[0].Code
	}
	away := func(who, substitute domain.Actor, from, until time.Duration) (domain.ID, error) {
		made, err := w.hall.SetAbsence(w.ctx, who, casework.SetAbsence{Person: who.UserID, Substitute: substitute.UserID,
			From: w.now().Add(from), Until: w.now().Add(until)})
		return made.ID, err
	}
	ritas, err := away(rita, rolf, 0, 2*day)
	must(t, err)
	_, err = away(rolf, rosa, 0, day)
	must(t, err)
	_, err = away(rosa, rita, 0, day)
	wantCode(t, err, domain.StateMismatch)
	_, err = away(rita, rosa, day, 3*day)
	wantCode(t, err, domain.StateMismatch)
	_, err = away(rosa, domain.Actor{}, 5*day, 6*day)
	must(t, err)
	if to, code := give(rita.UserID); to != rosa.UserID {
		t.Errorf("given to %s (%s), want rosa", to, code)
	}
	wantCode(t, w.hall.EndAbsence(w.ctx, rosa, casework.EndAbsence{ID: ritas}), domain.NotFound)
	w.later(25 * time.Hour) // rolf is back
	if to, code := give(rita.UserID); to != rolf.UserID {
		t.Errorf("given to %s (%s), want rolf", to, code)
	}
	must(t, w.hall.EndAbsence(w.ctx, rita, casework.EndAbsence{ID: ritas}))
	if to, code := give(rita.UserID); to != rita.UserID {
		t.Errorf("given to %s (%s), want rita", to, code)
	}
	w.later(5*day + time.Hour) // rosa is away with nobody in her place
	if to, code := give(rosa.UserID); code != domain.NotEligible {
		t.Errorf("given to %s (%s), want nobody", to, code)
	}
	for range 3 {
		if to, _ := give(domain.NoID); to == rosa.UserID {
			t.Error("the least loaded is away")
		}
	}
}
