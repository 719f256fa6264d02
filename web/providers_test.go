package web_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
	"countersign/identity"
	"countersign/identity/oidc"
	"countersign/internal/testprovider"
	"countersign/web"
)

// providerEnv is a server whose people sign in through a real provider.
type providerEnv struct {
	*testEnv
	provider *testprovider.Provider
	server   *httptest.Server
}

func newProviderEnv(t *testing.T, change ...func(*web.Options)) *providerEnv {
	t.Helper()
	env := &providerEnv{testEnv: newTestEnv(t),
		provider: testprovider.New(t, "http://review.example/auth/oidc/corp/callback")}
	provider := oidc.New(oidc.Settings{Name: "corp", Label: "Corporate", Issuer: env.provider.Issuer,
		ClientID: testprovider.ClientID, ClientSecret: testprovider.ClientSecret, EmployeeClaim: "employee_id",
		GroupsClaim: "groups", Scopes: []string{"openid"}}, "http://review.example", domain.SystemClock{})
	authenticator := identity.New(env.db, identity.Settings{Accounts: env.service, PasswordsOff: true,
		Providers: []identity.Provider{provider}}, slog.New(slog.DiscardHandler))
	t.Cleanup(func() { authenticator.Close(context.WithoutCancel(env.ctx)) })
	options := env.options
	options.Callers.Authenticator = authenticator
	for _, alter := range change {
		alter(&options)
	}
	env.server = startServer(t, options)
	employee := "E-17"
	_, err := env.service.PutUser(env.ctx, domain.SystemActor(), casework.PutUser{EmployeeID: &employee,
		User: domain.User{Email: "ada@example.com", Name: "Ada", Roles: []domain.Role{domain.RoleL1}}})
	must(t, err)
	env.provider.Put(testprovider.Person{Subject: "ada", Employee: employee, Session: "s1"})
	return env
}

// browser keeps cookies and follows no redirects.
type browser struct {
	env     *providerEnv
	cookies map[string]*http.Cookie
}

func (b *browser) send(method, path string, form url.Values) *http.Response {
	b.env.t.Helper()
	request, err := http.NewRequestWithContext(b.env.ctx, method, b.env.server.URL+path,
		strings.NewReader(form.Encode()))
	must(b.env.t, err)
	if form != nil {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for _, cookie := range b.cookies {
		request.AddCookie(cookie)
	}
	answer, err := http.DefaultTransport.RoundTrip(request)
	must(b.env.t, err)
	b.env.t.Cleanup(func() { _ = answer.Body.Close() })
	for _, cookie := range answer.Cookies() {
		b.cookies[cookie.Name] = cookie
	}
	return answer
}

func (e *providerEnv) browser() *browser { return &browser{e, map[string]*http.Cookie{}} }

// startAt begins a sign-in and returns the path with which the provider sends the browser back.
func (b *browser) startAt(path string) string {
	b.env.t.Helper()
	started := b.send(http.MethodGet, path, nil)
	if started.StatusCode != http.StatusSeeOther {
		b.env.t.Fatalf("%s: %s", path, started.Status)
	}
	back := b.env.provider.SignIn(b.env.t, started.Header.Get("Location"), "ada")
	if back.Host != "review.example" {
		b.env.t.Fatalf("the provider sent the browser to %s", back)
	}
	return back.RequestURI()
}

func (b *browser) wantRedirect(answer *http.Response, to string) {
	b.env.t.Helper()
	if got := answer.Header.Get("Location"); answer.StatusCode != http.StatusSeeOther || got != to {
		b.env.t.Errorf("%s to %q, want %q", answer.Status, got, to)
	}
	if answer.Header.Get("Cache-Control") != "no-store" || answer.Header.Get("Referrer-Policy") != "no-referrer" {
		b.env.t.Errorf("headers %v", answer.Header)
	}
}

const startPath = "/auth/oidc/corp/start?return=%2Fcases%3Fmine%3D1"

// A person signs in through the provider over HTTP, with the cookies of one browser, and is signed out
// by the provider.
func TestSignInThroughAProvider(t *testing.T) {
	t.Parallel()
	env := newProviderEnv(t)
	ada := env.browser()
	options, err := io.ReadAll(ada.send(http.MethodGet, "/auth/options", nil).Body)
	must(t, err)
	if !strings.Contains(string(options), `"passwords":false,"providers":[{"name":"corp","label":"Corporate"}]`) {
		t.Errorf("options %s", options)
	}
	back := ada.startAt(startPath)
	cookie := ada.cookies["countersign-provider"]
	if cookie == nil || !cookie.HttpOnly || cookie.SameSite != http.SameSiteLaxMode || cookie.MaxAge != 600 {
		t.Fatalf("cookie %+v", cookie)
	}
	env.browser().wantRedirect(env.browser().send(http.MethodGet, back, nil), "/sign-in?refused=request_expired")
	ada.wantRedirect(ada.send(http.MethodGet, back, nil), "/cases?mine=1")
	me := ada.send(http.MethodGet, "/auth/me", nil)
	var shown struct{ User struct{ Email string } }
	must(t, json.NewDecoder(me.Body).Decode(&shown))
	if shown.User.Email != "ada@example.com" {
		t.Errorf("signed in as %+v", shown)
	}
	ada.wantRedirect(ada.send(http.MethodGet, back, nil), "/sign-in?refused=request_expired")
	// The session stays valid while the provider is down, and ends when the provider says so.
	env.provider.SetDown(true)
	if answer := ada.send(http.MethodGet, "/auth/me", nil); answer.StatusCode != http.StatusOK {
		t.Errorf("the session ended with the provider: %s", answer.Status)
	}
	logout := func(token string) *http.Response {
		return env.browser().send(http.MethodPost, "/auth/oidc/corp/backchannel-logout",
			url.Values{"logout_token": {token}})
	}
	if answer := logout("a.b.c"); answer.StatusCode != http.StatusBadRequest {
		t.Errorf("a wrong logout token: %s", answer.Status)
	}
	claims := env.provider.LogoutClaims(time.Now(), "1", "ada", "s1")
	answer := logout(env.provider.Sign(t, claims))
	if answer.StatusCode != http.StatusOK || answer.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("a logout token: %s %v", answer.Status, answer.Header)
	}
	if answer := ada.send(http.MethodGet, "/auth/me", nil); answer.StatusCode != http.StatusUnauthorized {
		t.Errorf("the session did not end: %s", answer.Status)
	}
}

