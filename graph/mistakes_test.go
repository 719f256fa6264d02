package graph

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/vektah/gqlparser/v2/ast"

	"countersign/domain"
	"countersign/graph/generated"
	"countersign/graph/transport"
)

// warnings collects log records of level WARN and above.
type warnings struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *warnings) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

func (l *warnings) take() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	text := l.text.String()
	l.text.Reset()
	return text
}

// newTestEnvWithWarnings returns an environment with or without introspection, and its log records
// of level WARN and above.
func newTestEnvWithWarnings(t *testing.T, open bool) (*testEnv, *warnings) {
	t.Helper()
	log := &warnings{}
	w := newTestEnvWith(t, "", func(o *Options) {
		o.AllowIntrospection, o.Logger = open,
			slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelWarn}))
		o.Limits = transport.DefaultLimits()
		o.Limits.Cost, o.Limits.Fields, o.Limits.Aliases = 1_000_000, 10_000, 1000
	})
	for name, roles := range map[string][]domain.Role{"ada": {domain.RoleAdmin},
		"max":  {domain.RoleManager, domain.RoleL1, domain.RoleSubmitter, domain.RoleAuditor},
		"otto": {domain.RoleExternal}} {
		person := w.person(name, roles...)
		person.TokenID = domain.NewID() // an API token may send any document
		w.people.Store(name, person)
	}
	return w, log
}

// blames reports whether a response reports a fault of the server.
func blames(answer string) bool {
	return strings.Contains(answer, `"Internal"`) || strings.Contains(answer, "our side") ||
		strings.Contains(answer, "panic")
}

// wrongValues are invalid values that a client may send in any place.
var wrongValues = map[string]any{"text": "no such value", "empty": "", "number": json.Number("7"),
	"negative": json.Number("-1"),
	"huge":     json.Number("99999999999999999999999"), "fraction": json.Number("1.5"),
	"exponent": json.Number("1e400"), "flag": true,
	"list": []any{}, "nested list": []any{[]any{nil}}, "object": map[string]any{"no": "such"},
	"null":      nil,
	"zero byte": "a\x00b", "no UTF-8": "\xff\xfe", "surrogate": json.RawMessage(`"\ud800"`),
	"long":     strings.Repeat("x", 20_000),
	"far time": "9999-12-31T23:59:59Z", "early time": "0000-01-01T00:00:00Z"}

// wrongValueParts is how many environments share the fields of TestWrongValuesAreClientErrors, each
// of which sends one request after the other.
const wrongValueParts = 4

// TestWrongValuesAreClientErrors sends every wrong value to every place of the schema that accepts
// a value, as a variable. No response reports a failure of the server, and none logs a warning.
func TestWrongValuesAreClientErrors(t *testing.T) {
	t.Parallel()
	schema := generated.NewExecutableSchema(generated.Config{Resolvers: &resolver{}}).Schema()
	for part := range wrongValueParts {
		t.Run(fmt.Sprint(part), func(t *testing.T) {
			t.Parallel()
			w, log := newTestEnvWithWarnings(t, true)
			sent, at := 0, 0
			for _, root := range []*ast.Definition{schema.Query, schema.Mutation,
				schema.Subscription} {
				for _, field := range root.Fields {
					if at++; at%wrongValueParts == part {
						sent += w.sendWrongValues(schema, root, field, log)
					}
				}
			}
			t.Logf("%d wrong values of %d fields sent", sent, at)
		})
	}
}

// sendWrongValues sends every wrong value to every place of the field as every user, and returns
// how many requests it sent.
func (w *testEnv) sendWrongValues(schema *ast.Schema, root *ast.Definition,
	field *ast.FieldDefinition, log *warnings) (sent int) {
	w.t.Helper()
	for _, path := range placesOfValues(schema, field) {
		for name, value := range wrongValues {
			ask := documentBuilder{schema: schema, values: map[string]any{path: value},
				nonce: domain.NewID().String(),
				other: func(path string) any {
					return missingIDs[foreignPlaces[field.Name+"."+path].kinds[0]]
				}}
			query, variables := ask.document(root, field, 1)
			for _, by := range []string{"ada", "max", "otto"} {
				answer := w.sendRaw(by, http.MethodPost, "", "", query, variables)
				sent++
				if noted := log.take(); blames(answer) || noted != "" {
					w.t.Errorf("%s.%s = %s by %s: %.400s\nlogged: %s", field.Name, path, name,
						by, answer, noted)
				}
			}
		}
	}
	return sent
}

