package casework_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"countersign/authz"
	"countersign/casework"
	"countersign/domain"
)

// limitText is the text of the built-in policy with changed limits.
func limitText(t *testing.T, changes ...authz.LimitChange) string {
	return policyText(t, func(d *authz.Document) { d.Limits = changes })
}

func (env *testEnv) proposeLimits(by domain.Actor, changes ...authz.LimitChange) (casework.ProposalResult, error) {
	return env.svc.ProposePolicy(env.ctx, by, casework.Propose{Document: limitText(env.t, changes...)})
}

func (env *testEnv) limitOf(role domain.Role, documentType string) string {
	limit, err := env.db.Reader().Limit(env.ctx, role, domain.ActDecide, documentType)
	if err != nil && !domain.HasCode(err, domain.NotFound) {
		env.t.Fatal(err)
	}
	return authz.LimitText(limit, err == nil)
}

var juniorsDecideMore = authz.LimitChange{Role: domain.RoleL1, Before: "500000.00 USD", After: "900000.00 USD"}

// amountsOf shows the amounts of an effect by person and type.
func amountsOf(effects []casework.PersonEffect, person domain.ID) string {
	bound := func(one authz.Bound) string {
		limit := domain.Limit{Unlimited: one.Unlimited, BaseMinor: one.BaseMinor}
		return authz.LimitText(limit, one.Granted)
	}
	var lines []string
	for _, effect := range effects {
		for _, one := range effect.Amounts {
			if effect.Person == person {
				lines = append(lines, fmt.Sprintf("%s: %s -> %s", one.DocumentType, bound(one.Before), bound(one.After)))
			}
		}
	}
	return strings.Join(lines, "; ")
}

// One proposal changes a rule and a limit. It shows both, and both take effect when another administrator
// publishes it, once.
func TestAPolicyTextChangesLimits(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, adam := env.person("ada", domain.RoleAdmin), env.person("adam", domain.RoleAdmin)
	rita := env.person("rita", domain.RoleL1)
	text := policyText(t, func(d *authz.Document) {
		d.Rules = append(d.Rules, addedRule(domain.RoleL1, domain.ActReassign, authz.QueueReview, ""))
		d.Limits = []authz.LimitChange{juniorsDecideMore,
			{Role: domain.RoleL1, DocumentType: "invoice", Before: "none", After: "20.00 USD"}}
	})
	preview, err := env.svc.PreviewPolicy(env.ctx, ada, text)
	must(t, err)
	if got := amountsOf(preview.People, rita.UserID); !strings.Contains(got, ": 500000.00 USD -> 900000.00 USD") ||
		!strings.Contains(got, "invoice: 500000.00 USD -> 20.00 USD") || preview.Changed != 1 || !preview.Complete {
		t.Errorf("amounts %q of %d", got, preview.Changed)
	}
	if len(preview.Limits) != 2 || preview.Limits[0].Lowers || preview.Limits[1].Lowers {
		t.Errorf("limits %+v", preview.Limits)
	}
	propose := casework.Propose{Once: casework.Once{Key: "p"}, Document: text}
	proposed, err := env.svc.ProposePolicy(env.ctx, ada, propose)
	must(t, err)
	again, err := env.svc.ProposePolicy(env.ctx, ada, propose)
	must(t, err)
	if again.ProposalID != proposed.ProposalID || env.limitOf(domain.RoleL1, "") != "500000.00 USD" {
		t.Fatal("proposed twice, or in force already")
	}
	end := casework.EndProposal{Once: casework.Once{Key: "e"}, ProposalID: proposed.ProposalID,
		ExpectedEffect: preview.Digest}
	for range 2 { // delivered twice
		published, err := env.svc.PublishPolicy(env.ctx, adam, end)
		must(t, err)
		if published.Version != 2 {
			t.Errorf("published %+v", published)
		}
	}
	if env.limitOf(domain.RoleL1, "") != "900000.00 USD" || env.limitOf(domain.RoleL1, "invoice") != "20.00 USD" {
		t.Error("the limits are not in force")
	}
	if got := env.queryInt(`SELECT count(*) FROM events e JOIN streams s ON s.id = e.case_id
		WHERE s.name = 'policy' AND e.type IN ('policy.published', 'limit.changed')
		AND e.body::json->>'policyVersion' = '2'`); got != 3 {
		t.Errorf("%d events", got)
	}
	if got := env.verifyProblems(); got != "" {
		t.Errorf("the audit reports %s", got)
	}
}

