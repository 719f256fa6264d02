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

// effectsOf shows the changes of a preview by the names of the people.
func effectsOf(preview casework.PolicyPreview, people ...domain.Actor) map[string]string {
	found := map[string]string{}
	for _, effect := range preview.People {
		name := ""
		for _, person := range people {
			if person.UserID == effect.Person {
				name = person.Name
			}
		}
		var parts []string
		for _, gain := range effect.Gains {
			parts = append(parts, "+"+string(gain.Action))
		}
		for _, loss := range effect.Loses {
			parts = append(parts, "-"+string(loss.Action))
		}
		for _, duties := range effect.Duties {
			parts = append(parts, fmt.Sprintf("%s&%s", duties[0], duties[1]))
		}
		found[name] = strings.Join(parts, " ")
	}
	return found
}

func actionOf(preview casework.PolicyPreview, action domain.Action) casework.ActionEffect {
	at := slices.IndexFunc(preview.Actions,
		func(one casework.ActionEffect) bool { return one.Action == action })
	if at < 0 {
		return casework.ActionEffect{}
	}
	return preview.Actions[at]
}

func addedRule(role domain.Role, action domain.Action, object authz.Object, condition string) authz.Rule {
	return authz.Rule{Name: fmt.Sprintf("added %s %s", role, action), Role: role, Action: action,
		Object: object, Condition: condition}
}

// The preview says whom a change concerns and which reviews no one could decide any more. It changes
// nothing, and the published policy has the effect that it named.
func TestPolicyPreviewNamesTheEffect(t *testing.T) {
	t.Parallel()
	env, sam, id := newReviewEnv(t, "120000.00")
	rita, ada := env.person("rita", domain.RoleL1), env.person("ada", domain.RoleAdmin)
	adam := env.person("adam", domain.RoleAdmin)
	same, err := env.svc.PreviewPolicy(env.ctx, ada, policyText(t, func(d *authz.Document) {
		slices.Reverse(d.Rules)
	}))
	must(t, err)
	if !same.Evaluated || same.Changed != 0 || same.Active < 4 || len(same.Problems) > 0 ||
		!same.Complete {
		t.Errorf("another order of the rules: %+v", same)
	}
	text := policyText(t, withoutClaims)
	events, policies := env.queryInt(`SELECT count(*) FROM events`), env.queryInt(`SELECT count(*) FROM policies`)
	preview, err := env.svc.PreviewPolicy(env.ctx, ada, text)
	must(t, err)
	if got := effectsOf(preview, sam, rita, ada, adam); len(got) != 1 ||
		got["rita"] != "-claim -decide" {
		t.Errorf("effects %v", got)
	}
	loses := preview.People[0].Loses
	if loses[0].Partly || !slices.Equal(loses[1].Queues, []string{domain.QueueL1, domain.QueueRepair}) {
		t.Errorf("loses %+v", loses)
	}
	review := env.openReview(id)
	if preview.BlockedCount != 1 || preview.Examined != 1 || preview.Blocked[0].ReviewID != review.ID ||
		preview.Blocked[0].Reference != env.caseByID(id).Reference {
		t.Errorf("blocked %+v", preview.Blocked)
	}
	if few := actionOf(preview, domain.ActDecide); few.Before != 1 || few.After != 0 {
		t.Errorf("actions %+v", preview.Actions)
	}
	if env.queryInt(`SELECT count(*) FROM events`) != events ||
		env.queryInt(`SELECT count(*) FROM policies`) != policies {
		t.Error("the preview wrote something")
	}
	_, err = env.svc.ClaimReview(env.ctx, rita, casework.ReviewTarget{ReviewID: review.ID})
	must(t, err)
	proposed, err := env.svc.ProposePolicy(env.ctx, ada, casework.Propose{Document: text})
	must(t, err)
	_, err = env.svc.PublishPolicy(env.ctx, adam, casework.EndProposal{ProposalID: proposed.ProposalID})
	must(t, err)
	wantCode(t, env.decide(rita, review.ID, domain.Approve, ""), domain.NotPermitted)
	after, err := env.svc.PreviewPolicy(env.ctx, ada, text)
	must(t, err)
	if after.Changed != 0 || after.BlockedCount != 0 {
		t.Errorf("in force already: %+v", after)
	}
}

// A person whom someone else can replace does not block a review, and a second person with the same
// rights is not few.
func TestPolicyPreviewWithReplacement(t *testing.T) {
	t.Parallel()
	env, _, _ := newReviewEnv(t, "120000.00")
	env.person("rita", domain.RoleL1)
	sid, ada := env.person("sid", domain.RoleSenior), env.person("ada", domain.RoleAdmin)
	env.person("adam", domain.RoleAdmin)
	preview, err := env.svc.PreviewPolicy(env.ctx, ada, policyText(t, withoutClaims))
	must(t, err)
	if preview.Changed != 1 || preview.BlockedCount != 0 || preview.Examined != 1 {
		t.Errorf("preview %+v", preview)
	}
	if few := actionOf(preview, domain.ActDecide); few.After != 1 || few.Holders[0] != sid.UserID {
		t.Errorf("actions %+v", preview.Actions)
	}
}

