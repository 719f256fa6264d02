package authz

import (
	"fmt"
	"strings"
	"testing"

	"countersign/domain"
	"countersign/internal/golden"
)

func reviewer() domain.User {
	return domain.User{ID: domain.ID{15: 1}, Roles: []domain.Role{domain.RoleL1},
		Queues: []string{domain.QueueL1}, Limits: []domain.Limit{
			{Role: domain.RoleL1, Action: domain.ActDecide, BaseMinor: 1_000}}}
}

func claimedReview(by domain.ID) domain.ReviewFacts {
	return domain.ReviewFacts{Queue: domain.QueueL1, Level: 1, Status: domain.ReviewClaimed,
		Assignee: by, ClaimActive: true, AmountKnown: true, BaseMinor: 500, DocumentType: "invoice",
		Submitter: domain.ID{15: 9}}
}

// TestCasbinDecides removes single hard rules from the matcher's text. If any code besides Casbin
// enforced them, the decision would stay the same, and the matcher could be broken without any
// effect.
func TestCasbinDecides(t *testing.T) {
	t.Parallel()
	me := reviewer()
	cases := map[string]func(*domain.ReviewFacts){
		"r.WithinLimit":   func(f *domain.ReviewFacts) { f.BaseMinor = 1_001 },
		"r.NoConflict":    func(f *domain.ReviewFacts) { f.ConflictedIDs = []domain.ID{me.ID} },
		"r.NoVote":        func(f *domain.ReviewFacts) { f.VotedIDs = []domain.ID{me.ID} },
		"r.NotInterested": func(f *domain.ReviewFacts) { f.Submitter = me.ID },
		"r.OwnLiveClaim":  func(f *domain.ReviewFacts) { f.ClaimActive = false },
	}
	for text, violate := range cases {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			facts := claimedReview(me.ID)
			violate(&facts)
			complete, err := newAuthority(DefaultPolicy(), matcherText)
			if err != nil {
				t.Fatal(err)
			}
			if permit, _ := complete.Authorize(me, domain.ActDecide, facts); permit.Allowed {
				t.Fatal("the complete matcher allows the violation")
			}
			without, err := newAuthority(DefaultPolicy(), func(hardRules hardRule) string {
				return withoutHardRule(matcherText(hardRules), text)
			})
			if err != nil {
				t.Fatal(err)
			}
			if permit, err := without.Authorize(me, domain.ActDecide, facts); !permit.Allowed {
				t.Fatalf("refused also without the hard rule: %v", err)
			}
			hardRules := hardRulesFor(domain.ActDecide, objectReview)
			decides := func(matcher string) bool {
				enforcer, err := newEnforcer(matcher, hardRules, DefaultPolicy().Rules,
					complete.snapshot.Load().conditions)
				if err != nil {
					t.Fatal(err)
				}
				allowed, err := enforcer.Enforce(
					(&request{actor: &me, objectKind: objectReview,
						review: &facts}).casbinArguments(hardRules)...)
				if err != nil {
					t.Fatal(err)
				}
				return allowed
			}
			matcher := matcherText(hardRules)
			if decides(matcher) || !decides(withoutHardRule(matcher, text)) {
				t.Fatal("Casbin's decision does not depend on the hard rule")
			}
		})
	}
}

// withoutHardRule returns the matcher without a hard rule.
func withoutHardRule(matcher, text string) string {
	return strings.NewReplacer("&&"+text, "", text+"&&", "").Replace(matcher)
}

// TestHardRulesHoldForEveryRole allows every role every action and violates one hard rule at a
// time.
func TestHardRulesHoldForEveryRole(t *testing.T) {
	t.Parallel()
	policy := Policy{Version: 1}
	for _, role := range domain.Roles() {
		for _, action := range []domain.Action{domain.ActClaim, domain.ActDecide,
			domain.ActEscalate} {
			policy.Rules = append(policy.Rules,
				Rule{Name: fmt.Sprint(role, action), Role: role, Action: action, Object: AnyReview})
		}
	}
	authority, err := New(policy)
	if err != nil {
		t.Fatal(err)
	}
	for _, role := range domain.Roles() {
		me := domain.User{ID: domain.ID{15: 1}, Roles: []domain.Role{role},
			Limits: []domain.Limit{{Role: role, Action: domain.ActDecide, BaseMinor: 1_000}}}
		for _, action := range []domain.Action{domain.ActClaim, domain.ActDecide,
			domain.ActEscalate} {
			for want, violate := range map[domain.Code]func(*domain.ReviewFacts){
				"":                        func(*domain.ReviewFacts) {},
				domain.ApprovalLimit:      func(f *domain.ReviewFacts) { f.BaseMinor = 1_001 },
				domain.ConflictOfInterest: func(f *domain.ReviewFacts) { f.ConflictedIDs = []domain.ID{me.ID} },
				domain.FourEyes: func(f *domain.ReviewFacts) {
					f.VotedIDs = []domain.ID{
						me.ID}
				},
				domain.OwnDocument: func(f *domain.ReviewFacts) { f.Submitter = me.ID },
			} {
				facts := claimedReview(me.ID)
				violate(&facts)
				if _, err := authority.Authorize(me, action, facts); domain.CodeOf(err) != want {
					t.Errorf("%s, %s: got %v, want %q", role, action, err, want)
				}
			}
		}
	}
}

