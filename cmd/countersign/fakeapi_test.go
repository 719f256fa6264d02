package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"countersign/domain"
)

// object is one object of a fixture, by field name.
type object = map[string]any

// apiSchema is the schema of the server, as the fake endpoint checks operations against it.
var apiSchema = sync.OnceValues(func() (*ast.Schema, error) {
	names, err := filepath.Glob("../../graph/schema/*.graphqls")
	if err != nil {
		return nil, err
	}
	var list []*ast.Source
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		list = append(list, &ast.Source{Name: name, Input: string(text)})
	}
	return gqlparser.LoadSchema(list...)
})

// received is one operation as the fake endpoint got it.
type received struct {
	Query     string
	Variables object
	header    http.Header
	fileName  string
	file      string
}

// fakeAPI is a GraphQL endpoint. It refuses every operation that does not fit the schema, answers
// from fixtures by root field, and keeps what it was sent.
type fakeAPI struct {
	t       *testing.T
	schema  *ast.Schema
	url     string
	answers object // a value, or a func(arguments object) any
	failure string // the body of every answer, if set

	// connections are what each websocket sends after its subscription, in the order of dialing.
	connections []func(*fakeSocket)

	mu       sync.Mutex
	requests []received
	cursors  []any // the variable after of each subscription
}

func newFakeAPI(t *testing.T, answers object) *fakeAPI {
	t.Helper()
	schema, err := apiSchema()
	if err != nil {
		t.Fatal(err)
	}
	f := &fakeAPI{t: t, schema: schema, answers: answers}
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	f.url = server.URL
	return f
}

// run executes a command against the endpoint and returns exit code, output and messages.
func (f *fakeAPI) run(args ...string) (code int, out, messages string) {
	f.t.Helper()
	var outBuffer, errBuffer bytes.Buffer
	c := &console{out: &outBuffer, errs: &errBuffer, clock: domain.SystemClock{}}
	c.settings.Client.URL, c.settings.Client.Token = f.url, "secret"
	var all commands
	parser, err := kong.New(&all, kong.Name("countersign"), kong.Writers(c.out, c.errs),
		kong.Bind(c), kong.BindTo(f.t.Context(), (*context.Context)(nil)))
	if err != nil {
		f.t.Fatal(err)
	}
	chosen, err := parser.Parse(args)
	if err != nil {
		return c.printUsage(err), outBuffer.String(), errBuffer.String()
	}
	c.json = all.JSON
	return c.printError(chosen.Run()), outBuffer.String(), errBuffer.String()
}

// last is the newest operation.
func (f *fakeAPI) last() received {
	f.t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.requests) == 0 {
		f.t.Fatal("no operation was sent")
	}
	return f.requests[len(f.requests)-1]
}

// ServeHTTP answers one operation, or serves a subscription.
func (f *fakeAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Upgrade") != "" {
		f.serveSocket(w, r)
		return
	}
	operation, err := readOperation(r)
	if err != nil {
		f.t.Errorf("read the request: %v", err)
		return
	}
	operation.header = r.Header
	f.mu.Lock()
	f.requests = append(f.requests, operation)
	f.mu.Unlock()
	if f.failure != "" {
		_, _ = io.WriteString(w, f.failure)
		return
	}
	document, errs := gqlparser.LoadQueryWithRules(f.schema, operation.Query, nil)
	if errs != nil {
		f.t.Errorf("the operation does not fit the schema: %v\n%s", errs, operation.Query)
		return
	}
	data := f.answer(document.Operations[0], operation.Variables)
	_ = json.NewEncoder(w).Encode(object{"data": data})
}

// readOperation reads a request as JSON, or as a form with one file.
func readOperation(r *http.Request) (received, error) {
	var operation received
	if !strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/form-data") {
		return operation, json.NewDecoder(r.Body).Decode(&operation)
	}
	parts, err := r.MultipartReader()
	if err != nil {
		return operation, err
	}
	var places map[string][]string
	for {
		part, err := parts.NextPart()
		if err == io.EOF {
			return operation, nil
		}
		if err != nil {
			return operation, err
		}
		content, err := io.ReadAll(part)
		if err != nil {
			return operation, err
		}
		switch name := part.FormName(); name {
		case "operations":
			err = json.Unmarshal(content, &operation)
		case "map":
			err = json.Unmarshal(content, &places)
		default:
			operation.fileName, operation.file = part.FileName(), string(content)
			placeFile(operation.Variables, places[name])
		}
		if err != nil {
			return operation, err
		}
	}
}

