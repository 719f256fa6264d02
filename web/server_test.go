package web_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"countersign/domain"
	"countersign/identity"
	"countersign/web"
)

func TestEveryResponseHasSecurityHeadersAndID(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t, func(o *web.Options) { o.PublicURL = "https://review.example" })
	for _, path := range []string{"/", "/auth/me", "/auth/nothing", "/healthz", "/cases/x/document",
		"/missing.js"} {
		got := w.get(nil, path)
		policy := got.header.Get("Content-Security-Policy")
		if !strings.Contains(policy, "frame-ancestors 'none'") ||
			strings.Contains(policy, "script-src 'self' 'unsafe") ||
			got.header.Get("X-Content-Type-Options") != "nosniff" ||
			got.header.Get("Referrer-Policy") != "same-origin" ||
			got.header.Get("Strict-Transport-Security") == "" ||
			len(got.header.Get("X-Request-Id")) != 36 {
			t.Errorf("%s: %v", path, got.header)
		}
	}
	for given, accepted := range map[string]bool{"proxy-1234.abc": true, "short": false,
		"with spaces in it": false, "line\tbreak-12": false, strings.Repeat("a", 65): false} {
		got := w.get(nil, "/auth/me", "X-Request-Id", given).header.Get("X-Request-Id")
		if (got == given) != accepted {
			t.Errorf("%q became %q", given, got)
		}
	}
}

func TestTheLogLine(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	ada := w.person("ada")
	_, secret := w.token(ada)
	w.get(nil, "/auth/me?token=hush-hush", "Authorization", "Bearer "+secret, "X-Request-Id",
		"proxy-1234")
	w.server.Close() // every line is written when the connections are closed
	var line struct {
		Msg, Path, User, Method string
		RequestID               string `json:"request_id"`
		Status                  int
	}
	scanner := bufio.NewScanner(strings.NewReader(w.log.String()))
	for scanner.Scan() && line.Msg != "request" {
		must(t, json.Unmarshal(scanner.Bytes(), &line))
	}
	if line.Path != "/auth/me" || line.User != ada.UserID.String() || line.Status != 200 ||
		line.RequestID != "proxy-1234" || line.Method != "GET" {
		t.Errorf("line %+v", line)
	}
	if strings.Contains(w.log.String(), secret) || strings.Contains(w.log.String(), "hush") {
		t.Error("a secret is in the log")
	}
}

func TestHealth(t *testing.T) {
	t.Parallel()
	var postgres, redis error
	w := newTestEnv(t, func(o *web.Options) {
		o.Checks = []web.Check{{Name: "postgres", Required: true,
			Probe: func(context.Context) error { return postgres }},
			{Name: "redis", Probe: func(context.Context) error { return redis }}}
	})
	want := func(path string, status int, parts string) {
		t.Helper()
		if got := w.get(nil, path); got.status != status || strings.TrimSpace(got.body) != parts {
			t.Errorf("%s: %d %s, want %d %s", path, got.status, got.body, status, parts)
		}
	}
	want("/readyz", 200, `{"postgres":"ok","redis":"ok","status":"ready"}`)
	redis = errors.New("dial tcp 10.0.0.7: refused")
	want("/readyz", 200, `{"postgres":"ok","redis":"unreachable","status":"degraded"}`)
	postgres = errors.New("gone")
	want("/readyz", 503, `{"postgres":"unreachable","redis":"unreachable","status":"not ready"}`)
	want("/healthz", 200, `{"status":"ok","version":"1.2.3"}`)
	if !strings.Contains(w.log.String(), "10.0.0.7") {
		t.Error("the cause of a failed check is not in the log")
	}
}

func TestServerReportsAMissingDatabase(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("ada")
	client := w.signedIn("ada")
	w.db.Close()
	if got := w.get(nil, "/readyz"); got.status != 503 {
		t.Errorf("ready: %d %s", got.status, got.body)
	}
	if got := w.get(nil, "/healthz"); got.status != 200 {
		t.Errorf("alive: %d", got.status)
	}
	got := w.get(client, "/auth/me")
	if got.status < 500 || strings.Contains(got.body, "pool") {
		t.Errorf("me: %d %s", got.status, got.body)
	}
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t, func(o *web.Options) { o.MetricsToken = "figures" })
	w.submit(w.person("ada", domain.RoleSubmitter), "a.pdf", pdf)
	w.get(nil, "/auth/me")
	got := w.get(nil, "/metrics", "Authorization", "Bearer figures")
	for _, want := range []string{`countersign_queue_due{queue=`, "countersign_queue_age_seconds",
		"go_goroutines",
		`countersign_http_request_seconds_count{route="GET /auth/me",status="4xx"} 1`} {
		if !strings.Contains(got.body, want) {
			t.Errorf("%s is missing in %d %s", want, got.status, got.body)
		}
	}
	off := newTestEnv(t, func(o *web.Options) { o.Metrics, o.MetricsToken = false, "figures" })
	if got := off.get(nil, "/metrics", "Authorization",
		"Bearer figures"); strings.Contains(got.body, "go_goroutines") {
		t.Error("metrics are served though switched off")
	}
}

func TestPanicYieldsOneResponse(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t, func(o *web.Options) {
		o.GraphQL = http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			panic("secret detail")
		})
	})
	got := w.post(nil, "/graphql", `{}`)
	wantReply(t, got, 500, domain.Internal)
	if strings.Contains(got.body, "secret detail") ||
		!strings.Contains(w.log.String(), "secret detail") {
		t.Errorf("the panic is shown, or not logged: %s", got.body)
	}
	if got := w.get(nil, "/healthz"); got.status != 200 {
		t.Errorf("afterwards: %d", got.status)
	}
}

