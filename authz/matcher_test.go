package authz

import (
	"fmt"
	"strings"
	"testing"

	"countersign/domain"
	"countersign/internal/golden"
)

func reviewer() domain.User {
	return domain.User{ID: domain.ID{15: 1}, Roles: []domain.Role{domain.RoleL1}, Queues: []string{domain.QueueL1},
		Limits: []domain.Limit{{Role: domain.RoleL1, Action: domain.ActDecide, BaseMinor: 1_000}}}
}

func held(by domain.ID) domain.ReviewFacts {
	return domain.ReviewFacts{Queue: domain.QueueL1, Level: 1, Status: domain.ReviewClaimed, Assignee: by, ClaimActive: true,
		AmountKnown: true, BaseMinor: 500, DocumentType: "invoice", Submitter: domain.ID{15: 9}}
}

// TestCasbinDecides takes single lines out of the matcher's text. If anything but Casbin held these rules, the answer
// would stay the same, and the constraints of the database could hide that the policy had become hollow.
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
	for text, breach := range cases {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			facts := held(me.ID)
			breach(&facts)
			whole, err := newAuthority(DefaultPolicy(), matcherText)
			if err != nil {
				t.Fatal(err)
			}
			if permit, _ := whole.Authorize(me, domain.ActDecide, facts); permit.Allowed {
				t.Fatal("the whole matcher allows the breach")
			}
			without, err := newAuthority(DefaultPolicy(), func(hardRules hardRule) string {
				return withoutHardRule(matcherText(hardRules), text)
			})
			if err != nil {
				t.Fatal(err)
			}
			if permit, err := without.Authorize(me, domain.ActDecide, facts); !permit.Allowed {
				t.Fatalf("without the line it is refused all the same: %v", err)
			}
			hardRules := hardRulesFor(domain.ActDecide, objectReview)
			verdict := func(matcher string) bool {
				enforcer, err := newEnforcer(matcher, hardRules, DefaultPolicy().Rules, whole.snapshot.Load().conditions)
				if err != nil {
					t.Fatal(err)
				}
				allowed, err := enforcer.Enforce((&request{actor: &me, objectKind: objectReview, review: &facts}).casbinArguments(hardRules)...)
				if err != nil {
					t.Fatal(err)
				}
				return allowed
			}
			matcher := matcherText(hardRules)
			if verdict(matcher) || !verdict(withoutHardRule(matcher, text)) {
				t.Fatal("Casbin's own verdict does not depend on the line")
			}
		})
	}
}

// withoutHardRule is the matcher without the line.
func withoutHardRule(matcher, text string) string {
	return strings.NewReplacer("&&"+text, "", text+"&&", "").Replace(matcher)
}

// TestHardRulesHoldForEveryRole gives every role every right and breaks one rule at a time.
func TestHardRulesHoldForEveryRole(t *testing.T) {
	t.Parallel()
	policy := Policy{Version: 1}
	for _, role := range domain.Roles() {
		for _, action := range []domain.Action{domain.ActClaim, domain.ActDecide, domain.ActEscalate} {
			policy.Rules = append(policy.Rules, Rule{Name: fmt.Sprint(role, action), Role: role, Action: action, Object: AnyReview})
		}
	}
	authority, err := New(policy)
	if err != nil {
		t.Fatal(err)
	}
	for _, role := range domain.Roles() {
		me := domain.User{ID: domain.ID{15: 1}, Roles: []domain.Role{role}, Limits: []domain.Limit{{Role: role, Action: domain.ActDecide, BaseMinor: 1_000}}}
		for _, action := range []domain.Action{domain.ActClaim, domain.ActDecide, domain.ActEscalate} {
			for want, breach := range map[domain.Code]func(*domain.ReviewFacts){
				"":                        func(*domain.ReviewFacts) {},
				domain.ApprovalLimit:      func(f *domain.ReviewFacts) { f.BaseMinor = 1_001 },
				domain.ConflictOfInterest: func(f *domain.ReviewFacts) { f.ConflictedIDs = []domain.ID{me.ID} },
				domain.FourEyes:           func(f *domain.ReviewFacts) { f.VotedIDs = []domain.ID{me.ID} },
				domain.OwnDocument:        func(f *domain.ReviewFacts) { f.Submitter = me.ID },
			} {
				facts := held(me.ID)
				breach(&facts)
				if _, err := authority.Authorize(me, action, facts); domain.CodeOf(err) != want {
					t.Errorf("%s, %s: got %v, want %q", role, action, err, want)
				}
			}
		}
	}
}

