// Package bounds_test attacks a whole server over real connections: with slow requests on every
// route, with floods, with forged headers.
//
// What may enter: attackers, and what people beside them still get.
// What never happens here: a test of one part that the part's own package can make.
package bounds_test

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"

	"countersign/authz"
	"countersign/blob"
	"countersign/casework"
	"countersign/domain"
	"countersign/graph"
	"countersign/identity"
	"countersign/internal/pgtest"
	"countersign/live"
	"countersign/store"
	"countersign/views"
	"countersign/web"
)

const password = "correct horse battery"

// settings are what a test may change before the server starts.
type settings struct {
	web   web.Options
	graph graph.Options
}

// world is a whole server on a database of its own, with one submitter who has a token.
type world struct {
	t                 *testing.T
	door              *web.Handler
	service           *casework.Service
	db                *store.DB
	gate              *identity.Authenticator
	addr, metricsAddr string
	sam               domain.Actor
	token             string
}

// silent discards notifications: no worker is needed here.
type silent struct{}

func (silent) Enqueue(context.Context, []domain.PendingRun) {}
func (silent) PublishHints(context.Context, []domain.Hint)  {}

func newWorld(t *testing.T, change func(*settings)) *world {
	t.Helper()
	w := &world{t: t}
	log := slog.New(slog.DiscardHandler)
	var err error
	w.db, err = store.Open(t.Context(), pgtest.New(t).AppURL, 8)
	must(t, err)
	t.Cleanup(w.db.Close)
	blobs, err := blob.OpenFolder(t.TempDir())
	must(t, err)
	t.Cleanup(func() { _ = blobs.Close() })
	uploads, err := web.OpenUploadFolder(t.TempDir())
	must(t, err)
	w.service, err = casework.New(w.db, casework.Ports{Blobs: blobs, Uploads: uploads,
		Notifier: silent{}}, casework.Settings{}, log)
	must(t, err)
	t.Cleanup(func() { w.service.Close(context.Background()) })
	must(t, w.service.PublishBuiltins(t.Context()))
	w.gate = identity.New(w.db, identity.Settings{}, log)
	t.Cleanup(func() { w.gate.Close(context.Background()) })
	window := views.New(w.db.Reader(),
		func(ctx context.Context) (*authz.Authority, error) { return w.service.Authorizer(ctx) })
	hub := live.NewHub(live.Options{Log: w.db.Reader(), Authorizer: window, Logger: log})
	callers := web.Callers{Authenticator: w.gate, PlainHTTP: true}
	clock := domain.SystemClock{}
	s := settings{
		graph: graph.Options{Service: w.service, Views: window, Hub: hub,
			Rates: live.NewRateLimiter(nil, clock), Clock: clock, Logger: log,
			AllowIntrospection: true,
			Identify:           callers.Identify, TempDir: t.TempDir(), MaxFileBytes: 50 << 20},
		web: web.Options{Callers: callers, Files: w.service, People: w.db.Reader(),
			App: fstest.MapFS{"index.html": {Data: []byte("<!doctype html>")}},
			Uploads: web.UploadRules{MaxBytes: 50 << 20, MediaTypes: casework.MediaTypes(),
				Store: uploads, Service: w.service},
			Checks:    []web.Check{{Name: "postgres", Required: true, Probe: w.db.Ping}},
			PublicURL: "http://review.example",
			Metrics:   true, MetricsToken: "secret", Clock: clock, Log: log},
	}
	if change != nil {
		change(&s)
	}
	handler := graph.New(s.graph)
	t.Cleanup(handler.Close)
	s.web.GraphQL = handler
	w.door, err = web.New(s.web)
	must(t, err)
	w.addr, w.metricsAddr = w.listen(w.door.Server("")), w.listen(w.door.MetricsServer(""))
	w.sam, w.token = w.person("sam", domain.RoleSubmitter)
	return w
}

func (w *world) listen(server *http.Server) string {
	w.t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(w.t, err)
	go func() { _ = server.Serve(listener) }()
	w.t.Cleanup(func() { _ = server.Close() })
	return listener.Addr().String()
}

// person makes a user with the password and an API token.
func (w *world) person(name string, roles ...domain.Role) (domain.Actor, string) {
	w.t.Helper()
	hash, err := identity.HashPassword(password)
	must(w.t, err)
	id, err := w.service.PutUser(w.t.Context(), domain.SystemActor(),
		casework.PutUser{PasswordHash: hash,
			User: domain.User{Email: name + "@example.com", Name: name, Roles: roles}})
	must(w.t, err)
	secret, tokenHash := identity.NewToken()
	actor := domain.Actor{UserID: id, Name: name, Channel: domain.ChannelAPI}
	_, err = w.service.CreateToken(w.t.Context(), actor, casework.CreateToken{Name: "ci",
		Hash: tokenHash})
	must(w.t, err)
	return actor, secret
}

// reply is one answer, read whole.
type reply struct {
	status int
	header http.Header
	body   string
}

func (w *world) send(method, url, body string, headers ...string) reply {
	w.t.Helper()
	request, err := http.NewRequestWithContext(w.t.Context(), method, "http://"+url,
		strings.NewReader(body))
	must(w.t, err)
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Add(headers[i], headers[i+1])
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	must(w.t, err)
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	must(w.t, err)
	return reply{response.StatusCode, response.Header, string(text)}
}

// beginUpload begins a file in pieces and returns its name.
func (w *world) beginUpload(size string) string {
	w.t.Helper()
	got := w.send(http.MethodPost, w.addr+"/uploads/", "", "Authorization", "Bearer "+w.token,
		"Tus-Resumable", "1.0.0", "Upload-Length", size)
	if got.status != http.StatusCreated {
		w.t.Fatalf("begin an upload: %d %s", got.status, got.body)
	}
	return strings.TrimPrefix(got.header.Get("Location"), "/uploads/")
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
