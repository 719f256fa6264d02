package authz_test

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"countersign/authz"
	"countersign/domain"
)

func TestReasons(t *testing.T) {
	t.Parallel()
	me, other := junior(1), junior(2)
	manager := person(3, domain.RoleManager)
	manager.Queues, manager.Limits = []string{domain.QueueL1, domain.QueueL2},
		[]domain.Limit{unlimited(domain.RoleManager)}
	admin := person(4, domain.RoleAdmin)
	submitter := person(5, domain.RoleSubmitter)
	with := func(facts domain.ReviewFacts, change func(*domain.ReviewFacts)) domain.ReviewFacts {
		change(&facts)
		return facts
	}
	mine, theirs := claimedBy(me), claimedBy(other)
	cases := map[string]struct {
		user   domain.User
		action domain.Action
		facts  domain.ReviewFacts
		want   domain.Code // "" = allowed
	}{
		"an open review": {me, domain.ActClaim, openReview(), ""},
		"exactly the limit": {me, domain.ActClaim,
			with(openReview(), func(f *domain.ReviewFacts) { f.BaseMinor = 50_000_000 }), ""},
		"one unit above": {me, domain.ActClaim,
			with(openReview(), func(f *domain.ReviewFacts) { f.BaseMinor = 50_000_001 }),
			domain.ApprovalLimit},
		"a credit above": {me, domain.ActClaim,
			with(openReview(), func(f *domain.ReviewFacts) { f.BaseMinor = -50_000_001 }),
			domain.ApprovalLimit},
		"amount unknown": {me, domain.ActClaim,
			with(openReview(),
				func(f *domain.ReviewFacts) { f.AmountKnown = false; f.BaseMinor = 0 }),
			domain.ApprovalLimit},
		"amount unknown, unlimited": {manager, domain.ActClaim,
			with(openReview(), func(f *domain.ReviewFacts) { f.AmountKnown = false }), ""},
		"own claim again":    {me, domain.ActClaim, mine, ""},
		"claimed by another": {me, domain.ActClaim, theirs, domain.AlreadyClaimed},
		"assigned to me": {me, domain.ActClaim,
			with(openReview(), func(f *domain.ReviewFacts) { f.Assignee = me.ID }), ""},
		"assigned to another": {me, domain.ActClaim,
			with(openReview(), func(f *domain.ReviewFacts) { f.Assignee = other.ID }),
			domain.AlreadyClaimed},
		"drawn": {me, domain.ActClaim, with(openReview(),
			func(f *domain.ReviewFacts) { f.Drawn, f.Assignee = true, me.ID }), ""},
		"another drawn": {me, domain.ActClaim, with(openReview(),
			func(f *domain.ReviewFacts) { f.Drawn, f.Assignee = true, other.ID }),
			domain.NotEligible},
		"no one drawn yet": {me, domain.ActClaim,
			with(openReview(), func(f *domain.ReviewFacts) { f.Drawn = true }),
			domain.NotEligible},
		"drawn and claimed by another": {me, domain.ActClaim,
			with(theirs, func(f *domain.ReviewFacts) { f.Drawn = true }), domain.AlreadyClaimed},
		"decided": {me, domain.ActClaim,
			with(mine, func(f *domain.ReviewFacts) { f.Status = domain.ReviewDecided }),
			domain.AlreadyDecided},
		"withdrawn": {me, domain.ActDecide,
			with(mine, func(f *domain.ReviewFacts) { f.Status = domain.ReviewCancelled }),
			domain.AlreadyDecided},
		"decide my claim":  {me, domain.ActDecide, mine, ""},
		"decide unclaimed": {me, domain.ActDecide, openReview(), domain.NotClaimedByYou},
		"decide another's": {manager, domain.ActDecide, theirs, domain.NotClaimedByYou},
		"decide after the lease": {me, domain.ActDecide,
			with(mine, func(f *domain.ReviewFacts) { f.ClaimActive = false }),
			domain.NotClaimedByYou},
		"correct another's": {me, domain.ActCorrect, theirs, domain.NotClaimedByYou},
		"release another's": {me, domain.ActRelease, theirs, domain.NotClaimedByYou},
		"release when conflicted": {me, domain.ActRelease,
			with(mine, func(f *domain.ReviewFacts) { f.ConflictedIDs = []domain.ID{me.ID} }), ""},
		"own document": {me, domain.ActClaim,
			with(openReview(), func(f *domain.ReviewFacts) { f.Submitter = me.ID }),
			domain.OwnDocument},
		"key fact set": {me, domain.ActDecide,
			with(mine, func(f *domain.ReviewFacts) { f.InterestedIDs = []domain.ID{me.ID} }),
			domain.FourEyes},
		"voted before": {me, domain.ActDecide,
			with(mine, func(f *domain.ReviewFacts) { f.VotedIDs = []domain.ID{other.ID, me.ID} }),
			domain.FourEyes},
		"conflicted": {me, domain.ActDecide,
			with(mine, func(f *domain.ReviewFacts) { f.ConflictedIDs = []domain.ID{me.ID} }),
			domain.ConflictOfInterest},
		"conflicted reader": {manager, domain.ActRead,
			with(openReview(), func(f *domain.ReviewFacts) {
				f.ConflictedIDs = []domain.ID{
					manager.ID}
			}), domain.ConflictOfInterest},
		"another's conflict": {me, domain.ActDecide,
			with(mine, func(f *domain.ReviewFacts) {
				f.ConflictedIDs = []domain.ID{
					other.ID}
			}), ""},
		"a queue not mine": {me, domain.ActClaim,
			with(openReview(), func(f *domain.ReviewFacts) { f.Queue = domain.QueueAML }),
			domain.NotFound},
		"a claim without the role": {person(1), domain.ActDecide, mine, domain.NotPermitted},
		"decide as administrator": {admin, domain.ActDecide, claimedBy(admin),
			domain.NotPermitted},
		"read as administrator": {admin, domain.ActRead, openReview(), ""},
		"reassign as junior":    {me, domain.ActReassign, openReview(), domain.NotPermitted},
		"reassign as manager":   {manager, domain.ActReassign, theirs, ""},
		"claim as submitter":    {submitter, domain.ActClaim, openReview(), domain.NotFound},
		"disabled": {func() domain.User {
			u := junior(
				1)
			u.Disabled = true
			return u
		}(), domain.ActClaim, openReview(), domain.NotPermitted},
		"no limit at all": {func() domain.User {
			u := junior(
				1)
			u.Limits = nil
			return u
		}(), domain.ActClaim, openReview(), domain.ApprovalLimit},
		"another role's limit": {func() domain.User {
			u := junior(
				1)
			u.Limits = []domain.Limit{unlimited(domain.RoleManager)}
			return u
		}(), domain.ActClaim, openReview(), domain.ApprovalLimit},
		"the type's own limit": {func() domain.User {
			u := junior(1)
			u.Limits = append(u.Limits, limited(domain.RoleL1, "invoice", 1))
			return u
		}(), domain.ActClaim, openReview(), domain.ApprovalLimit},
	}
	authority := authority(t)
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			permit, err := authority.Authorize(tc.user, tc.action, tc.facts)
			if got := domain.CodeOf(err); got != tc.want {
				t.Fatalf("got %q (%v), want %q", got, err, tc.want)
			}
			if permit.Allowed != (tc.want == "") || permit.PolicyVersion != 1 ||
				permit.Allowed && permit.Rule == "" {
				t.Fatalf("permit %+v", permit)
			}
			var refused *domain.Error
			if errors.As(err, &refused) && (refused.Message == "" ||
				refused.Remedy == "" && refused.Code != domain.NotFound) {
				t.Fatalf("the refusal has no explanation: %+v", refused)
			}
		})
	}
}

