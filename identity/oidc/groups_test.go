package oidc_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/authz"
	"countersign/casework"
	"countersign/domain"
	"countersign/identity"
	"countersign/identity/oidc"
	"countersign/internal/testprovider"
)

// mapGroup lets two administrators map a group to a role.
func (env *testEnv) mapGroup(one, two domain.Actor, group string, role domain.Role) {
	env.t.Helper()
	proposed, err := env.svc.PutGroupRole(env.ctx, one, casework.PutGroupRole{Reason: "directory",
		Mapped: domain.GroupRole{Provider: "corp", Group: group, Role: role}})
	must(env.t, err)
	if proposed.ProposalID == domain.NoID {
		env.t.Fatal("the mapping did not wait")
	}
	_, err = env.svc.ConfirmControlChange(env.ctx, two, casework.EndProposal{ProposalID: proposed.ProposalID})
	must(env.t, err)
}

// A sign-in takes roles away that no group grants, immediately; it gives none.
func TestGroupsLowerAndNeverRaise(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	one, two := env.account("one", "A-1", domain.RoleAdmin), env.account("two", "A-2", domain.RoleAdmin)
	ada := env.account("ada", everydayAda, domain.RoleL1, domain.RoleSubmitter)
	env.mapGroup(one, two, "reviewers", domain.RoleL1)
	env.mapGroup(one, two, "level/2", domain.RoleL2)
	env.provider.Put(testprovider.Person{Subject: "ada", Employee: everydayAda,
		Groups: []string{"level/2", "everyone"}})
	before, err := env.db.Reader().AuthorityVersion(env.ctx)
	must(t, err)
	env.session("ada")
	if got := env.user(ada).Roles; !slices.Equal(got, []domain.Role{domain.RoleSubmitter}) {
		t.Errorf("roles %v, want what no group names to be gone and the rest to stay", got)
	}
	after, err := env.db.Reader().AuthorityVersion(env.ctx)
	must(t, err)
	if after.Version <= before.Version || env.events("user.changed") != 1 {
		t.Error("the lower roles are no permission change")
	}
	linked, err := env.db.Reader().IdentitiesOf(env.ctx, ada.UserID)
	must(t, err)
	if len(linked) != 1 || !slices.Equal(linked[0].WantedRoles, []domain.Role{domain.RoleL2}) {
		t.Errorf("wanted roles %+v", linked)
	}
	// Two administrators give the wanted role; then the group keeps it.
	raised := env.user(ada)
	raised.Roles = append(raised.Roles, domain.RoleL2)
	must(t, env.byTwo(one, two, casework.PutUser{User: raised, UpdateOnly: true}))
	env.session("ada")
	linked, err = env.db.Reader().IdentitiesOf(env.ctx, ada.UserID)
	must(t, err)
	if !env.user(ada).HasRole(domain.RoleL2) || len(linked[0].WantedRoles) != 0 {
		t.Errorf("%v, wanted %v", env.user(ada).Roles, linked[0].WantedRoles)
	}
	version := env.user(ada).Version
	env.session("ada")
	if env.user(ada).Version != version {
		t.Error("a sign-in that changes nothing wrote the account")
	}
	// A token without the claim is of no group.
	env.provider.Put(testprovider.Person{Subject: "ada", Employee: everydayAda})
	env.session("ada")
	if env.user(ada).HasRole(domain.RoleL2) {
		t.Error("the role stayed without a group")
	}
}

