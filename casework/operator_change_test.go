package casework_test

import (
	"crypto/ed25519"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
	"countersign/internal/testpasskey"
)

// operators is an installation whose setup has ended, with two operators' keys.
type operators struct {
	*testEnv
	ada, adam, rita domain.Actor
	first, second   ed25519.PrivateKey
}

func newOperators(t *testing.T) *operators {
	t.Helper()
	env := newTestEnv(t)
	o := &operators{testEnv: env}
	o.first, o.second = o.enroll("one"), o.enroll("two")
	o.ada, o.adam = env.person("ada", domain.RoleAdmin), env.person("adam", domain.RoleAdmin)
	o.rita = env.person("rita", domain.RoleL1)
	must(t, env.svc.AdvanceBreakGlass(env.ctx))
	env.setClockOffset(2 * time.Hour)
	return o
}

func (o *operators) change(in casework.OperatorChange) (casework.OperatorResult, error) {
	in.Delay, in.Lifetime = 24*time.Hour, 24*time.Hour
	return o.svc.OperatorChange(o.ctx, in)
}

// enroll enrolls a new key as the operator does.
func (o *operators) enroll(name string) ed25519.PrivateKey {
	o.t.Helper()
	public, private, err := ed25519.GenerateKey(nil)
	must(o.t, err)
	_, err = o.change(casework.OperatorChange{Command: domain.BreakGlassKey,
		Key: domain.OperatorKey{Name: name, PublicKey: public}})
	must(o.t, err)
	return private
}

// asked changes an account and returns the request that waits.
func (o *operators) asked(person domain.Actor, password string, alter func(*domain.User)) domain.BreakGlass {
	o.t.Helper()
	user := o.userByID(person.UserID)
	alter(&user)
	done, err := o.change(casework.OperatorChange{Command: domain.BreakGlassPerson, User: user,
		PasswordHash: password, Reason: "an emergency"})
	must(o.t, err)
	if done.Request == nil {
		o.t.Fatal("the change took effect immediately")
	}
	return *done.Request
}

func (o *operators) sign(b domain.BreakGlass, key ed25519.PrivateKey) (domain.BreakGlass, error) {
	return o.svc.SignBreakGlass(o.ctx, b.ID, ed25519.Sign(key, b.Statement()))
}

func makeAdministrator(user *domain.User) { user.Roles = append(user.Roles, domain.RoleAdmin) }

func (o *operators) isAdministrator(person domain.Actor) bool {
	return slices.Contains(o.userByID(person.UserID).Roles, domain.RoleAdmin)
}

// One operator with the command line raises nothing after the setup.
func TestOneOperatorRaisesNothing(t *testing.T) {
	t.Parallel()
	o := newOperators(t)
	b := o.asked(o.rita, "", makeAdministrator)
	o.asked(o.rita, "hash", func(*domain.User) {})
	made, err := o.change(casework.OperatorChange{Command: domain.BreakGlassPerson, Reason: "an emergency",
		User: domain.User{Email: "eve@example.com", Name: "Eve", Roles: []domain.Role{domain.RoleAdmin}}})
	must(t, err)
	limit, err := o.change(casework.OperatorChange{Command: domain.BreakGlassLimit, Reason: "an emergency",
		Limit: domain.Limit{Role: domain.RoleL1, Action: domain.ActDecide, Unlimited: true}})
	must(t, err)
	token, err := o.change(casework.OperatorChange{Command: domain.BreakGlassToken, Reason: "an emergency",
		Token: casework.CreateToken{OwnerID: o.ada.UserID, Name: "x", Hash: []byte(strings.Repeat("h", 32))}})
	must(t, err)
	key, _, err := ed25519.GenerateKey(nil)
	must(t, err)
	enrolled, err := o.change(casework.OperatorChange{Command: domain.BreakGlassKey, Reason: "an emergency",
		Key: domain.OperatorKey{Name: "three", PublicKey: key}})
	must(t, err)
	for i, done := range []casework.OperatorResult{made, limit, token, enrolled} {
		if done.Request == nil {
			t.Errorf("change %d took effect immediately", i)
		}
	}
	_, err = o.change(casework.OperatorChange{Command: domain.BreakGlassKey,
		Key: domain.OperatorKey{Name: "four", PublicKey: key}})
	wantCode(t, err, domain.InvalidInput) // without a reason

	// One key is one operator, however often it signs; other keys and other requests do not count.
	signed, err := o.sign(b, o.first)
	must(t, err)
	_, err = o.sign(b, o.first)
	wantCode(t, err, domain.FourEyes)
	_, stranger, err := ed25519.GenerateKey(nil)
	must(t, err)
	_, err = o.sign(b, stranger)
	wantCode(t, err, domain.NotPermitted)
	_, err = o.svc.SignBreakGlass(o.ctx, b.ID, ed25519.Sign(o.second, limit.Request.Statement()))
	wantCode(t, err, domain.NotPermitted)
	must(t, o.svc.AdvanceBreakGlass(o.ctx))
	if o.isAdministrator(o.rita) || signed.Status != domain.BreakGlassRequested {
		t.Fatalf("one operator made an administrator: %+v", signed)
	}
	// The database refuses it too.
	if _, err := o.owner.Exec(o.ctx, `UPDATE break_glass SET status = 'in_effect' WHERE id = $1`, b.ID); err == nil {
		t.Error("the database puts a request with one signature into effect")
	}
	if _, err := o.owner.Exec(o.ctx, `UPDATE break_glass SET effect_at = clock() WHERE id = $1`, b.ID); err == nil {
		t.Error("the database shortens the delay")
	}
	if _, err := o.owner.Exec(o.ctx, `UPDATE installation_setup SET ends_at = NULL`); err == nil {
		t.Error("the database begins the setup again")
	}
	must(t, o.svc.RevokeOperatorKey(o.ctx, "one"))
	if signed, err = o.sign(b, o.second); err != nil || signed.Status != domain.BreakGlassRequested {
		t.Errorf("a revoked key counts: %+v, %v", signed, err)
	}
}

