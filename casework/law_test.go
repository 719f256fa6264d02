package casework_test

import (
	"errors"
	"sync"
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// reviewed is a world with a case over the amount in review.
func reviewed(t *testing.T, total string) (*world, domain.Actor, domain.ID) {
	t.Helper()
	w := newWorld(t)
	sam := w.person("sam", domain.RoleSubmitter)
	w.desk.xml = invoiceXML(total, "R-9")
	id := w.submit(sam, "law")
	w.work()
	return w, sam, id
}

func TestWhoMayNotDecide(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		total string
		who   func(w *world, sam domain.Actor) domain.Actor
		want  domain.Code
	}{
		"a junior above the limit": {"454546.37", func(w *world, _ domain.Actor) domain.Actor { // 500 001.01 USD
			return w.person("jo", domain.RoleL1)
		}, domain.ApprovalLimit},
		"the submitter": {"120000.00", func(w *world, sam domain.Actor) domain.Actor {
			_, err := w.hall.PutUser(w.ctx, domain.SystemActor(), casework.PutUser{User: domain.User{ID: sam.UserID, Email: "sam@example.com",
				Name: "sam", Roles: []domain.Role{domain.RoleSubmitter, domain.RoleL1}, Queues: []string{domain.QueueL1}}})
			must(w.t, err)
			return sam
		}, domain.OwnDocument},
		"one with a conflict": {"120000.00", func(w *world, _ domain.Actor) domain.Actor {
			connie := w.person("connie", domain.RoleL1)
			_, err := w.hall.DeclareConflict(w.ctx, connie, casework.DeclareConflict{Person: connie.UserID, Party: "MUSTER WERKE, GmbH"})
			must(w.t, err)
			return connie
		}, domain.ConflictOfInterest},
		"an auditor": {"120000.00", func(w *world, _ domain.Actor) domain.Actor { return w.person("ada", domain.RoleAuditor) }, domain.NotPermitted},
		"an administrator": {"120000.00", func(w *world, _ domain.Actor) domain.Actor {
			return w.person("adam", domain.RoleAdmin)
		}, domain.NotPermitted},
		"another submitter": {"120000.00", func(w *world, _ domain.Actor) domain.Actor {
			return w.person("sue", domain.RoleSubmitter)
		}, domain.NotFound},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, sam, id := reviewed(t, tc.total)
			who := tc.who(w, sam)
			review := w.openReview(id)
			_, err := w.hall.ClaimReview(w.ctx, who, casework.OnReview{ReviewID: review.ID})
			wantCode(t, err, tc.want)
			wantCode(t, w.decide(who, review.ID, domain.Approve, ""), refusedDecision(tc.want))
			if _, err := w.hall.ClaimNextReview(w.ctx, who, casework.Once{}); !domain.HasCode(err, domain.NothingToClaim) {
				t.Errorf("claim next: %v", err)
			}
			if c := w.kase(id); c.Status != domain.InReview {
				t.Errorf("the case is %s", c.Status)
			}
		})
	}
}

// refusedDecision is the code that a decision without a claim is refused with: the weightier reason comes first.
func refusedDecision(claim domain.Code) domain.Code { return claim }

func TestOneOfManyClaimsWins(t *testing.T) {
	t.Parallel()
	w, _, id := reviewed(t, "120000.00")
	review := w.openReview(id)
	const people = 8
	var racers []domain.Actor
	for i := range people {
		racers = append(racers, w.person(string(rune('a'+i))+"-racer", domain.RoleL1))
	}
	var wait sync.WaitGroup
	errs := make([]error, people)
	for i, racer := range racers {
		wait.Go(func() { _, errs[i] = w.hall.ClaimReview(w.ctx, racer, casework.OnReview{ReviewID: review.ID}) })
	}
	wait.Wait()
	won := 0
	for i, err := range errs {
		if err == nil {
			won++
			continue
		}
		var refusal *domain.Error
		if !errors.As(err, &refusal) || refusal.Code != domain.AlreadyClaimed || refusal.Detail["holder"] == "" {
			t.Errorf("racer %d: %v", i, err)
		}
	}
	if won != 1 {
		t.Errorf("%d claims won", won)
	}
}

func TestTheSamePersonTwiceInParallel(t *testing.T) {
	t.Parallel()
	w, _, id := reviewed(t, "120000.00")
	rita := w.person("rita", domain.RoleL1)
	review := w.claim(rita, id)
	errs := make([]error, 4)
	var wait sync.WaitGroup
	for i := range errs {
		wait.Go(func() { errs[i] = w.decide(rita, review.ID, domain.Approve, "") })
	}
	wait.Wait()
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
		} else if !domain.HasCode(err, domain.AlreadyDecided) {
			t.Errorf("the other decision: %v", err)
		}
	}
	if won != 1 {
		t.Errorf("%d decisions were taken", won)
	}
	w.work()
	w.verify(id)
}

