package graph

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vektah/gqlparser/v2/ast"

	"countersign/domain"
	"countersign/graph/generated"
	"countersign/graph/scalar"
)

// token creates an API token with the scopes for the user, and returns the name to authenticate
// with.
func (w *testEnv) token(name string, scopes ...string) string {
	w.t.Helper()
	known, ok := w.people.Load(name)
	if !ok {
		w.t.Fatalf("no user is called %s", name)
	}
	actor := known.(domain.Actor)
	actor.TokenID, actor.SessionID, actor.Scopes, actor.Channel = domain.NewID(), domain.NoID,
		scopes, domain.ChannelAPI
	secret := name + " by " + strings.Join(scopes, ",")
	w.people.Store(secret, actor)
	return secret
}

// outOfScope returns the refusals of the operation itself for lack of a scope, not of a field below
// it.
func outOfScope(text []byte, field string) []string {
	var answer struct {
		Data   map[string]struct{ UserErrors []struct{ Message string } }
		Errors []struct {
			Message string
			Path    []any
		}
	}
	_ = json.Unmarshal(text, &answer) // a list instead of an object has no userErrors
	var refusals []string
	for _, one := range answer.Errors {
		if len(one.Path) <= 1 && strings.Contains(one.Message, "does not have the scope") {
			refusals = append(refusals, one.Message)
		}
	}
	for _, one := range answer.Data[field].UserErrors {
		if strings.Contains(one.Message, "does not have the scope") {
			refusals = append(refusals, one.Message)
		}
	}
	return refusals
}

// Every operation of the schema is called with a token of every scope. Other scopes are refused and
// the required one is named; its own is accepted. The test fails for root fields without a scope.
func TestEveryOperationNeedsItsScope(t *testing.T) {
	t.Parallel()
	w, schema := newOutsiders(t)
	scopes := scopesOf(schema)
	ask := documentBuilder{schema: schema, values: map[string]any{}, nonce: "k"}
	table := map[string][]string{}
	for _, root := range []*ast.Definition{schema.Query, schema.Mutation, schema.Subscription} {
		for _, field := range root.Fields {
			if strings.HasPrefix(field.Name, "__") {
				continue
			}
			needed := scopes[root.Name+"."+field.Name]
			if len(needed) == 0 {
				t.Errorf("%s.%s names no scope", root.Name, field.Name)
				continue
			}
			table[fmt.Sprint(needed)] = append(table[fmt.Sprint(needed)], field.Name)
			ask.other = func(path string) any {
				return missingIDs[foreignPlaces[field.Name+"."+path].kinds[0]]
			}
			query, variables := ask.document(root, field, 1)
			for _, scope := range domain.Scopes() {
				w.wantScope(w.token("ada", string(scope)), root, field.Name, query, variables,
					needed, scope)
			}
		}
	}
	lines := make([]string, 0, len(table))
	for needed, fields := range table {
		slices.Sort(fields)
		lines = append(lines, fmt.Sprintf("| %s | %s |", strings.Trim(needed, "[]"),
			strings.Join(fields, ", ")))
	}
	slices.Sort(lines)
	t.Logf("scopes and the operations that need them (of several scopes, the first is named):\n%s",
		strings.Join(lines, "\n"))
}

// wantScope sends the operation and compares the refusal with the expectation for the scope.
func (w *testEnv) wantScope(by string, root *ast.Definition, field, query string,
	variables map[string]any, needed []domain.Action, scope domain.Action) {
	w.t.Helper()
	named := fmt.Sprintf("%q", needed[0])
	for transport, text := range w.answers(by, root, query, variables) {
		refusals := outOfScope(text, field)
		switch {
		case scope == needed[0] && len(refusals) > 0 && field != "approveReviews":
			w.t.Errorf("%s %s with the scope %s: %v", transport, field, scope, refusals)
		case !slices.Contains(needed, scope) &&
			(len(refusals) != 1 || !strings.Contains(refusals[0], named) ||
				!strings.Contains(string(text), string(domain.NotPermitted))):
			w.t.Errorf("%s %s with the scope %s, needs %v: %s", transport, field, scope, needed,
				text)
		}
	}
}

// answers returns the response of the operation, or of a subscription over each of its transports.
func (w *testEnv) answers(by string, root *ast.Definition, query string,
	variables map[string]any) map[string][]byte {
	w.t.Helper()
	if root.Name != "Subscription" {
		return map[string][]byte{"post": w.body(by, query, variables)}
	}
	texts := map[string][]byte{}
	for _, name := range slices.Sorted(maps.Keys(transports)) {
		l := transports[name](w, by, query, variables)
		select {
		case frame := <-l.frames:
			if errors, refused := frame["errors"].(string); refused {
				texts[name] = []byte(`{"errors":` + errors + `}`)
			} else {
				texts[name] = []byte(`{}`)
			}
		case <-time.After(20 * time.Second):
			w.t.Fatalf("%s returned nothing for %s", name, query)
		}
		l.disconnect()
	}
	return texts
}