// TestEmptyPolicyAllowsNothing checks a policy without rules, for which Casbin evaluates the
// matcher once with empty texts.
func TestEmptyPolicyAllowsNothing(t *testing.T) {
	t.Parallel()
	authority, err := New(Policy{Version: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, user := range []domain.User{reviewer(), {}, {Roles: []domain.Role{""}}} {
		if permit, err := authority.Authorize(user, domain.ActDecide,
			claimedReview(user.ID)); permit.Allowed || err == nil {
			t.Errorf("%v is allowed to decide", user.Roles)
		}
		if permit, err := authority.AuthorizeGlobal(user, domain.ActSubmit); permit.Allowed ||
			err == nil {
			t.Errorf("%v is allowed to submit", user.Roles)
		}
	}
}

// TestMatrix compares what each built-in role can do by the default policy with a golden file for
// review.
func TestMatrix(t *testing.T) {
	t.Parallel()
	authority, err := New(DefaultPolicy())
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	out.WriteString(
		"Actions that the default policy allows each role, within its limit and if no hard rule refuses.\n" +
			"The user has the queues L1, L2 and AML; the listed queues are those that the role's rules allow.\n")
	for _, role := range domain.Roles() {
		me := domain.User{ID: domain.ID{15: 1}, Roles: []domain.Role{role},
			Queues: []string{domain.QueueL1, domain.QueueL2, domain.QueueAML},
			Limits: []domain.Limit{{Role: role, Action: domain.ActDecide, Unlimited: true}}}
		fmt.Fprintf(&out, "\n%s\n", role)
		for _, action := range domain.Actions() {
			fmt.Fprintf(&out, "  %-14s %s\n", action,
				strings.Join(allowedObjects(authority, me, action), ", "))
		}
	}
	golden.Text(t, "roles_actions.txt", out.String())
}

func allowedObjects(authority *Authority, me domain.User, action domain.Action) []string {
	var found []string
	add := func(permit domain.Permit, where string) {
		if permit.Allowed {
			found = append(found, where)
		}
	}
	permit, _ := authority.AuthorizeGlobal(me, action)
	add(permit, "global")
	permit, _ = authority.AuthorizeCase(me, action, domain.CaseFacts{Submitter: me.ID})
	add(permit, "own case")
	permit, _ = authority.AuthorizeCase(me, action,
		domain.CaseFacts{OpenQueues: []string{domain.QueueL1}})
	add(permit, "case in queue")
	permit, _ = authority.AuthorizeCase(me, action, domain.CaseFacts{})
	add(permit, "any case")
	for _, queue := range me.Queues {
		facts := claimedReview(me.ID)
		facts.Queue = queue
		permit, _ = authority.Authorize(me, action, facts)
		add(permit, "review in "+queue)
	}
	stranger := me
	stranger.Queues = nil
	permit, _ = authority.Authorize(stranger, action, claimedReview(me.ID))
	add(permit, "review in a queue not theirs")
	if len(found) == 0 {
		return []string{"-"}
	}
	return found
}

func BenchmarkAuthorize(b *testing.B) {
	me, facts := reviewer(), claimedReview(reviewer().ID)
	run := func(name string, policy Policy, user domain.User, want bool) {
		b.Run(name, func(b *testing.B) {
			authority, err := New(policy)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				allowed, _, err := authority.snapshot.Load().enforce(
					&request{actor: &user, objectKind: objectReview, review: &facts},
					domain.ActDecide, hardRulesFor(domain.ActDecide, objectReview))
				if err != nil || allowed != want {
					b.Fatal(allowed, err)
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
		})
	}
	rules := func(n int, role func(int) domain.Role, condition string) Policy {
		policy := Policy{Version: 1}
		for i := range n {
			policy.Rules = append(policy.Rules,
				Rule{Name: fmt.Sprint(i), Role: role(i), Action: domain.ActDecide,
					Object: QueueReview, Condition: condition})
		}
		return policy
	}
	many := func(i int) domain.Role { return domain.Role(fmt.Sprint("role ", i)) }
	mine := func(int) domain.Role { return domain.RoleL1 }
	run("default policy", DefaultPolicy(), me, true)
	run("first of 50", rules(50, mine, ""), me, true)
	run("own rule among 50 roles",
		Policy{Version: 1, Rules: append(rules(49, many, "").Rules,
			Rule{Name: "mine", Role: domain.RoleL1, Action: domain.ActDecide,
				Object: QueueReview})}, me, true)
	run("own rule among 1000 roles",
		Policy{Version: 1, Rules: append(rules(999, many, "").Rules,
			Rule{Name: "mine", Role: domain.RoleL1, Action: domain.ActDecide,
				Object: QueueReview})}, me, true)
	run("50 rules of the own role without a match", rules(50, mine, `review.country == "XX"`),
		me, false)
}
