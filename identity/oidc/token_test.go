package oidc_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"countersign/domain"
	"countersign/identity"
	"countersign/internal/testprovider"
)

// claimsOf reads the claims of a token.
func claimsOf(t testing.TB, token string) map[string]any {
	t.Helper()
	parts := strings.Split(token, ".")
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	must(t, err)
	var claims map[string]any
	must(t, json.Unmarshal(payload, &claims))
	return claims
}

// changed returns the claims with changes; a nil value removes a claim.
func changed(claims map[string]any, changes map[string]any) map[string]any {
	claims = maps.Clone(claims)
	for name, value := range changes {
		if claims[name] = value; value == nil {
			delete(claims, name)
		}
	}
	return claims
}

func unsigned(t testing.TB, claims map[string]any) string {
	t.Helper()
	payload, err := json.Marshal(claims)
	must(t, err)
	return base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none","typ":"JWT"}`)) + "." +
		base64.RawURLEncoding.EncodeToString(payload) + "."
}

// Every wrong ID token is refused with one sentence, and existing sessions stay valid.
func TestWrongIDTokensAreRefused(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.account("ada", "E-17", domain.RoleL1)
	env.provider.Put(testprovider.Person{Subject: "ada", Employee: "E-17"})
	existing := env.session("ada")
	key, id := env.provider.Key(t)
	other, err := rsa.GenerateKey(rand.Reader, 2048)
	must(t, err)
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	must(t, err)
	now := time.Now()
	with := func(changes map[string]any) func(map[string]any) string {
		return func(claims map[string]any) string { return env.provider.Sign(t, changed(claims, changes)) }
	}
	for name, forge := range map[string]func(claims map[string]any) string{
		"expired":               with(map[string]any{"exp": now.Add(-2 * time.Minute).Unix()}),
		"never expires":         with(map[string]any{"exp": nil}),
		"another audience":      with(map[string]any{"aud": "another client"}),
		"several audiences":     with(map[string]any{"aud": []string{testprovider.ClientID, "b"}, "azp": nil}),
		"issued to another":     with(map[string]any{"azp": "another client"}),
		"another issuer":        with(map[string]any{"iss": "https://elsewhere.example"}),
		"no issuer":             with(map[string]any{"iss": nil}),
		"from the future":       with(map[string]any{"iat": now.Add(2 * time.Minute).Unix()}),
		"issued at no time":     with(map[string]any{"iat": nil}),
		"not valid yet":         with(map[string]any{"nbf": now.Add(10 * time.Minute).Unix()}),
		"another nonce":         with(map[string]any{"nonce": "another"}),
		"no nonce":              with(map[string]any{"nonce": nil}),
		"no subject":            with(map[string]any{"sub": nil}),
		"another access token":  with(map[string]any{"at_hash": "AAAAAAAAAAAAAAAAAAAAAA"}),
		"a subject with NUL":    with(map[string]any{"sub": "a\x00b"}),
		"a very long subject":   with(map[string]any{"sub": strings.Repeat("a", 400)}),
		"an endless text":       with(map[string]any{"note": strings.Repeat("a", 70_000)}),
		"unsigned":              func(claims map[string]any) string { return unsigned(t, claims) },
		"without its signature": func(claims map[string]any) string { return cut(env.provider.Sign(t, claims)) },
		"signed by another key": func(claims map[string]any) string {
			return testprovider.Sign(t, jose.RS256, other, id, claims)
		},
		"signed by an unknown key": func(claims map[string]any) string {
			return testprovider.Sign(t, jose.RS256, other, "unknown", claims)
		},
		"signed with the public key as a secret": func(claims map[string]any) string {
			return testprovider.Sign(t, jose.HS256, public, id, claims)
		},
		"signed with the client secret": func(claims map[string]any) string {
			return testprovider.Sign(t, jose.HS256, []byte(strings.Repeat(testprovider.ClientSecret, 2)), id, claims)
		},
		"no token": func(map[string]any) string { return "" },
		"no text":  func(map[string]any) string { return "a.b.c" },
	} {
		env.provider.ReplaceIDTokens(func(token string) string { return forge(claimsOf(t, token)) })
		before := env.refusals(domain.Unauthenticated)
		_, err := env.signIn("ada")
		if domain.CodeOf(err) != domain.Unauthenticated {
			t.Errorf("%s: %v", name, err)
			continue
		}
		wantReason(t, err, domain.Unauthenticated, "token_refused")
		if env.refusals(domain.Unauthenticated) != before+1 {
			t.Errorf("%s: the refusal is not in the access log", name)
		}
	}
	env.provider.ReplaceIDTokens(nil)
	if state, err := env.db.Reader().Credential(env.ctx, existing); err != nil || !state.Holds {
		t.Errorf("the existing session ended: %v", err)
	}
	if _, err := env.signIn("ada"); err != nil {
		t.Errorf("a right token afterwards: %v", err)
	}
}

func cut(token string) string { return token[:strings.LastIndex(token, ".")+1] }

