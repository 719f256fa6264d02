package casework_test

import (
	"errors"
	"sync"
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// newReviewEnv returns a test environment with a case of the given amount in review.
func newReviewEnv(t *testing.T, total string) (*testEnv, domain.Actor, domain.ID) {
	t.Helper()
	env := newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	env.reader.xml = invoiceXML(total, "R-9")
	id := env.submit(sam, "review")
	env.drainQueue()
	return env, sam, id
}

func TestUnauthorizedReviewers(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		total string
		actor func(env *testEnv, sam domain.Actor) domain.Actor
		want  domain.Code
	}{
		// 500 001.01 USD
		"a junior above the limit": {"454546.37", func(env *testEnv, _ domain.Actor) domain.Actor {
			env.person("sid", domain.RoleSenior) // may decide, so that no one else may claim it
			return env.person("jo", domain.RoleL1)
		}, domain.ApprovalLimit},
		"the submitter": {"120000.00", func(env *testEnv, sam domain.Actor) domain.Actor {
			_, err := env.svc.PutUser(env.ctx, domain.SystemActor(),
				casework.PutUser{User: domain.User{ID: sam.UserID, Email: "sam@example.com",
					Name: "sam", Roles: []domain.Role{domain.RoleSubmitter, domain.RoleL1},
					Queues: []string{domain.QueueL1}}})
			must(env.t, err)
			return sam
		}, domain.OwnDocument},
		"a reviewer with a conflict": {"120000.00",
			func(env *testEnv, _ domain.Actor) domain.Actor {
				connie := env.person("connie", domain.RoleL1)
				_, err := env.svc.DeclareConflict(env.ctx, connie,
					casework.DeclareConflict{Person: connie.UserID, Party: "MUSTER WERKE, GmbH"})
				must(env.t, err)
				return connie
			}, domain.ConflictOfInterest},
		"an auditor": {"120000.00",
			func(env *testEnv, _ domain.Actor) domain.Actor {
				return env.person("ada",
					domain.RoleAuditor)
			}, domain.NotPermitted},
		"an administrator": {"120000.00", func(env *testEnv, _ domain.Actor) domain.Actor {
			return env.person("adam", domain.RoleAdmin)
		}, domain.NotPermitted},
		"another submitter": {"120000.00", func(env *testEnv, _ domain.Actor) domain.Actor {
			return env.person("sue", domain.RoleSubmitter)
		}, domain.NotFound},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env, sam, id := newReviewEnv(t, tc.total)
			actor := tc.actor(env, sam)
			review := env.openReview(id)
			_, err := env.svc.ClaimReview(env.ctx, actor,
				casework.ReviewTarget{ReviewID: review.ID})
			wantCode(t, err, tc.want)
			wantCode(t, env.decide(actor, review.ID, domain.Approve, ""), decisionRefusal(tc.want))
			if _, err := env.svc.ClaimNextReview(env.ctx, actor,
				casework.ClaimNext{}); !domain.HasCode(err, domain.NothingToClaim) {
				t.Errorf("ClaimNextReview: %v", err)
			}
			if c := env.caseByID(id); c.Status != domain.InReview {
				t.Errorf("the case is %s", c.Status)
			}
		})
	}
}

// decisionRefusal returns the code with which a decision without a claim is refused: the more
// fundamental refusal precedes the missing claim.
func decisionRefusal(claim domain.Code) domain.Code { return claim }

func TestConcurrentClaims(t *testing.T) {
	t.Parallel()
	env, _, id := newReviewEnv(t, "120000.00")
	review := env.openReview(id)
	const people = 8
	var racers []domain.Actor
	for i := range people {
		racers = append(racers, env.person(string(rune('a'+i))+"-racer", domain.RoleL1))
	}
	var wait sync.WaitGroup
	errs := make([]error, people)
	for i, racer := range racers {
		wait.Go(func() {
			_, errs[i] = env.svc.ClaimReview(env.ctx, racer,
				casework.ReviewTarget{ReviewID: review.ID})
		})
	}
	wait.Wait()
	succeeded := 0
	for i, err := range errs {
		if err == nil {
			succeeded++
			continue
		}
		var refusal *domain.Error
		if !errors.As(err, &refusal) || refusal.Code != domain.AlreadyClaimed ||
			refusal.Detail["holder"] == "" {
			t.Errorf("racer %d: %v", i, err)
		}
	}
	if succeeded != 1 {
		t.Errorf("%d claims succeeded", succeeded)
	}
}

func TestConcurrentDecisionsByOnePerson(t *testing.T) {
	t.Parallel()
	env, _, id := newReviewEnv(t, "120000.00")
	rita := env.person("rita", domain.RoleL1)
	review := env.claim(rita, id)
	errs := make([]error, 4)
	var wait sync.WaitGroup
	for i := range errs {
		wait.Go(func() { errs[i] = env.decide(rita, review.ID, domain.Approve, "") })
	}
	wait.Wait()
	succeeded := 0
	for _, err := range errs {
		if err == nil {
			succeeded++
		} else if !domain.HasCode(err, domain.AlreadyDecided) {
			t.Errorf("the second decision: %v", err)
		}
	}
	if succeeded != 1 {
		t.Errorf("%d decisions succeeded", succeeded)
	}
	env.drainQueue()
	env.verifyCaseLog(id)
}