// An administrator raises no limit of their own role, with no account, alone or together with a rule. They
// publish none either. They may lower it.
func TestNoOneRaisesTheirOwnLimitByPolicy(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, adam := env.person("ada", domain.RoleAdmin), env.person("adam", domain.RoleAdmin, domain.RoleSenior)
	eve, rita := env.person("eve", domain.RoleAdmin, domain.RoleL1), env.person("rita", domain.RoleL1)
	env.person("ada+reviews", domain.RoleL2)
	raise := func(role domain.Role, before string) authz.LimitChange {
		return authz.LimitChange{Role: role, DocumentType: "invoice", Before: before, After: "unlimited"}
	}
	for name, tc := range map[string]struct {
		by     domain.Actor
		change authz.LimitChange
		code   domain.Code
	}{
		"their own role":        {eve, juniorsDecideMore, domain.FourEyes},
		"another type":          {eve, raise(domain.RoleL1, "none"), domain.FourEyes},
		"a second account":      {ada, raise(domain.RoleL2, "none"), domain.FourEyes},
		"a reviewer":            {rita, juniorsDecideMore, domain.NotPermitted},
		"the removal of a type": {eve, authz.LimitChange{Role: domain.RoleL1, Before: "500000.00 USD", After: "1.00 USD"}, ""},
	} {
		_, err := env.proposeLimits(tc.by, tc.change)
		if tc.code == "" {
			must(t, err)
		} else if domain.CodeOf(err) != tc.code {
			t.Errorf("%s: %v", name, err)
		}
	}
	proposed, err := env.proposeLimits(ada, authz.LimitChange{Role: domain.RoleSenior,
		Before: "2000000.00 USD", After: "unlimited"})
	must(t, err)
	end := casework.EndProposal{ProposalID: proposed.ProposalID}
	_, err = env.svc.PublishPolicy(env.ctx, adam, end) // whose limit it is
	wantCode(t, err, domain.FourEyes)
	_, err = env.svc.PublishPolicy(env.ctx, ada, end)
	wantCode(t, err, domain.FourEyes)
	_, err = env.svc.PublishPolicy(env.ctx, eve, end)
	must(t, err)
	// The limit of one type, lower than the general one, is dropped: that raises it.
	_, err = env.svc.PutLimit(env.ctx, domain.SystemActor(), casework.PutLimit{Limit: domain.Limit{
		Role: domain.RoleL1, Action: domain.ActDecide, DocumentType: "invoice", BaseMinor: 100}})
	must(t, err)
	_, err = env.svc.ProposePolicy(env.ctx, eve, casework.Propose{Document: limitText(t,
		authz.LimitChange{Role: domain.RoleL1, DocumentType: "invoice", Before: "1.00 USD", After: "none"})})
	wantCode(t, err, domain.FourEyes)
}

// The right to publish rules is not the right to raise limits, with a role or with the scope of a token.
func TestLimitsNeedTheRightToChangeThem(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, adam := env.person("ada", domain.RoleAdmin), env.person("adam", domain.RoleAdmin)
	must(t, env.svc.PutRole(env.ctx, ada, casework.PutRole{Name: "publisher"}))
	text := policyText(t, func(d *authz.Document) {
		d.Rules = append(d.Rules, addedRule("publisher", domain.ActPublish, authz.GlobalObject, ""))
	})
	proposed, err := env.svc.ProposePolicy(env.ctx, ada, casework.Propose{Document: text})
	must(t, err)
	_, err = env.svc.PublishPolicy(env.ctx, adam, casework.EndProposal{ProposalID: proposed.ProposalID})
	must(t, err)
	pia := env.person("pia", "publisher")
	_, err = env.proposeLimits(pia, juniorsDecideMore)
	wantCode(t, err, domain.NotPermitted)
	token := ada
	token.Scopes = []string{string(domain.ActPublish)}
	_, err = env.proposeLimits(token, juniorsDecideMore)
	wantCode(t, err, domain.NotPermitted)
	limits, err := env.proposeLimits(ada, juniorsDecideMore)
	must(t, err)
	_, err = env.svc.PublishPolicy(env.ctx, pia, casework.EndProposal{ProposalID: limits.ProposalID})
	wantCode(t, err, domain.NotPermitted)
	if env.limitOf(domain.RoleL1, "") != "500000.00 USD" {
		t.Error("the limit was raised")
	}
}