// placesOfValues returns the dotted paths of every argument and every input field.
func placesOfValues(schema *ast.Schema, field *ast.FieldDefinition) (paths []string) {
	var walk func(of *ast.Type, path string)
	walk = func(of *ast.Type, path string) {
		paths = append(paths, path)
		if definition := schema.Types[of.Name()]; definition.Kind == ast.InputObject {
			for _, inner := range definition.Fields {
				walk(inner.Type, path+"."+inner.Name)
			}
		}
	}
	for _, argument := range field.Arguments {
		walk(argument.Type, argument.Name)
	}
	return paths
}

// sendRaw sends a request body unchanged and returns status and body; of a stream, everything until
// its end or its first event.
func (w *testEnv) sendRaw(by, method, accept, contentType, query string, variables any) string {
	w.t.Helper()
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	must(w.t, err)
	return w.sendBody(by, method, accept, contentType, body)
}

func (w *testEnv) sendBody(by, method, accept, contentType string, body []byte) string {
	w.t.Helper()
	request, err := http.NewRequestWithContext(w.t.Context(), method, w.server.URL,
		bytes.NewReader(body))
	must(w.t, err)
	if contentType == "" {
		contentType = "application/json"
	}
	request.Header.Set("Content-Type", contentType)
	if accept != "" {
		request.Header.Set("Accept", accept)
	}
	if by != "" {
		request.Header.Set("Authorization", "Bearer "+by)
	}
	response, err := w.server.Client().Do(request)
	must(w.t, err)
	defer func() { _ = response.Body.Close() }()
	if strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream") {
		return response.Status + " " + firstEvent(response.Body)
	}
	text, err := io.ReadAll(response.Body)
	must(w.t, err)
	return response.Status + " " + string(text)
}

// firstEvent reads a stream to the end of its first event, because a subscription does not end by
// itself.
func firstEvent(stream io.Reader) (text string) {
	lines := bufio.NewScanner(stream)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if text += lines.Text() + "\n"; strings.HasPrefix(lines.Text(), "data:") {
			break
		}
	}
	return text
}

// subscribeRaw sends the payload over a socket and returns the messages up to the first of the
// operation, and how the connection was closed, if it was.
func (w *testEnv) subscribeRaw(by string, payload []byte) (received string) {
	w.t.Helper()
	// only a safeguard against hanging
	ctx, cancel := context.WithTimeout(w.t.Context(), time.Minute)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, "ws"+strings.TrimPrefix(w.server.URL, "http"),
		&websocket.DialOptions{Subprotocols: []string{"graphql-transport-ws"}})
	must(w.t, err)
	defer func() { _ = conn.CloseNow() }()
	credentials := "{}"
	if by != "" {
		credentials = `{"Authorization": "Bearer ` + by + `"}`
	}
	for _, text := range []string{`{"type": "connection_init", "payload": ` + credentials + `}`,
		`{"type": "subscribe", "id": "1", "payload": ` + string(payload) + `}`} {
		if conn.Write(ctx, websocket.MessageText, []byte(text)) != nil {
			break // closed; the next read reports it
		}
	}
	for {
		_, text, err := conn.Read(ctx)
		if err != nil {
			return received + fmt.Sprint(" closed ", int(websocket.CloseStatus(err)))
		}
		if received += string(text); strings.Contains(string(text), `"id":"1"`) {
			return received
		}
	}
}

