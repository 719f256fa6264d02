package web_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"countersign/blob"
	"countersign/casework"
	"countersign/domain"
	"countersign/identity"
	"countersign/internal/pgmeter"
	"countersign/internal/pgtest"
	"countersign/store"
	"countersign/views"
	"countersign/web"
)

const password = "correct horse battery"

// testEnv is a complete server with its own database, upload folder and captured log.
type testEnv struct {
	t             *testing.T
	ctx           context.Context
	db            *store.DB
	owner         *pgxpool.Pool
	service       *casework.Service
	authenticator *identity.Authenticator
	blobs         *blob.Folder
	// uploads stores resumable uploads in folder.
	uploads *web.UploadStore
	folder  string
	server  *httptest.Server
	options web.Options
	log     *logBuffer
	meter   *pgmeter.Meter // between the server and its database
}

// logBuffer captures the server's log.
type logBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logBuffer) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(text)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// silentNotifier discards notifications, because these tests need no worker.
type silentNotifier struct{}

func (silentNotifier) Enqueue(context.Context, []domain.PendingRun) {}
func (silentNotifier) PublishHints(context.Context, []domain.Hint)  {}

// newTestEnv starts a server; change may modify its options.
func newTestEnv(t *testing.T, change ...func(*web.Options)) *testEnv {
	t.Helper()
	folder := t.TempDir()
	uploads, err := web.OpenUploadFolder(folder)
	must(t, err)
	w := newTestEnvOn(t, uploads, change...)
	w.folder = folder
	return w
}

