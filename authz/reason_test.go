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
	manager.Queues, manager.Limits = []string{domain.QueueL1, domain.QueueL2}, []domain.Limit{unlimited(domain.RoleManager)}
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
		"an open review":             {me, domain.ActClaim, openReview(), ""},
		"exactly the limit":          {me, domain.ActClaim, with(openReview(), func(f *domain.ReviewFacts) { f.BaseMinor = 50_000_000 }), ""},
		"one unit above":             {me, domain.ActClaim, with(openReview(), func(f *domain.ReviewFacts) { f.BaseMinor = 50_000_001 }), domain.ApprovalLimit},
		"a credit above":             {me, domain.ActClaim, with(openReview(), func(f *domain.ReviewFacts) { f.BaseMinor = -50_000_001 }), domain.ApprovalLimit},
		"amount not known":           {me, domain.ActClaim, with(openReview(), func(f *domain.ReviewFacts) { f.AmountKnown = false; f.BaseMinor = 0 }), domain.ApprovalLimit},
		"not known, without a limit": {manager, domain.ActClaim, with(openReview(), func(f *domain.ReviewFacts) { f.AmountKnown = false }), ""},
		"own claim again":            {me, domain.ActClaim, mine, ""},
		"claimed by another":         {me, domain.ActClaim, theirs, domain.AlreadyClaimed},
		"assigned to me":             {me, domain.ActClaim, with(openReview(), func(f *domain.ReviewFacts) { f.Assignee = me.ID }), ""},
		"assigned to another":        {me, domain.ActClaim, with(openReview(), func(f *domain.ReviewFacts) { f.Assignee = other.ID }), domain.AlreadyClaimed},
		"decided":                    {me, domain.ActClaim, with(mine, func(f *domain.ReviewFacts) { f.Status = domain.ReviewDecided }), domain.AlreadyDecided},
		"withdrawn":                  {me, domain.ActDecide, with(mine, func(f *domain.ReviewFacts) { f.Status = domain.ReviewCancelled }), domain.AlreadyDecided},
		"decide what I hold":         {me, domain.ActDecide, mine, ""},
		"decide unclaimed":           {me, domain.ActDecide, openReview(), domain.NotClaimedByYou},
		"decide another's":           {manager, domain.ActDecide, theirs, domain.NotClaimedByYou},
		"decide after the lease":     {me, domain.ActDecide, with(mine, func(f *domain.ReviewFacts) { f.ClaimActive = false }), domain.NotClaimedByYou},
		"correct another's":          {me, domain.ActCorrect, theirs, domain.NotClaimedByYou},
		"release another's":          {me, domain.ActRelease, theirs, domain.NotClaimedByYou},
		"release when conflicted":    {me, domain.ActRelease, with(mine, func(f *domain.ReviewFacts) { f.ConflictedIDs = []domain.ID{me.ID} }), ""},
		"own document":               {me, domain.ActClaim, with(openReview(), func(f *domain.ReviewFacts) { f.Submitter = me.ID }), domain.OwnDocument},
		"key fact set":               {me, domain.ActDecide, with(mine, func(f *domain.ReviewFacts) { f.InterestedIDs = []domain.ID{me.ID} }), domain.FourEyes},
		"voted before":               {me, domain.ActDecide, with(mine, func(f *domain.ReviewFacts) { f.VotedIDs = []domain.ID{other.ID, me.ID} }), domain.FourEyes},
		"conflicted":                 {me, domain.ActDecide, with(mine, func(f *domain.ReviewFacts) { f.ConflictedIDs = []domain.ID{me.ID} }), domain.ConflictOfInterest},
		"conflicted reader":          {manager, domain.ActRead, with(openReview(), func(f *domain.ReviewFacts) { f.ConflictedIDs = []domain.ID{manager.ID} }), domain.ConflictOfInterest},
		"another's conflict":         {me, domain.ActDecide, with(mine, func(f *domain.ReviewFacts) { f.ConflictedIDs = []domain.ID{other.ID} }), ""},
		"a queue not mine":           {me, domain.ActClaim, with(openReview(), func(f *domain.ReviewFacts) { f.Queue = domain.QueueAML }), domain.NotFound},
		"a claim, role since lost":   {person(1), domain.ActDecide, mine, domain.NotPermitted},
		"administrators decide not":  {admin, domain.ActDecide, claimedBy(admin), domain.NotPermitted},
		"administrators read":        {admin, domain.ActRead, openReview(), ""},
		"juniors reassign not":       {me, domain.ActReassign, openReview(), domain.NotPermitted},
		"managers reassign":          {manager, domain.ActReassign, theirs, ""},
		"submitters see no review":   {submitter, domain.ActClaim, openReview(), domain.NotFound},
		"switched off":               {func() domain.User { u := junior(1); u.Disabled = true; return u }(), domain.ActClaim, openReview(), domain.NotPermitted},
		"no limit at all":            {func() domain.User { u := junior(1); u.Limits = nil; return u }(), domain.ActClaim, openReview(), domain.ApprovalLimit},
		"another role's limit":       {func() domain.User { u := junior(1); u.Limits = []domain.Limit{unlimited(domain.RoleManager)}; return u }(), domain.ActClaim, openReview(), domain.ApprovalLimit},
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
			if permit.Allowed != (tc.want == "") || permit.PolicyVersion != 1 || permit.Allowed && permit.Rule == "" {
				t.Fatalf("permit %+v", permit)
			}
			var refused *domain.Error
			if errors.As(err, &refused) && (refused.Message == "" || refused.Remedy == "" && refused.Code != domain.NotFound) {
				t.Fatalf("the refusal does not explain itself: %+v", refused)
			}
		})
	}
}