func TestALateDecisionIsToldWhoDecided(t *testing.T) {
	t.Parallel()
	w, _, id := reviewed(t, "120000.00")
	rita, mia := w.person("rita", domain.RoleL1), w.person("mia", domain.RoleManager)
	review := w.claim(rita, id)
	if err := w.decide(rita, review.ID, domain.Approve, ""); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		err := w.decide(mia, review.ID, domain.Approve, "")
		var known *domain.Error
		if !errors.As(err, &known) || known.Code != domain.AlreadyDecided || known.Detail["by"] != "rita" {
			t.Errorf("the late decision: %v %v", err, known)
		}
	}
	stranger := w.person("sue", domain.RoleSubmitter)
	if err := w.decide(stranger, review.ID, domain.Approve, ""); !domain.HasCode(err, domain.NotFound) {
		t.Errorf("somebody who may not see the review: %v", err)
	}
}

func TestWhoEscalatedMayNotDecideAgain(t *testing.T) {
	t.Parallel()
	w, _, id := reviewed(t, "120000.00")
	mia := w.person("mia", domain.RoleManager)
	review := w.claim(mia, id)
	must(t, w.decide(mia, review.ID, domain.Escalate, "please look"))
	second := w.openReview(id)
	if second.ID == review.ID || second.Queue != domain.QueueL2 || second.Duty != review.Duty {
		t.Fatalf("escalated to %+v", second)
	}
	_, err := w.hall.ClaimReview(w.ctx, mia, casework.OnReview{ReviewID: second.ID})
	wantCode(t, err, domain.FourEyes)
	max := w.person("max", domain.RoleManager)
	second = w.claim(max, id)
	must(t, w.decide(max, second.ID, domain.Approve, ""))
	w.work()
	if c := w.kase(id); c.Status != domain.Archived {
		t.Errorf("the case is %s", c.Status)
	}
	w.verify(id)
}

func TestRightsChangedBetweenClaimAndDecision(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(w *world, rita domain.Actor) error
		want   domain.Code
	}{
		"limit lowered": {func(w *world, _ domain.Actor) error {
			return w.hall.SetLimit(w.ctx, domain.SystemActor(), domain.Limit{Role: domain.RoleL1, Action: domain.ActDecide, BaseMinor: 100})
		}, domain.ApprovalLimit},
		"conflict declared": {func(w *world, rita domain.Actor) error {
			_, err := w.hall.DeclareConflict(w.ctx, domain.SystemActor(), casework.DeclareConflict{Person: rita.UserID, Party: "Muster Werke GmbH"})
			return err
		}, domain.ConflictOfInterest},
		"role removed": {func(w *world, rita domain.Actor) error {
			_, err := w.hall.PutUser(w.ctx, domain.SystemActor(), casework.PutUser{User: domain.User{ID: rita.UserID, Email: "rita@example.com", Name: "rita"}})
			return err
		}, domain.NotFound},
		"disabled": {func(w *world, rita domain.Actor) error {
			_, err := w.hall.PutUser(w.ctx, domain.SystemActor(), casework.PutUser{User: domain.User{ID: rita.UserID, Email: "rita@example.com",
				Name: "rita", Roles: []domain.Role{domain.RoleL1}, Queues: []string{domain.QueueL1}, Disabled: true}})
			return err
		}, domain.Unauthenticated},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, _, id := reviewed(t, "120000.00")
			rita := w.person("rita", domain.RoleL1)
			review := w.claim(rita, id)
			must(t, tc.change(w, rita))
			wantCode(t, w.decide(rita, review.ID, domain.Approve, ""), tc.want)
			if c := w.kase(id); c.Status != domain.InReview {
				t.Errorf("the case is %s", c.Status)
			}
		})
	}
}

func TestRefusalsAreOnRecord(t *testing.T) {
	t.Parallel()
	w, _, id := reviewed(t, "454546.37")
	jo := w.person("jo", domain.RoleL1)
	jo.RequestID = "req-1"
	before := w.kase(id).Version
	_, err := w.hall.ClaimReview(w.ctx, jo, casework.OnReview{ReviewID: w.openReview(id).ID})
	wantCode(t, err, domain.ApprovalLimit)
	lines, err := w.db.Reader().AccessOf(w.ctx, id, 10)
	must(t, err)
	if len(lines) != 1 || lines[0].Actor != jo.UserID || lines[0].Code != domain.ApprovalLimit || lines[0].RequestID != "req-1" {
		t.Errorf("access log %+v", lines)
	}
	if after := w.kase(id).Version; after != before {
		t.Errorf("a refusal raised the case's version from %d to %d", before, after)
	}
}
