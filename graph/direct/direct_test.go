package direct_test

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"

	"countersign/domain"
	"countersign/graph/direct"
	"countersign/graph/donotuse"
	"countersign/graph/generated"
	"countersign/graph/shape"
	"countersign/views"
)

// Every member of a type in the schema is in its table: otherwise the executor resolves the list.
func TestTablesAreComplete(t *testing.T) {
	t.Parallel()
	schema := generated.NewExecutableSchema(generated.Config{}).Schema()
	for name, has := range map[string]func(string) bool{
		"Field": func(member string) bool { return direct.Fields.Members[member] != nil },
		"Word":  func(member string) bool { return direct.Words.Members[member] != nil },
		"Money": func(member string) bool { return direct.Money.Members[member] != nil },
	} {
		for _, field := range schema.Types[name].Fields {
			if !strings.HasPrefix(field.Name, "__") && !has(field.Name) {
				t.Errorf("%s.%s has no encoder", name, field.Name)
			}
		}
	}
}

// resolvers return one case with the values.
type resolvers struct {
	generated.ResolverRoot
	values []domain.Field
}

type queries struct{ generated.QueryResolver }

type cases struct {
	generated.CaseResolver
	values []domain.Field
}

func (r resolvers) Query() generated.QueryResolver { return queries{} }
func (r resolvers) Case() generated.CaseResolver   { return cases{values: r.values} }

// listed is the number of cases in a list.
const listed = 12

func (queries) Cases(context.Context, int, *string, *donotuse.CaseFilter, views.CaseSort) (
	*donotuse.CaseConnection, error) {
	amount := domain.Money{Minor: -120_005, Currency: "JPY"}
	nodes := []shape.Case{{CaseView: views.CaseView{Case: domain.Case{Status: domain.Received, Channel: domain.ChannelWeb}}}, {CaseView: views.CaseView{Case: domain.Case{AmountKnown: true, Amount: amount,
		DeclaredAmount: domain.Money{Minor: 1, Currency: "EUR"}, Reference: "CS-2026-000007",
		FactsRevision: 7, ProcessKey: "a\"b", ProcessVersion: 3, DocumentType: "发票", DocumentTypeVersion: 2, Counterparty: "\x01",
		Country: "DE", Status: domain.Archived, Channel: domain.ChannelMail}}}}
	channels := []domain.Channel{domain.ChannelWeb, domain.ChannelAPI, domain.ChannelCLI, domain.ChannelMail,
		domain.ChannelFolder}
	for i, status := range domain.Statuses() {
		nodes = append(nodes, shape.Case{CaseView: views.CaseView{Case: domain.Case{Status: status,
			Channel: channels[i%len(channels)]}}})
	}
	for i := range nodes {
		nodes[i].CreatedAt = time.Date(2026, 11, 28, 23, 30, 0, 1000*i, time.FixedZone("", 3600))
	}
	return &donotuse.CaseConnection{Nodes: nodes}, nil
}

func (c cases) Fields(context.Context, *shape.Case) ([]domain.Field, error) { return c.values, nil }

// execute returns the answer to the document, with the list as the executor or as this package encodes it.
func execute(t *testing.T, document string, values []domain.Field, directly bool) string {
	t.Helper()
	var used atomic.Bool
	engine := executor.New(generated.NewExecutableSchema(generated.Config{Resolvers: resolvers{values: values},
		Directives: generated.DirectiveRoot{
			Scope: func(ctx context.Context, _ any, next graphql.Resolver, _ domain.Action, _ []domain.Action) (any, error) {
				return next(ctx)
			},
			Direct: func(ctx context.Context, _ any, next graphql.Resolver) (any, error) {
				resolved, err := next(ctx)
				if !directly {
					return resolved, err
				}
				used.Store(true)
				switch value := resolved.(type) {
				case []domain.Field:
					return direct.Fields.List(ctx, value), err
				case *domain.Money:
					return direct.Money.One(ctx, value), err
				case []shape.Case:
					listedCases := make([]direct.Case, len(value))
					for i := range value {
						listedCases[i] = direct.Case{Case: &value[i], ReadFields: values}
					}
					if encoded := direct.Cases.List(ctx, listedCases); encoded != nil {
						return encoded, err
					}
					return value, err
				}
				t.Errorf("%T cannot be encoded directly", resolved)
				return resolved, err
			}}}))
	ctx := graphql.StartOperationTrace(t.Context())
	operation, errs := engine.CreateOperationContext(ctx, &graphql.RawParams{Query: document})
	if errs != nil {
		t.Fatalf("%s: %v", document, errs)
	}
	responses, ctx := engine.DispatchOperation(ctx, operation)
	response := responses(direct.WithPlans(ctx))
	if len(response.Errors) > 0 || used.Load() != directly {
		t.Fatalf("%s: %v, encoded directly: %t", document, response.Errors, used.Load())
	}
	return string(response.Data)
}