// mistakes are invalid documents with their variables and operation names.
var mistakes = map[string]struct {
	query, operation string
	variables        any
}{
	"no operation of the name": {`query a { viewer { person { id } } }`, "b", nil},
	"several without a name": {`query a { viewer { person { id } } } query b { viewer {
		person { id } } }`, "", nil},
	"missing variable":    {`query($id: ID!) { case(id: $id) { id } }`, "", nil},
	"undeclared variable": {`query { case(id: $id) { id } }`, "", nil},
	"variable of no type": {`query($id: Nothing!) { case(id: $id) { id } }`, "",
		map[string]any{"id": 1}},
	"variable of another type": {`query($id: Int!) { case(id: $id) { id } }`, "",
		map[string]any{"id": 1}},
	"variables are a list": {`query($id: ID!) { case(id: $id) { id } }`, "", []any{1}},
	"unknown field":        {`{ nothing }`, "", nil},
	"unknown argument":     {`{ case(no: 1) { id } }`, "", nil},
	"no selection":         {`{ case(id: "x") }`, "", nil},
	"selection of a scalar": {`{ cases(first: 1) { pageInfo { hasNextPage { x } } } }`, "",
		nil},
	"literal of another type": {`{ cases(first: "x") { nodes { id } } }`, "", nil},
	"literal out of range": {`{ cases(first: 99999999999999999999) { nodes { id } } }`,
		"", nil},
	"literal out of an enum": {`{ people(role: NOTHING) { id } }`, "", nil},
	"not closed":             {`{ case(id: "x") { id `, "", nil},
	"no document":            {`hello`, "", nil},
	"only a fragment":        {`fragment f on Query { viewer { person { id } } }`, "", nil},
	"unused fragment": {`{ viewer { person { id } } } fragment f on Query { viewer
		{ person { id } } }`, "", nil},
	"unknown fragment":               {`{ ...f }`, "", nil},
	"fragment in itself":             {`{ ...f } fragment f on Query { ...f }`, "", nil},
	"fragment of another type":       {`{ viewer { ...f } } fragment f on Case { id }`, "", nil},
	"unknown directive":              {`{ viewer @no { person { id } } }`, "", nil},
	"directive without its argument": {`{ viewer @include { person { id } } }`, "", nil},
	"too deep": {`{ case(id: "x") ` +
		strings.Repeat(`{ openReview { case `, 20) + `{ id }` + strings.Repeat(`} }`, 20) + ` }`,
		"", nil},
	"too many tokens": {`{ ` + strings.Repeat("viewer { person { id } } ", 2000) +
		`}`, "", nil},
	"two answers of one name": {`{ case(id: "x") { id } case(id: "y") { id } }`, "", nil},
	"two fields subscribed": {`subscription { notifications { at } other: notifications {
		at } }`, "", nil},
	"introspected subscription": {`subscription { __typename }`, "", nil},
	"an id of no kind":          {`{ node(id: "zzz") { id } }`, "", nil},
	"zero byte":                 {"{ case(id: \"a\\u0000b\") { id } }", "", nil},
	"control characters":        {"{ case(id: \"\x01\") { id } \x02 }", "", nil},
	"no query":                  {"", "", nil},
}

// TestInvalidDocumentsAreClientErrors sends every invalid document over every transport, with and
// without a token. No response reports a failure of the server, and none logs a warning.
func TestInvalidDocumentsAreClientErrors(t *testing.T) {
	t.Parallel()
	for _, open := range []bool{true, false} {
		w, log := newTestEnvWithWarnings(t, open)
		check := func(what, answer string) {
			t.Helper()
			if noted := log.take(); blames(answer) || noted != "" || answer == "" {
				t.Errorf("open %v, %s: %.400s\nlogged: %s", open, what, answer, noted)
			}
		}
		for name, m := range mistakes {
			body, err := json.Marshal(map[string]any{"query": m.query, "operationName": m.operation,
				"variables": m.variables})
			must(t, err)
			for _, by := range []string{"ada", "", "unknown token"} {
				for _, accept := range []string{"", "application/graphql-response+json",
					"text/event-stream"} {
					check(fmt.Sprintf("%s by %q as %q", name, by, accept),
						w.sendBody(by, http.MethodPost, accept, "", body))
				}
				values := url.Values{"query": {m.query}, "operationName": {m.operation}}
				check(fmt.Sprintf("%s by %q by GET", name, by), w.getRaw(by, values.Encode()))
			}
			check(name+" over a socket", w.subscribeRaw("ada", body))
		}
		for name, body := range map[string]string{"empty": "", "a list": "[]", "text": `"x"`,
			"null": "null", "cut off": `{"query": "`, "no UTF-8": "{\"query\": \"\xff\xfe\"}",
			"query of a number":  `{"query": 7}`,
			"variables of text":  `{"query": "{ viewer { person { id } } }", "variables": "x"}`,
			"extensions of text": `{"query": "{ __typename }", "extensions": "x"}`,
			"unknown document":   `{"documentId": "sha256:00"}`,
			"another hash":       `{"query": "{ __typename }", "documentId": "00"}`,
			"deep":               strings.Repeat("[", 20_000),
			"deep variables": `{"query": "{ __typename }", "variables": {"a": ` +
				strings.Repeat("[", 12_000) + strings.Repeat("]", 12_000) + `}}`} {
			for _, contentType := range []string{"application/json", "text/plain",
				"application/json; charset=latin1", "multipart/form-data",
				"multipart/form-data; boundary=x", ";"} {
				check(name+" as "+contentType,
					w.sendBody("ada", http.MethodPost, "", contentType, []byte(body)))
			}
			check(name+" over a socket", w.subscribeRaw("ada", []byte(body)))
		}
		for _, method := range []string{http.MethodPut, http.MethodDelete, http.MethodPatch,
			http.MethodOptions} {
			check(method, w.sendBody("ada", method, "", "", []byte(`{"query": "{ __typename }"}`)))
		}
		for name, query := range map[string]string{"mutation by GET": url.Values{"query": {`mutation
			{ claimNextReview(input: {}) { userErrors { __typename } } }`}}.Encode(),
			"subscription by GET": url.Values{"query": {`subscription { notifications { at } }`}}.Encode(), "broken escape": "query=%zz", "no UTF-8": "query=%ff%fe",
			"variables of text": "query=%7B__typename%7D&variables=x", "nothing": "variables={}"} {
			check(name, w.getRaw("ada", query))
		}
	}
}

