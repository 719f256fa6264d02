package graph

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"countersign/domain"
	"countersign/graph/generated"
)

// Every value of the domain's enumerations is in the schema, and the schema has no others.
func TestEnumsAreComplete(t *testing.T) {
	t.Parallel()
	schema := generated.NewExecutableSchema(generated.Config{Resolvers: &resolver{}}).Schema()
	for name, values := range map[string][]string{
		"CaseStatus": words(domain.Statuses()),
		"Role":       words(domain.Roles()),
		"FieldSource": words([]domain.FieldSource{domain.SourceXML, domain.SourceText,
			domain.SourceOCR, domain.SourceLLM, domain.SourceExternal, domain.SourceHuman,
			domain.SourceDeclared}),
		"ReviewStatus": words([]domain.ReviewStatus{domain.ReviewOpen, domain.ReviewClaimed,
			domain.ReviewDecided, domain.ReviewCancelled}),
		"Verdict": words([]domain.Verdict{domain.Approve, domain.Reject, domain.Return,
			domain.Escalate, domain.Repaired, domain.Abstain}),
		"Severity": words([]domain.Severity{domain.SeverityInfo, domain.SeverityWarning,
			domain.SeverityBlocking}),
		"Channel": words([]domain.Channel{domain.ChannelWeb, domain.ChannelAPI,
			domain.ChannelCLI, domain.ChannelMail, domain.ChannelFolder}),
	} {
		var shown []string
		for _, value := range schema.Types[name].EnumValues {
			shown = append(shown, value.Name)
		}
		slices.Sort(shown)
		if !slices.Equal(shown, values) {
			t.Errorf("%s is %v, the domain has %v", name, shown, values)
		}
	}
}

func words[T ~string](values []T) []string {
	list := make([]string, 0, len(values))
	for _, value := range values {
		list = append(list, strings.ToUpper(string(value)))
	}
	slices.Sort(list)
	return list
}

// Every mutation has one input and returns userErrors, and every member of their union is a
// Refusal.
func TestEveryMutationHasOneInputAndUserErrors(t *testing.T) {
	t.Parallel()
	schema := generated.NewExecutableSchema(generated.Config{Resolvers: &resolver{}}).Schema()
	for _, mutation := range schema.Mutation.Fields {
		if len(mutation.Arguments) != 1 || mutation.Arguments[0].Name != "input" ||
			!mutation.Arguments[0].Type.NonNull {
			t.Errorf("%s does not take one input", mutation.Name)
		}
		errors := schema.Types[mutation.Type.Name()].Fields.ForName("userErrors")
		if errors == nil || errors.Type.String() != "[UserError!]!" {
			t.Errorf("%s has no userErrors", mutation.Name)
		}
	}
	refusal := schema.Types["Refusal"]
	for _, member := range schema.Types["UserError"].Types {
		if !slices.Contains(schema.Types[member].Interfaces, refusal.Name) {
			t.Errorf("%s is no Refusal", member)
		}
	}
}

func TestIntrospectionIsClosedInProduction(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	if got := w.mustExecute("", `{ __schema { queryType { name } } }`); got.text("__schema",
		"queryType", "name") != "Query" {
		t.Errorf("open: %+v", got)
	}
	closed := newTestEnvWith(t, "", func(o *Options) { o.AllowIntrospection = false })
	got := closed.execute("", `{ __schema { queryType { name } } }`)
	if len(got.Errors) == 0 || strings.Contains(fmt.Sprint(got.Data), "Query") {
		t.Errorf("closed: %+v", got)
	}
	if got := closed.execute("", `{ case(id: "x") { referenc } }`); len(got.Errors) == 0 ||
		strings.Contains(got.Errors[0].Message, "reference") {
		t.Errorf("a suggestion: %+v", got)
	}
}