// body returns the body of the response.
func (w *testEnv) body(by, query string, variables map[string]any) []byte {
	w.t.Helper()
	sent, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	must(w.t, err)
	request, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, w.server.URL,
		bytes.NewReader(sent))
	must(w.t, err)
	request.Header = http.Header{"Content-Type": {"application/json"},
		"Authorization": {"Bearer " + by}}
	response, err := w.server.Client().Do(request)
	must(w.t, err)
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	must(w.t, err)
	return text
}

// The scopes of the schema are those of the domain, and fields without a scope are refused for
// unauthenticated callers too.
func TestScopesAreComplete(t *testing.T) {
	t.Parallel()
	schema := generated.NewExecutableSchema(generated.Config{Resolvers: &resolver{}}).Schema()
	var shown []string
	for _, value := range schema.Types["Scope"].EnumValues {
		shown = append(shown, value.Name)
	}
	slices.Sort(shown)
	if !slices.Equal(shown, words(domain.Scopes())) {
		t.Errorf("the schema has %v, the domain %v", shown, words(domain.Scopes()))
	}
	if err := mayRoot(domain.Actor{UserID: domain.NewID()}, scopesOf(schema),
		"Mutation.new"); !domain.HasCode(err, domain.NotPermitted) {
		t.Errorf("an operation that names no scope: %v", err)
	}
	for _, field := range schema.Types["Viewer"].Fields {
		if field.Name != "person" && field.Directives.ForName(scopeDirective) == nil {
			t.Errorf("Viewer.%s is about the account and names no scope", field.Name)
		}
	}
}

// A token with the scope read cannot act for its user: not delegate, declare an absence, or revoke
// tokens. A junior can therefore not use it to decide 300 000 on the user's behalf.
func TestReadOnlyTokenCannotAct(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("sam", domain.RoleSubmitter)
	senior, junior := w.person("senior", domain.RoleSenior), w.person("junior", domain.RoleL1)
	_ = senior
	token := w.mustExecute("senior", `mutation { createApiToken(input: {name: "other"}) { token {
		id } userErrors { __typename } } }`).text("createApiToken", "token", "id")
	limit := `mutation { setLimit(input: {role: "reviewer_l1", amount: {amount: "1000.00",
		currency: "USD"}}) { userErrors { __typename } } }`
	w.person("ada", domain.RoleAdmin)
	w.mustExecute("ada", limit)
	w.submit("sam", "300000.00")
	w.runPending()
	thief := w.token("senior", "read")
	review := w.mustExecute(thief, `{ reviews { nodes { id } } }`).text("reviews", "nodes", 0, "id")
	if review == "" {
		t.Fatal("there is nothing to decide")
	}
	for name, mutation := range map[string]string{
		"delegate": fmt.Sprintf(
			`createDelegation(input: {delegateId: %q, validUntil: "2099-01-01T00:00:00Z"}) { userErrors { __typename } }`, scalar.GlobalID(scalar.KindPerson, junior.UserID)),
		"conflict": `declareConflict(input: {counterparty: "Acme", reason: "x"}) { userErrors { __typename } }`,
		"account":  `declareOwnAccount(input: {account: "DE89370400440532013000"}) { userErrors { __typename } }`,
		"absence":  `setOutOfOffice(input: {validUntil: "2099-01-01T00:00:00Z"}) { userErrors { __typename } }`,
		"revoke": fmt.Sprintf(
			`revokeApiToken(input: {tokenId: %q}) { userErrors { __typename } }`, token),
		"token": `createApiToken(input: {name: "wide"}) { secret userErrors { __typename } }`,
	} {
		for by, scope := range map[string]string{thief: "account",
			w.token("senior", "read", "decide"): "account"} {
			got := w.execute(by, "mutation { "+mutation+" }")
			if len(got.Errors) != 1 || !strings.Contains(got.Errors[0].Message, `"`+scope+`"`) {
				t.Errorf("%s by %s: %+v", name, by, got)
			}
		}
	}
	if got := w.execute(thief, `{ viewer { person { name } apiTokens { id } ownAccounts } }`); len(
		got.Errors) == 0 || got.at("viewer") != nil {
		t.Errorf("the account is read: %+v", got)
	}
	claimed := w.mustExecute("junior", `mutation($r: ID!) { claimReview(input: {reviewId: $r}) {
		userErrors { ... on Refusal { code } } } }`, "r", review)
	decided := w.mustExecute("junior", `mutation($r: ID!) { decideReview(input: {reviewId: $r,
		decision: APPROVE}) { userErrors { ... on Refusal { code } } } }`, "r", review)
	if claimed.text("claimReview", "userErrors", 0, "code") == "" ||
		decided.text("decideReview", "userErrors", 0, "code") == "" {
		t.Errorf("the junior decided 300 000: %+v %+v", claimed, decided)
	}
}
