package identity_test

import (
	"context"
	"testing"
	"time"

	"pgregory.net/rapid"

	"countersign/domain"
	"countersign/identity"
	"countersign/store"
)

// token stores an API token and returns its secret.
func (w *testEnv) token(user domain.ID, scopes []string,
	expires time.Time) (domain.APIToken, string) {
	w.t.Helper()
	secret, hash := identity.NewToken()
	token := domain.APIToken{ID: domain.NewID(), UserID: user, Name: "ci", Scopes: scopes,
		ExpiresAt: expires}
	must(w.t, w.db.InTx(w.ctx, func(tx *store.Tx) error {
		_, err := tx.PutToken(w.ctx, token, hash)
		return err
	}))
	return token, secret
}

func TestToken(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	user := w.person("ada")
	token, secret := w.token(user.ID, []string{"read", "submit"}, time.Time{})
	actor, err := w.bearer(secret)
	must(t, err)
	if actor.UserID != user.ID || actor.TokenID != token.ID || len(actor.Scopes) != 2 ||
		actor.Channel != domain.ChannelAPI || actor.SessionID != domain.NoID {
		t.Errorf("actor %+v", actor)
	}
	w.wantHolds(actor, true)
	must(t, w.db.InTx(w.ctx, func(tx *store.Tx) error {
		_, err := tx.RevokeToken(w.ctx, token.ID)
		return err
	}))
	_, err = w.bearer(secret)
	wantCode(t, err, domain.Unauthenticated)
	w.wantHolds(actor, false)
}

func TestTokenExpiresAndEndsWithItsUser(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	user := w.person("ada")
	now, err := w.db.Reader().Clock(w.ctx)
	must(t, err)
	_, dated := w.token(user.ID, nil, now.Add(time.Hour))
	_, lasting := w.token(user.ID, nil, time.Time{})
	_, err = w.bearer(dated)
	must(t, err)
	w.shiftClock(time.Hour + time.Second)
	_, err = w.bearer(dated)
	wantCode(t, err, domain.Unauthenticated)
	_, err = w.bearer(lasting)
	must(t, err)
	user.Disabled = true
	w.put(user, "")
	_, err = w.bearer(lasting)
	wantCode(t, err, domain.Unauthenticated)
}

func TestUseIsRecordedInBatches(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	token, secret := w.token(w.person("ada").ID, nil, time.Time{})
	for range 3 {
		_, err := w.bearer(secret)
		must(t, err)
	}
	read := func() time.Time {
		found, err := w.db.Reader().Token(w.ctx, token.ID)
		must(t, err)
		return found.LastUsed
	}
	if !read().IsZero() {
		t.Error("written before the batch was due")
	}
	w.authenticator.Close(context.WithoutCancel(w.ctx))
	if read().IsZero() {
		t.Error("the use was not noted")
	}
}

// A session's secret is not accepted as a bearer token, nor an API token as a cookie, because only
// cookies are protected against cross-site requests.
func TestCredentialsAreNotMixed(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	user := w.person("ada")
	begun, err := w.signIn(user.Email, password)
	must(t, err)
	_, secret := w.token(user.ID, nil, time.Time{})
	_, err = w.bearer(begun.Secret)
	wantCode(t, err, domain.Unauthenticated)
	_, err = w.cookie(secret)
	wantCode(t, err, domain.SessionExpired)
	anonymous, err := w.authenticator.Authenticate(w.ctx, identity.Credential{})
	if err != nil || anonymous.UserID != domain.NoID {
		t.Errorf("no credential is %+v, %v", anonymous, err)
	}
}

func TestMalformedCredentialsAreAnonymous(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	_, secret := w.token(w.person("ada").ID, nil, time.Time{})
	rapid.Check(t, func(r *rapid.T) {
		at := rapid.IntRange(0, len(secret)-1).Draw(r, "at")
		changed := []byte(secret)
		changed[at] = rapid.Byte().Draw(r, "byte")
		candidate := rapid.SampledFrom([]string{string(changed), secret[:at], secret + secret[:at],
			rapid.String().Draw(r, "text")}).Draw(r, "candidate")
		actor, err := w.bearer(candidate)
		if candidate == secret || candidate == "" {
			return
		}
		if err == nil || !domain.HasCode(err, domain.Unauthenticated) {
			r.Fatalf("%q is %+v, %v", candidate, actor, err)
		}
	})
}

func TestTheContextCarriesTheActor(t *testing.T) {
	t.Parallel()
	actor, err := identity.ActorOf(t.Context())
	if err != nil || actor.UserID != domain.NoID {
		t.Errorf("the anonymous actor is %+v, %v", actor, err)
	}
	_, err = identity.SignedIn(t.Context())
	wantCode(t, err, domain.Unauthenticated)
	refusal := domain.Errorf(domain.SessionExpired, "over")
	_, err = identity.SignedIn(identity.WithActor(t.Context(), domain.Actor{}, refusal))
	wantCode(t, err, domain.SessionExpired)
	ada := domain.Actor{UserID: domain.NewID()}
	actor, err = identity.SignedIn(identity.WithRequest(identity.WithActor(t.Context(), ada, nil),
		identity.Request{ID: "r", Locale: "zh"}))
	if err != nil || actor.UserID != ada.UserID {
		t.Errorf("got %+v, %v", actor, err)
	}
	if got := identity.RequestOf(identity.WithRequest(t.Context(),
		identity.Request{ID: "r", Locale: "zh"})); got.ID != "r" || got.Locale != "zh" {
		t.Errorf("request %+v", got)
	}
}