// Values of any kind are encoded as the executor encodes them, for any selection.
func TestSameBytesAsTheExecutor(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same values in every run
	members := []string{"name", "raw", "normalised", "page", "box { x y w h }", "confidence", "source", "grounded",
		"revision", "__typename", "other: name", "box { left: x __typename }", "... on Field { raw page }",
		"... @include(if: false) { raw }", "raw @skip(if: true)", "...F"}
	for range 300 {
		random.Shuffle(len(members), func(a, b int) { members[a], members[b] = members[b], members[a] })
		document := "{ cases(first: 1) { nodes { amount { currency a: amount __typename } fields { page " +
			strings.Join(members[:random.IntN(len(members)+1)], " ") + " } } } }"
		if strings.Contains(document, "...F") {
			document += " fragment F on Field { name ...G } fragment G on Field { name confidence }"
		}
		values := someFields(random)
		resolved, encoded := execute(t, document, values, false), execute(t, document, values, true)
		if resolved != encoded {
			t.Fatalf("%s\nexecutor: %s\n  direct: %s", document, resolved, encoded)
		}
	}
}

// Lists of cases are encoded as the executor encodes them, for any selection of members without reads.
func TestCasesAreTheSameBytes(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4)) //nolint:gosec // the same values in every run
	members := []string{"id", "version", "reference", "processKey", "processVersion", "documentType",
		"documentTypeVersion", "channel", "status", "final", "counterparty", "country", "createdAt", "__typename",
		"amount { amount }", "declaredAmount { currency amount }", "fields { name box { x } }", "other: id",
		"reference @skip(if: true)", "... on Case { status }", "...F"}
	for range 200 {
		random.Shuffle(len(members), func(a, b int) { members[a], members[b] = members[b], members[a] })
		document := "{ cases(first: 1) { nodes { amount { currency } " +
			strings.Join(members[:random.IntN(len(members)+1)], " ") + " } } }"
		if strings.Contains(document, "...F") {
			document += " fragment F on Case { id fields { raw } }"
		}
		values := someFields(random)
		resolved, encoded := execute(t, document, values, false), execute(t, document, values, true)
		if resolved != encoded {
			t.Fatalf("%s\nexecutor: %s\n  direct: %s", document, resolved, encoded)
		}
	}
}

// A field of a fragment selects other members in each place where the fragment is used.
func TestOneFragmentInTwoPlaces(t *testing.T) {
	t.Parallel()
	values := []domain.Field{{Name: "total", Raw: "12.50"}}
	document := `{ a: cases(first: 1) { nodes { ...X fields { raw } } } b: cases(first: 1) { nodes { ...X } }
		c: cases(first: 1) { nodes { ...X fields { page } } } } fragment X on Case { fields { name } }`
	resolved, encoded := execute(t, document, values, false), execute(t, document, values, true)
	if resolved != encoded || strings.Count(encoded, `"raw"`) != listed || strings.Count(encoded, `"page"`) != listed {
		t.Errorf("executor: %s\n  direct: %s", resolved, encoded)
	}
}

func someFields(random *rand.Rand) []domain.Field {
	texts := []string{"", "Nordwind", "a \"quote\" \\ and \n\t\r\x01\x1f", "发票 ٣ é \u2028 <&>", "\xff\xfe", "\x7f"}
	numbers := []float64{0, 1, 0.97, 1e-7, 1e21, 123456789, math.SmallestNonzeroFloat64, 1.0 / 3}
	sources := []domain.FieldSource{domain.SourceXML, domain.SourceText, domain.SourceOCR, domain.SourceLLM,
		domain.SourceExternal, domain.SourceHuman, domain.SourceDeclared}
	values := make([]domain.Field, random.IntN(4))
	for i := range values {
		values[i] = domain.Field{Name: texts[random.IntN(len(texts))], Raw: texts[random.IntN(len(texts))],
			Normalised: texts[random.IntN(len(texts))], Page: random.IntN(3) - 1,
			Confidence: numbers[random.IntN(len(numbers))], Source: sources[random.IntN(len(sources))],
			Grounded: random.IntN(2) == 0, Revision: random.Int64() - 1<<62}
		if random.IntN(2) == 0 {
			values[i].Box = &domain.Box{X: random.IntN(9), Y: -1, W: random.IntN(9), H: 1 << 30}
		}
	}
	return values
}
