package casework_test

import (
	"testing"
	"time"

	"countersign/authz"
	"countersign/casework"
	"countersign/domain"
)

// putPerson changes a person as an administrator does.
func (env *testEnv) putPerson(by domain.Actor, user domain.User) (casework.PersonResult, error) {
	return env.svc.PutPerson(env.ctx, by,
		casework.PutUser{UpdateOnly: user.ID != domain.NoID, User: user})
}

func (env *testEnv) confirmed(by domain.Actor, proposal domain.ID) (casework.ControlResult, error) {
	return env.svc.ConfirmControlChange(env.ctx, by, casework.EndProposal{ProposalID: proposal})
}

func (env *testEnv) userByID(id domain.ID) domain.User {
	env.t.Helper()
	user, err := env.db.Reader().User(env.ctx, id)
	must(env.t, err)
	return user
}

func actorOf(id domain.ID) domain.Actor {
	return domain.Actor{UserID: id, Channel: domain.ChannelWeb}
}

// What one administrator tries alone, or with an account that they made, does not take effect.
func TestOneAdministratorRaisesNothing(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, adam := env.person("ada", domain.RoleAdmin), env.person("adam", domain.RoleAdmin)
	rita := env.person("rita", domain.RoleL1)
	raised := domain.Limit{Role: domain.RoleL1, Action: domain.ActDecide, BaseMinor: 900_000_000}
	before, err := env.db.Reader().Limit(env.ctx, domain.RoleL1, domain.ActDecide, "")
	must(t, err)
	limit, err := env.svc.PutLimit(env.ctx, ada, casework.PutLimit{Limit: raised})
	must(t, err)
	_, err = env.confirmed(ada, limit.ProposalID)
	wantCode(t, err, domain.FourEyes)
	if now, _ := env.db.Reader().Limit(env.ctx, domain.RoleL1, domain.ActDecide, ""); now != before {
		t.Fatalf("one administrator raised a limit: %+v", now)
	}

	// A second account, made by ada, is no second person.
	made, err := env.putPerson(ada, domain.User{Email: "eve@example.com", Name: "Eve",
		Roles: []domain.Role{domain.RoleAdmin}})
	must(t, err)
	if _, err := env.db.Reader().User(env.ctx, made.ID); !domain.HasCode(err, domain.NotFound) {
		t.Fatalf("one administrator made an account: %v", err)
	}
	done, err := env.confirmed(adam, made.ProposalID)
	must(t, err)
	if done.Link == nil {
		t.Fatal("the new person gets no link")
	}
	eve := actorOf(made.ID)
	must(t, env.svc.ChoosePassword(env.ctx, done.Link.Secret, "hash"))
	_, err = env.confirmed(eve, limit.ProposalID)
	wantCode(t, err, domain.FourEyes)
	// Nor does it work in the other direction.
	reverse, err := env.svc.PutLimit(env.ctx, eve, casework.PutLimit{Limit: domain.Limit{
		Role: domain.RoleSenior, Action: domain.ActDecide, Unlimited: true}})
	must(t, err)
	_, err = env.confirmed(ada, reverse.ProposalID)
	wantCode(t, err, domain.FourEyes)
	policy, err := env.svc.ProposePolicy(env.ctx, ada,
		casework.Propose{Document: policyText(t, func(*authz.Document) {})})
	must(t, err)
	_, err = env.svc.PublishPolicy(env.ctx, eve, casework.EndProposal{ProposalID: policy.ProposalID})
	wantCode(t, err, domain.FourEyes)

	// Passwords of others cannot be set, and a reset needs two.
	_, err = env.svc.PutPerson(env.ctx, ada, casework.PutUser{UpdateOnly: true, PasswordHash: "known",
		User: env.userByID(rita.UserID)})
	wantCode(t, err, domain.InvalidInput)
	reset, err := env.svc.ResetSignIn(env.ctx, ada, casework.ResetSignIn{PersonID: rita.UserID,
		Reason: "forgotten"})
	must(t, err)
	_, err = env.confirmed(ada, reset.ProposalID)
	wantCode(t, err, domain.FourEyes)
	_, err = env.confirmed(rita, reset.ProposalID)
	wantCode(t, err, domain.NotPermitted)

	// After a day eve is a second person.
	env.setClockOffset(25 * time.Hour)
	_, err = env.confirmed(eve, limit.ProposalID)
	must(t, err)
	if now, _ := env.db.Reader().Limit(env.ctx, domain.RoleL1, domain.ActDecide, ""); now.BaseMinor !=
		raised.BaseMinor {
		t.Errorf("the confirmed limit is %+v", now)
	}
}

