package transport

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"go.uber.org/goleak"

	"countersign/domain"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var testSchema = gqlparser.MustLoadSchema(&ast.Source{Input: `
	scalar Upload
	type Query { hello: String!  who: String!  self: Query }
	type Mutation { upload(file: Upload!, files: [Upload]): String!  act: String! }
	type Subscription { count(to: Int!): Int!  feed: String!  quiet: Int!  refused: Int!  revoked: Int! }
`})

// testServer is a handler over a small schema, with counters and switches for tests.
type testServer struct {
	*httptest.Server
	handler             *Handler
	folder              string
	activeSubscriptions atomic.Int64 // active subscriptions
	begun               atomic.Int64 // subscriptions started in total
	framesProduced      atomic.Int64 // frames produced in total
	rejectCredentials   atomic.Bool  // refuses credentials from now on
	identityUnavailable atomic.Bool  // authentication is unavailable
	rateLimited         atomic.Bool  // operations are refused by the rate limit
	admitUpload         func() error // called before the first byte
}

func newTestServer(t *testing.T, alter func(*Options)) *testServer {
	t.Helper()
	d := &testServer{folder: t.TempDir()}
	engine := executor.New(&graphql.ExecutableSchemaMock{
		SchemaFunc: func() *ast.Schema { return testSchema },
		ComplexityFunc: func(context.Context, string, string, int, map[string]any) (int, bool) {
			return 0, false
		},
		ExecFunc: d.exec,
	})
	engine.SetParserTokenLimit(DefaultLimits().Tokens)
	guard := &Guard{Limits: DefaultLimits()}
	engine.Use(guard)
	engine.SetErrorPresenter(presentError)
	options := Options{Executor: engine, Clock: domain.SystemClock{}, TempDir: d.folder,
		Identify: d.identify,
		Admit: func(context.Context, domain.Actor, *http.Request) error {
			if d.rateLimited.Load() {
				return domain.Errorf(domain.RateLimited, "Too many.").
					WithDetail("retryAfterSeconds", "7")
			}
			return nil
		},
		AdmitUpload: func(context.Context, domain.Actor, *http.Request) error {
			if d.admitUpload != nil {
				return d.admitUpload()
			}
			return nil
		}}
	if alter != nil {
		alter(&options)
	}
	d.handler = New(options)
	d.Server = httptest.NewServer(d.handler)
	t.Cleanup(func() {
		d.handler.Close()
		d.Server.Close()
		http.DefaultClient.CloseIdleConnections()
	})
	return d
}

func presentError(_ context.Context, err error) *gqlerror.Error {
	var shown *gqlerror.Error
	if !errors.As(err, &shown) {
		shown = &gqlerror.Error{Message: err.Error()}
	}
	if code := domain.CodeOf(err); code != domain.Internal {
		shown.Extensions = map[string]any{"code": code}
	}
	return shown
}

func (d *testServer) identify(_ context.Context, r *http.Request, token string) (
	domain.Actor, error) {
	given := orDefault(token, r.Header.Get("Authorization"))
	switch {
	case d.identityUnavailable.Load():
		return domain.Actor{}, domain.Errorf(domain.Unavailable, "away")
	case given == "":
		return domain.Actor{}, nil
	case given == "Bearer token":
		return domain.Actor{UserID: domain.SystemUserID, TokenID: domain.SystemUserID, Name: "ada"},
			nil
	case given != "Bearer good" || d.rejectCredentials.Load():
		return domain.Actor{}, domain.Errorf(domain.Unauthenticated, "wrong credentials")
	}
	return domain.Actor{UserID: domain.SystemUserID, Name: "ada"}, nil
}

// exec implements a schema of a few root fields.
func (d *testServer) exec(ctx context.Context) graphql.ResponseHandler {
	operation := graphql.GetOperationContext(ctx)
	field := operation.Operation.SelectionSet[0].(*ast.Field)
	result := func(value any) *graphql.Response {
		data, _ := json.Marshal(map[string]any{field.Alias: value})
		return &graphql.Response{Data: data}
	}
	if operation.Operation.Operation == ast.Subscription {
		return d.runSubscription(ctx, field.Name, operation.Variables, result)
	}
	switch field.Name {
	case "upload":
		return graphql.OneShot(result(describe(operation.Variables["f"])))
	case "who":
		return graphql.OneShot(result(Caller(ctx).Name))
	}
	return graphql.OneShot(result("hello"))
}

func (d *testServer) runSubscription(ctx context.Context, name string, variables map[string]any,
	result func(any) *graphql.Response) graphql.ResponseHandler {
	d.activeSubscriptions.Add(1)
	d.begun.Add(1)
	context.AfterFunc(ctx, func() { d.activeSubscriptions.Add(-1) })
	number := 0
	return func(context.Context) *graphql.Response {
		number++
		switch name {
		case "count":
			to, _ := strconv.Atoi(fmt.Sprint(variables["n"]))
			if number > to {
				return nil
			}
			return result(number)
		case "feed":
			d.framesProduced.Add(1)
			return result(strings.Repeat("x", 256<<10))
		case "refused":
			return &graphql.Response{Errors: gqlerror.List{{Message: "No access."}}}
		case "revoked":
			if number > 1 {
				EndSubscription(ctx, domain.Errorf(domain.SessionExpired,
					"Your session has ended."))
				return nil
			}
			return result(number)
		}
		<-ctx.Done()
		return nil
	}
}

// describe reads a received file.
func describe(value any) string {
	file, ok := value.(File)
	if !ok {
		return fmt.Sprintf("%T", value)
	}
	content, err := file.Open()
	if err != nil {
		return err.Error()
	}
	defer func() { _ = content.Close() }()
	body, _ := io.ReadAll(content)
	return fmt.Sprintf("%s %d %x %s", file.Name, file.Size, file.SHA256[:4],
		body[:min(len(body), 10)])
}

type reply struct {
	status int
	header http.Header
	body   string
}

func (r reply) json(t *testing.T) map[string]any {
	t.Helper()
	var body map[string]any
	if err := json.Unmarshal([]byte(r.body), &body); err != nil {
		t.Fatalf("%d %q: %v", r.status, r.body, err)
	}
	return body
}

// code returns the code of the first error.
func (r reply) code(t *testing.T) string {
	t.Helper()
	var body struct {
		Errors []struct{ Extensions struct{ Code string } }
	}
	if err := json.Unmarshal([]byte(r.body), &body); err != nil || len(body.Errors) == 0 {
		t.Fatalf("no error in %d %q", r.status, r.body)
	}
	return body.Errors[0].Extensions.Code
}

func (d *testServer) send(t *testing.T, method, query string, body io.Reader,
	header ...string) reply {
	t.Helper()
	request, err := http.NewRequest(method, d.URL+query, body)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{response.StatusCode, response.Header, string(text)}
}

func (d *testServer) post(t *testing.T, body string, header ...string) reply {
	t.Helper()
	return d.send(t, http.MethodPost, "", strings.NewReader(body),
		append([]string{"Content-Type", "application/json"}, header...)...)
}

// eventually polls until the condition holds.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	deadline := time.After(time.Minute)
	ticker := time.NewTicker(2 * time.Millisecond)
	defer ticker.Stop()
	for !condition() {
		select {
		case <-deadline:
			t.Fatalf("timed out: %s", what)
		case <-ticker.C:
		}
	}
}
