package web_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
	"countersign/web"
)

const signInAda = `{"email":"ada@example.com","password":"` + password + `"}`

func TestSignInSetsTheCookie(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		plain  bool
		cookie string
	}{{"https", false, "__Host-countersign"}, {"plain http of the demo", true, "countersign"}} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := newTestEnv(t, func(o *web.Options) { o.Callers.PlainHTTP = tc.plain })
			w.person("ada", domain.RoleL1)
			got := w.post(nil, "/auth/sign-in", signInAda)
			if got.status != http.StatusOK || got.header.Get("Cache-Control") != "no-store" {
				t.Fatalf("answered %d %s", got.status, got.body)
			}
			var answer struct {
				User      struct{ Name, Email string }
				ExpiresAt time.Time
			}
			must(t, json.Unmarshal([]byte(got.body), &answer))
			cookie := (&http.Response{Header: got.header}).Cookies()[0]
			if cookie.Name != tc.cookie || cookie.Secure == tc.plain || !cookie.HttpOnly ||
				cookie.SameSite != http.SameSiteLaxMode ||
				cookie.Path != "/" || cookie.Domain != "" ||
				answer.User.Email != "ada@example.com" ||
				!cookie.Expires.Equal(answer.ExpiresAt.Truncate(time.Second)) {
				t.Errorf("cookie %s for %s", got.header.Get("Set-Cookie"), got.body)
			}
			if strings.Contains(got.body, cookie.Value) ||
				strings.Contains(w.log.String(), cookie.Value) ||
				strings.Contains(w.log.String(), password) {
				t.Error("a secret is in the response body or in the log")
			}
			mine := w.get(nil, "/auth/me", "Cookie", tc.cookie+"="+cookie.Value)
			if mine.status != http.StatusOK ||
				!strings.Contains(mine.body, `"roles":["reviewer_l1"]`) {
				t.Errorf("me: %d %s", mine.status, mine.body)
			}
			other := map[bool]string{true: "__Host-countersign", false: "countersign"}[tc.plain]
			wantReply(t, w.get(nil, "/auth/me", "Cookie", other+"="+cookie.Value), 401,
				domain.Unauthenticated)
		})
	}
}

func TestASessionEnds(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("ada")
	wantReply(t, w.get(nil, "/auth/me"), 401, domain.Unauthenticated)
	tab := w.signedIn("ada")
	otherTab := &http.Client{Jar: tab.Jar}
	elsewhere := w.signedIn("ada")
	if got := w.get(otherTab, "/auth/me"); got.status != 200 {
		t.Fatalf("signed in: %d %s", got.status, got.body)
	}
	before := w.get(tab, "/auth/me")
	if before.status != 200 {
		t.Fatal(before.body)
	}
	request, err := http.NewRequestWithContext(w.ctx, http.MethodGet, w.server.URL, nil)
	must(t, err)
	held := tab.Jar.Cookies(request.URL)[0].String()
	got := w.post(tab, "/auth/sign-out", "")
	if got.status != http.StatusNoContent || !strings.Contains(got.header.Get("Set-Cookie"),
		"Max-Age=0") {
		t.Errorf("sign-out: %d %v", got.status, got.header)
	}
	// The other tab still sends the cookie that it had when its request was made.
	wantReply(t, w.get(nil, "/auth/me", "Cookie", held), 401, domain.SessionExpired)
	if again := w.post(nil, "/auth/sign-out", "", "Cookie",
		held); again.status != http.StatusNoContent {
		t.Errorf("signing out twice: %d %s", again.status, again.body)
	}
	if got := w.get(elsewhere, "/auth/me"); got.status != 200 {
		t.Errorf("another browser: %d", got.status)
	}
	w.moveClock(12*time.Hour + time.Second)
	wantReply(t, w.get(elsewhere, "/auth/me"), 401, domain.SessionExpired)
	if got := w.post(elsewhere, "/auth/sign-in", signInAda); got.status != 200 {
		t.Errorf("a stale cookie prevents signing in: %d %s", got.status, got.body)
	}
}

func TestSigningInAgainEndsTheOldSession(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("ada")
	client := w.signedIn("ada")
	request, err := http.NewRequestWithContext(w.ctx, http.MethodGet, w.server.URL, nil)
	must(t, err)
	old := client.Jar.Cookies(request.URL)[0].String()
	if got := w.post(client, "/auth/sign-in", signInAda); got.status != 200 {
		t.Fatal(got.body)
	}
	wantReply(t, w.get(nil, "/auth/me", "Cookie", old), 401, domain.SessionExpired)
	if got := w.get(client, "/auth/me"); got.status != 200 {
		t.Errorf("the new session: %d %s", got.status, got.body)
	}
}

func TestRefusedSignIns(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("ada")
	for _, body := range []string{``, `{`, `[]`, signInAda + signInAda, `{"email":1}`,
		`{"email":"` + strings.Repeat("a", 20<<10) + `"}`} {
		wantReply(t, w.post(nil, "/auth/sign-in", body), 400, domain.InvalidInput)
	}
	wantReply(t, w.send(nil, http.MethodPost, "/auth/sign-in", signInAda, "Content-Type",
		"text/plain"), 400, domain.InvalidInput)
	wrong := `{"email":"ada@example.com","password":"wrong password"}`
	for range 5 {
		got := w.post(nil, "/auth/sign-in", wrong)
		wantReply(t, got, 401, domain.Unauthenticated)
		if got.header.Get("Set-Cookie") != "" {
			t.Error("a refusal set a cookie")
		}
	}
	got := w.post(nil, "/auth/sign-in", signInAda)
	wantReply(t, got, 429, domain.LockedOut)
	if seconds, err := strconv.Atoi(got.header.Get("Retry-After")); err != nil || seconds < 30 ||
		seconds > 60 {
		t.Errorf("Retry-After %q", got.header.Get("Retry-After"))
	}
	w.moveClock(time.Minute + time.Second)
	if got := w.post(nil, "/auth/sign-in", signInAda); got.status != 200 {
		t.Errorf("after the lock: %d %s", got.status, got.body)
	}
}