// Fewer administrators bring the setup back neither immediately nor later.
func TestSetupDoesNotReturn(t *testing.T) {
	t.Parallel()
	o := newOperators(t)
	disable := func(user *domain.User) { user.Disabled = true }
	o.asked(o.adam, "", disable)
	o.asked(o.adam, "", func(user *domain.User) { user.Roles = nil })
	// An administrator disables the other one on the page, which needs no one else.
	adam := o.userByID(o.adam.UserID)
	adam.Disabled = true
	must(t, errOf(o.putPerson(o.ada, adam)))
	o.asked(o.rita, "", makeAdministrator)
	o.asked(o.ada, "", disable)
}

// With two keys a request takes effect, ends by itself, is withdrawn or reviewed by others than the person.
func TestRequestOfTheOperator(t *testing.T) {
	t.Parallel()
	o := newOperators(t)
	b := o.asked(o.rita, "", makeAdministrator)
	must(t, errOf(o.sign(b, o.second)))
	b, err := o.sign(b, o.first)
	must(t, err)
	if !o.isAdministrator(o.rita) || b.Status != domain.BreakGlassInEffect || b.ExpiresAt.IsZero() {
		t.Fatalf("two keys: %+v", b)
	}
	review := func(by domain.Actor) error {
		_, err := o.svc.ReviewBreakGlass(o.ctx, by, casework.ReviewBreakGlass{ID: b.ID, Note: "agreed by telephone"})
		return err
	}
	wantCode(t, review(o.rita), domain.FourEyes)
	must(t, review(o.ada))
	wantCode(t, review(o.ada), domain.FourEyes)
	o.setClockOffset(27 * time.Hour)
	must(t, o.svc.AdvanceBreakGlass(o.ctx))
	if o.isAdministrator(o.rita) {
		t.Fatal("the role does not end")
	}
	open, err := o.db.Reader().BreakGlasses(o.ctx, true, 10)
	must(t, err)
	if len(open) != 1 || open[0].Status != domain.BreakGlassEnded {
		t.Fatalf("open: %+v", open)
	}
	must(t, review(o.adam))
	if open, err = o.db.Reader().BreakGlasses(o.ctx, true, 10); err != nil || len(open) != 0 {
		t.Fatalf("open after two reviews: %+v, %v", open, err)
	}

	// After the delay no second key is needed, and one administrator withdraws a request or what it gave.
	late := o.asked(o.rita, "", makeAdministrator)
	withdrawn := o.asked(o.rita, "", func(user *domain.User) { user.Roles = append(user.Roles, domain.RoleL2) })
	_, err = o.svc.EndBreakGlass(o.ctx, o.rita, casework.EndBreakGlass{ID: withdrawn.ID})
	wantCode(t, err, domain.NotPermitted)
	must(t, errOf(o.svc.EndBreakGlass(o.ctx, o.ada, casework.EndBreakGlass{ID: withdrawn.ID, Reason: "no emergency"})))
	o.setClockOffset(52 * time.Hour)
	must(t, o.svc.AdvanceBreakGlass(o.ctx))
	if roles := o.userByID(o.rita.UserID).Roles; len(roles) != 2 || !o.isAdministrator(o.rita) {
		t.Fatalf("after the delay: %v", roles)
	}
	_, err = o.svc.ReviewBreakGlass(o.ctx, o.adam, casework.ReviewBreakGlass{ID: withdrawn.ID, Note: "x"})
	wantCode(t, err, domain.StateMismatch)
	must(t, errOf(o.svc.EndBreakGlass(o.ctx, o.adam, casework.EndBreakGlass{ID: late.ID})))
	if o.isAdministrator(o.rita) {
		t.Fatal("one administrator cannot take it back")
	}
}