// No group is mapped to a role that administers or publishes, and one administrator maps nothing.
func TestMappingsByTwo(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t, func(_ *identity.Settings, s *casework.Settings, _ *oidc.Settings) {
		s.Providers = []string{"corp", "partners"}
	})
	one, two := env.account("one", "A-1", domain.RoleAdmin), env.account("two", "A-2", domain.RoleAdmin)
	ada := env.account("ada", everydayAda, domain.RoleL1)
	put := func(actor domain.Actor, provider, group string, role domain.Role, ended bool) (casework.ControlResult,
		error) {
		return env.svc.PutGroupRole(env.ctx, actor, casework.PutGroupRole{Reason: "r", Ended: ended,
			Mapped: domain.GroupRole{Provider: provider, Group: group, Role: role}})
	}
	for name, try := range map[string]struct {
		actor           domain.Actor
		provider, group string
		role            domain.Role
		code            domain.Code
	}{
		"administrator":    {one, "corp", "admins", domain.RoleAdmin, domain.NotPermitted},
		"unknown role":     {one, "corp", "g", "nothing", domain.InvalidInput},
		"unknown provider": {one, "other", "g", domain.RoleL1, domain.InvalidInput},
		"no group":         {one, "corp", " ", domain.RoleL1, domain.InvalidInput},
		"a reviewer":       {ada, "corp", "g", domain.RoleL1, domain.NotPermitted},
	} {
		if _, err := put(try.actor, try.provider, try.group, try.role, false); domain.CodeOf(err) != try.code {
			t.Errorf("%s: %v, want %s", name, err, try.code)
		}
	}
	for range 2 {
		_, err := put(one, "other", "g", domain.RoleL1, false)
		if message := messageOf(err); !strings.Contains(message, "corp, partners") {
			t.Errorf("the refusal names no provider: %q", message)
		}
	}
	proposed, err := put(one, "corp", "g", domain.RoleL1, false)
	must(t, err)
	_, err = env.svc.ConfirmControlChange(env.ctx, one, casework.EndProposal{ProposalID: proposed.ProposalID})
	wantCode(t, err, domain.FourEyes)
	if mapped, err := env.db.Reader().GroupRoles(env.ctx, ""); err != nil || len(mapped) != 0 {
		t.Fatalf("mapped by one: %v, %v", mapped, err)
	}
	if _, err := env.owner.Exec(env.ctx, `INSERT INTO group_roles (provider, group_name, role, proposal_id)
		VALUES ('corp', 'g', 'reviewer_l1', $1)`, proposed.ProposalID); err == nil {
		t.Error("the database accepted a mapping that no second person confirmed")
	}
	_, err = env.svc.ConfirmControlChange(env.ctx, two, casework.EndProposal{ProposalID: proposed.ProposalID})
	must(t, err)
	ended, err := put(two, "corp", "g", domain.RoleL1, true)
	must(t, err)
	if ended.ProposalID != domain.NoID || env.events("group_role.changed") != 2 {
		t.Errorf("removing a mapping waits: %+v", ended)
	}
}

func messageOf(err error) string {
	var refusal *domain.Error
	if errors.As(err, &refusal) {
		return refusal.Message
	}
	return ""
}

// Without providers no group is mapped, and a mapping that waits is not confirmed. A mapping of a provider that
// is no longer configured is removed, because it would act again if the provider came back.
func TestMappingsOfProvidersThatAreNotConfigured(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	one, two := env.account("one", "A-1", domain.RoleAdmin), env.account("two", "A-2", domain.RoleAdmin)
	env.mapGroup(one, two, "reviewers", domain.RoleL1)
	put := func(svc *casework.Service, group string, ended bool) (casework.ControlResult, error) {
		return svc.PutGroupRole(env.ctx, one, casework.PutGroupRole{Reason: "r", Ended: ended,
			Mapped: domain.GroupRole{Provider: "corp", Group: group, Role: domain.RoleL1}})
	}
	waits, err := put(env.svc, "g", false)
	must(t, err)
	none := env.serviceWithoutProviders()
	for range 2 {
		_, err = put(none, "h", false)
		wantCode(t, err, domain.InvalidInput)
		if message := messageOf(err); !strings.Contains(message, "No sign-in provider is configured") {
			t.Errorf("without providers: %q", message)
		}
		_, err = none.ConfirmControlChange(env.ctx, two, casework.EndProposal{ProposalID: waits.ProposalID})
		wantCode(t, err, domain.InvalidInput)
		_, err = put(none, "reviewers", true)
		must(t, err)
	}
	mapped, err := env.db.Reader().GroupRoles(env.ctx, "")
	must(t, err)
	if len(mapped) != 0 {
		t.Errorf("mapped: %v", mapped)
	}
}

