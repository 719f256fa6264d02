package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"countersign/domain"
	"countersign/internal/testpasskey"
)

const changed = "another horse battery"

func passwordsBody(present, wanted string) string {
	return fmt.Sprintf(`{"password":%q,"newPassword":%q}`, present, wanted)
}

func signInBody(name, password string) string {
	return fmt.Sprintf(`{"email":"%s@example.com","password":%q}`, name, password)
}

// A person changes the password in a session, with the present one. The session stays, the others end.
func TestChangePassword(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("root", domain.RoleAdmin)
	ada := w.person("ada", domain.RoleL1)
	browser, elsewhere := w.signedIn("ada"), w.signedIn("ada")
	for body, status := range map[string]int{
		passwordsBody("wrong password", changed): http.StatusUnauthorized,
		passwordsBody(password, password):        http.StatusBadRequest,
		passwordsBody(password, "short"):         http.StatusBadRequest,
		passwordsBody("", changed):               http.StatusUnauthorized,
		"{}":                                     http.StatusUnauthorized,
		"":                                       http.StatusBadRequest,
	} {
		if got := w.post(browser, "/auth/password", body); got.status != status {
			t.Errorf("%s: %d %s", body, got.status, got.body)
		}
	}
	if got := w.post(browser, "/auth/password", passwordsBody(password, changed)); got.status !=
		http.StatusNoContent {
		t.Fatalf("%d %s", got.status, got.body)
	}
	if got := w.get(browser, "/auth/me"); got.status != http.StatusOK {
		t.Errorf("the own session: %d %s", got.status, got.body)
	}
	wantReply(t, w.get(elsewhere, "/auth/me"), http.StatusUnauthorized, domain.SessionExpired)
	wantReply(t, w.post(nil, "/auth/sign-in", signInAda), http.StatusUnauthorized, domain.Unauthenticated)
	if got := w.post(nil, "/auth/sign-in", signInBody("ada", changed)); got.status != http.StatusOK {
		t.Errorf("the new password: %d %s", got.status, got.body)
	}
	logged, err := w.db.Reader().EventsAfter(w.ctx, domain.PeopleStream.ID, 0, 100)
	must(t, err)
	last := logged.Events[len(logged.Events)-1]
	if last.Type != "user.changed" || last.Actor != ada.UserID ||
		!strings.Contains(string(last.Body), `"changed":["password"]`) ||
		strings.Contains(string(last.Body), "argon2") {
		t.Errorf("the event is %s by %s: %s", last.Type, last.Actor, last.Body)
	}
	wantReply(t, w.post(nil, "/auth/password", passwordsBody(changed, password)),
		http.StatusUnauthorized, domain.Unauthenticated)
	_, secret := w.token(ada)
	wantReply(t, w.post(nil, "/auth/password", passwordsBody(changed, password), "Authorization",
		"Bearer "+secret), http.StatusForbidden, domain.NotPermitted)
}

// A stolen session does not guess the password: failures are those of signing in.
func TestChangePasswordIsLockedOut(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("ada", domain.RoleL1)
	browser := w.signedIn("ada")
	for range 5 {
		wantReply(t, w.post(browser, "/auth/password", passwordsBody("a wrong password", changed)),
			http.StatusUnauthorized, domain.Unauthenticated)
	}
	wantReply(t, w.post(browser, "/auth/password", passwordsBody(password, changed)),
		http.StatusTooManyRequests, domain.LockedOut)
	wantReply(t, w.post(browser, "/auth/sign-in", signInAda), http.StatusTooManyRequests, domain.LockedOut)
	// The session without the cookie of the device counts for the account and the address.
	request, err := http.NewRequestWithContext(w.ctx, http.MethodGet, w.server.URL, http.NoBody)
	must(t, err)
	var session string
	for _, cookie := range browser.Jar.Cookies(request.URL) {
		if !strings.Contains(cookie.Name, "device") {
			session = cookie.String()
		}
	}
	for range 5 {
		wantReply(t, w.post(nil, "/auth/password", passwordsBody("a wrong password", changed), "Cookie",
			session), http.StatusUnauthorized, domain.Unauthenticated)
	}
	wantReply(t, w.post(nil, "/auth/password", passwordsBody(password, changed), "Cookie", session),
		http.StatusTooManyRequests, domain.LockedOut)
	wantReply(t, w.post(nil, "/auth/sign-in", signInAda), http.StatusTooManyRequests, domain.LockedOut)
}

// A person with a passkey changes the password with it. Without it no guess is answered.
func TestChangePasswordWithPasskey(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("ada", domain.RoleL1)
	w.person("bob", domain.RoleL1)
	w.person("root", domain.RoleAdmin)
	phone := testpasskey.New("localhost", "http://localhost:8080")
	browser := w.signedIn("ada")
	answer, err := phone.Register([]byte(w.post(browser, "/auth/passkeys/options",
		fmt.Sprintf(`{"password":%q}`, password)).body))
	must(t, err)
	if added := w.post(browser, "/auth/passkeys", fmt.Sprintf(`{"name":"phone","credential":%s}`,
		answer)); added.status != http.StatusCreated {
		t.Fatalf("%d %s", added.status, added.body)
	}
	for range 7 {
		wantReply(t, w.post(browser, "/auth/password", passwordsBody("a wrong password", changed)),
			http.StatusUnauthorized, domain.PasskeyRequired)
	}
	confirmed := func(client *http.Client, present string) string {
		asked := w.post(client, "/auth/passkeys/confirmation", "{}")
		body, err := json.Marshal(map[string]any{"password": present, "newPassword": changed,
			"assertion": json.RawMessage(phone.Response(challengeIn(t, asked.body)))})
		must(t, err)
		return string(body)
	}
	wantReply(t, w.post(browser, "/auth/password", confirmed(browser, "a wrong password")),
		http.StatusUnauthorized, domain.Unauthenticated)
	wantReply(t, w.post(browser, "/auth/password", confirmed(w.signedIn("bob"), password)),
		http.StatusConflict, domain.SignatureInvalid)
	body := confirmed(browser, password)
	if got := w.post(browser, "/auth/password", body); got.status != http.StatusNoContent {
		t.Fatalf("%d %s", got.status, got.body)
	}
	wantReply(t, w.post(browser, "/auth/password", body), http.StatusConflict, domain.SignatureInvalid)
	wantReply(t, w.post(nil, "/auth/sign-in", signInBody("ada", changed)), http.StatusUnauthorized,
		domain.PasskeyRequired)
}