// What a request gave is taken back completely: passwords that the account chose itself, passkeys and
// tokens made meanwhile, limits, tokens and accounts.
func TestRequestsAreTakenBack(t *testing.T) {
	t.Parallel()
	o := newOperators(t)
	both := func(b domain.BreakGlass) {
		t.Helper()
		must(t, errOf(o.sign(b, o.first)))
		must(t, errOf(o.sign(b, o.second)))
	}
	hash := func() string {
		return o.queryTexts(`SELECT password_hash FROM users WHERE id = $1`, o.rita.UserID)[0]
	}
	before := hash()
	both(o.asked(o.rita, "granted", func(*domain.User) {}))
	if hash() != "granted" {
		t.Fatal("no password was granted")
	}
	rita := o.userByID(o.rita.UserID)
	must(t, errOf(o.svc.PutUser(o.ctx, domain.SystemActor(), casework.PutUser{User: rita, PasswordHash: "own"})))
	must(t, errOf(o.svc.CreateToken(o.ctx, o.rita, casework.CreateToken{Name: "kept",
		Hash: []byte(strings.Repeat("t", 32))})))
	limit, err := o.change(casework.OperatorChange{Command: domain.BreakGlassLimit, Reason: "an emergency",
		Limit: domain.Limit{Role: domain.RoleL1, Action: domain.ActDecide, Unlimited: true}})
	must(t, err)
	both(*limit.Request)
	made, err := o.change(casework.OperatorChange{Command: domain.BreakGlassPerson, Reason: "an emergency",
		PasswordHash: "hash", User: domain.User{Email: "eve@example.com", Name: "Eve",
			Roles: []domain.Role{domain.RoleAdmin}}})
	must(t, err)
	both(*made.Request)
	token, err := o.change(casework.OperatorChange{Command: domain.BreakGlassToken, Reason: "an emergency",
		Token: casework.CreateToken{OwnerID: o.ada.UserID, Name: "x", Hash: []byte(strings.Repeat("h", 32))}})
	must(t, err)
	both(*token.Request)
	if present, err := o.db.Reader().Limit(o.ctx, domain.RoleL1, domain.ActDecide, ""); err != nil || !present.Unlimited {
		t.Fatalf("limit %+v, %v", present, err)
	}
	o.setClockOffset(27 * time.Hour)
	must(t, o.svc.AdvanceBreakGlass(o.ctx))
	if got := hash(); got != before {
		t.Errorf("the password is %q", got)
	}
	if open := o.queryTexts(`SELECT name FROM api_tokens WHERE revoked_at IS NULL`); len(open) != 0 {
		t.Errorf("tokens %v", open)
	}
	if present, err := o.db.Reader().Limit(o.ctx, domain.RoleL1, domain.ActDecide, ""); err != nil || present.Unlimited {
		t.Errorf("limit %+v, %v", present, err)
	}
	if disabled := o.queryTexts(`SELECT disabled::text FROM users WHERE email = 'eve@example.com'`); disabled[0] != "true" {
		t.Error("the account that was made is not disabled")
	}
}

// What lowers takes effect immediately, and during the setup everything does.
func TestOperatorLowersAndSetsUp(t *testing.T) {
	t.Parallel()
	o := newOperators(t)
	rita := o.userByID(o.rita.UserID)
	rita.Disabled = true
	done, err := o.change(casework.OperatorChange{Command: domain.BreakGlassPerson, User: rita})
	must(t, err)
	if done.Request != nil || !o.userByID(o.rita.UserID).Disabled {
		t.Fatalf("disabling waits: %+v", done)
	}
	done, err = o.change(casework.OperatorChange{Command: domain.BreakGlassLimit,
		Limit: domain.Limit{Role: domain.RoleL1, Action: domain.ActDecide, BaseMinor: 1}})
	if err != nil || done.Request != nil {
		t.Fatalf("a lower limit: %+v, %v", done, err)
	}

	fresh := &operators{testEnv: newTestEnv(t)}
	for _, email := range []string{"a@example.com", "b@example.com", "c@example.com"} {
		done, err := fresh.change(casework.OperatorChange{Command: domain.BreakGlassPerson,
			User: domain.User{Email: email, Name: email, Roles: []domain.Role{domain.RoleAdmin}}})
		if err != nil || done.Request != nil || done.ID == domain.NoID {
			t.Fatalf("%s: %+v, %v", email, done, err)
		}
	}
	ends, err := fresh.db.Reader().SetupEnd(fresh.ctx)
	if now := fresh.now(); err != nil || ends.Before(now) || ends.After(now.Add(domain.SetupPeriod)) {
		t.Errorf("the setup ends %s, %v", ends, err)
	}
}