// TestReasonsAreReportedInOrder violates every hard rule and removes the violations one by one.
func TestReasonsAreReportedInOrder(t *testing.T) {
	t.Parallel()
	authority, me := authority(t), junior(1)
	facts := claimedBy(junior(2))
	facts.Submitter, facts.BaseMinor = me.ID, 1<<40
	facts.InterestedIDs, facts.ConflictedIDs, facts.VotedIDs = []domain.ID{me.ID},
		[]domain.ID{me.ID}, []domain.ID{me.ID}
	steps := []struct {
		want domain.Code
		fix  func()
	}{
		{domain.OwnDocument, func() { facts.Submitter = domain.ID{15: 77} }},
		{domain.FourEyes, func() { facts.InterestedIDs = nil }},
		{domain.ConflictOfInterest, func() { facts.ConflictedIDs = nil }},
		{domain.FourEyes, func() { facts.VotedIDs = nil }},
		{domain.ApprovalLimit, func() { facts.BaseMinor = 1 }},
		{domain.AlreadyClaimed, func() { facts.Assignee = me.ID }},
		{"", func() {}},
	}
	for _, step := range steps {
		for range 3 {
			if _, err := authority.Authorize(me, domain.ActClaim,
				facts); domain.CodeOf(err) != step.want {
				t.Fatalf("got %v, want %s", err, step.want)
			}
		}
		step.fix()
	}
}