func TestTokens(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	ada := w.person("ada")
	token, secret := w.token(ada)
	if got := w.get(nil, "/auth/me", "Authorization", "bearer "+secret); got.status != 200 {
		t.Fatalf("%d %s", got.status, got.body)
	}
	for _, header := range []string{"Basic YWRhOmFkYQ==", "Bearer", "Bearer ", "Bearer cs_nonsense",
		secret} {
		got := w.get(w.signedIn("ada"), "/auth/me", "Authorization", header)
		wantReply(t, got, 401, domain.Unauthenticated)
		if got.header.Get("WWW-Authenticate") == "" {
			t.Error("no WWW-Authenticate")
		}
	}
	wantReply(t, w.post(nil, "/auth/sign-out", "", "Authorization", "Bearer "+secret), 400,
		domain.InvalidInput)
	_, err := w.service.RevokeToken(w.ctx, ada, token.ID)
	must(t, err)
	wantReply(t, w.get(nil, "/auth/me", "Authorization", "Bearer "+secret), 401,
		domain.Unauthenticated)
	_, second := w.token(ada)
	client := w.signedIn("ada")
	w.disable(ada)
	wantReply(t, w.get(nil, "/auth/me", "Authorization", "Bearer "+second), 401,
		domain.Unauthenticated)
	wantReply(t, w.get(client, "/auth/me"), 401, domain.Unauthenticated)
}

// Requests from other sites cannot send commands with the user's cookie.
func TestCrossOriginRequests(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("ada")
	client := w.signedIn("ada")
	own := w.server.URL
	for name, tc := range map[string]struct {
		headers []string
		status  int
	}{
		"another site": {[]string{"Origin", "https://evil.example", "Sec-Fetch-Site",
			"cross-site"}, 403},
		"a neighbour": {[]string{"Origin", "http://blog.review.example",
			"Sec-Fetch-Site", "same-site"}, 403},
		"an old browser":          {[]string{"Origin", "https://evil.example"}, 403},
		"a hidden origin":         {[]string{"Origin", "null"}, 403},
		"the same name, not http": {[]string{"Origin", "https://review.example:8443"}, 403},
		"own page":                {[]string{"Origin", own, "Sec-Fetch-Site", "same-origin"}, 200},
		"the public address": {[]string{"Origin", "http://review.example", "Sec-Fetch-Site",
			"same-origin"}, 200},
		"behind a proxy's address": {[]string{"Origin", "http://review.example"}, 200},
		"no browser":               {nil, 200},
	} {
		if got := w.post(client, "/auth/sign-in", signInAda,
			tc.headers...); got.status != tc.status {
			t.Errorf("%s: %d %s, want %d", name, got.status, got.body, tc.status)
		}
	}
	got := w.post(client, "/auth/sign-out", "", "Origin", "https://evil.example")
	wantReply(t, got, 403, domain.NotPermitted)
	if got := w.get(client, "/auth/me"); got.status != 200 {
		t.Errorf("a foreign page signed the visitor out: %d", got.status)
	}
}

func TestAttemptsFromOneAddress(t *testing.T) {
	t.Parallel()
	var asked string
	w := newTestEnv(t, func(o *web.Options) {
		o.AdmitSignIn = func(_ context.Context, address string) error {
			asked = address
			return domain.Errorf(domain.RateLimited, "Too many attempts.").
				WithDetail("retryAfterSeconds", "7")
		}
	})
	got := w.post(nil, "/auth/sign-in", signInAda)
	wantReply(t, got, 429, domain.RateLimited)
	if got.header.Get("Retry-After") != "7" || asked != "address:127.0.0.1" {
		t.Errorf("Retry-After %q, address %q", got.header.Get("Retry-After"), asked)
	}
}

// An administrator without a second one is notified.
func TestOnlyAdministrator(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("ada", domain.RoleAdmin)
	browser := w.signedIn("ada")
	only := func() bool {
		return strings.Contains(w.get(browser, "/auth/me").body, `"onlyAdministrator":true`)
	}
	if !only() {
		t.Error("the only administrator is not notified")
	}
	w.person("adam", domain.RoleAdmin)
	if only() {
		t.Error("one of two administrators is reported as the only one")
	}
}

// Every browser of a person gets the person's settings with the session, and no one else's.
func TestSettingsArriveWithTheSession(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	ada := w.person("ada", domain.RoleL1)
	w.person("adam", domain.RoleL1)
	for range 2 {
		must(t, w.service.SetPersonSetting(w.ctx, ada, casework.SetPersonSetting{
			Name: domain.SettingSideWidth, Value: 470}))
	}
	for _, browser := range []*http.Client{w.signedIn("ada"), w.signedIn("ada")} {
		if got := w.get(browser, "/auth/me").body; !strings.Contains(got, `"settings":{"side_width":470}`) {
			t.Errorf("a browser of the person gets %s", got)
		}
	}
	if got := w.get(w.signedIn("adam"), "/auth/me").body; strings.Contains(got, "settings") {
		t.Errorf("another person gets %s", got)
	}
}