// Refusals end on the sign-in page with a reason and nothing of what was sent.
func TestProviderRefusalsOverHTTP(t *testing.T) {
	t.Parallel()
	env := newProviderEnv(t, func(o *web.Options) { o.Callers.PlainHTTP = false })
	ada := env.browser()
	for path, reason := range map[string]string{
		"/auth/oidc/corp/callback":                                         "request_expired",
		"/auth/oidc/corp/callback?error=<script>&state=x":                  "request_expired",
		"/auth/oidc/corp/callback?code=1&state=" + strings.Repeat("A", 43): "request_expired"} {
		ada.wantRedirect(ada.send(http.MethodGet, path, nil), "/sign-in?refused="+reason)
	}
	if answer := ada.send(http.MethodGet, "/auth/oidc/other/start", nil); answer.StatusCode != http.StatusNotFound {
		t.Errorf("an unknown provider: %s", answer.Status)
	}
	back := ada.startAt("/auth/oidc/corp/start?return=https://evil.example")
	if cookie := ada.cookies["__Host-countersign-provider"]; cookie == nil || !cookie.Secure || cookie.Path != "/" {
		t.Errorf("cookies %v", ada.cookies)
	}
	ada.wantRedirect(ada.send(http.MethodGet, back, nil), "/")
	env.provider.Put(testprovider.Person{Subject: "ada", Employee: "E-99"})
	ada.wantRedirect(ada.send(http.MethodGet, ada.startAt(startPath), nil), "/sign-in?refused=unknown_employee")
	if answer := ada.send(http.MethodPost, "/auth/sign-in", nil); answer.StatusCode == http.StatusOK {
		t.Errorf("signed in by password: %s", answer.Status)
	}
}

// Starts and answers count as sign-ins of the address, logout tokens do not.
func TestProviderSignInsAreLimited(t *testing.T) {
	t.Parallel()
	var counted []string
	env := newProviderEnv(t, func(o *web.Options) {
		o.AdmitSignIn = func(_ context.Context, key string) error {
			if counted = append(counted, key); len(counted) > 2 {
				return domain.Errorf(domain.RateLimited, "Too many.")
			}
			return nil
		}
	})
	ada := env.browser()
	ada.wantRedirect(ada.send(http.MethodGet, ada.startAt(startPath), nil), "/cases?mine=1")
	ada.wantRedirect(ada.send(http.MethodGet, startPath, nil), "/sign-in?refused=rate_limited")
	ada.send(http.MethodPost, "/auth/oidc/corp/backchannel-logout", url.Values{"logout_token": {"x"}})
	if len(counted) != 3 || !strings.HasPrefix(counted[0], "address:") {
		t.Errorf("counted %q", counted)
	}
}