// placeFile marks where the form puts the file among the variables.
func placeFile(variables object, paths []string) {
	for _, path := range paths {
		steps := strings.Split(path, ".")[1:]
		var at any = variables
		for _, step := range steps[:len(steps)-1] {
			if list, ok := at.([]any); ok {
				index, _ := strconv.Atoi(step)
				at = list[index]
				continue
			}
			at = at.(object)[step]
		}
		at.(object)[steps[len(steps)-1]] = "the file"
	}
}

func (f *fakeAPI) answer(operation *ast.OperationDefinition, variables object) object {
	data := object{}
	for _, selection := range operation.SelectionSet {
		field := selection.(*ast.Field)
		value, ok := f.answers[field.Name]
		if !ok {
			f.t.Errorf("no fixture answers %s", field.Name)
		}
		if compute, ok := value.(func(object) any); ok {
			value = compute(field.ArgumentMap(variables))
		}
		data[field.Alias] = f.project(field, value)
	}
	return data
}

// project returns the selected part of the value, as a server does.
func (f *fakeAPI) project(field *ast.Field, value any) any {
	switch value := value.(type) {
	case []any:
		list := []any{}
		for _, element := range value {
			list = append(list, f.project(field, element))
		}
		return list
	case object:
		part := object{}
		f.projectInto(part, field.SelectionSet, value)
		return part
	}
	return value
}

func (f *fakeAPI) projectInto(part object, selections ast.SelectionSet, value object) {
	for _, selection := range selections {
		switch selection := selection.(type) {
		case *ast.Field:
			inner, ok := value[selection.Name]
			if !ok && selection.Definition.Type.NonNull && selection.Name != "__typename" {
				f.t.Errorf("the fixture has no %s", selection.Name)
			}
			part[selection.Alias] = f.project(selection, inner)
		case *ast.InlineFragment:
			f.projectInto(part, selection.SelectionSet, value)
		case *ast.FragmentSpread:
			f.projectInto(part, selection.Definition.SelectionSet, value)
		}
	}
}

// fakeSocket is the server's end of one subscription.
type fakeSocket struct {
	api  *fakeAPI
	conn *websocket.Conn
	ctx  context.Context
}

func (s *fakeSocket) send(kind string, payload any) {
	message := object{"id": "events", "type": kind}
	if payload != nil {
		message["payload"] = payload
	}
	if err := wsjson.Write(s.ctx, s.conn, message); err != nil {
		s.api.t.Errorf("send %s: %v", kind, err)
	}
}

// event sends one event of a case.
func (s *fakeSocket) event(event object) {
	s.send("next", object{"data": object{"caseEvents": event}})
}

// serveSocket speaks graphql-transport-ws up to the subscription, then follows the script.
func (f *fakeAPI) serveSocket(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	if len(f.connections) == 0 {
		f.mu.Unlock()
		http.Error(w, "no more connections", http.StatusServiceUnavailable)
		return
	}
	script := f.connections[0]
	f.connections = f.connections[1:]
	f.mu.Unlock()
	conn, err := websocket.Accept(w, r,
		&websocket.AcceptOptions{Subprotocols: []string{subprotocol}})
	if err != nil {
		f.t.Errorf("accept: %v", err)
		return
	}
	defer func() { _ = conn.CloseNow() }()
	s := &fakeSocket{api: f, conn: conn, ctx: r.Context()}
	var first struct {
		Payload struct{ Authorization string }
	}
	if err := wsjson.Read(s.ctx, conn, &first); err != nil {
		f.t.Errorf("read connection_init: %v", err)
		return
	}
	if first.Payload.Authorization != "Bearer secret" {
		_ = conn.Close(4403, "Forbidden")
		return
	}
	if err := wsjson.Write(s.ctx, conn, object{"type": "connection_ack"}); err != nil {
		f.t.Errorf("acknowledge: %v", err)
		return
	}
	var subscribe struct{ Payload received }
	if err := wsjson.Read(s.ctx, conn, &subscribe); err != nil {
		f.t.Errorf("read subscribe: %v", err)
		return
	}
	if _, errs := gqlparser.LoadQueryWithRules(f.schema, subscribe.Payload.Query,
		nil); errs != nil {
		f.t.Errorf("the subscription does not fit the schema: %v", errs)
	}
	f.mu.Lock()
	f.cursors = append(f.cursors, subscribe.Payload.Variables["after"])
	f.mu.Unlock()
	script(s)
}
