package casework_test

import (
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
)

// session begins a session of a person whose password has the hash, and returns the actor in it.
func (env *testEnv) session(person domain.Actor, hash string) domain.Actor {
	env.t.Helper()
	person.SessionID = env.startSession(person.UserID, hash)
	return person
}

// passwordHash returns the present one of a person.
func (env *testEnv) passwordHash(person domain.Actor) string {
	env.t.Helper()
	_, hash, err := env.db.Reader().UserByEmail(env.ctx, env.userByID(person.UserID).Email)
	must(env.t, err)
	return hash
}

// A person changes the password in a session, and is notified. What was proved is checked again.
func TestChangeOwnPassword(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, rita := env.person("ada", domain.RoleAdmin), env.person("rita", domain.RoleL1)
	env.setPassword(rita, "first")
	change := domain.PasswordChange{Before: "first", After: "second"}
	wantCode(t, env.svc.ChangePassword(env.ctx, rita, change), domain.NotPermitted)
	inToken := rita
	inToken.TokenID, inToken.Scopes = domain.NewID(), []string{"account"}
	wantCode(t, env.svc.ChangePassword(env.ctx, inToken, change), domain.NotPermitted)
	own := env.session(rita, "first")
	for _, stale := range []domain.PasswordChange{{Before: "older", After: "second"}, {Before: "first"},
		{After: "second"}} {
		wantCode(t, env.svc.ChangePassword(env.ctx, own, stale), domain.StateMismatch)
	}
	must(t, env.svc.ChangePassword(env.ctx, own, change))
	if got := env.passwordHash(rita); got != "second" {
		t.Errorf("the password is %q", got)
	}
	env.wantNotices(rita, "sign_in* sign_in*") // the first by the operator

	// A passkey that was added meanwhile is needed too.
	_, err := env.svc.AddPasskey(env.ctx, own, domain.Passkey{Name: "phone", RelyingParty: "localhost",
		CredentialID: []byte("credential"), PublicKey: []byte("key"), AAGUID: make([]byte, 16), Algorithm: -7})
	must(t, err)
	change = domain.PasswordChange{Before: "second", After: "third"}
	wantCode(t, env.svc.ChangePassword(env.ctx, own, change), domain.PasskeyRequired)
	change.ByPasskey = true
	must(t, env.svc.ChangePassword(env.ctx, own, change))

	// The API for administrators sets no password, not even the own one.
	_, err = env.svc.PutPerson(env.ctx, env.session(ada, env.passwordHash(ada)), casework.PutUser{
		UpdateOnly: true, PasswordHash: "known", User: env.userByID(ada.UserID)})
	wantCode(t, err, domain.InvalidInput)
}

// setPassword sets a password as the operator does.
func (env *testEnv) setPassword(person domain.Actor, hash string) {
	env.t.Helper()
	_, err := env.svc.PutUser(env.ctx, domain.SystemActor(), casework.PutUser{UpdateOnly: true,
		PasswordHash: hash, User: env.userByID(person.UserID)})
	must(env.t, err)
}

// Who made or reset an account stays no second person for it when the account changes its password:
// otherwise one administrator could do so in a session of the other account.
func TestChangedPasswordIsNoIndependence(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, adam := env.person("ada", domain.RoleAdmin), env.person("adam", domain.RoleAdmin)
	eve := env.person("eve", domain.RoleAdmin)
	reset, err := env.svc.ResetSignIn(env.ctx, ada, casework.ResetSignIn{PersonID: eve.UserID,
		Reason: "forgotten"})
	must(t, err)
	confirmed, err := env.confirmed(adam, reset.ProposalID)
	must(t, err)
	limit, err := env.svc.PutLimit(env.ctx, ada, casework.PutLimit{Limit: domain.Limit{
		Role: domain.RoleL1, Action: domain.ActDecide, Unlimited: true}})
	must(t, err)

	// The link is not used yet, and the password changes in a session, long ago.
	env.setPassword(eve, "first")
	must(t, env.svc.ChangePassword(env.ctx, env.session(eve, "first"), domain.PasswordChange{
		Before: "first", After: "second"}))
	env.setClockOffset(25 * time.Hour)
	_, err = env.confirmed(eve, limit.ProposalID)
	wantCode(t, err, domain.FourEyes)

	// The day begins with the link, and a change within it neither shortens nor lifts it.
	must(t, env.svc.ChoosePassword(env.ctx, confirmed.Link.Secret, "third"))
	must(t, env.svc.ChangePassword(env.ctx, env.session(eve, "third"), domain.PasswordChange{
		Before: "third", After: "fourth"}))
	_, err = env.confirmed(eve, limit.ProposalID)
	wantCode(t, err, domain.FourEyes)
	env.setClockOffset(50 * time.Hour)
	_, err = env.confirmed(eve, limit.ProposalID)
	must(t, err)
}