// An account that never chose its password is no second person, however old it is.
func TestUnusedAccountConfirmsNothing(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, adam := env.person("ada", domain.RoleAdmin), env.person("adam", domain.RoleAdmin)
	made, err := env.putPerson(ada, domain.User{Email: "eve@example.com", Name: "Eve",
		Roles: []domain.Role{domain.RoleAdmin}})
	must(t, err)
	confirmed, err := env.confirmed(adam, made.ProposalID)
	must(t, err)
	env.setClockOffset(48 * time.Hour)
	again, err := env.svc.ResetSignIn(env.ctx, ada, casework.ResetSignIn{
		PersonID: env.person("rita", domain.RoleL1).UserID, Reason: "forgotten"})
	must(t, err)
	_, err = env.confirmed(actorOf(made.ID), again.ProposalID)
	wantCode(t, err, domain.FourEyes)
	// The day begins when the person has chosen the password, not when the account was made.
	must(t, env.svc.ChoosePassword(env.ctx, confirmed.Link.Secret, "hash"))
	_, err = env.confirmed(actorOf(made.ID), again.ProposalID)
	wantCode(t, err, domain.FourEyes)
}

// What takes rights away takes effect immediately, also when the same change adds others.
func TestLoweringNeedsOne(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, adam := env.person("ada", domain.RoleAdmin), env.person("adam", domain.RoleAdmin)
	rita := env.person("rita", domain.RoleL1)
	wanted := env.userByID(rita.UserID)
	wanted.Roles, wanted.Queues = []domain.Role{domain.RoleSenior}, nil
	changed, err := env.putPerson(ada, wanted)
	must(t, err)
	if now := env.userByID(rita.UserID); len(now.Roles) != 0 || len(now.Queues) != 0 ||
		changed.ProposalID == domain.NoID {
		t.Fatalf("after the change: %+v, %+v", now, changed)
	}
	_, err = env.confirmed(adam, changed.ProposalID)
	must(t, err)
	now := env.userByID(rita.UserID)
	if len(now.Roles) != 1 || now.Roles[0] != domain.RoleSenior {
		t.Fatalf("after the confirmation: %+v", now)
	}
	now.Disabled = true
	disabled, err := env.putPerson(ada, now)
	must(t, err)
	if !env.userByID(rita.UserID).Disabled || disabled.ProposalID != domain.NoID {
		t.Fatal("disabling waits")
	}
	now.Disabled = false
	enabled, err := env.putPerson(ada, now)
	must(t, err)
	if !env.userByID(rita.UserID).Disabled || enabled.ProposalID == domain.NoID {
		t.Fatal("one administrator enabled an account")
	}
	limit := domain.Limit{Role: domain.RoleL1, Action: domain.ActDecide, BaseMinor: 100}
	lower, err := env.svc.PutLimit(env.ctx, ada, casework.PutLimit{Limit: limit})
	must(t, err)
	if lower.ProposalID != domain.NoID {
		t.Fatal("a lower limit waits")
	}
	limit.Unlimited = true
	higher, err := env.svc.PutLimit(env.ctx, ada, casework.PutLimit{Limit: limit})
	must(t, err)
	limit.Unlimited, limit.BaseMinor = false, 50
	_, err = env.svc.PutLimit(env.ctx, ada, casework.PutLimit{Limit: limit})
	must(t, err)
	_, err = env.confirmed(adam, higher.ProposalID)
	wantCode(t, err, domain.StaleVersion)
	// No one confirms a change of their own account, or a limit of their own role.
	own, err := env.svc.ResetSignIn(env.ctx, ada, casework.ResetSignIn{PersonID: adam.UserID,
		Reason: "lost"})
	must(t, err)
	_, err = env.confirmed(adam, own.ProposalID)
	wantCode(t, err, domain.FourEyes)
}

// A link is used once, expires, and ends when another one is made.
func TestSignInLinks(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, adam := env.person("ada", domain.RoleAdmin), env.person("adam", domain.RoleAdmin)
	rita := env.person("rita", domain.RoleL1)
	link := func() string {
		t.Helper()
		reset, err := env.svc.ResetSignIn(env.ctx, ada, casework.ResetSignIn{PersonID: rita.UserID,
			Reason: "forgotten"})
		must(t, err)
		done, err := env.confirmed(adam, reset.ProposalID)
		must(t, err)
		return done.Link.Secret
	}
	first := link()
	second := link()
	wantCode(t, env.svc.ChoosePassword(env.ctx, first, "a"), domain.NotFound)
	must(t, env.svc.ChoosePassword(env.ctx, second, "b"))
	wantCode(t, env.svc.ChoosePassword(env.ctx, second, "c"), domain.NotFound)
	wantCode(t, env.svc.ChoosePassword(env.ctx, "", "d"), domain.NotFound)
	if hash := env.queryTexts(`SELECT password_hash FROM users WHERE id = $1`, rita.UserID); hash[0] != "b" {
		t.Errorf("the password is %q", hash)
	}
	late := link()
	env.setClockOffset(73 * time.Hour)
	wantCode(t, env.svc.ChoosePassword(env.ctx, late, "e"), domain.NotFound)
}
