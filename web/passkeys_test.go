package web_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"countersign/domain"
	"countersign/identity"
	"countersign/internal/testpasskey"
	"countersign/web"
)

func challengeIn(t *testing.T, body string) []byte {
	t.Helper()
	var options struct {
		Challenge        string
		RPID             string `json:"rpId"`
		UserVerification string
	}
	must(t, json.Unmarshal([]byte(body), &options))
	if options.RPID != "localhost" || options.UserVerification != "required" {
		t.Fatalf("%s", body)
	}
	raw, err := base64.RawURLEncoding.DecodeString(options.Challenge)
	must(t, err)
	return raw
}

// A person adds a passkey, signs in with it, and removes it; programs and strangers do none of it.
func TestPasskeyEndpoints(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t, func(o *web.Options) { o.Callers.PlainHTTP = true })
	ada := w.person("ada", domain.RoleL1)
	browser := w.signedIn("ada")
	if got := w.get(nil, "/auth/options").body; !strings.Contains(got, `"passkeys":"localhost"`) {
		t.Errorf("options: %s", got)
	}
	phone := testpasskey.New("localhost", "http://localhost:8080")
	wantReply(t, w.post(browser, "/auth/passkeys/options", `{"password":"wrong"}`), http.StatusUnauthorized,
		domain.Unauthenticated)
	options := w.post(browser, "/auth/passkeys/options", fmt.Sprintf(`{"password":%q}`, password))
	answer, err := phone.Register([]byte(options.body))
	must(t, err)
	wantReply(t, w.post(browser, "/auth/passkeys", fmt.Sprintf(`{"name":" ","credential":%s}`, answer)),
		http.StatusBadRequest, domain.InvalidInput)
	answer, err = phone.Register([]byte(w.post(browser, "/auth/passkeys/options",
		fmt.Sprintf(`{"password":%q}`, password)).body))
	must(t, err)
	if added := w.post(browser, "/auth/passkeys", fmt.Sprintf(`{"name":"phone","credential":%s}`,
		answer)); added.status != http.StatusCreated {
		t.Fatalf("%d %s", added.status, added.body)
	}
	var list struct {
		Passkeys []struct{ ID, Name string }
	}
	must(t, json.Unmarshal([]byte(w.get(browser, "/auth/passkeys").body), &list))
	if len(list.Passkeys) != 1 || list.Passkeys[0].Name != "phone" {
		t.Fatalf("%+v", list)
	}
	wantReply(t, w.post(nil, "/auth/sign-in", signInAda), http.StatusUnauthorized, domain.PasskeyRequired)
	asked := w.post(nil, "/auth/passkey/options", "{}")
	signed := phone.Response(challengeIn(t, asked.body))
	begun := w.post(nil, "/auth/passkey/sign-in", string(signed))
	if begun.status != http.StatusOK || begun.header.Get("Set-Cookie") == "" ||
		!strings.Contains(begun.body, "ada@example.com") {
		t.Fatalf("%d %s", begun.status, begun.body)
	}
	wantReply(t, w.post(nil, "/auth/passkey/sign-in", string(signed)), http.StatusUnauthorized,
		domain.Unauthenticated)
	for _, body := range []string{"", "{}", `{"rawId":"!"}`, `[]`} {
		if got := w.post(nil, "/auth/passkey/sign-in", body); got.status < 400 || got.status >= 500 {
			t.Errorf("%q: %d %s", body, got.status, got.body)
		}
	}

	remove := func(id string) reply {
		confirmation := w.post(browser, "/auth/passkeys/confirmation", "{}")
		return w.post(browser, "/auth/passkeys/remove", fmt.Sprintf(`{"id":%q,"assertion":%s}`, id,
			phone.Response(challengeIn(t, confirmation.body))))
	}
	wantReply(t, remove(domain.NewID().String()), http.StatusNotFound, domain.NotFound)
	if got := remove(list.Passkeys[0].ID); got.status != http.StatusNoContent {
		t.Fatalf("%d %s", got.status, got.body)
	}
	if got := w.post(nil, "/auth/sign-in", signInAda); got.status != http.StatusOK {
		t.Errorf("the password alone, without passkeys: %d %s", got.status, got.body)
	}

	_, secret := w.token(ada) // of all scopes
	for _, path := range []string{"/auth/passkeys/options", "/auth/passkeys/confirmation", "/auth/passkeys",
		"/auth/passkeys/remove"} {
		if got := w.post(nil, path, "{}", "Authorization", "Bearer "+secret); got.status != http.StatusForbidden {
			t.Errorf("%s with a token: %d %s", path, got.status, got.body)
		}
		if got := w.post(nil, path, "{}"); got.status != http.StatusUnauthorized {
			t.Errorf("%s without a session: %d %s", path, got.status, got.body)
		}
	}
	wantReply(t, w.get(nil, "/auth/passkeys"), http.StatusUnauthorized, domain.Unauthenticated)
}

// An installation with an IP address says why there are no passkeys.
func TestPasskeysNeedADomain(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t, func(o *web.Options) {
		o.Callers.Authenticator = identity.New(nil, identity.Settings{}, o.Log)
	})
	if got := w.get(nil, "/auth/options").body; !strings.Contains(got, `"passkeys":""`) {
		t.Errorf("options: %s", got)
	}
	got := w.post(nil, "/auth/passkey/options", "{}")
	wantReply(t, got, http.StatusConflict, domain.StateMismatch)
	if !strings.Contains(got.body, "COUNTERSIGN_PUBLIC_URL") {
		t.Errorf("%s", got.body)
	}
}