func TestLateDecisionNamesTheDecider(t *testing.T) {
	t.Parallel()
	env, _, id := newReviewEnv(t, "120000.00")
	rita, mia := env.person("rita", domain.RoleL1), env.person("mia", domain.RoleManager)
	review := env.claim(rita, id)
	if err := env.decide(rita, review.ID, domain.Approve, ""); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		err := env.decide(mia, review.ID, domain.Approve, "")
		var known *domain.Error
		if !errors.As(err, &known) || known.Code != domain.AlreadyDecided ||
			known.Detail["by"] != "rita" {
			t.Errorf("the late decision: %v %v", err, known)
		}
	}
	stranger := env.person("sue", domain.RoleSubmitter)
	if err := env.decide(stranger, review.ID, domain.Approve, ""); !domain.HasCode(err,
		domain.NotFound) {
		t.Errorf("a user who may not see the review: %v", err)
	}
}

func TestEscalatingReviewerMayNotDecideAgain(t *testing.T) {
	t.Parallel()
	env, _, id := newReviewEnv(t, "120000.00")
	mia := env.person("mia", domain.RoleManager)
	review := env.claim(mia, id)
	wantCode(t, env.decide(mia, review.ID, domain.Escalate, "please look"), domain.FourEyes)
	max := env.person("max", domain.RoleManager) // without another manager, no person could decide
	must(t, env.decide(mia, review.ID, domain.Escalate, "please look"))
	second := env.openReview(id)
	if second.ID == review.ID || second.Queue != domain.QueueL2 || second.Duty != review.Duty {
		t.Fatalf("escalated to %+v", second)
	}
	_, err := env.svc.ClaimReview(env.ctx, mia, casework.ReviewTarget{ReviewID: second.ID})
	wantCode(t, err, domain.FourEyes)
	second = env.claim(max, id)
	must(t, env.decide(max, second.ID, domain.Approve, ""))
	env.drainQueue()
	if c := env.caseByID(id); c.Status != domain.Archived {
		t.Errorf("the case is %s", c.Status)
	}
	env.verifyCaseLog(id)
}

func TestRightsChangedBetweenClaimAndDecision(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(env *testEnv, rita domain.Actor) error
		want   domain.Code
	}{
		"limit lowered": {func(env *testEnv, _ domain.Actor) error {
			return env.svc.SetLimit(env.ctx, domain.SystemActor(),
				domain.Limit{Role: domain.RoleL1, Action: domain.ActDecide, BaseMinor: 100})
		}, domain.ApprovalLimit},
		"conflict declared": {func(env *testEnv, rita domain.Actor) error {
			_, err := env.svc.DeclareConflict(env.ctx, domain.SystemActor(),
				casework.DeclareConflict{Person: rita.UserID, Party: "Muster Werke GmbH"})
			return err
		}, domain.ConflictOfInterest},
		"role removed": {func(env *testEnv, rita domain.Actor) error {
			_, err := env.svc.PutUser(env.ctx, domain.SystemActor(),
				casework.PutUser{User: domain.User{ID: rita.UserID, Email: "rita@example.com",
					Name: "rita"}})
			return err
		}, domain.NotFound},
		"disabled": {func(env *testEnv, rita domain.Actor) error {
			_, err := env.svc.PutUser(env.ctx, domain.SystemActor(),
				casework.PutUser{User: domain.User{ID: rita.UserID, Email: "rita@example.com",
					Name: "rita", Roles: []domain.Role{domain.RoleL1},
					Queues: []string{domain.QueueL1}, Disabled: true}})
			return err
		}, domain.Unauthenticated},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env, _, id := newReviewEnv(t, "120000.00")
			rita := env.person("rita", domain.RoleL1)
			review := env.claim(rita, id)
			must(t, tc.change(env, rita))
			wantCode(t, env.decide(rita, review.ID, domain.Approve, ""), tc.want)
			if c := env.caseByID(id); c.Status != domain.InReview {
				t.Errorf("the case is %s", c.Status)
			}
		})
	}
}

func TestRefusalsAreLogged(t *testing.T) {
	t.Parallel()
	env, _, id := newReviewEnv(t, "454546.37")
	env.person("sid", domain.RoleSenior) // may decide, so that no one else may claim it
	jo := env.person("jo", domain.RoleL1)
	jo.RequestID = "req-1"
	before := env.caseByID(id).Version
	_, err := env.svc.ClaimReview(env.ctx, jo,
		casework.ReviewTarget{ReviewID: env.openReview(id).ID})
	wantCode(t, err, domain.ApprovalLimit)
	lines, err := env.db.Reader().AccessLog(env.ctx, id, 10)
	must(t, err)
	if len(lines) != 1 || lines[0].Actor != jo.UserID || lines[0].Code != domain.ApprovalLimit ||
		lines[0].RequestID != "req-1" {
		t.Errorf("access log %+v", lines)
	}
	if after := env.caseByID(id).Version; after != before {
		t.Errorf("a refusal changed the case's version from %d to %d", before, after)
	}
}
