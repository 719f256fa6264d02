package casework_test

import (
	"encoding/json"
	"strings"
	"testing"

	"countersign/authz"
	"countersign/casework"
	"countersign/domain"
)

// policyText returns the modified default policy as text.
func policyText(t *testing.T, alter func(*authz.Document)) string {
	t.Helper()
	document := authz.Document{Rules: authz.DefaultPolicy().Rules}
	alter(&document)
	text, err := json.Marshal(document)
	must(t, err)
	return string(text)
}

// withoutClaims removes the right to claim and decide from junior reviewers.
func withoutClaims(d *authz.Document) {
	var rules []authz.Rule
	for _, rule := range d.Rules {
		if rule.Role != domain.RoleL1 || rule.Action != domain.ActClaim &&
			rule.Action != domain.ActDecide {
			rules = append(rules, rule)
		}
	}
	d.Rules = rules
}

// One administrator proposes a policy and another publishes it. Every process applies it from the
// commit on, and an earlier version can be restored in the same way.
func TestPolicyLifecycle(t *testing.T) {
	t.Parallel()
	env, _, id := newReviewEnv(t, "120000.00")
	other := env.newServiceOnOwnPool() // another process, which has cached the first version
	rita := env.person("rita", domain.RoleL1)
	ada, adam := env.person("ada", domain.RoleAdmin), env.person("adam", domain.RoleAdmin)
	review := env.openReview(id)
	claim := func(svc *casework.Service) error {
		_, err := svc.ClaimReview(env.ctx, rita, casework.ReviewTarget{ReviewID: review.ID})
		return err
	}
	must(t, claim(other))
	_, err := other.ReleaseReview(env.ctx, rita, casework.ReviewTarget{ReviewID: review.ID})
	must(t, err)
	propose := casework.Propose{Once: casework.Once{Key: "p"},
		Document: policyText(t, withoutClaims), Note: "juniors read only", ExpectedVersion: "1"}
	proposed, err := env.svc.ProposePolicy(env.ctx, ada, propose)
	must(t, err)
	again, err := env.svc.ProposePolicy(env.ctx, ada, propose)
	must(t, err)
	if again.ProposalID != proposed.ProposalID || proposed.Version != 2 {
		t.Errorf("proposed %+v, then %+v", proposed, again)
	}
	must(t, claim(env.svc)) // not in force yet
	_, err = env.svc.ReleaseReview(env.ctx, rita, casework.ReviewTarget{ReviewID: review.ID})
	must(t, err)
	end := casework.EndProposal{ProposalID: proposed.ProposalID}
	_, err = env.svc.PublishPolicy(env.ctx, rita, end)
	wantCode(t, err, domain.NotPermitted)
	_, err = env.svc.PublishPolicy(env.ctx, ada, end)
	wantCode(t, err, domain.FourEyes)
	_, err = env.svc.PublishProcess(env.ctx, adam, end) // a command for another kind of proposal
	wantCode(t, err, domain.NotFound)
	_, err = env.svc.PublishPolicy(env.ctx, adam, end)
	must(t, err)
	_, err = env.svc.PublishPolicy(env.ctx, adam, end)
	wantCode(t, err, domain.StateMismatch)
	for _, svc := range []any{env.svc, other} {
		wantCode(t, claim(svc.(*casework.Service)), domain.NotPermitted)
	}
	restored, err := other.RestorePolicy(env.ctx, adam, casework.Restore{Version: 1})
	must(t, err)
	_, err = env.svc.PublishPolicy(env.ctx, ada,
		casework.EndProposal{ProposalID: restored.ProposalID})
	must(t, err)
	must(t, claim(other))
	if got := env.queryInt(`SELECT count(*) FROM policies`); got != 3 {
		t.Errorf("%d versions", got)
	}
	if got := env.queryInt(
		`SELECT count(*) FROM events e JOIN streams s ON s.id = e.case_id WHERE s.name = 'policy' AND e.type IN ('policy.proposed', 'policy.published')`); got != 5 {
		t.Errorf("%d events of the policy", got)
	}
	// A proposal based on an old version is refused, then withdrawn.
	stale, err := env.svc.ProposePolicy(env.ctx, ada,
		casework.Propose{Document: policyText(t, withoutClaims)})
	must(t, err)
	newer, err := env.svc.ProposePolicy(env.ctx, adam,
		casework.Propose{Document: policyText(t, func(*authz.Document) {})})
	must(t, err)
	_, err = env.svc.PublishPolicy(env.ctx, ada, casework.EndProposal{ProposalID: newer.ProposalID})
	must(t, err)
	_, err = env.svc.PublishPolicy(env.ctx, adam,
		casework.EndProposal{ProposalID: stale.ProposalID})
	wantCode(t, err, domain.StaleVersion)
	_, err = env.svc.WithdrawPolicy(env.ctx, adam,
		casework.EndProposal{ProposalID: stale.ProposalID, Reason: "old"})
	must(t, err)
}