// Proposals that take power or hand it to everyone are named by the preview.
func TestPolicyPreviewNamesAttacks(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, rita := env.person("sam", domain.RoleSubmitter), env.person("rita", domain.RoleL1)
	ada, adam := env.person("ada", domain.RoleAdmin), env.person("adam", domain.RoleAdmin)
	eve, ben := env.person("eve", domain.RoleAdmin, domain.RoleAuditor), env.person("ben", domain.RoleAuditor)
	preview := func(change func(*authz.Document)) casework.PolicyPreview {
		found, err := env.svc.PreviewPolicy(env.ctx, ada, policyText(t, change))
		must(t, err)
		return found
	}
	publishes := func(role domain.Role) authz.Rule {
		return addedRule(role, domain.ActPublish, authz.GlobalObject, "")
	}
	withoutPublishers := func(d *authz.Document) {
		d.Rules = slices.DeleteFunc(d.Rules, func(r authz.Rule) bool { return r.Action == domain.ActPublish })
	}
	// Publishing, and with it the right to withdraw, is taken from the other administrators.
	taken := preview(func(d *authz.Document) {
		withoutPublishers(d)
		d.Rules = append(d.Rules, publishes(domain.RoleAuditor))
	})
	few := actionOf(taken, domain.ActPublish)
	if got := effectsOf(taken, ada, adam, eve, ben); len(got) != 3 || got["ada"] != "-publish" ||
		got["adam"] != "-publish" || got["ben"] != "+publish" || few.Before != 3 || few.After != 2 ||
		!slices.Contains(few.Holders, eve.UserID) || !slices.Contains(few.Holders, ben.UserID) {
		t.Errorf("taken: %v, %+v", got, few)
	}
	// No one may publish any more: it is refused, and the effect is shown too.
	none := preview(withoutPublishers)
	if got := actionOf(none, domain.ActPublish); got.Before != 3 || got.After != 0 ||
		len(none.Problems) != 1 || none.Problems[0].Rule != "policy_too_few_publish" {
		t.Errorf("none: %+v", none)
	}
	// Two accounts of one person may publish: no one could confirm for the other.
	for _, of := range []domain.Actor{eve, ben} {
		must(t, env.ownAccount(of, false))
	}
	one := preview(func(d *authz.Document) {
		withoutPublishers(d)
		d.Rules = append(d.Rules, publishes(domain.RoleAuditor))
	})
	if got := actionOf(one, domain.ActPublish); got.After != 1 || len(one.Problems) != 1 ||
		one.Problems[0].Rule != "policy_too_few_publish" || one.Problems[0].Values["left"] != "1" {
		t.Errorf("one person: %+v, %+v", got, one.Problems)
	}
	// Every role may publish.
	all := preview(func(d *authz.Document) {
		for _, role := range domain.Roles() {
			if role != domain.RoleAdmin {
				d.Rules = append(d.Rules, publishes(role))
			}
		}
	})
	if got := actionOf(all, domain.ActPublish); !got.Everyone || got.Before != 3 || got.After != 5 {
		t.Errorf("all: %+v", all.Actions)
	}
	if got := effectsOf(all, sam, rita, ben); len(got) != 3 || got["rita"] != "+publish publish&decide" {
		t.Errorf("all: %v", got)
	}
	// A condition that is always true looks like a restriction.
	always := preview(func(d *authz.Document) {
		d.Rules = append(d.Rules, addedRule(domain.RoleL1, domain.ActDecide, authz.AnyReview,
			`review.country == "DE" || !(review.country in ["DE"])`))
	})
	if len(always.Conditions) != 1 || !always.Conditions[0].Always ||
		always.Conditions[0].Rule != "added reviewer_l1 decide" || always.Changed != 1 {
		t.Errorf("always: %+v", always)
	}
	// A rule that cannot be evaluated has problems and no effect.
	faulty := preview(func(d *authz.Document) {
		d.Rules = append(d.Rules, addedRule(domain.RoleL1, domain.ActDecide, authz.AnyReview, "1 +"))
	})
	if faulty.Evaluated || len(faulty.Problems) != 1 {
		t.Errorf("faulty: %+v", faulty)
	}
	text, err := env.svc.PreviewPolicy(env.ctx, ada, "{")
	must(t, err)
	if text.Evaluated || len(text.Problems) != 1 || text.Problems[0].Rule != "policy_text" {
		t.Errorf("text: %+v", text)
	}
}

// A user who may not propose gets no preview, and no refusal is logged.
func TestPolicyPreviewNeedsTheRightToPublish(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, rita := env.person("ada", domain.RoleAdmin), env.person("rita", domain.RoleL1)
	env.person("adam", domain.RoleAdmin)
	refusals := env.queryInt(`SELECT count(*) FROM access_log`)
	text := policyText(t, withoutClaims)
	_, err := env.svc.PreviewPolicy(env.ctx, rita, text)
	wantCode(t, err, domain.NotPermitted)
	onBehalf := ada
	onBehalf.OnBehalfOf = rita.UserID
	_, err = env.svc.PreviewPolicy(env.ctx, onBehalf, text)
	wantCode(t, err, domain.NotPermitted)
	narrow := ada
	narrow.TokenID, narrow.Scopes = domain.NewID(), []string{string(domain.ActRead)}
	_, err = env.svc.PreviewPolicy(env.ctx, narrow, text)
	wantCode(t, err, domain.NotPermitted)
	_, err = env.svc.PreviewPolicy(env.ctx, ada, text)
	must(t, err)
	if got := env.queryInt(`SELECT count(*) FROM access_log`); got != refusals {
		t.Errorf("%d refusals were logged", got-refusals)
	}
}
