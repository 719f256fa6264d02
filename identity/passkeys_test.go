package identity_test

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"countersign/domain"
	"countersign/identity"
	"countersign/internal/testpasskey"
	"countersign/store"
)

const site = "http://localhost:8080"

func newPasskeyEnv(t *testing.T) *testEnv {
	t.Helper()
	return newTestEnv(t, func(s *identity.Settings) {
		s.RelyingParty = identity.RelyingPartyOf("http://127.0.0.1:8080")
	})
}

// session signs a person in with the password and returns the actor.
func (w *testEnv) session(user domain.User) domain.Actor {
	w.t.Helper()
	begun, err := w.signIn(user.Email, password)
	must(w.t, err)
	actor, err := w.cookie(begun.Secret)
	must(w.t, err)
	return actor
}

// register adds a passkey as a person does who has the proof.
func (w *testEnv) register(actor domain.Actor, device *testpasskey.Authenticator,
	proof identity.RegisteringProof) error {
	w.t.Helper()
	options, err := w.authenticator.BeginRegistration(w.ctx, actor, proof)
	if err != nil {
		return err
	}
	answer, err := device.Register(options)
	must(w.t, err)
	passkey, err := w.authenticator.FinishRegistration(w.ctx, actor, answer)
	if err != nil {
		return err
	}
	passkey.ID, passkey.Name, passkey.At = domain.NewID(), "phone", time.Now()
	return w.db.InTx(w.ctx, func(tx *store.Tx) error { return tx.AddPasskey(w.ctx, passkey) })
}

func raw(t *testing.T, challenge string) []byte {
	t.Helper()
	decoded, err := base64.RawURLEncoding.DecodeString(challenge)
	must(t, err)
	return decoded
}

func (w *testEnv) passkeySignIn(device *testpasskey.Authenticator) (identity.SignInResult, error) {
	w.t.Helper()
	request, err := w.authenticator.BeginPasskeySignIn(w.ctx)
	must(w.t, err)
	return w.authenticator.SignInWithPasskey(w.ctx, identity.PasskeySignIn{
		Assertion: device.Sign(raw(w.t, request.Challenge)), RequestID: "r-2"})
}

// A passkey is registered with the password, signs in alone, and then the password alone does not.
func TestPasskeySignsIn(t *testing.T) {
	t.Parallel()
	w := newPasskeyEnv(t)
	jo := w.person("jo")
	actor := w.session(jo)
	phone := testpasskey.New("localhost", site)
	wantCode(t, w.register(actor, phone, identity.RegisteringProof{Password: "wrong"}), domain.Unauthenticated)
	must(t, w.register(actor, phone, identity.RegisteringProof{Password: password}))
	stored, err := w.db.Reader().PasskeysOf(w.ctx, jo.ID)
	must(t, err)
	if len(stored) != 1 || string(stored[0].PublicKey) != string(phone.Passkey("").PublicKey) ||
		stored[0].RelyingParty != "localhost" || stored[0].Algorithm != -7 {
		t.Fatalf("%+v", stored)
	}
	_, err = w.signIn(jo.Email, password)
	wantCode(t, err, domain.PasskeyRequired)
	_, err = w.signIn(jo.Email, "wrong")
	wantCode(t, err, domain.Unauthenticated)
	begun, err := w.passkeySignIn(phone)
	must(t, err)
	if again, err := w.cookie(begun.Secret); err != nil || again.UserID != jo.ID || begun.Device == "" {
		t.Fatalf("%+v %v", again, err)
	}

	// Another passkey needs one that the person has.
	key := testpasskey.New("localhost", site)
	wantCode(t, w.register(actor, key, identity.RegisteringProof{Password: password}), domain.PasskeyRequired)
	confirm := func(device *testpasskey.Authenticator) identity.RegisteringProof {
		request, err := w.authenticator.BeginConfirmation(w.ctx, actor)
		must(t, err)
		signed := device.Sign(raw(t, request.Challenge))
		return identity.RegisteringProof{Assertion: &signed}
	}
	wantCode(t, w.register(actor, key, confirm(key)), domain.SignatureInvalid)
	proof := confirm(phone)
	must(t, w.register(actor, key, proof))
	wantCode(t, w.register(actor, testpasskey.New("localhost", site), proof), domain.SignatureInvalid)
	_, err = w.passkeySignIn(key)
	must(t, err)

	// An authenticator that is registered offers itself to no second person.
	eve := w.session(w.person("eve"))
	options, err := w.authenticator.BeginRegistration(w.ctx, eve, identity.RegisteringProof{Password: password})
	must(t, err)
	if _, err := phone.Register(options); err == nil {
		t.Error("an authenticator of one person was offered to another")
	}
	// Another person's passkey confirms nothing.
	request, err := w.authenticator.BeginConfirmation(w.ctx, eve)
	must(t, err)
	wantCode(t, w.authenticator.Confirm(w.ctx, eve, phone.Sign(raw(t, request.Challenge))),
		domain.SignatureInvalid)
}