// TestReasonsComeInOrder piles up every hard rule and takes them away one by one.
func TestReasonsComeInOrder(t *testing.T) {
	t.Parallel()
	authority, me := authority(t), junior(1)
	facts := claimedBy(junior(2))
	facts.Submitter, facts.BaseMinor = me.ID, 1<<40
	facts.InterestedIDs, facts.ConflictedIDs, facts.VotedIDs = []domain.ID{me.ID}, []domain.ID{me.ID}, []domain.ID{me.ID}
	steps := []struct {
		want domain.Code
		lift func()
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
			if _, err := authority.Authorize(me, domain.ActClaim, facts); domain.CodeOf(err) != step.want {
				t.Fatalf("got %v, want %s", err, step.want)
			}
		}
		step.lift()
	}
}

func TestConflictErrorHasNoValues(t *testing.T) {
	t.Parallel()
	me, facts := junior(1), openReview()
	facts.ConflictedIDs = []domain.ID{me.ID}
	said := authority(t).Explain(me, domain.ActClaim, facts)
	if said.Allowed || said.Code != domain.ConflictOfInterest || said.Rule != "NoConflict" || len(said.Values) != 0 {
		t.Fatalf("got %+v", said)
	}
	for _, secret := range []string{facts.PartyID.String(), "10000", facts.Country} {
		if strings.Contains(said.Message+said.WayOut, secret) {
			t.Errorf("%q is told: %s", secret, said.Message)
		}
	}
}