// Policies that cannot be compiled to SQL, have no meaning or would lock everyone out are refused
// with a reason for each rule.
func TestRefusedPolicies(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada := env.person("ada", domain.RoleAdmin)
	env.person("adam", domain.RoleAdmin)
	rule := func(change func(*authz.Rule)) func(*authz.Document) {
		return func(d *authz.Document) {
			added := authz.Rule{Name: "mine", Role: domain.RoleL1, Action: domain.ActClaim,
				Object: authz.AnyReview}
			change(&added)
			d.Rules = append(d.Rules, added)
		}
	}
	for name, tc := range map[string]struct {
		text string
		want string
	}{
		"invalid JSON":    {"rules", "not a valid policy"},
		"an unknown name": {`{"rules": [], "rulez": []}`, "rulez"},
		"arithmetic": {
			policyText(t,
				rule(func(r *authz.Rule) { r.Condition = "review.base_minor * 2 < 100" })), "mine"},
		"a function": {
			policyText(t,
				rule(func(r *authz.Rule) { r.Condition = `review.country.startsWith("D")` })),
			"mine"},
		"an unknown column": {
			policyText(t,
				rule(func(r *authz.Rule) { r.Condition = `review.colour == "red"` })), "mine"},
		"a limit in a rule": {
			policyText(t,
				rule(func(r *authz.Rule) { r.Condition = "review.base_minor < user.limit_minor" })),
			"cannot use"},
		"an unknown role": {policyText(t, rule(func(r *authz.Rule) { r.Role = "wizard" })),
			"Unknown role"},
		"an action without an object": {
			policyText(t, rule(func(r *authz.Rule) { r.Object = authz.GlobalObject })),
			"does not apply to the object"},
		"a duplicate name": {
			policyText(t, rule(func(r *authz.Rule) { r.Name = "administrator may publish house" })),
			"this name"},
		"no administrator left": {`{"rules": []}`, "could never be changed"},
		"another version named": {policyText(t, func(d *authz.Document) { d.Version = 9 }),
			"version 9"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := env.svc.ProposePolicy(env.ctx, ada, casework.Propose{Document: tc.text})
			if domain.CodeOf(err).Kind() != domain.KindInvalid ||
				!strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want a message containing %q", err, tc.want)
			}
		})
	}
	problems, err := env.svc.CheckPolicy(env.ctx, ada,
		policyText(t, rule(func(r *authz.Rule) { r.Condition, r.Role = "1 + 1 == 2", "wizard" })))
	must(t, err)
	if len(problems) != 2 || problems[0].Node != "mine" || problems[0].Rule != "policy_no_role" ||
		problems[1].Rule != "condition_inside" {
		t.Errorf("problems %+v", problems)
	}
	problems, err = env.svc.CheckPolicy(env.ctx, ada, `{"rules": []}`)
	must(t, err)
	for _, problem := range problems {
		if !strings.HasPrefix(problem.Rule, "policy_too_few_") || problem.Values["left"] != "0" ||
			problem.Values["least"] == "" {
			t.Errorf("problem %+v", problem)
		}
	}
	if len(problems) != 2 {
		t.Errorf("problems %+v", problems)
	}
}

