package graph

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/vektah/gqlparser/v2/ast"

	"countersign/domain"
	"countersign/graph/generated"
	"countersign/graph/scalar"
)

// input is one argument or input field of type text or list, and its path from an operation.
type input struct {
	roots    []*ast.FieldDefinition // fields from the operation's root to the one with the argument
	argument *ast.ArgumentDefinition
	kind     ast.Operation
	path     []string // names from the argument down; "0" is an element of a list
	of       *ast.Type
	max      int // characters, 0 if unlimited
	items    int // elements of a list, 0 for text
}

func (i input) name() string {
	names := []string{string(i.kind)}
	for _, root := range i.roots {
		names = append(names, root.Name)
	}
	return strings.Join(append(names, i.path...), ".")
}

func boundIn(directives ast.DirectiveList, directive string) int {
	found := directives.ForName(directive)
	if found == nil {
		return 0
	}
	n, _ := strconv.Atoi(found.Arguments.ForName("max").Value.Raw)
	return n
}

// isText reports whether a scalar accepts text of any length.
func isText(name string) bool {
	return slices.Contains([]string{"String", "ID", "Cursor", "JSON"}, name)
}

// inputs returns every text and list input of the schema, once per argument through which it is
// reachable.
func inputs(schema *ast.Schema) []input {
	var found []input
	var walk func(at input, of *ast.Type, directives ast.DirectiveList)
	walk = func(at input, of *ast.Type, directives ast.DirectiveList) {
		at.of = of
		if of.Elem != nil {
			list := at
			list.items = max(boundIn(directives, "items"), -1)
			if list.items == 0 {
				list.items = -1 // unlimited
			}
			found = append(found, list)
			at.path = append(slices.Clone(at.path), "0")
			walk(at, of.Elem, directives)
			return
		}
		definition := schema.Types[of.NamedType]
		switch {
		case definition.Kind == ast.InputObject:
			for _, field := range definition.Fields {
				inner := at
				inner.path = append(slices.Clone(at.path), field.Name)
				walk(inner, field.Type, field.Directives)
			}
		case isText(of.NamedType):
			at.max = boundIn(directives, "length")
			found = append(found, at)
		}
	}
	// The search is breadth first over the types, so that each field with arguments is found by its
	// shortest path.
	type route struct {
		kind  ast.Operation
		roots []*ast.FieldDefinition
		of    *ast.Definition
	}
	ways := []route{{ast.Query, nil, schema.Query}, {ast.Mutation, nil, schema.Mutation},
		{ast.Subscription, nil, schema.Subscription}}
	visited := map[string]bool{}
	for len(ways) > 0 {
		here := ways[0]
		ways = ways[1:]
		if visited[here.of.Name] || strings.HasPrefix(here.of.Name, "__") {
			continue
		}
		visited[here.of.Name] = true
		for _, field := range here.of.Fields {
			if strings.HasPrefix(field.Name, "__") {
				continue
			}
			roots := append(slices.Clone(here.roots), field)
			for _, argument := range field.Arguments {
				walk(input{roots: roots, argument: argument, kind: here.kind,
					path: []string{argument.Name}}, argument.Type, argument.Directives)
			}
			if target := schema.Types[field.Type.Name()]; target.Kind == ast.Object {
				ways = append(ways, route{here.kind, roots, target})
			}
		}
	}
	return found
}

func ownSchema() *ast.Schema {
	return generated.NewExecutableSchema(generated.Config{Resolvers: &resolver{}}).Schema()
}

func TestEveryTextInputHasALimit(t *testing.T) {
	t.Parallel()
	found := inputs(ownSchema())
	if len(found) < 200 {
		t.Fatalf("only %d inputs were found", len(found))
	}
	for _, one := range found {
		switch {
		case one.items < 0:
			t.Errorf("%s is a list without @items(max:)", one.name())
		case one.items > 0:
			t.Logf("%-70s %7d elements", one.name(), one.items)
		case one.max <= 0:
			t.Errorf("%s is text without @length(max:)", one.name())
		default:
			t.Logf("%-70s %7d characters", one.name(), one.max)
		}
	}
}

// sampler generates values of the schema's types; ids refer to real objects by the names of inputs.
type sampler struct {
	schema *ast.Schema
	ids    map[string]string
}

