package oidc_test

import (
	"encoding/base64"
	"slices"
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
	"countersign/identity"
	"countersign/identity/oidc"
	"countersign/internal/testpasskey"
	"countersign/internal/testprovider"
)

const (
	everydayAda = "E-17"
	hour        = time.Hour
)

// byTwo lets two administrators make the change of the person.
func (env *testEnv) byTwo(one, two domain.Actor, in casework.PutUser) error {
	env.t.Helper()
	proposed, err := env.svc.PutPerson(env.ctx, one, in)
	if err != nil || proposed.ProposalID == domain.NoID {
		return err
	}
	_, err = env.svc.ConfirmControlChange(env.ctx, two, casework.EndProposal{ProposalID: proposed.ProposalID})
	return err
}

// A sign-in finds an account by the employee id alone, and makes none.
func TestTheEmployeeIDFindsTheAccount(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada := env.account("ada", " E-17 ", domain.RoleL1)
	gone := env.account("gone", "e-18", domain.RoleL1)
	off := env.user(gone)
	off.Disabled = true
	_, err := env.svc.PutUser(env.ctx, domain.SystemActor(), casework.PutUser{User: off})
	must(t, err)
	env.provider.Put(testprovider.Person{Subject: "ada", Employee: "e-17 "})
	env.provider.Put(testprovider.Person{Subject: "gone", Employee: "E-18"})
	env.provider.Put(testprovider.Person{Subject: "stranger", Employee: "E-99",
		Claims: map[string]any{"email": "ada@example.com", "email_verified": true}})
	env.provider.Put(testprovider.Person{Subject: "nameless"})
	env.provider.Put(testprovider.Person{Subject: "odd", Employee: []string{"E-17"}})
	if actor := env.session("ada"); actor.UserID != ada.UserID || actor.SessionID == domain.NoID {
		t.Errorf("signed in as %+v", actor)
	}
	for subject, reason := range map[string]string{"gone": "account_disabled", "stranger": "unknown_employee",
		"nameless": "no_employee_id", "odd": "no_employee_id"} {
		_, err := env.signIn(subject)
		wantReason(t, err, domain.Unauthenticated, reason)
	}
	_, err = env.svc.PutUser(env.ctx, domain.SystemActor(), casework.PutUser{EmployeeID: pointer("E-17"),
		User: domain.User{Email: "second@example.com", Name: "second"}})
	wantCode(t, err, domain.InvalidInput)
	users, err := env.db.Reader().Users(env.ctx, nil)
	must(t, err)
	if len(users) != 2 {
		t.Errorf("%d accounts, want the two that administrators made", len(users))
	}
}

func pointer(text string) *string { return &text }

// A claim that is an e-mail address counts only if the provider has verified it.
func TestUnverifiedEmailIsNoEmployeeID(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t, func(_ *identity.Settings, _ *casework.Settings, p *oidc.Settings) {
		p.EmployeeClaim = "email"
	})
	ada := env.account("ada", "ada@corp.example", domain.RoleL1)
	claims := func(verified any) map[string]any {
		return map[string]any{"email": "Ada@Corp.example", "email_verified": verified}
	}
	env.provider.Put(testprovider.Person{Subject: "ada", Claims: claims(false)})
	_, err := env.signIn("ada")
	wantReason(t, err, domain.Unauthenticated, "no_employee_id")
	env.provider.Put(testprovider.Person{Subject: "ada", Claims: claims(true)})
	if actor := env.session("ada"); actor.UserID != ada.UserID {
		t.Errorf("signed in as %+v", actor)
	}
}