func TestExplainShowsLimitAndAmount(t *testing.T) {
	t.Parallel()
	me, facts := junior(1), openReview()
	facts.BaseMinor = 60_000_000
	said := authority(t).Explain(me, domain.ActClaim, facts)
	if said.Rule != "WithinLimit" || said.Values["limit"] != "500000.00 USD" || said.Values["amount"] != "600000.00 USD" || said.PolicyVersion != 1 {
		t.Fatalf("got %+v", said)
	}
	facts.BaseMinor = 1
	if said = authority(t).Explain(me, domain.ActClaim, facts); !said.Allowed || said.Rule != "reviewer_l1 may claim queue_review" {
		t.Fatalf("got %+v", said)
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
		if _, err := authority.AuthorizeOnBehalfOf(actor, absent, domain.ActClaim, facts); domain.CodeOf(err) != want {
			t.Fatalf("got %v, want %q", err, want)
		}
	}
	allowed("")
	facts.BaseMinor = 1_001
	allowed(domain.ApprovalLimit) // the actor's is the smaller one
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

func TestCasesOutsideOnesRolesDoNotExist(t *testing.T) {
	t.Parallel()
	authority := authority(t)
	submitter, other, reviewer := person(1, domain.RoleSubmitter), person(2, domain.RoleSubmitter), junior(3)
	manager := person(4, domain.RoleManager)
	facts := domain.CaseFacts{Submitter: submitter.ID, OpenQueues: []string{domain.QueueL1}}
	ask := func(user domain.User, action domain.Action, want domain.Code) {
		t.Helper()
		if _, err := authority.AuthorizeCase(user, action, facts); domain.CodeOf(err) != want {
			t.Errorf("%s by %v: got %v, want %q", action, user.Roles, err, want)
		}
	}
	for _, action := range []domain.Action{domain.ActRead, domain.ActReplace, domain.ActEnter, domain.ActResubmit, domain.ActRetry, domain.ActAbandon} {
		ask(submitter, action, "")
		ask(other, action, domain.NotFound)
	}
	ask(reviewer, domain.ActRead, "")
	ask(reviewer, domain.ActReplace, domain.NotPermitted)
	ask(manager, domain.ActRetry, "")
	ask(manager, domain.ActReplace, domain.NotPermitted)
	facts.OpenQueues = []string{domain.QueueAML}
	ask(reviewer, domain.ActRead, domain.NotFound)
	facts.Deciders = []domain.ID{reviewer.ID}
	ask(reviewer, domain.ActRead, "")
	facts.ConflictedIDs = []domain.ID{reviewer.ID, manager.ID}
	ask(reviewer, domain.ActRead, domain.ConflictOfInterest)
	ask(manager, domain.ActAbandon, domain.ConflictOfInterest)
}

func TestAuthorizeAssignment(t *testing.T) {
	t.Parallel()
	authority, held := authority(t), claimedBy(junior(1))
	if permit, err := authority.AuthorizeAssignment(junior(2), held); err != nil || !permit.Allowed {
		t.Fatalf("a colleague may not receive it: %v", err)
	}
	held.VotedIDs = []domain.ID{junior(2).ID}
	if permit, err := authority.AuthorizeAssignment(junior(2), held); permit.Allowed || !domain.HasCode(err, domain.FourEyes) {
		t.Fatalf("got %+v, %v", permit, err)
	}
}

// TestSwapDuringAuthorize: every answer is wholly by one version, and an older version never comes back.
func TestSwapDuringAuthorize(t *testing.T) {
	t.Parallel()
	authority, me := authority(t), junior(1)
	none := authz.Policy{Rules: []authz.Rule{}}
	var asking sync.WaitGroup
	for range 4 {
		asking.Go(func() {
			last := int64(0)
			for range 300 {
				permit, err := authority.Authorize(me, domain.ActClaim, openReview())
				if permit.Allowed != (permit.PolicyVersion%2 == 1) || permit.Allowed != (err == nil) || permit.PolicyVersion < last {
					t.Errorf("version %d answers %t (%v) after version %d", permit.PolicyVersion, permit.Allowed, err, last)
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
	asking.Wait()
	if err := authority.Swap(authz.DefaultPolicy()); err != nil || authority.Version() != 39 {
		t.Fatalf("an older version came back: %d (%v)", authority.Version(), err)
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	good := authz.Rule{Name: "a", Role: "custom", Action: domain.ActClaim, Object: authz.QueueReview}
	cases := map[string]func(*authz.Rule){
		"no name":                         func(r *authz.Rule) { r.Name = "" },
		"no role":                         func(r *authz.Rule) { r.Role = "" },
		"an unknown action":               func(r *authz.Rule) { r.Action = "steal" },
		"an object the action has not":    func(r *authz.Rule) { r.Object = authz.AnyCase },
		"an unknown effect":               func(r *authz.Rule) { r.Effect = "perhaps" },
		"a condition that does not parse": func(r *authz.Rule) { r.Condition = "review." },
		"a condition that is no SQL":      func(r *authz.Rule) { r.Condition = `review.country.startsWith("D")` },
		"a limit as a condition":          func(r *authz.Rule) { r.Condition = "review.base_minor <= user.limit_minor" },
		"a condition without a case":      func(r *authz.Rule) { r.Action, r.Object, r.Condition = domain.ActSubmit, authz.GlobalObject, "true" },
		"a name of reviews on a case": func(r *authz.Rule) {
			r.Action, r.Object, r.Condition = domain.ActRead, authz.AnyCase, `review.level > 1`
		},
		"a condition that answers no yes/no": func(r *authz.Rule) { r.Condition = "review.level" },
	}
	for name, spoil := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rule := good
			spoil(&rule)
			if _, err := authz.New(authz.Policy{Version: 1, Rules: []authz.Rule{rule}}); domain.CodeOf(err).Kind() != domain.KindInvalid {
				t.Fatalf("got %v", err)
			}
		})
	}
	if _, err := authz.New(authz.Policy{Rules: []authz.Rule{good, good}}); err == nil {
		t.Fatal("two rules of one name were accepted")
	}
	if _, err := authz.ParseRules(3, []byte(`{"no":"list"}`)); err == nil {
		t.Fatal("rules that are no list were read")
	}
	read, err := authz.ParseRules(3, []byte(`[{"name":"a","role":"custom","action":"claim","object":"queue_review","later":1}]`))
	if err != nil || read.Version != 3 || len(read.Rules) != 1 || read.Rules[0] != good {
		t.Fatalf("got %+v, %v", read, err)
	}
}