// The right to publish is checked after the authority version was incremented. The policy loaded
// for that check must not be cached for the version that the same transaction publishes.
func TestPolicyPublishedByFreshProcess(t *testing.T) {
	t.Parallel()
	env, _, id := newReviewEnv(t, "120000.00")
	rita, ada, adam := env.person("rita", domain.RoleL1), env.person("ada", domain.RoleAdmin),
		env.person("adam", domain.RoleAdmin)
	proposed, err := env.svc.ProposePolicy(env.ctx, ada,
		casework.Propose{Document: policyText(t, withoutClaims)})
	must(t, err)
	other := env.newServiceOnOwnPool()
	_, err = other.PublishPolicy(env.ctx, adam,
		casework.EndProposal{ProposalID: proposed.ProposalID})
	must(t, err)
	_, err = other.ClaimReview(env.ctx, rita,
		casework.ReviewTarget{ReviewID: env.openReview(id).ID})
	wantCode(t, err, domain.NotPermitted)
	third := env.newServiceOnOwnPool()
	must(t, third.PutRole(env.ctx, ada, casework.PutRole{Name: "reviewer_asia"}))
	_, err = third.ClaimReview(env.ctx, rita,
		casework.ReviewTarget{ReviewID: env.openReview(id).ID})
	wantCode(t, err, domain.NotPermitted)
}

// A custom role grants nothing until rules and limits refer to it.
func TestCustomRole(t *testing.T) {
	t.Parallel()
	env, _, id := newReviewEnv(t, "120000.00")
	ada, adam := env.person("ada", domain.RoleAdmin), env.person("adam", domain.RoleAdmin)
	const asia = domain.Role("reviewer_asia")
	_, err := env.svc.PutUser(env.ctx, ada,
		casework.PutUser{User: domain.User{Email: "a@example.com", Name: "a",
			Roles: []domain.Role{asia}}})
	wantCode(t, err, domain.InvalidInput)
	for range 2 {
		must(t, env.svc.PutRole(env.ctx, ada,
			casework.PutRole{Once: casework.Once{Key: "r"}, Name: asia, Description: "Asia"}))
	}
	for _, name := range []domain.Role{"", "A", "a b", "1x", domain.Role(strings.Repeat("x", 41))} {
		wantCode(t, env.svc.PutRole(env.ctx, ada, casework.PutRole{Name: name}),
			domain.InvalidInput)
	}
	aiko := env.person("aiko", asia)
	joined, err := env.svc.PutPerson(env.ctx, ada,
		casework.PutUser{UpdateOnly: true,
			User: domain.User{ID: aiko.UserID, Email: "aiko@example.com", Name: "aiko",
				Roles: []domain.Role{asia}, Queues: []string{domain.QueueL1}}})
	must(t, err)
	_, err = env.confirmed(adam, joined.ProposalID)
	must(t, err)
	review := env.openReview(id).ID
	_, err = env.svc.ClaimReview(env.ctx, aiko, casework.ReviewTarget{ReviewID: review})
	wantCode(t, err, domain.NotFound)
	text := policyText(t, func(d *authz.Document) {
		for _, action := range []domain.Action{domain.ActRead, domain.ActClaim, domain.ActDecide} {
			d.Rules = append(d.Rules,
				authz.Rule{Name: "asia may " + string(action), Role: asia, Action: action,
					Object: authz.QueueReview, Condition: `review.country in ["DE", "JP"]`})
		}
		d.Rules = append(d.Rules,
			authz.Rule{Name: "asia may read cases", Role: asia, Action: domain.ActRead,
				Object: authz.QueueCase})
	})
	proposed, err := env.svc.ProposePolicy(env.ctx, ada, casework.Propose{Document: text})
	must(t, err)
	_, err = env.svc.PublishPolicy(env.ctx, adam,
		casework.EndProposal{ProposalID: proposed.ProposalID})
	must(t, err)
	_, err = env.svc.ClaimReview(env.ctx, aiko, casework.ReviewTarget{ReviewID: review})
	wantCode(t, err, domain.ApprovalLimit)
	limit, err := env.svc.PutLimit(env.ctx, ada,
		casework.PutLimit{Limit: domain.Limit{Role: asia, Action: domain.ActDecide,
			BaseMinor: 20_000_000}})
	must(t, err)
	_, err = env.svc.ConfirmControlChange(env.ctx, adam,
		casework.EndProposal{ProposalID: limit.ProposalID})
	must(t, err)
	_, err = env.svc.ClaimReview(env.ctx, aiko, casework.ReviewTarget{ReviewID: review})
	must(t, err)
	must(t, env.decide(aiko, review, domain.Approve, ""))
}

