package casework_test

import (
	"slices"
	"strings"
	"testing"

	"countersign/authz"
	"countersign/casework"
	"countersign/domain"
)

func (env *testEnv) raiseLimit(by domain.Actor, role domain.Role, minor int64) domain.ID {
	env.t.Helper()
	proposed, err := env.svc.PutLimit(env.ctx, by, casework.PutLimit{Limit: domain.Limit{Role: role,
		Action: domain.ActDecide, BaseMinor: minor}})
	must(env.t, err)
	return proposed.ProposalID
}

// A program raises a limit. Who confirms it reads which people could decide which amounts, as for a text of the
// policy, and confirms nothing else: if the effect has changed since it was read, it is not confirmed.
func TestTheEffectOfAProposedLimit(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, adam := env.person("ada", domain.RoleAdmin), env.person("adam", domain.RoleAdmin)
	rita := env.person("rita", domain.RoleL1)
	id := env.raiseLimit(ada, domain.RoleL1, 90_000_000)
	effect, err := env.svc.ProposedEffect(env.ctx, adam, id)
	must(t, err)
	if effect.Changed != 1 || !effect.Evaluated || !effect.Complete || len(effect.Limits) != 1 || effect.Limits[0].Lowers ||
		amountsOf(effect.People, rita.UserID) != ": 500000.00 USD -> 900000.00 USD" || len(effect.Together) != 0 {
		t.Fatalf("the effect is %+v", effect)
	}
	env.person("lena", domain.RoleL1) // gets the limit too
	end := casework.EndProposal{Once: casework.Once{Key: "c"}, ProposalID: id, ExpectedEffect: effect.Digest}
	_, err = env.svc.ConfirmControlChange(env.ctx, adam, end)
	wantCode(t, err, domain.StaleVersion)
	if effect, err = env.svc.ProposedEffect(env.ctx, adam, id); err != nil || effect.Changed != 2 {
		t.Fatalf("read again: %+v, %v", effect, err)
	}
	end.ExpectedEffect = effect.Digest
	for range 2 { // delivered twice
		done, err := env.svc.ConfirmControlChange(env.ctx, adam, end)
		must(t, err)
		if done.ProposalID != id || env.limitOf(domain.RoleL1, "") != "900000.00 USD" {
			t.Errorf("confirmed %+v", done)
		}
	}
	_, err = env.svc.ProposedEffect(env.ctx, adam, id) // it has ended
	wantCode(t, err, domain.NotFound)
}

// Only who may manage people reads the effect, in their own name. It is that of limits and accounts.
func TestTheEffectOfAProposalNeedsTheRight(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, rita := env.person("ada", domain.RoleAdmin), env.person("rita", domain.RoleL1)
	env.person("adam", domain.RoleAdmin)
	id := env.raiseLimit(ada, domain.RoleL2, 900_000_000)
	onBehalf, narrow := ada, ada
	onBehalf.OnBehalfOf = rita.UserID
	narrow.TokenID, narrow.Scopes = domain.NewID(), []string{string(domain.ActPublish)}
	refusals := env.queryInt(`SELECT count(*) FROM access_log`)
	for name, actor := range map[string]domain.Actor{"a reviewer": rita, "on behalf": onBehalf, "a token": narrow} {
		if _, err := env.svc.ProposedEffect(env.ctx, actor, id); domain.CodeOf(err) != domain.NotPermitted {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := env.queryInt(`SELECT count(*) FROM access_log`); got != refusals {
		t.Errorf("%d refusals were logged", got-refusals)
	}
	_, err := env.svc.ProposedEffect(env.ctx, ada, domain.NewID())
	wantCode(t, err, domain.NotFound)
	text, err := env.proposeLimits(ada, juniorsDecideMore)
	must(t, err)
	_, err = env.svc.ProposedEffect(env.ctx, ada, text.ProposalID)
	wantCode(t, err, domain.NotFound)
}

// A limit gives nothing without a rule. Its effect names whom it gives much together with an open text of the
// policy, as the effect of the text does.
func TestALimitTogetherWithAnOpenText(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, adam := env.person("ada", domain.RoleAdmin), env.person("adam", domain.RoleAdmin)
	audrey := env.person("audrey", domain.RoleAuditor)
	user := env.userByID(audrey.UserID)
	user.Queues = []string{domain.QueueL1}
	_, err := env.svc.PutUser(env.ctx, domain.SystemActor(), casework.PutUser{User: user})
	must(t, err)
	id := env.raiseLimit(ada, domain.RoleAuditor, 1_000_000)
	alone, err := env.svc.ProposedEffect(env.ctx, adam, id)
	must(t, err)
	if alone.Changed != 0 || len(alone.Together) != 0 || len(alone.Limits) != 1 {
		t.Fatalf("alone: %+v", alone)
	}
	_, err = env.svc.ProposePolicy(env.ctx, ada, casework.Propose{Document: policyText(t, func(d *authz.Document) {
		d.Rules = append(d.Rules, addedRule(domain.RoleAuditor, domain.ActDecide, authz.QueueReview, ""))
	})})
	must(t, err)
	both, err := env.svc.ProposedEffect(env.ctx, adam, id)
	must(t, err)
	if both.Changed != 0 || amountsOf(both.Together, audrey.UserID) != ": none -> 10000.00 USD" {
		t.Fatalf("both: %+v", both)
	}
}

// The effect of a proposed account is what the person could do with its roles.
func TestTheEffectOfAProposedAccount(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, adam := env.person("ada", domain.RoleAdmin), env.person("adam", domain.RoleAdmin)
	rita := env.person("rita", domain.RoleL1)
	created, err := env.putPerson(ada, domain.User{Email: "eve@example.com", Name: "Eve",
		Roles: []domain.Role{domain.RoleL1}, Queues: []string{domain.QueueL1}})
	must(t, err)
	effect, err := env.svc.ProposedEffect(env.ctx, adam, created.ProposalID)
	must(t, err)
	if effect.Changed != 1 || effect.People[0].NewAccount != "Eve" || len(effect.Together) != 0 ||
		amountsOf(effect.People, effect.People[0].Person) != ": none -> 500000.00 USD" ||
		!slices.ContainsFunc(effect.People[0].Gains, func(r casework.RightChange) bool { return r.Action == domain.ActDecide }) {
		t.Fatalf("the effect of an account is %+v", effect)
	}
	user := env.userByID(rita.UserID)
	user.Roles, user.Queues = append(user.Roles, domain.RoleL2), append(user.Queues, domain.QueueL2)
	changed, err := env.putPerson(ada, user)
	must(t, err)
	effect, err = env.svc.ProposedEffect(env.ctx, adam, changed.ProposalID)
	must(t, err)
	if got := amountsOf(effect.People, rita.UserID); effect.Changed != 1 || !strings.HasPrefix(got, ": 500000.00 USD -> ") {
		t.Fatalf("another role: %q of %+v", got, effect)
	}
	_, err = env.svc.ConfirmControlChange(env.ctx, adam, casework.EndProposal{ProposalID: changed.ProposalID,
		ExpectedEffect: effect.Digest})
	must(t, err)
}