// TestEmptyPolicyAllowsNothing: without rules Casbin evaluates the matcher once with empty texts.
func TestEmptyPolicyAllowsNothing(t *testing.T) {
	t.Parallel()
	authority, err := New(Policy{Version: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, user := range []domain.User{reviewer(), {}, {Roles: []domain.Role{""}}} {
		if permit, err := authority.Authorize(user, domain.ActDecide, held(user.ID)); permit.Allowed || err == nil {
			t.Errorf("%v is allowed to decide", user.Roles)
		}
		if permit, err := authority.AuthorizeGlobal(user, domain.ActSubmit); permit.Allowed || err == nil {
			t.Errorf("%v is allowed to submit", user.Roles)
		}
	}
}

// TestMatrix writes what each built-in role may do by the default policy, and on what, as a file to be looked at.
func TestMatrix(t *testing.T) {
	t.Parallel()
	authority, err := New(DefaultPolicy())
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	out.WriteString("What each role may do by the default policy, within its limit and without a hard rule in the way.\n" +
		"Queues: the person has L1, L2 and AML all at once; what is left is the role's own bound.\n")
	for _, role := range domain.Roles() {
		me := domain.User{ID: domain.ID{15: 1}, Roles: []domain.Role{role}, Queues: []string{domain.QueueL1, domain.QueueL2, domain.QueueAML},
			Limits: []domain.Limit{{Role: role, Action: domain.ActDecide, Unlimited: true}}}
		fmt.Fprintf(&out, "\n%s\n", role)
		for _, action := range domain.Actions() {
			fmt.Fprintf(&out, "  %-14s %s\n", action, strings.Join(allowedObjects(authority, me, action), ", "))
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
	add(permit, "house")
	permit, _ = authority.AuthorizeCase(me, action, domain.CaseFacts{Submitter: me.ID})
	add(permit, "own case")
	permit, _ = authority.AuthorizeCase(me, action, domain.CaseFacts{OpenQueues: []string{domain.QueueL1}})
	add(permit, "case in queue")
	permit, _ = authority.AuthorizeCase(me, action, domain.CaseFacts{})
	add(permit, "any case")
	for _, queue := range me.Queues {
		facts := held(me.ID)
		facts.Queue = queue
		permit, _ = authority.Authorize(me, action, facts)
		add(permit, "review in "+queue)
	}
	stranger := me
	stranger.Queues = nil
	permit, _ = authority.Authorize(stranger, action, held(me.ID))
	add(permit, "review in a queue not theirs")
	if len(found) == 0 {
		return []string{"-"}
	}
	return found
}

func BenchmarkAuthorize(b *testing.B) {
	me, facts := reviewer(), held(reviewer().ID)
	run := func(name string, policy Policy, user domain.User, want bool) {
		b.Run(name, func(b *testing.B) {
			authority, err := New(policy)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				allowed, _, err := authority.snapshot.Load().enforce(&request{actor: &user, objectKind: objectReview, review: &facts}, domain.ActDecide, hardRulesFor(domain.ActDecide, objectReview))
				if err != nil || allowed != want {
					b.Fatal(allowed, err)
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "ask/s")
		})
	}
	rules := func(n int, role func(int) domain.Role, condition string) Policy {
		policy := Policy{Version: 1}
		for i := range n {
			policy.Rules = append(policy.Rules, Rule{Name: fmt.Sprint(i), Role: role(i), Action: domain.ActDecide, Object: QueueReview, Condition: condition})
		}
		return policy
	}
	many := func(i int) domain.Role { return domain.Role(fmt.Sprint("role ", i)) }
	mine := func(int) domain.Role { return domain.RoleL1 }
	run("default policy", DefaultPolicy(), me, true)
	run("first of 50", rules(50, mine, ""), me, true)
	run("own rule among 50 roles", Policy{Version: 1, Rules: append(rules(49, many, "").Rules, Rule{Name: "mine", Role: domain.RoleL1, Action: domain.ActDecide, Object: QueueReview})}, me, true)
	run("own rule among 1000 roles", Policy{Version: 1, Rules: append(rules(999, many, "").Rules, Rule{Name: "mine", Role: domain.RoleL1, Action: domain.ActDecide, Object: QueueReview})}, me, true)
	run("50 of the own role scanned in vain", rules(50, mine, `review.country == "XX"`), me, false)
}