// A role that became privileged after it was mapped is neither taken nor wanted.
func TestPrivilegedRolesAreNoGroups(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	one, two := env.account("one", "A-1", domain.RoleAdmin), env.account("two", "A-2", domain.RoleAdmin)
	ada := env.account("ada", everydayAda, domain.RoleManager)
	env.mapGroup(one, two, "managers", domain.RoleManager)
	publishes := authz.Rule{Name: "managers publish", Role: domain.RoleManager, Action: domain.ActPublish,
		Object: authz.GlobalObject}
	rules, err := json.Marshal(append(authz.DefaultPolicy().Rules, publishes))
	must(t, err)
	_, err = env.owner.Exec(env.ctx, `INSERT INTO policies (version, rules, created_by) VALUES (1, $1, $2)`,
		rules, domain.SystemUserID)
	must(t, err)
	env.provider.Put(testprovider.Person{Subject: "ada", Employee: everydayAda})
	env.session("ada")
	if !env.user(ada).HasRole(domain.RoleManager) {
		t.Error("a group took a role that publishes")
	}
}

// Back-channel logout ends the named sessions, and no others.
func TestBackChannelLogout(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.account("ada", everydayAda, domain.RoleL1)
	env.account("bob", "E-18", domain.RoleL1)
	p := env.provider
	p.Put(testprovider.Person{Subject: "ada", Employee: everydayAda, Session: "s1"})
	p.Put(testprovider.Person{Subject: "bob", Employee: "E-18", Session: "s9"})
	first := env.session("ada")
	p.Put(testprovider.Person{Subject: "ada", Employee: everydayAda, Session: "s2"})
	second, third, bob := env.session("ada"), env.session("ada"), env.session("bob")
	wantActive := func(what string, want map[domain.ID]bool) {
		t.Helper()
		for session, active := range want {
			var ended bool
			must(t, env.owner.QueryRow(env.ctx, "SELECT ended_at IS NOT NULL FROM sessions WHERE id = $1",
				session).Scan(&ended))
			if ended == active {
				t.Errorf("%s: session active %t, want %t", what, !ended, active)
			}
		}
	}
	logout := func(claims map[string]any) error {
		return env.sign.EndProviderSessions(env.ctx, "corp", p.Sign(t, claims), "r-2")
	}
	now := time.Now()
	for name, changes := range map[string]map[string]any{
		"a nonce":          {"nonce": "n"},
		"no event":         {"events": map[string]any{}},
		"no jti":           {"jti": nil},
		"no one":           {"sub": nil, "sid": nil},
		"another audience": {"aud": "b"},
		"another issuer":   {"iss": "https://elsewhere.example"},
		"expired":          {"exp": now.Add(-2 * time.Minute).Unix()},
		"no expiry":        {"exp": nil},
		"from the future":  {"iat": now.Add(2 * time.Minute).Unix()},
	} {
		err := logout(changed(p.LogoutClaims(now, "bad "+name, "ada", "s1"), changes))
		if domain.CodeOf(err) != domain.Unauthenticated {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, token := range map[string]string{"": "", "unsigned": unsigned(t, p.LogoutClaims(now, "u", "ada", "")),
		"cut": cut(p.Sign(t, p.LogoutClaims(now, "c", "ada", "")))} {
		if err := env.sign.EndProviderSessions(env.ctx, "corp", token, "r"); domain.CodeOf(err) != domain.Unauthenticated {
			t.Errorf("%s: %v", name, err)
		}
	}
	wantActive("wrong tokens", map[domain.ID]bool{first.SessionID: true, second.SessionID: true, bob.SessionID: true})
	must(t, logout(p.LogoutClaims(now, "1", "ada", "s1")))
	wantActive("one session", map[domain.ID]bool{first.SessionID: false, second.SessionID: true,
		third.SessionID: true, bob.SessionID: true})
	wantCode(t, logout(p.LogoutClaims(now, "1", "ada", "s1")), domain.Unauthenticated)
	must(t, logout(p.LogoutClaims(now, "2", "", "s9")))
	must(t, logout(p.LogoutClaims(now, "3", "ada", "")))
	wantActive("the person", map[domain.ID]bool{second.SessionID: false, third.SessionID: false, bob.SessionID: false})
	if state, err := env.db.Reader().Credential(env.ctx, second); err != nil || state.Holds {
		t.Errorf("live pages would continue: %+v, %v", state, err)
	}
	must(t, logout(p.LogoutClaims(now, "4", "ada", ""))) // without sessions it is no error
	if env.sign.EndProviderSessions(env.ctx, "other", "x", "r") == nil {
		t.Error("an unknown provider")
	}
}

// Without passwords people sign in through the provider; a link chooses no password, and a reset by two
// ends the present ways to sign in.
func TestPasswordsOff(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t, func(i *identity.Settings, s *casework.Settings, _ *oidc.Settings) {
		i.PasswordsOff, s.PasswordsOff = true, true
	})
	one, two := env.account("one", "A-1", domain.RoleAdmin), env.account("two", "A-2", domain.RoleAdmin)
	hash, err := identity.HashPassword("correct horse battery")
	must(t, err)
	ada := env.account("ada", everydayAda, domain.RoleL1)
	_, err = env.svc.PutUser(env.ctx, domain.SystemActor(), casework.PutUser{User: env.user(ada), PasswordHash: hash})
	must(t, err)
	_, err = env.sign.SignIn(env.ctx, identity.SignInRequest{Email: "ada@example.com",
		Password: "correct horse battery"})
	wantCode(t, err, domain.NotPermitted)
	wantCode(t, env.svc.ChoosePassword(env.ctx, "secret", hash), domain.NotPermitted)
	env.provider.Put(testprovider.Person{Subject: "ada", Employee: everydayAda})
	session := env.session("ada")
	proposed, err := env.svc.ResetSignIn(env.ctx, one, casework.ResetSignIn{PersonID: ada.UserID, Reason: "lost"})
	must(t, err)
	confirmed, err := env.svc.ConfirmControlChange(env.ctx, two, casework.EndProposal{ProposalID: proposed.ProposalID})
	must(t, err)
	if confirmed.Link != nil {
		t.Error("there is a link to choose a password")
	}
	if state, _ := env.db.Reader().Credential(env.ctx, session); state.Holds {
		t.Error("the session did not end with the reset")
	}
	env.provider.Put(testprovider.Person{Subject: "ada 2", Employee: everydayAda})
	env.session("ada 2")
}

// The address to return to is a path of this server.
func TestReturnAddresses(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.account("ada", everydayAda, domain.RoleL1)
	env.provider.Put(testprovider.Person{Subject: "ada", Employee: everydayAda})
	for sent, want := range map[string]string{"/cases?x=1#y": "/cases?x=1#y", "": "/", "https://evil.example": "/",
		"//evil.example": "/", `/\evil.example`: "/", "/\t/evil.example": "/", "javascript:alert(1)": "/",
		"cases": "/", "/auth/sign-out": "/", "/\x00": "/"} {
		begun, err := env.sign.BeginProviderSignIn(env.ctx, "corp", sent, "")
		must(t, err)
		back := env.provider.SignIn(t, begun.URL, "ada")
		_, to, err := env.sign.FinishProviderSignIn(env.ctx, identity.ProviderCallback{Provider: "corp",
			State: back.Query().Get("state"), Code: back.Query().Get("code"), Browser: begun.Browser})
		must(t, err)
		if to != want {
			t.Errorf("%q returns to %q, want %q", sent, to, want)
		}
	}
}