// A text changes a limit only from the one that it shows: of two proposals in flight the second is stale, and
// so is one whose limit was changed meanwhile, even to a lower one.
func TestLimitsInFlight(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, adam := env.person("ada", domain.RoleAdmin), env.person("adam", domain.RoleAdmin)
	first, err := env.proposeLimits(ada, juniorsDecideMore)
	must(t, err)
	direct, err := env.svc.PutLimit(env.ctx, ada, casework.PutLimit{Limit: domain.Limit{
		Role: domain.RoleL1, Action: domain.ActDecide, BaseMinor: 70_000_000}})
	must(t, err)
	_, err = env.proposeLimits(ada, authz.LimitChange{Role: domain.RoleL1, Before: "1.00 USD", After: "2.00 USD"})
	wantCode(t, err, domain.StaleVersion)
	_, err = env.svc.PutLimit(env.ctx, adam, casework.PutLimit{Limit: domain.Limit{
		Role: domain.RoleL1, Action: domain.ActDecide, BaseMinor: 100}})
	must(t, err)
	_, err = env.svc.PublishPolicy(env.ctx, adam, casework.EndProposal{ProposalID: first.ProposalID})
	wantCode(t, err, domain.StaleVersion)
	if detail(err, "reason") != "limit_changed" || detail(err, "now") != "1.00 USD" {
		t.Errorf("refused with %v", err)
	}
	_, err = env.confirmed(adam, direct.ProposalID)
	wantCode(t, err, domain.StaleVersion)
	if env.limitOf(domain.RoleL1, "") != "1.00 USD" {
		t.Error("a stale proposal raised the limit")
	}
}

// A rule and a limit that are proposed apart give more together. The publisher of the one sees it, and an
// effect that has changed since it was read is not published.
func TestProposalsTogetherGiveMore(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, adam := env.person("ada", domain.RoleAdmin), env.person("adam", domain.RoleAdmin)
	audrey := env.person("audrey", domain.RoleAuditor)
	user := env.userByID(audrey.UserID)
	user.Queues = []string{domain.QueueL1}
	_, err := env.svc.PutUser(env.ctx, domain.SystemActor(), casework.PutUser{User: user})
	must(t, err)
	text := policyText(t, func(d *authz.Document) {
		d.Rules = append(d.Rules, addedRule(domain.RoleAuditor, domain.ActDecide, authz.QueueReview, ""))
	})
	alone, err := env.svc.PreviewPolicy(env.ctx, ada, text)
	must(t, err)
	if alone.Changed != 0 || len(alone.Together) != 0 {
		t.Fatalf("alone: %+v", alone)
	}
	limit, err := env.svc.PutLimit(env.ctx, ada, casework.PutLimit{Limit: domain.Limit{
		Role: domain.RoleAuditor, Action: domain.ActDecide, Unlimited: true}})
	must(t, err)
	_, err = env.putPerson(ada, domain.User{Email: "eve@example.com", Name: "Eve",
		Roles: []domain.Role{domain.RoleAuditor}, Queues: []string{domain.QueueL1}})
	must(t, err)
	both, err := env.svc.PreviewPolicy(env.ctx, ada, text)
	must(t, err)
	if both.Changed != 0 || len(both.Together) != 2 {
		t.Fatalf("both: %+v", both)
	}
	if got := amountsOf(both.Together, audrey.UserID); got != ": none -> unlimited" {
		t.Errorf("together %q", got)
	}
	if at := slices.IndexFunc(both.Together, func(e casework.PersonEffect) bool { return e.NewAccount == "Eve" }); at < 0 {
		t.Errorf("the proposed account is not named: %+v", both.Together)
	}
	proposed, err := env.svc.ProposePolicy(env.ctx, ada, casework.Propose{Document: text})
	must(t, err)
	_, err = env.confirmed(adam, limit.ProposalID)
	must(t, err)
	end := casework.EndProposal{ProposalID: proposed.ProposalID, ExpectedEffect: both.Digest}
	_, err = env.svc.PublishPolicy(env.ctx, adam, end)
	wantCode(t, err, domain.StaleVersion)
	if got := detail(err, "reason"); got != "effect_changed" {
		t.Errorf("the reason is %q", got)
	}
	read, err := env.svc.PreviewPolicy(env.ctx, adam, text)
	must(t, err)
	if read.Changed != 1 || read.Digest == both.Digest {
		t.Fatalf("read again: %+v", read)
	}
	end.ExpectedEffect = read.Digest
	_, err = env.svc.PublishPolicy(env.ctx, adam, end)
	must(t, err)
}