// The GraphQL handler receives the request's context and may stream and hijack connections.
func TestGraphQLIsMounted(t *testing.T) {
	t.Parallel()
	var callers web.Callers
	w := newTestEnv(t, func(o *web.Options) {
		o.AllowInlineScripts = true
		callers = o.Callers
		o.GraphQL = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			actor, err := callers.Identify(r.Context(), r, r.Header.Get("X-Socket-Token"))
			_, flushes := w.(http.Flusher)
			_, hijacks := w.(http.Hijacker)
			_ = json.NewEncoder(w).Encode(map[string]any{"name": actor.Name,
				"code": domain.CodeOf(err), "request": actor.RequestID,
				"channel": actor.Channel, "flushes": flushes, "hijacks": hijacks,
				"locale": identity.RequestOf(r.Context()).Locale})
		})
	})
	_, secret := w.token(w.person("ada"))
	want := func(want string, headers ...string) {
		t.Helper()
		got := w.post(nil, "/graphql", `{}`, append(headers, "X-Request-Id", "proxy-1234",
			"Accept-Language", "fr, zh-CN;q=0.9, en;q=0.8")...)
		if strings.TrimSpace(got.body) != want ||
			!strings.Contains(got.header.Get("Content-Security-Policy"), "'unsafe-inline'") {
			t.Errorf("got %s, want %s", got.body, want)
		}
	}
	want(`{"channel":"","code":"","flushes":true,"hijacks":true,"locale":"zh","name":"","request":"proxy-1234"}`)
	want(`{"channel":"api","code":"","flushes":true,"hijacks":true,"locale":"zh","name":"ada","request":"proxy-1234"}`, "Authorization", "Bearer "+secret)
	want(`{"channel":"cli","code":"","flushes":true,"hijacks":true,"locale":"zh","name":"ada","request":"proxy-1234"}`, "X-Socket-Token", "Bearer "+secret, "X-Countersign-Channel", "cli")
	want(`{"channel":"","code":"Unauthenticated","flushes":true,"hijacks":true,"locale":"zh","name":"","request":"proxy-1234"}`, "X-Socket-Token", "nonsense")
}

func TestThePage(t *testing.T) {
	t.Parallel()
	missing := newTestEnv(t)
	if got := missing.get(nil, "/"); got.status != 404 ||
		got.body != "SPA not built: make build\n" {
		t.Errorf("not built: %d %q", got.status, got.body)
	}
	app := fstest.MapFS{"index.html": {Data: []byte("<!doctype html>page")},
		"assets/main-a1b2.js": {Data: []byte("script")},
		"favicon.svg":         {Data: []byte("<svg/>")}}
	w := newTestEnv(t, func(o *web.Options) { o.App = app })
	for _, tc := range []struct {
		path, body, cache string
		status            int
	}{
		{"/", "<!doctype html>page", "no-cache", 200},
		{"/index.html", "<!doctype html>page", "no-cache", 200},
		{"/reviews/0199", "<!doctype html>page", "no-cache", 200},
		{"/cases/0199", "<!doctype html>page", "no-cache", 200},
		{"/assets/main-a1b2.js", "script", "public, max-age=31536000, immutable", 200},
		{"/favicon.svg", "<svg/>", "no-cache", 200},
		{"/assets/gone-c3d4.js", "", "no-store", 404},
		{"/assets/", "", "no-store", 404},
		{"/gone.map", "", "no-store", 404},
		{"/auth/nothing", "", "no-store", 404},
		{"/graphql/nothing", "", "no-store", 404},
	} {
		got := w.get(nil, tc.path)
		if got.status != tc.status || tc.body != "" && got.body != tc.body ||
			got.header.Get("Cache-Control") != tc.cache {
			t.Errorf("%s: %d %q %s", tc.path, got.status, got.body, got.header.Get("Cache-Control"))
		}
	}
	if got := w.get(nil, "/reviews"); !strings.HasPrefix(got.header.Get("Content-Type"),
		"text/html") {
		t.Errorf("type %s", got.header.Get("Content-Type"))
	}
	if got := w.post(nil, "/reviews", `{}`); got.status != 405 {
		t.Errorf("POST of a page: %d", got.status)
	}
	if got := w.send(nil, http.MethodGet, "/%2e%2e/%2e%2e/etc/passwd",
		""); strings.Contains(got.body, "root:") {
		t.Error("a file outside the page was served")
	}
}

func TestOptionsAreChecked(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"", "review.example", "ftp://review.example", "://",
		"http://"} {
		if _, err := web.New(web.Options{PublicURL: address}); !domain.HasCode(err,
			domain.InvalidInput) {
			t.Errorf("%q: %v", address, err)
		}
	}
	handler, err := web.New(web.Options{PublicURL: "http://127.0.0.1:8080",
		Log: slog.New(slog.DiscardHandler)})
	must(t, err)
	server := handler.Server("127.0.0.1:0")
	if server.ReadHeaderTimeout == 0 || server.IdleTimeout == 0 || server.MaxHeaderBytes == 0 ||
		server.WriteTimeout != 0 {
		t.Errorf("server %+v", server)
	}
}

func TestSharedSecretsAreNowhere(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("ada")
	client := w.signedIn("ada")
	body := w.get(client, "/auth/me").body
	var answer map[string]map[string]any
	must(t, json.Unmarshal([]byte(body), &answer))
	var names []string
	for name := range answer["user"] {
		names = append(names, name)
	}
	slices.Sort(names)
	if want := []string{"email", "id", "locale", "name", "queues", "roles"}; !slices.Equal(names,
		want) {
		t.Errorf("me shows %v, want %v", names, want)
	}
}