// of returns a value of the type with every required part, and with put at the end of the path.
// name is the name of the input.
func (s sampler) of(name string, of *ast.Type, path []string, put any) any {
	if len(path) == 0 && put != nil {
		return put
	}
	if of.Elem != nil {
		if len(path) == 0 {
			return []any{s.of(name, of.Elem, nil, nil)}
		}
		return []any{s.of(name, of.Elem, path[1:], put)}
	}
	definition := s.schema.Types[of.NamedType]
	switch definition.Kind {
	case ast.Enum:
		return definition.EnumValues[0].Name
	case ast.InputObject:
		object := map[string]any{}
		for _, field := range definition.Fields {
			switch {
			case len(path) > 0 && path[0] == field.Name:
				object[field.Name] = s.of(field.Name, field.Type, path[1:], put)
			case field.Type.NonNull && field.DefaultValue == nil:
				object[field.Name] = s.of(field.Name, field.Type, nil, nil)
			}
		}
		return object
	}
	switch of.NamedType {
	case "Int", "Float", "BigInt":
		return 1
	case "Boolean":
		return false
	case "DateTime":
		return "2030-01-01T00:00:00Z"
	}
	if id, known := s.ids[name]; known && of.NamedType == "ID" {
		return id
	}
	return "x"
}

// document returns an operation that selects the field with the argument as a variable.
func (i input) document(s sampler, put any) (query string, variables map[string]any) {
	variables = map[string]any{"v": s.of(i.argument.Name, i.argument.Type, i.path[1:], put)}
	declared := "$v: " + i.argument.Type.String()
	text := ""
	for depth := len(i.roots) - 1; depth >= 0; depth-- {
		field := i.roots[depth]
		var arguments []string
		for n, argument := range field.Arguments {
			switch {
			case depth == len(i.roots)-1 && argument == i.argument:
				arguments = append(arguments, argument.Name+": $v")
			case argument.Type.NonNull && argument.DefaultValue == nil:
				name := fmt.Sprintf("v%d_%d", depth, n)
				declared += ", $" + name + ": " + argument.Type.String()
				variables[name] = s.of(argument.Name, argument.Type, nil, nil)
				arguments = append(arguments, argument.Name+": $"+name)
			}
		}
		call := field.Name
		if len(arguments) > 0 {
			call += "(" + strings.Join(arguments, ", ") + ")"
		}
		switch kind := s.schema.Types[field.Type.Name()].Kind; {
		case text != "":
			text = call + " { " + text + " }"
		case kind == ast.Object || kind == ast.Interface || kind == ast.Union:
			text = call + " { __typename }"
		default:
			text = call
		}
	}
	return fmt.Sprintf("%s(%s) { %s }", i.kind, declared, text), variables
}

// first sends a document and returns its first response, also of a subscription, and the time it
// took.
func (w *testEnv) first(by, query string, variables map[string]any) (result, time.Duration) {
	w.t.Helper()
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	must(w.t, err)
	ctx, cancel := context.WithTimeout(w.t.Context(), 10*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, w.server.URL,
		bytes.NewReader(body))
	must(w.t, err)
	for name, value := range map[string]string{"Content-Type": "application/json",
		"GraphQL-Preflight": "1", "Authorization": "Bearer " + by} {
		request.Header.Set(name, value)
	}
	stream := strings.HasPrefix(query, "subscription")
	if stream {
		request.Header.Set("Accept", "text/event-stream")
	}
	began := domain.SystemClock{}.Now()
	response, err := w.server.Client().Do(request)
	must(w.t, err)
	defer func() { _ = response.Body.Close() }()
	var answer result
	if !stream || !strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream") {
		must(w.t, json.NewDecoder(response.Body).Decode(&answer))
		return answer, domain.SystemClock{}.Now().Sub(began)
	}
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if data, found := strings.CutPrefix(lines.Text(), "data: "); found {
			must(w.t, json.Unmarshal([]byte(data), &answer))
			break
		}
	}
	return answer, domain.SystemClock{}.Now().Sub(began)
}

// beyond returns "" if the response is InvalidInput for the path with its limit, and a description
// otherwise.
func (a result) beyond(path string, most, sent int) string {
	if len(a.Errors) != 1 {
		return fmt.Sprintf("%d errors: %+v", len(a.Errors), a)
	}
	refusal := a.Errors[0]
	values, _ := refusal.Extensions["values"].(map[string]any)
	if refusal.Extensions["code"] != string(domain.InvalidInput) ||
		refusal.Extensions["field"] != path ||
		values["most"] != strconv.Itoa(most) || values["sent"] != strconv.Itoa(sent) {
		return fmt.Sprintf("%+v", refusal)
	}
	return ""
}

// internal returns a response that no input may cause: an internal error.
func (a result) internal() string {
	text, _ := json.Marshal(a)
	if strings.Contains(string(text), string(domain.Internal)) ||
		strings.Contains(string(text), `"code":"Unavailable"`) {
		return string(text)
	}
	return ""
}

const longestAnswer = time.Second