// An administrator of the provider cannot exchange people: the identity of the first sign-in stays,
// until two administrators reset the sign-in of the person.
func TestIdentitiesAreFixedToAccounts(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	one, two := env.account("one", "A-1", domain.RoleAdmin), env.account("two", "A-2", domain.RoleAdmin)
	ada, eve := env.account("ada", everydayAda, domain.RoleL1), env.account("eve", "E-66", domain.RoleL1)
	env.provider.Put(testprovider.Person{Subject: "ada", Employee: everydayAda})
	env.provider.Put(testprovider.Person{Subject: "eve", Employee: "E-66"})
	session := env.session("ada")
	env.session("eve")
	if n := env.events("identity.linked"); n != 2 {
		t.Errorf("%d events of links, want 2", n)
	}
	// Eve's identity claims Ada's number, and a new identity does.
	env.provider.Put(testprovider.Person{Subject: "eve", Employee: everydayAda})
	env.provider.Put(testprovider.Person{Subject: "fresh", Employee: everydayAda})
	for _, subject := range []string{"eve", "fresh"} {
		_, err := env.signIn(subject)
		wantReason(t, err, domain.Unauthenticated, "identity_mismatch")
	}
	if env.refusals(domain.Unauthenticated) != 2 || env.events("identity.linked") != 2 {
		t.Error("the refusals are not logged, or an identity was linked")
	}
	// One administrator alone changes nothing.
	proposed, err := env.svc.ResetSignIn(env.ctx, one, casework.ResetSignIn{PersonID: ada.UserID, Reason: "new id"})
	must(t, err)
	_, err = env.signIn("fresh")
	wantReason(t, err, domain.Unauthenticated, "identity_mismatch")
	confirmed, err := env.svc.ConfirmControlChange(env.ctx, two,
		casework.EndProposal{ProposalID: proposed.ProposalID})
	must(t, err)
	hash, err := identity.HashPassword("a password of the person")
	must(t, err)
	must(t, env.svc.ChoosePassword(env.ctx, confirmed.Link.Secret, hash))
	if env.events("identity.unlinked") != 1 {
		t.Error("the reset did not unlink the identity")
	}
	if state, _ := env.db.Reader().Credential(env.ctx, session); state.Holds {
		t.Error("the session did not end with the reset")
	}
	if actor := env.session("fresh"); actor.UserID != ada.UserID {
		t.Errorf("signed in as %+v", actor)
	}
	_ = eve
}

// An employee id is a way to sign in: two administrators set it, one takes it away.
func TestEmployeeIDByTwo(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	one, two := env.account("one", "A-1", domain.RoleAdmin), env.account("two", "A-2", domain.RoleAdmin)
	ada := env.account("ada", everydayAda, domain.RoleL1)
	env.provider.Put(testprovider.Person{Subject: "ada", Employee: everydayAda})
	env.provider.Put(testprovider.Person{Subject: "eve", Employee: "E-66"})
	session := env.session("ada")
	change := casework.PutUser{User: env.user(ada), EmployeeID: pointer("E-66"), UpdateOnly: true}
	proposed, err := env.svc.PutPerson(env.ctx, one, change)
	must(t, err)
	if proposed.ProposalID == domain.NoID || env.user(ada).EmployeeID != "e-17" {
		t.Fatalf("one administrator changed the employee id: %+v", env.user(ada))
	}
	_, err = env.signIn("eve")
	wantReason(t, err, domain.Unauthenticated, "unknown_employee")
	_, err = env.svc.ConfirmControlChange(env.ctx, one, casework.EndProposal{ProposalID: proposed.ProposalID})
	wantCode(t, err, domain.FourEyes)
	_, err = env.svc.ConfirmControlChange(env.ctx, two, casework.EndProposal{ProposalID: proposed.ProposalID})
	must(t, err)
	if state, _ := env.db.Reader().Credential(env.ctx, session); state.Holds {
		t.Error("the session of the earlier identity did not end")
	}
	if actor := env.session("eve"); actor.UserID != ada.UserID {
		t.Errorf("signed in as %+v", actor)
	}
	change = casework.PutUser{User: env.user(ada), EmployeeID: pointer(""), UpdateOnly: true}
	if removed, err := env.svc.PutPerson(env.ctx, two, change); err != nil || removed.ProposalID != domain.NoID {
		t.Fatalf("taking it away waits: %+v, %v", removed, err)
	}
	_, err = env.signIn("eve")
	wantReason(t, err, domain.Unauthenticated, "unknown_employee")
	if n := env.events("employee.changed"); n < 2 {
		t.Errorf("%d events", n)
	}
	// An input that does not name it keeps it.
	must(t, env.byTwo(one, two, casework.PutUser{User: env.user(one), UpdateOnly: true}))
	if env.user(one).EmployeeID != "a-1" {
		t.Error("the employee id was lost")
	}
}