func TestConflictErrorHasNoValues(t *testing.T) {
	t.Parallel()
	me, facts := junior(1), openReview()
	facts.ConflictedIDs = []domain.ID{me.ID}
	explanation := authority(t).Explain(me, domain.ActClaim, facts)
	if explanation.Allowed || explanation.Code != domain.ConflictOfInterest ||
		explanation.Rule != "NoConflict" || len(explanation.Values) != 0 {
		t.Fatalf("got %+v", explanation)
	}
	for _, secret := range []string{facts.PartyID.String(), "10000", facts.Country} {
		if strings.Contains(explanation.Message+explanation.Remedy, secret) {
			t.Errorf("%q is shown: %s", secret, explanation.Message)
		}
	}
}

func TestExplainShowsLimitAndAmount(t *testing.T) {
	t.Parallel()
	me, facts := junior(1), openReview()
	facts.BaseMinor = 60_000_000
	explanation := authority(t).Explain(me, domain.ActClaim, facts)
	if explanation.Rule != "WithinLimit" || explanation.Values["limit"] != "500000.00 USD" ||
		explanation.Values["amount"] != "600000.00 USD" || explanation.PolicyVersion != 1 {
		t.Fatalf("got %+v", explanation)
	}
	facts.BaseMinor = 1
	if explanation = authority(t).Explain(me, domain.ActClaim, facts); !explanation.Allowed ||
		explanation.Rule != "reviewer_l1 may claim queue_review" {
		t.Fatalf("got %+v", explanation)
	}
}

func TestDelegationAppliesTheRulesOfBoth(t *testing.T) {
	t.Parallel()
	authority := authority(t)
	actor := person(1, domain.RoleSubmitter, domain.RoleL2)
	actor.Limits = []domain.Limit{limited(domain.RoleL2, "", 1_000)}
	absent := junior(2)
	facts := openReview()
	facts.BaseMinor = 900
	allowed := func(want domain.Code) {
		t.Helper()
		if _, err := authority.AuthorizeOnBehalfOf(actor, absent, domain.ActClaim,
			facts); domain.CodeOf(err) != want {
			t.Fatalf("got %v, want %q", err, want)
		}
	}
	allowed("")
	facts.BaseMinor = 1_001
	allowed(domain.ApprovalLimit) // the actor's limit is the smaller one
	facts.BaseMinor = 900
	for _, who := range []domain.ID{actor.ID, absent.ID} {
		facts.VotedIDs = []domain.ID{who}
		allowed(domain.FourEyes)
		facts.VotedIDs, facts.ConflictedIDs = nil, []domain.ID{who}
		allowed(domain.ConflictOfInterest)
		facts.ConflictedIDs, facts.Submitter = nil, who
		allowed(domain.OwnDocument)
		facts.Submitter = domain.NoID
	}
	facts.Assignee = absent.ID
	allowed("")
	absent.Disabled = true
	allowed(domain.NotPermitted)
}

func TestUnreadableCasesAreNotFound(t *testing.T) {
	t.Parallel()
	authority := authority(t)
	submitter, other, reviewer := person(1, domain.RoleSubmitter), person(2, domain.RoleSubmitter),
		junior(3)
	manager := person(4, domain.RoleManager)
	facts := domain.CaseFacts{Submitter: submitter.ID, OpenQueues: []string{domain.QueueL1}}
	expect := func(user domain.User, action domain.Action, want domain.Code) {
		t.Helper()
		if _, err := authority.AuthorizeCase(user, action, facts); domain.CodeOf(err) != want {
			t.Errorf("%s by %v: got %v, want %q", action, user.Roles, err, want)
		}
	}
	for _, action := range []domain.Action{domain.ActRead, domain.ActReplace, domain.ActEnter,
		domain.ActResubmit, domain.ActRetry, domain.ActAbandon} {
		expect(submitter, action, "")
		expect(other, action, domain.NotFound)
	}
	expect(reviewer, domain.ActRead, "")
	expect(reviewer, domain.ActReplace, domain.NotPermitted)
	expect(manager, domain.ActRetry, "")
	expect(manager, domain.ActReplace, domain.NotPermitted)
	facts.OpenQueues = []string{domain.QueueAML}
	expect(reviewer, domain.ActRead, domain.NotFound)
	facts.Deciders = []domain.ID{reviewer.ID}
	expect(reviewer, domain.ActRead, "")
	facts.ConflictedIDs = []domain.ID{reviewer.ID, manager.ID}
	expect(reviewer, domain.ActRead, domain.ConflictOfInterest)
	expect(manager, domain.ActAbandon, domain.ConflictOfInterest)
}