// What is not a fresh signature of a known, active passkey for this site does not sign in.
func TestRefusedPasskeys(t *testing.T) {
	t.Parallel()
	w := newPasskeyEnv(t)
	jo := w.person("jo")
	actor := w.session(jo)
	phone := testpasskey.New("localhost", site)
	must(t, w.register(actor, phone, identity.RegisteringProof{Password: password}))
	challenge := func() []byte {
		request, err := w.authenticator.BeginPasskeySignIn(w.ctx)
		must(t, err)
		return raw(t, request.Challenge)
	}
	refused := func(what string, signed domain.PasskeyAssertion) {
		t.Helper()
		_, err := w.authenticator.SignInWithPasskey(w.ctx, identity.PasskeySignIn{Assertion: signed})
		if !domain.HasCode(err, domain.Unauthenticated) {
			t.Errorf("%s: %v", what, err)
		}
	}
	used := phone.Sign(challenge())
	_, err := w.authenticator.SignInWithPasskey(w.ctx, identity.PasskeySignIn{Assertion: used})
	must(t, err)
	refused("a replay", used)
	refused("an invented challenge", phone.Sign([]byte("0123456789abcdef0123456789abcdef")))
	refused("nothing", domain.PasskeyAssertion{})
	refused("bytes that are no JSON", domain.PasskeyAssertion{ClientData: []byte("\x00{")})
	refused("an unknown key", testpasskey.New("localhost", site).Sign(challenge()))
	request, err := w.authenticator.BeginConfirmation(w.ctx, actor)
	must(t, err)
	refused("a challenge to confirm", phone.Sign(raw(t, request.Challenge)))
	evil := *phone
	evil.Site.Origin = "https://localhost.evil.example"
	refused("another page", evil.Sign(challenge()))
	evil = *phone
	evil.Site.ID = "evil.example"
	refused("another site", evil.Sign(challenge()))
	evil = *phone
	evil.Device.Options.UserNotVerified = true
	refused("no PIN and no finger", evil.Sign(challenge()))
	evil = *phone
	evil.Key.Counter = 0
	refused("a copied key", evil.Sign(challenge()))
	altered := phone.Sign(challenge())
	altered.AuthenticatorData[36] ^= 1
	refused("altered data", altered)
	old := challenge()
	w.shiftClock(6 * time.Minute)
	refused("too late", phone.Sign(old))
	_, err = w.passkeySignIn(phone)
	must(t, err)
	jo.Disabled = true
	w.put(jo, "")
	refused("a disabled account", phone.Sign(challenge()))
	jo.Disabled = false
	w.put(jo, "")
	passkeys, err := w.db.Reader().PasskeysOf(w.ctx, jo.ID)
	must(t, err)
	must(t, w.db.InTx(w.ctx, func(tx *store.Tx) error {
		_, err := tx.RemovePasskey(w.ctx, jo.ID, passkeys[0].ID)
		return err
	}))
	refused("a removed passkey", phone.Sign(challenge()))
	_, err = w.signIn(jo.Email, password)
	must(t, err)
}

// A registration for another site, a used one, one of another person and one without verification are
// refused.
func TestRefusedRegistrations(t *testing.T) {
	t.Parallel()
	w := newPasskeyEnv(t)
	actor, eve := w.session(w.person("jo")), w.session(w.person("eve"))
	begin := func() json.RawMessage {
		options, err := w.authenticator.BeginRegistration(w.ctx, actor,
			identity.RegisteringProof{Password: password})
		must(t, err)
		return options
	}
	for what, change := range map[string]func(*testpasskey.Authenticator){
		"another site":         func(a *testpasskey.Authenticator) { a.Site.ID = "evil.example" },
		"another page":         func(a *testpasskey.Authenticator) { a.Site.Origin = "https://evil.example" },
		"no PIN and no finger": func(a *testpasskey.Authenticator) { a.Device.Options.UserNotVerified = true },
	} {
		device := testpasskey.New("localhost", site)
		change(device)
		answer, err := device.Register(begin())
		must(t, err)
		if _, err := w.authenticator.FinishRegistration(w.ctx, actor, answer); !domain.HasCode(err,
			domain.SignatureInvalid) {
			t.Errorf("%s: %v", what, err)
		}
	}
	device := testpasskey.New("localhost", site)
	answer, err := device.Register(begin())
	must(t, err)
	_, err = w.authenticator.FinishRegistration(w.ctx, eve, answer)
	wantCode(t, err, domain.SignatureInvalid)
	_, err = w.authenticator.FinishRegistration(w.ctx, actor, answer)
	must(t, err)
	_, err = w.authenticator.FinishRegistration(w.ctx, actor, answer)
	wantCode(t, err, domain.SignatureInvalid)
	for _, text := range []string{"", "{}", "null", `{"id":"x"}`, strings.Repeat("[", 1000)} {
		_, err = w.authenticator.FinishRegistration(w.ctx, actor, []byte(text))
		wantCode(t, err, domain.SignatureInvalid)
	}
}

func TestRelyingPartyOf(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://review.example":      "review.example",
		"https://review.example:8443": "review.example",
		"http://localhost:8080":       "localhost",
		"http://127.0.0.1:8080":       "localhost",
		"http://review.example":       "", // browsers allow passkeys over HTTPS only
		"https://10.1.2.3":            "",
		"https://[2001:db8::1]":       "",
		"":                            "",
		"::":                          "",
	} {
		if got := identity.RelyingPartyOf(address); got != want {
			t.Errorf("%q: %q, want %q", address, got, want)
		}
	}
	w := newTestEnv(t) // without a domain
	_, err := w.authenticator.BeginPasskeySignIn(t.Context())
	wantCode(t, err, domain.StateMismatch)
	_, err = w.authenticator.BeginRegistration(t.Context(), domain.Actor{}, identity.RegisteringProof{})
	wantCode(t, err, domain.StateMismatch)
	_, err = w.authenticator.FinishRegistration(t.Context(), domain.Actor{}, nil)
	wantCode(t, err, domain.StateMismatch)
}