// Who administers the provider and Countersign cannot confirm their own proposal as another
// administrator: an account that was just linked does not confirm, and its owner is notified.
func TestTakenAccountsDoNotConfirm(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	eve := env.account("eve", "A-1", domain.RoleAdmin)
	env.account("bob", "A-2", domain.RoleAdmin)
	ada := env.account("ada", everydayAda, domain.RoleL1)
	raised := env.user(ada)
	raised.Roles = append(raised.Roles, domain.RoleManager)
	proposed, err := env.svc.PutPerson(env.ctx, eve, casework.PutUser{User: raised, UpdateOnly: true})
	must(t, err)
	env.provider.Put(testprovider.Person{Subject: "forged bob", Employee: "A-2"})
	forged := env.session("forged bob")
	confirm := casework.EndProposal{ProposalID: proposed.ProposalID}
	_, err = env.svc.ConfirmControlChange(env.ctx, forged, confirm)
	wantCode(t, err, domain.FourEyes)
	// Neither a password nor a token of the taken account helps.
	own := env.user(forged)
	_, err = env.svc.PutPerson(env.ctx, forged, casework.PutUser{User: own, PasswordHash: "hash", UpdateOnly: true})
	wantCode(t, err, domain.InvalidInput)
	_, hash := identity.NewToken()
	token, err := env.svc.CreateToken(env.ctx, forged, casework.CreateToken{Name: "t", Hash: hash})
	must(t, err)
	byToken := domain.Actor{UserID: forged.UserID, TokenID: token.ID}
	_, err = env.svc.ConfirmControlChange(env.ctx, byToken, confirm)
	wantCode(t, err, domain.FourEyes)
	_, err = env.svc.PutPerson(env.ctx, byToken, casework.PutUser{User: own, PasswordHash: "hash", UpdateOnly: true})
	wantCode(t, err, domain.InvalidInput)
	if env.user(ada).HasRole(domain.RoleManager) {
		t.Error("the role was raised by one person")
	}
	env.shiftClock(24*hour + time.Second)
	_, err = env.svc.ConfirmControlChange(env.ctx, env.session("forged bob"), confirm)
	must(t, err) // documented: a day after the notice the provider is trusted
}

// Through the provider alone no one adds a key that signs approvals immediately: not in the first day, only
// after a fresh sign-in, and the key neither signs nor lets the account confirm for another day.
func TestPasskeyThroughAProvider(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t, func(i *identity.Settings, _ *casework.Settings, _ *oidc.Settings) {
		i.RelyingParty = "localhost"
	})
	bob := env.account("bob", "A-2", domain.RoleAdmin)
	eve := env.account("eve", "A-1", domain.RoleAdmin)
	env.provider.Put(testprovider.Person{Subject: "bob", Employee: "A-2"})
	register := func(actor domain.Actor, key *testpasskey.Authenticator, proof identity.RegisteringProof) error {
		options, err := env.sign.BeginRegistration(env.ctx, actor, proof)
		if err != nil {
			return err
		}
		response, err := key.Register(options)
		must(t, err)
		passkey, err := env.sign.FinishRegistration(env.ctx, actor, response)
		if err != nil {
			return err
		}
		passkey.Name = "key"
		_, err = env.svc.AddPasskey(env.ctx, actor, passkey)
		return err
	}
	first := testpasskey.New("localhost", "http://localhost")
	wantReason(t, register(env.session("bob"), first, identity.RegisteringProof{}), domain.StateMismatch,
		"provider_new")
	env.shiftClock(25 * hour)
	stale := env.session("bob")
	env.shiftClock(25*hour + 11*time.Minute)
	wantCode(t, register(stale, first, identity.RegisteringProof{}), domain.PasskeyRequired)
	fresh := env.session("bob")
	must(t, register(fresh, first, identity.RegisteringProof{}))
	if env.events("passkey.registered") != 1 {
		t.Error("the registration is no event, so the person is not notified")
	}
	ada := env.user(env.account("ada", everydayAda, domain.RoleL1))
	ada.Roles = append(ada.Roles, domain.RoleManager)
	proposed, err := env.svc.PutPerson(env.ctx, eve, casework.PutUser{User: ada, UpdateOnly: true})
	must(t, err)
	confirm := casework.EndProposal{ProposalID: proposed.ProposalID}
	_, err = env.svc.ConfirmControlChange(env.ctx, bob, confirm)
	wantCode(t, err, domain.FourEyes)
	// A second passkey that the first one confirms is worth no more than the first.
	request, err := env.sign.BeginConfirmation(env.ctx, fresh)
	must(t, err)
	challenge, err := base64.RawURLEncoding.DecodeString(request.Challenge)
	must(t, err)
	signed := first.Sign(challenge)
	must(t, register(fresh, testpasskey.New("localhost", "http://localhost"),
		identity.RegisteringProof{Assertion: &signed}))
	var proofs []string
	rows, err := env.owner.Query(env.ctx, "SELECT proof FROM passkeys ORDER BY at")
	must(t, err)
	for rows.Next() {
		var proof string
		must(t, rows.Scan(&proof))
		proofs = append(proofs, proof)
	}
	if !slices.Equal(proofs, []string{"provider", "provider"}) {
		t.Errorf("proofs %q", proofs)
	}
	env.shiftClock(50 * hour)
	_, err = env.svc.ConfirmControlChange(env.ctx, bob, confirm)
	must(t, err)
}