// Every administrator and the person concerned are notified of what the operator did, and cannot switch the
// e-mails off. An absent person is notified of an absence that another person recorded.
func TestNoticesOfTheOperator(t *testing.T) {
	t.Parallel()
	o := newOperators(t)
	b := o.asked(o.rita, "", makeAdministrator)
	o.wantNotices(o.rita, "operator*")
	o.wantNotices(o.ada, "operator* operator* operator*") // two keys of the setup before
	must(t, errOf(o.svc.EndBreakGlass(o.ctx, o.ada, casework.EndBreakGlass{ID: b.ID})))
	o.wantNotices(o.adam, "operator* operator* operator* operator*")
	o.wantNotices(o.rita, "operator* operator*")
	wantCode(t, o.svc.SetNoticeMail(o.ctx, o.ada, casework.SetNoticeMail{Kind: domain.NoticeOperator,
		Mail: domain.MailOff}), domain.InvalidInput)
	must(t, errOf(o.svc.SetAbsence(o.ctx, o.ada, casework.SetAbsence{Person: o.rita.UserID,
		Until: o.now().Add(day)})))
	o.wantNotices(o.rita, "absence* operator* operator*")
}

// An employee id is a way to sign in: the operator sets one by a request, which ends, and removes one
// immediately. The only passkey of a person stays, because the password would be enough again.
func TestOperatorChangesWaysToSignIn(t *testing.T) {
	t.Parallel()
	o := newOperators(t)
	b := o.asked(o.rita, "", func(user *domain.User) { user.EmployeeID = " E-77 " })
	if id := o.userByID(o.rita.UserID).EmployeeID; id != "" {
		t.Fatalf("one operator set the employee id %q", id)
	}
	must(t, errOf(o.sign(b, o.first)))
	must(t, errOf(o.sign(b, o.second)))
	if id := o.userByID(o.rita.UserID).EmployeeID; id != "e-77" {
		t.Fatalf("after two keys the employee id is %q", id)
	}
	o.setClockOffset(27 * time.Hour)
	must(t, o.svc.AdvanceBreakGlass(o.ctx))
	if id := o.userByID(o.rita.UserID).EmployeeID; id != "" {
		t.Errorf("the employee id %q was not taken back", id)
	}

	o.setPassword(o.rita, "hash")
	own := o.session(o.rita, "hash")
	var passkeys []domain.ID
	for _, name := range []string{"phone", "key"} {
		id, err := o.svc.AddPasskey(o.ctx, own, testpasskey.New("localhost", "http://localhost:8080").Passkey(name))
		must(t, err)
		passkeys = append(passkeys, id)
	}
	must(t, errOf(o.svc.RemovePersonsPasskey(o.ctx, domain.SystemActor(), passkeys[0])))
	_, err := o.svc.RemovePersonsPasskey(o.ctx, domain.SystemActor(), passkeys[1])
	wantCode(t, err, domain.FourEyes)
}

// A person does not review with a second account what the operator did for the first one, nor twice.
func TestOnePersonReviewsOnce(t *testing.T) {
	t.Parallel()
	o := newOperators(t)
	second := o.person("ada.second", domain.RoleAdmin)
	eve := o.person("eve", domain.RoleAdmin)
	for _, pair := range [][2]domain.Actor{{o.ada, second}, {o.rita, eve}} {
		for _, by := range pair {
			must(t, errOf(o.owner.Exec(o.ctx, `INSERT INTO person_marks (kind, value, user_id)
				VALUES ('own_account', sha256(convert_to($1, 'UTF8')), $2)`, pair[0].UserID.String(), by.UserID)))
		}
	}
	b := o.asked(o.rita, "", makeAdministrator)
	must(t, errOf(o.sign(b, o.first)))
	must(t, errOf(o.sign(b, o.second)))
	review := func(by domain.Actor) error {
		return errOf(o.svc.ReviewBreakGlass(o.ctx, by, casework.ReviewBreakGlass{ID: b.ID, Note: "agreed"}))
	}
	wantCode(t, review(eve), domain.FourEyes)
	must(t, review(o.ada))
	wantCode(t, review(second), domain.FourEyes)
	must(t, review(o.adam))
}