// Another currency, another notation, an unknown role or a type that no process takes are refused. The
// limit of a type that was removed can still be taken away.
func TestFaultyLimitsOfAPolicy(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada := env.person("ada", domain.RoleAdmin)
	env.person("adam", domain.RoleAdmin)
	if _, err := env.owner.Exec(env.ctx, `INSERT INTO limits (role, action, document_type, unlimited, base_minor)
		VALUES ('reviewer_l1', 'decide', 'telegram', false, 500)`); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		change authz.LimitChange
		check  string
	}{
		"another currency":       {authz.LimitChange{Role: domain.RoleL1, Before: "500000.00 USD", After: "900000.00 EUR"}, "policy_limit_amount"},
		"no currency":            {authz.LimitChange{Role: domain.RoleL1, Before: "500000.00 USD", After: "900000"}, "policy_limit_amount"},
		"an unknown role":        {authz.LimitChange{Role: "boss", Before: "none", After: "unlimited"}, "policy_no_role"},
		"an unknown type":        {authz.LimitChange{Role: domain.RoleL1, DocumentType: "cheque", Before: "none", After: "unlimited"}, "policy_limit_no_type"},
		"a stale limit":          {authz.LimitChange{Role: domain.RoleL1, Before: "none", After: "unlimited"}, "policy_limit_stale"},
		"a removed type":         {authz.LimitChange{Role: domain.RoleL1, DocumentType: "telegram", Before: "5.00 USD", After: "none"}, ""},
		"the same, other digits": {authz.LimitChange{Role: domain.RoleL1, DocumentType: "telegram", Before: "5 USD", After: "none"}, ""},
	} {
		problems, err := env.svc.CheckPolicy(env.ctx, ada, limitText(t, tc.change))
		must(t, err)
		if tc.check == "" && len(problems) > 0 ||
			tc.check != "" && (len(problems) != 1 || problems[0].Rule != tc.check) {
			t.Errorf("%s: %+v", name, problems)
		}
	}
}

// A lower limit in a published text releases the reviews above it.
func TestLoweredLimitsOfAPolicyReleaseReviews(t *testing.T) {
	t.Parallel()
	env, _, id := newReviewEnv(t, "120000.00")
	ada, adam := env.person("ada", domain.RoleAdmin), env.person("adam", domain.RoleAdmin)
	rita := env.person("rita", domain.RoleL1)
	env.person("sid", domain.RoleSenior)
	review := env.claim(rita, id)
	proposed, err := env.proposeLimits(ada, authz.LimitChange{Role: domain.RoleL1,
		Before: "500000.00 USD", After: "100.00 USD"})
	must(t, err)
	_, err = env.svc.PublishPolicy(env.ctx, adam, casework.EndProposal{ProposalID: proposed.ProposalID})
	must(t, err)
	if now := env.openReview(id); now.ID != review.ID || now.Assignee != domain.NoID {
		t.Errorf("the review above the limit is kept: %+v", now)
	}
}