func TestEveryLimitIsEnforced(t *testing.T) {
	t.Parallel()
	w := newTestEnvWith(t, "", nil)
	ada := w.person("ada", domain.Roles()...)
	w.person("sam", domain.RoleSubmitter)
	// The ids refer to real objects, so that other arguments reach the SQL statements.
	caseID, person := w.submit("sam", "12 000.00"), scalar.GlobalID(scalar.KindPerson, ada.UserID)
	w.runPending()
	review := w.mustExecute("ada", `query($id: ID!) { case(id: $id) { openReview { id } } }`, "id",
		caseID).text("case", "openReview", "id")
	samples := sampler{ownSchema(), map[string]string{"id": caseID, "caseId": caseID,
		"reviewId": review, "reviewIds": review, "personId": person,
		"to": person, "delegateId": person, "delegatorId": person, "takerId": person,
		"giverId": person, "substituteId": person,
		"assignee": person, "onBehalfOf": person}}
	for _, one := range inputs(samples.schema) {
		path := strings.Join(one.path, ".")
		if one.items > 0 {
			elements := make([]any, one.items+1)
			for i := range elements {
				elements[i] = samples.of("", one.of.Elem, nil, nil)
			}
			query, variables := one.document(samples, elements)
			if answer, _ := w.first("ada", query, variables); answer.beyond(path, one.items,
				one.items+1) != "" {
				t.Errorf("%s with one element too many: %s", one.name(),
					answer.beyond(path, one.items, one.items+1))
			}
			continue
		}
		most, over := one.max, one.max+1
		if one.of.NamedType == "JSON" {
			most, over = most-2, over-2 // the quotes count
		}
		query, variables := one.document(samples, strings.Repeat("x", over))
		if answer, _ := w.first("ada", query, variables); answer.beyond(path, one.max,
			one.max+1) != "" {
			t.Errorf("%s with one character too many: %s", one.name(),
				answer.beyond(path, one.max, one.max+1))
		}
		query, variables = one.document(samples, "a\x00b")
		if answer, _ := w.first("ada", query, variables); len(answer.Errors) != 1 ||
			!strings.Contains(answer.Errors[0].Message, "NUL") ||
			answer.Errors[0].Extensions["code"] != string(domain.InvalidInput) {
			t.Errorf("%s with NUL: %+v", one.name(), answer)
		}
		for _, char := range []string{"\U0001F600", "'", "%", "\\", "\u202e"} {
			query, variables = one.document(samples, strings.Repeat(char, most))
			answer, took := w.first("ada", query, variables)
			if problem := answer.internal(); problem != "" {
				t.Errorf("%s of %d times %q: %.300s", one.name(), most, char, problem)
			}
			if took > longestAnswer {
				t.Errorf("%s of %d times %q: took %s", one.name(), most, char, took)
			}
		}
	}
}

// Literals in the document are limited like variables, also in fragments and as single values in
// place of a list.
func TestLiteralsAreBounded(t *testing.T) {
	t.Parallel()
	w := newTestEnvWith(t, "", nil)
	w.person("ada", domain.RoleAdmin)
	long := strings.Repeat("x", 201)
	for query, path := range map[string]string{
		`{ cases(filter: {text: "` + long + `"}) { nodes { id } } }`: "filter.text",
		`query { ...all } fragment all on Query { cases(filter: {text: "` + long +
			`"}) { nodes { id } } }`: "filter.text",
		`query { ... on Query { cases(filter: {text: """` + long +
			`"""}) { nodes { id } } } }`: "filter.text",
		`mutation { claimReview(input: {reviewId: "x", idempotencyKey: "` + long +
			`"}) { userErrors { __typename } } }`: "input.idempotencyKey",
		`mutation { setSkills(input: {personId: "x", skills: "` + long +
			`"}) { userErrors { __typename } } }`: "input.skills",
		`mutation($k: String) { claimReview(input: {reviewId: "x", idempotencyKey: $k}) {
			userErrors { __typename } } }`: "input.idempotencyKey",
		`query($k: String = "` + long +
			`") { cases(filter: {text: $k}) { nodes { id } } }`: "filter.text",
		`mutation { saveDraft(input: {reviewId: "x", draft: {a: [{b: "c\u0000"}]}}) { userErrors {
			__typename } } }`: "input.draft",
		`mutation($k: JSON!) { saveDraft(input: {reviewId: "x", draft: {a: [$k]}}) { userErrors {
			__typename } } }`: "input.draft",
		`mutation { saveDraft(input: {reviewId: "x", draft: ` + strings.Repeat("[", 40) +
			strings.Repeat("]", 40) + `}) { userErrors { __typename } } }`: "input.draft",
	} {
		var variables map[string]any
		if strings.Contains(query, "$k: String)") {
			variables = map[string]any{"k": long}
		}
		if strings.Contains(query, "$k: JSON!)") {
			// more than Postgres' numeric can hold
			variables = map[string]any{"k": json.Number("1e999999")}
		}
		answer, _ := w.first("ada", query, variables)
		if len(answer.Errors) != 1 || answer.Errors[0].Extensions["code"] != string(
			domain.InvalidInput) || answer.Errors[0].Extensions["field"] != path {
			t.Errorf("%.100s: %+v", query, answer)
		}
	}
}
