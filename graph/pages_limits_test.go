package graph

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"

	"countersign/domain"
	"countersign/frontend"
	"countersign/graph/generated"
	"countersign/graph/transport"
)

// The application's own documents stay within half of the limits of fields and repeated fields, so
// that tight limits never affect a page.
func TestThePagesStayWithinTheLimits(t *testing.T) {
	t.Parallel()
	var documents map[string]string
	if err := json.Unmarshal(frontend.PersistedDocuments(), &documents); err != nil ||
		len(documents) < 20 {
		t.Fatalf("%d documents %v", len(documents), err)
	}
	limits := transport.DefaultLimits()
	schema := generated.NewExecutableSchema(generated.Config{Resolvers: &resolver{}}).Schema()
	fields, repeats := 0, 0
	for _, text := range documents {
		document, errs := gqlparser.LoadQueryWithRules(schema, text, nil)
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		for _, operation := range document.Operations {
			asked, again := transport.Count(operation)
			fields, repeats = max(fields, asked), max(repeats, again)
		}
	}
	t.Logf("%d documents: at most %d fields (limit %d), %d repeated (limit %d)", len(documents),
		fields, limits.Fields, repeats, limits.Repeats)
	if fields > limits.Fields/2 || repeats > limits.Repeats/2 {
		t.Errorf("a page asks for %d fields and repeats %d", fields, repeats)
	}
}

// 500 copies of one field are refused in every notation.
func TestCopiesOfAFieldAreRefused(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("ma", domain.RoleManager)
	for name, query := range map[string]string{
		"plainly":   `{ ` + strings.Repeat("viewer { person { id } } ", 100) + `}`,
		"of a leaf": `{ viewer { person { ` + strings.Repeat("name ", 500) + `} } }`,
		"in inline fragments": `{ viewer { person { ` +
			strings.Repeat("... on Person { name } ", 100) + `} } }`,
		"by a fragment": `{ viewer { person { ` + strings.Repeat("...N ", 100) +
			`} } } fragment N on Person { name }`,
		"by fragments of fragments": `{ viewer { person { ...A ...A ...A ...A } } } fragment A on Person { ...B ...B ...B ...B }
			fragment B on Person { ...C ...C ...C ...C } fragment C on Person { name email }`,
	} {
		got := w.execute("ma", query)
		if len(got.Errors) != 1 || got.Errors[0].Extensions["code"] != "QueryTooComplex" {
			t.Errorf("%s: %+v", name, got.Errors)
		}
	}
	if got := w.execute("ma", `{ viewer { person { id name ... on Person { id name } } } policy {
		version } }`); len(got.Errors) != 0 {
		t.Errorf("a few copies: %+v", got.Errors)
	}
}