// newTestEnvOn is newTestEnv with another store of uploads.
func newTestEnvOn(t *testing.T, uploads *web.UploadStore, change ...func(*web.Options)) *testEnv {
	t.Helper()
	names := pgtest.New(t)
	w := &testEnv{t: t, ctx: t.Context(), owner: names.Owner(t), log: &logBuffer{}, uploads: uploads,
		meter: pgmeter.New(t, names.AppURL)}
	var err error
	w.db, err = store.Open(w.ctx, w.meter.URL, 8)
	must(t, err)
	t.Cleanup(w.db.Close)
	logger := slog.New(slog.NewJSONHandler(w.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	w.blobs, err = blob.OpenFolder(t.TempDir())
	must(t, err)
	t.Cleanup(func() { _ = w.blobs.Close() })
	w.service, err = casework.New(w.db, casework.Ports{Blobs: w.blobs, Uploads: w.uploads,
		Notifier: silentNotifier{}}, casework.Settings{}, logger)
	must(t, err)
	t.Cleanup(func() { w.service.Close(context.WithoutCancel(w.ctx)) })
	must(t, w.service.PublishBuiltins(w.ctx))
	w.authenticator = identity.New(w.db, identity.Settings{RelyingParty: "localhost",
		// Uses of tokens are written when the test ends, not beside a measured request.
		TokenUseDelay: time.Hour}, logger)
	t.Cleanup(func() { w.authenticator.Close(context.WithoutCancel(w.ctx)) })
	readViews := views.New(w.db.Reader(), w.service.Authorizer)
	options := web.Options{Exports: readViews, Reads: w.service, Version: "1.2.3", Callers: web.Callers{Authenticator: w.authenticator,
		PlainHTTP: true}, Files: w.service, People: w.db.Reader(), Passkeys: w.service,
		Uploads: web.UploadRules{MaxBytes: 50 << 20, MediaTypes: casework.MediaTypes(),
			Store: w.uploads, Service: w.service},
		Checks:    []web.Check{{Name: "postgres", Required: true, Probe: w.db.Ping}},
		PublicURL: "http://review.example", Metrics: true, QueueAges: w.queueAges,
		Clock: domain.SystemClock{}, Log: logger}
	for _, alter := range change {
		alter(&options)
	}
	w.server = startServer(t, options)
	w.options = options
	return w
}

func startServer(t *testing.T, options web.Options) *httptest.Server {
	t.Helper()
	handler, err := web.New(options)
	must(t, err)
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server
}

func (w *testEnv) queueAges(ctx context.Context) ([]web.QueueAge, error) {
	ages, err := w.service.QueueAges(ctx)
	var shown []web.QueueAge
	for _, age := range ages {
		shown = append(shown, web.QueueAge{Queue: age.Queue, Due: age.Due,
			Oldest: time.Duration(age.OldestSec * float64(time.Second))})
	}
	return shown, err
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// person creates a user who can sign in with the password.
func (w *testEnv) person(name string, roles ...domain.Role) domain.Actor {
	w.t.Helper()
	hash, err := identity.HashPassword(password)
	must(w.t, err)
	id, err := w.service.PutUser(w.ctx, domain.SystemActor(), casework.PutUser{PasswordHash: hash,
		User: domain.User{Email: name + "@example.com", Name: name, Roles: roles}})
	must(w.t, err)
	return domain.Actor{UserID: id, Name: name, Channel: domain.ChannelAPI}
}

// disable disables a user.
func (w *testEnv) disable(actor domain.Actor) {
	w.t.Helper()
	user, err := w.db.Reader().User(w.ctx, actor.UserID)
	must(w.t, err)
	user.Disabled = true
	_, err = w.service.PutUser(w.ctx, domain.SystemActor(), casework.PutUser{User: user})
	must(w.t, err)
}

// token creates an API token of the user.
func (w *testEnv) token(actor domain.Actor, scopes ...string) (domain.APIToken, string) {
	w.t.Helper()
	secret, hash := identity.NewToken()
	token, err := w.service.CreateToken(w.ctx, actor,
		casework.CreateToken{Name: "ci", Scopes: scopes, Hash: hash})
	must(w.t, err)
	return token, secret
}

// submit submits a document under the file name.
func (w *testEnv) submit(by domain.Actor, name, content string) domain.ID {
	w.t.Helper()
	text := []byte(content)
	sum := sha256.Sum256(text)
	submitted, err := w.service.SubmitDocument(w.ctx, by,
		casework.SubmitDocument{File: casework.Upload{FileName: name, Size: int64(len(text)),
			SHA256: sum[:],
			Open: func() (io.ReadCloser, error) {
				return io.NopCloser(bytes.NewReader(text)),
					nil
			}}})
	must(w.t, err)
	return submitted.CaseID
}

// browser returns a client that keeps cookies.
func (w *testEnv) browser() *http.Client {
	w.t.Helper()
	jar, err := cookiejar.New(nil)
	must(w.t, err)
	return &http.Client{Jar: jar, Transport: w.server.Client().Transport}
}

// signedIn returns a browser in which the user has signed in.
func (w *testEnv) signedIn(name string) *http.Client {
	w.t.Helper()
	client := w.browser()
	got := w.post(client, "/auth/sign-in", fmt.Sprintf(`{"email":"%s@example.com","password":%q}`,
		name, password))
	if got.status != http.StatusOK {
		w.t.Fatalf("sign-in of %s: %d %s", name, got.status, got.body)
	}
	return client
}

// reply is a response with its complete body.
type reply struct {
	status int
	header http.Header
	body   string
}

// volatilePattern matches what differs between requests without carrying information.
var volatilePattern = regexp.MustCompile(`"requestId":"[^"]*"`)

// normalized returns the complete response, headers included, without volatile parts.
func (r reply) normalized() string {
	header := r.header.Clone()
	for _, name := range []string{"Date", "X-Request-Id"} {
		header.Del(name)
	}
	return fmt.Sprint(r.status, header, volatilePattern.ReplaceAllString(r.body, "-"))
}

// code returns the error code of the response.
func (r reply) code() string {
	var answer struct{ Error struct{ Code string } }
	_ = json.Unmarshal([]byte(r.body), &answer)
	return answer.Error.Code
}

func (w *testEnv) get(client *http.Client, path string, headers ...string) reply {
	w.t.Helper()
	return w.send(client, http.MethodGet, path, "", headers...)
}

func (w *testEnv) post(client *http.Client, path, body string, headers ...string) reply {
	w.t.Helper()
	return w.send(client, http.MethodPost, path, body,
		append([]string{"Content-Type", "application/json"}, headers...)...)
}

func (w *testEnv) send(client *http.Client, method, path, body string, headers ...string) reply {
	w.t.Helper()
	request, err := http.NewRequestWithContext(w.ctx, method, w.server.URL+path,
		strings.NewReader(body))
	must(w.t, err)
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	if client == nil {
		client = w.server.Client()
	}
	response, err := client.Do(request)
	must(w.t, err)
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	must(w.t, err)
	return reply{status: response.StatusCode, header: response.Header, body: string(text)}
}

func (w *testEnv) moveClock(offset time.Duration) {
	w.t.Helper()
	_, err := w.owner.Exec(w.ctx, fmt.Sprintf(`CREATE OR REPLACE FUNCTION clock() RETURNS timestamptz LANGUAGE sql VOLATILE PARALLEL SAFE
		AS 'SELECT clock_timestamp() + interval ''%d milliseconds'''`, offset.Milliseconds()))
	must(w.t, err)
}

func wantReply(t *testing.T, got reply, status int, code domain.Code) {
	t.Helper()
	if got.status != status || got.code() != string(code) {
		t.Errorf("answered %d %s, want %d %s", got.status, got.body, status, code)
	}
}