// getRaw sends a query by GET.
func (w *testEnv) getRaw(by, query string) string {
	w.t.Helper()
	request, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, w.server.URL, nil)
	must(w.t, err)
	request.URL.RawQuery = query
	if by != "" {
		request.Header.Set("Authorization", "Bearer "+by)
	}
	response, err := w.server.Client().Do(request)
	must(w.t, err)
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	must(w.t, err)
	return response.Status + " " + string(text)
}

// introspecting are the introspection queries.
var introspecting = []string{`{ __schema { queryType { name } } }`,
	`{ __type(name: "Case") { name } }`, `query { ...f } fragment f on Query { __schema { types {
		name } } }`,
	`{ viewer { person { id } } a: __schema { types { fields { name } } } }`,
	`{ ... on Query { __type(name: "Query") { fields { name } } } }`}

// TestIntrospectionIsRefusedWithItsOwnCode checks that production refuses introspection with its
// own code over every transport, without logging, and that requests without a token are not parsed.
func TestIntrospectionIsRefusedWithItsOwnCode(t *testing.T) {
	t.Parallel()
	w, log := newTestEnvWithWarnings(t, false)
	for _, query := range introspecting {
		body, err := json.Marshal(map[string]any{"query": query})
		must(t, err)
		for by, code := range map[string]domain.Code{"ada": domain.IntrospectionDisabled,
			"": domain.NotPermitted, "unknown token": domain.Unauthenticated} {
			for _, accept := range []string{"", "application/graphql-response+json",
				"text/event-stream"} {
				answer := w.sendBody(by, http.MethodPost, accept, "", body)
				if !strings.Contains(answer, `"code":"`+string(code)+`"`) ||
					strings.Contains(answer, `"data":{`) {
					t.Errorf("%s by %q as %q: %s", query, by, accept, answer)
				}
			}
			if answer := w.getRaw(by, url.Values{"query": {query}}.Encode()); !strings.Contains(
				answer, `"code":"`+string(code)+`"`) {
				t.Errorf("%s by %q by GET: %s", query, by, answer)
			}
		}
		if answer := w.subscribeRaw("ada", body); !strings.Contains(answer,
			`"code":"IntrospectionDisabled"`) || strings.Contains(answer, `"next"`) {
			t.Errorf("%s over a socket: %s", query, answer)
		}
	}
	if answer := w.subscribeRaw("",
		[]byte(`{"query": "{ __schema { queryType { name } } }"}`)); !strings.Contains(answer,
		"4403") {
		t.Errorf("an unauthenticated socket: %s", answer)
	}
	if answer := w.sendRaw("ada", http.MethodPost, "", "", `{ __typename viewer { __typename } }`,
		nil); !strings.Contains(answer, `"__typename":"Query"`) {
		t.Errorf("the name of a type: %s", answer)
	}
	if noted := log.take(); noted != "" {
		t.Errorf("logged: %s", noted)
	}
	open, _ := newTestEnvWithWarnings(t, true)
	for _, query := range introspecting {
		if answer := open.sendRaw("ada", http.MethodPost, "", "", query,
			nil); !strings.Contains(answer, `"name":"`) {
			t.Errorf("%s of a server in development: %s", query, answer)
		}
	}
}
