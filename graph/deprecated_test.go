package graph

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/vektah/gqlparser/v2/ast"

	"countersign/domain"
	"countersign/graph/generated"
	"countersign/graph/scalar"
)

var replacementReason = regexp.MustCompile(`^Use (\w+)\.$`)

// Every deprecated name is one of a field or an optional input, and its reason names another one of
// the same type that is not deprecated.
func TestDeprecatedNamesHaveAReplacement(t *testing.T) {
	t.Parallel()
	schema := generated.NewExecutableSchema(generated.Config{Resolvers: &resolver{}}).Schema()
	deprecated := 0
	for name, definition := range schema.Types {
		for _, field := range definition.Fields {
			directive := field.Directives.ForName("deprecated")
			if directive == nil {
				continue
			}
			deprecated++
			named := replacementReason.FindStringSubmatch(directive.Arguments.ForName("reason").
				Value.Raw)
			if named == nil {
				t.Errorf("%s.%s is deprecated without naming a replacement", name, field.Name)
				continue
			}
			replacement := definition.Fields.ForName(named[1])
			if replacement == nil || replacement.Directives.ForName("deprecated") != nil {
				t.Errorf("%s.%s names the replacement %s", name, field.Name, named[1])
			}
			if definition.Kind == ast.InputObject && field.Type.NonNull {
				t.Errorf("%s.%s is deprecated and required", name, field.Name)
			}
		}
	}
	if deprecated == 0 {
		t.Error("no deprecated field was found")
	}
}

// same fails unless the value of the deprecated name, at the path, equals that of its replacement.
func (r result) same(t *testing.T, deprecated, replacement string, path ...any) {
	t.Helper()
	before, now := r.at(append(path[:len(path):len(path)], deprecated)...),
		r.at(append(path[:len(path):len(path)], replacement)...)
	if fmt.Sprint(before) != fmt.Sprint(now) {
		t.Errorf("%v: %s is %v, %s is %v", path, deprecated, before, replacement, now)
	}
}

// Clients of an earlier version send and select the deprecated names.
func TestDeprecatedNamesOfDelegations(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	rita, lars := w.person("rita", domain.RoleL1), w.person("lars", domain.RoleL2)
	w.person("ada", domain.RoleAdmin)
	const create = `mutation($in: CreateDelegationInput!) { createDelegation(input: $in) {
		reviewsWithoutReviewer withNobody delegation { giver { name } delegator { name }
		taker { name } delegate { name } }
		userErrors { ... on Refusal { field remedy wayOut } } } }`
	input := map[string]any{"giverId": scalar.GlobalID(scalar.KindPerson, rita.UserID),
		"validUntil": time.Now().Add(48 * time.Hour).UTC().Format(time.RFC3339)}
	if got := w.mustExecute("ada", create, "in", input); got.text("createDelegation",
		"userErrors", 0, "field") != "delegateId" {
		t.Errorf("without a delegate: %+v", got.Data)
	}
	input["takerId"] = input["giverId"]
	refused := w.mustExecute("ada", create, "in", input)
	if refused.text("createDelegation", "userErrors", 0, "wayOut") == "" {
		t.Errorf("to the same person: %+v", refused.Data)
	}
	refused.same(t, "wayOut", "remedy", "createDelegation", "userErrors", 0)
	input["takerId"] = scalar.GlobalID(scalar.KindPerson, lars.UserID)
	got := w.mustExecute("rita", create, "in", input)
	got.same(t, "withNobody", "reviewsWithoutReviewer", "createDelegation")
	got.same(t, "giver", "delegator", "createDelegation", "delegation")
	got.same(t, "taker", "delegate", "createDelegation", "delegation")
	if got.text("createDelegation", "delegation", "giver", "name") != "rita" ||
		got.text("createDelegation", "delegation", "taker", "name") != "lars" {
		t.Errorf("created %+v", got.Data)
	}
}

func TestDeprecatedNamesOfQueues(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("sam", domain.RoleSubmitter)
	w.person("lea", domain.RoleL1)
	w.person("max", domain.RoleL1)
	w.person("ma", domain.RoleManager)
	set := w.mustExecute("ma", `mutation { setQueueAssignment(input: {queue: "L1", strategy: PULL,
		handAfter: 3, handTo: "L2"}) { proposal { id } userErrors { __typename } } }`)
	w.person("ada", domain.RoleAdmin)
	w.confirmControl("ada", set.text("setQueueAssignment", "proposal", "id"))
	listed := w.mustExecute("ma", `{ queueSettings { queue handAfter moveAfterMissedClaims handTo moveToQueue } }`)
	listed.same(t, "handAfter", "moveAfterMissedClaims", "queueSettings", 0)
	listed.same(t, "handTo", "moveToQueue", "queueSettings", 0)
	if fmt.Sprint(listed.at("queueSettings", 0, "handAfter")) != "3" ||
		listed.text("queueSettings", 0, "handTo") != "L2" {
		t.Errorf("listed %+v", listed.Data)
	}
	id := w.submit("sam", "90000.00")
	w.runPending()
	queue := overSocket(w, "lea", `subscription { reviewQueue { left { id } removedReviews { id }
		} }`, nil)
	queue.next(t)
	review := w.mustExecute("max", reviewOfCase, "id", id).text("case", "openReview", "id")
	claim(w, "max", review)
	change := result{Data: queue.next(t)}
	if change.text("reviewQueue", "left", 0, "id") != review {
		t.Errorf("a claimed review: %+v", change.Data)
	}
	change.same(t, "left", "removedReviews", "reviewQueue")
	explained := w.mustExecute("lea", `query($id: ID!) { explain(reviewId: $id, action: DECIDE) {
		remedy wayOut } }`, "id", review)
	explained.same(t, "wayOut", "remedy", "explain")
}

func TestDeprecatedNamesOfRulesAndImports(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	w.person("ada", domain.RoleAdmin)
	w.person("rita", domain.RoleL1)
	rules := w.mustExecute("ada", `{ ruleSets(first: 1) { nodes { rules { asks { name value }
		questions { name value } } } } }`)
	rules.same(t, "asks", "questions", "ruleSets", "nodes", 0, "rules", 0)
	if rules.text("ruleSets", "nodes", 0, "rules", 0, "asks", 0, "value") == "" {
		t.Errorf("the rules: %+v", rules.Data)
	}
	lines := w.mustExecute("ada", `{ previewConflictImport(csv:
		"email,counterparty\nrita@example.com,Acme\nrita@example.com,Acme\nx@example.com,Acme") {
		outcome result } }`)
	var seen []string
	for i := range 3 {
		seen = append(seen, lines.text("previewConflictImport", i, "outcome")+" "+
			lines.text("previewConflictImport", i, "result"))
	}
	if got := strings.Join(seen, ", "); got != "DECLARED DECLARED, STANDS EXISTING, REFUSED REFUSED" {
		t.Errorf("the lines: %s", got)
	}
}