// The clocks of both systems may differ by less than a minute.
func TestClockSkew(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.account("ada", "E-17", domain.RoleL1)
	env.provider.Put(testprovider.Person{Subject: "ada", Employee: "E-17"})
	now := time.Now()
	for name, changes := range map[string]map[string]any{
		"issued in 30 s":   {"iat": now.Add(30 * time.Second).Unix()},
		"expired 30 s ago": {"exp": now.Add(-30 * time.Second).Unix()},
	} {
		env.provider.ReplaceIDTokens(func(token string) string {
			return env.provider.Sign(t, changed(claimsOf(t, token), changes))
		})
		if _, err := env.signIn("ada"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A provider's answer is used once, by the browser that began the sign-in, within ten minutes.
func TestAnswersAreNotReplayed(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.account("ada", "E-17", domain.RoleL1)
	env.provider.Put(testprovider.Person{Subject: "ada", Employee: "E-17"})
	const expired = "request_expired"
	answer := env.start("ada")
	stolen := answer
	stolen.Browser = env.start("ada").Browser
	_, _, err := env.sign.FinishProviderSignIn(env.ctx, stolen)
	wantReason(t, err, domain.Unauthenticated, expired)
	begun, _, err := env.sign.FinishProviderSignIn(env.ctx, answer)
	must(t, err)
	_, _, err = env.sign.FinishProviderSignIn(env.ctx, answer)
	wantReason(t, err, domain.Unauthenticated, expired)
	late := env.start("ada")
	env.shiftClock(10*time.Minute + time.Second)
	_, _, err = env.sign.FinishProviderSignIn(env.ctx, late)
	wantReason(t, err, domain.Unauthenticated, expired)
	env.shiftClock(0)
	// A code of another sign-in does not fit the verifier and the nonce of this one.
	mixed, other := env.start("ada"), env.start("ada")
	mixed.Code = other.Code
	_, _, err = env.sign.FinishProviderSignIn(env.ctx, mixed)
	wantReason(t, err, domain.Unauthenticated, "token_refused")
	issuer := env.start("ada")
	issuer.Issuer = "https://elsewhere.example"
	_, _, err = env.sign.FinishProviderSignIn(env.ctx, issuer)
	wantReason(t, err, domain.Unauthenticated, "token_refused")
	for sent, reason := range map[string]string{"access_denied": "cancelled",
		"server_error": "provider_unavailable", "<script>": "token_refused"} {
		failed := env.start("ada")
		failed.Error = sent
		_, _, err = env.sign.FinishProviderSignIn(env.ctx, failed)
		if code := domain.CodeOf(err); code != domain.Unauthenticated && code != domain.Unavailable {
			t.Errorf("%s: %v", sent, err)
			continue
		}
		wantReason(t, err, domain.CodeOf(err), reason)
		if strings.Contains(err.Error(), "<script>") {
			t.Errorf("the refusal repeats what was sent: %v", err)
		}
	}
	for _, bad := range []string{"", "x", "\x00", strings.Repeat("a", 100_000)} {
		_, _, err = env.sign.FinishProviderSignIn(env.ctx, withState(env.start("ada"), bad))
		wantReason(t, err, domain.Unauthenticated, expired)
	}
	env.actorOf(begun.Secret)
}

// A provider that is down stops neither other sign-ins nor sessions, and is used again when it is back.
func TestProviderIsDownAndBackAgain(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.account("ada", "E-17", domain.RoleL1)
	env.provider.Put(testprovider.Person{Subject: "ada", Employee: "E-17"})
	env.provider.SetDown(true)
	_, err := env.sign.BeginProviderSignIn(env.ctx, "corp", "/", "")
	wantReason(t, err, domain.Unavailable, "provider_unavailable")
	env.provider.SetDown(false)
	// For some seconds it is not asked again, so that many sign-ins do not wait for it.
	_, err = env.sign.BeginProviderSignIn(env.ctx, "corp", "/", "")
	wantReason(t, err, domain.Unavailable, "provider_unavailable")
	env.clock.by.Store(int64(6 * time.Second))
	session := env.session("ada")
	answer := env.start("ada")
	env.provider.SetDown(true)
	_, _, err = env.sign.FinishProviderSignIn(env.ctx, answer)
	wantReason(t, err, domain.Unavailable, "provider_unavailable")
	if env.refusals(domain.Unavailable) != 1 {
		t.Error("the refusal is not in the access log")
	}
	if state, err := env.db.Reader().Credential(env.ctx, session); err != nil || !state.Holds {
		t.Errorf("the existing session ended: %v", err)
	}
	// A provider whose document was read an hour ago is still known.
	env.clock.by.Store(int64(2 * time.Hour))
	_, err = env.sign.BeginProviderSignIn(env.ctx, "corp", "/", "")
	must(t, err)
	env.provider.SetDown(false)
	env.clock.by.Store(0)
	if _, err := env.signIn("ada"); err != nil {
		t.Errorf("the provider is back: %v", err)
	}
}

func withState(answer identity.ProviderCallback, state string) identity.ProviderCallback {
	answer.State = state
	return answer
}