func TestAuthorizeAssignment(t *testing.T) {
	t.Parallel()
	authority, claimed := authority(t), claimedBy(junior(1))
	if permit, err := authority.AuthorizeAssignment(junior(2), claimed); err != nil ||
		!permit.Allowed {
		t.Fatalf("it cannot be assigned to a colleague: %v", err)
	}
	claimed.VotedIDs = []domain.ID{junior(2).ID}
	if permit, err := authority.AuthorizeAssignment(junior(2), claimed); permit.Allowed ||
		!domain.HasCode(err, domain.FourEyes) {
		t.Fatalf("got %+v, %v", permit, err)
	}
}

// TestSwapDuringAuthorize checks that every decision is by a single version and that an older
// version never returns.
func TestSwapDuringAuthorize(t *testing.T) {
	t.Parallel()
	authority, me := authority(t), junior(1)
	none := authz.Policy{Rules: []authz.Rule{}}
	var requests sync.WaitGroup
	for range 4 {
		requests.Go(func() {
			last := int64(0)
			for range 300 {
				permit, err := authority.Authorize(me, domain.ActClaim, openReview())
				if permit.Allowed != (permit.PolicyVersion%2 == 1) ||
					permit.Allowed != (err == nil) || permit.PolicyVersion < last {
					t.Errorf("version %d returns %t (%v) after version %d", permit.PolicyVersion,
						permit.Allowed, err, last)
				}
				last = permit.PolicyVersion
			}
		})
	}
	for version := int64(2); version < 40; version++ {
		next := authz.DefaultPolicy()
		if version%2 == 0 {
			next = none
		}
		next.Version = version
		if err := authority.Swap(next); err != nil {
			t.Fatal(err)
		}
	}
	requests.Wait()
	if err := authority.Swap(authz.DefaultPolicy()); err != nil || authority.Version() != 39 {
		t.Fatalf("an older version was activated: %d (%v)", authority.Version(), err)
	}
}

func TestNewRejects(t *testing.T) {
	t.Parallel()
	good := authz.Rule{Name: "a", Role: "custom", Action: domain.ActClaim,
		Object: authz.QueueReview}
	cases := map[string]func(*authz.Rule){
		"no name":                         func(r *authz.Rule) { r.Name = "" },
		"no role":                         func(r *authz.Rule) { r.Role = "" },
		"an unknown action":               func(r *authz.Rule) { r.Action = "steal" },
		"a meaningless object":            func(r *authz.Rule) { r.Object = authz.AnyCase },
		"an unknown effect":               func(r *authz.Rule) { r.Effect = "perhaps" },
		"a condition that does not parse": func(r *authz.Rule) { r.Condition = "review." },
		"a condition without SQL":         func(r *authz.Rule) { r.Condition = `review.country.startsWith("D")` },
		"a limit as a condition":          func(r *authz.Rule) { r.Condition = "review.base_minor <= user.limit_minor" },
		"a condition without a case": func(r *authz.Rule) {
			r.Action, r.Object,
				r.Condition = domain.ActSubmit, authz.GlobalObject, "true"
		},
		"a review name on a case": func(r *authz.Rule) {
			r.Action, r.Object, r.Condition = domain.ActRead, authz.AnyCase, `review.level > 1`
		},
		"a condition that is not boolean": func(r *authz.Rule) { r.Condition = "review.level" },
	}
	for name, change := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rule := good
			change(&rule)
			if _, err := authz.New(
				authz.Policy{Version: 1, Rules: []authz.Rule{rule}}); domain.CodeOf(
				err).Kind() != domain.KindInvalid {
				t.Fatalf("got %v", err)
			}
		})
	}
	if _, err := authz.New(authz.Policy{Rules: []authz.Rule{good, good}}); err == nil {
		t.Fatal("two rules with the same name were accepted")
	}
	if _, err := authz.ParseRules(3, []byte(`{"no":"list"}`)); err == nil {
		t.Fatal("rules that are not a list were accepted")
	}
	read, err := authz.ParseRules(3,
		[]byte(`[{"name":"a","role":"custom","action":"claim","object":"queue_review","later":1}]`))
	if err != nil || read.Version != 3 || len(read.Rules) != 1 || read.Rules[0] != good {
		t.Fatalf("got %+v, %v", read, err)
	}
}