// Users cannot change their own permissions, and at least one user who may manage people remains.
func TestOwnPermissionsCannotBeChanged(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada := env.person("ada", domain.RoleAdmin)
	self := domain.User{ID: ada.UserID, Email: "ada@example.com", Name: "Ada",
		Roles: []domain.Role{domain.RoleAdmin}}
	put := func(by domain.Actor, change func(*domain.User)) error {
		user := self
		change(&user)
		_, err := env.svc.PutUser(env.ctx, by, casework.PutUser{UpdateOnly: true, User: user})
		return err
	}
	must(t, put(ada, func(u *domain.User) { u.Name = "Ada Lovelace" }))
	wantCode(t, put(ada, func(u *domain.User) { u.Roles = append(u.Roles, domain.RoleL1) }),
		domain.FourEyes)
	wantCode(t, put(ada, func(u *domain.User) { u.Queues = []string{domain.QueueL1} }),
		domain.FourEyes)
	wantCode(t, put(ada, func(u *domain.User) { u.Disabled = true }), domain.FourEyes)
	adam := env.person("adam", domain.RoleAdmin, domain.RoleL1)
	must(t, put(adam, func(u *domain.User) { u.Roles = nil }))
	last := domain.User{ID: adam.UserID, Email: "adam@example.com", Name: "adam",
		Roles: []domain.Role{domain.RoleL1}}
	_, err := env.svc.PutUser(env.ctx, domain.Actor{UserID: ada.UserID},
		casework.PutUser{UpdateOnly: true, User: last})
	wantCode(t, err, domain.NotPermitted)
	limit := domain.Limit{Role: domain.RoleL1, Action: domain.ActDecide, BaseMinor: 90_000_000}
	wantCode(t, env.svc.SetLimit(env.ctx, adam, limit), domain.FourEyes)
	limit.BaseMinor = 10_000
	must(t, env.svc.SetLimit(env.ctx, adam, limit))
	limit.Role = domain.RoleSenior
	must(t, env.svc.SetLimit(env.ctx, adam, limit))
	_, err = env.svc.PutLimit(env.ctx, adam, casework.PutLimit{Limit: limit, Drop: true})
	must(t, err)
	// The expected version is checked.
	current, err := env.db.Reader().User(env.ctx, ada.UserID)
	must(t, err)
	self.Roles = nil
	for _, want := range []domain.Code{"", domain.StaleVersion} {
		_, err = env.svc.PutUser(env.ctx, adam,
			casework.PutUser{UpdateOnly: true, User: self,
				ExpectedVersion: casework.PersonVersion(current)})
		if domain.CodeOf(err) != want {
			t.Errorf("changed: %v, want %q", err, want)
		}
	}
	_, err = env.svc.PutUser(env.ctx, adam,
		casework.PutUser{UpdateOnly: true,
			User: domain.User{ID: domain.NewID(), Email: "x@example.com", Name: "x"}})
	wantCode(t, err, domain.NotFound)
}
