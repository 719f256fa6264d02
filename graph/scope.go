package graph

import (
	"context"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"countersign/domain"
	"countersign/graph/direct"
	"countersign/graph/generated"
	"countersign/graph/shape"
	"countersign/graph/transport"
)

// scopeDirective is the directive that names the scope of a field.
const scopeDirective = "scope"

// scopeOfField refuses a field below the root if the API token lacks its scope.
func scopeOfField(ctx context.Context, _ any, next graphql.Resolver, needs domain.Action,
	or []domain.Action) (any, error) {
	if err := transport.Caller(ctx).RequireScope(append([]domain.Action{needs},
		or...)...); err != nil {
		return nil, err
	}
	return next(ctx)
}

// rootScopes refuses an operation on every transport before any of it runs, if the API token lacks
// the scope of one of its root fields. A root field without a scope is refused for everyone.
func rootScopes(present graphql.ErrorPresenterFunc,
	scopes map[string][]domain.Action) graphql.OperationMiddleware {
	return func(ctx context.Context, next graphql.OperationHandler) graphql.ResponseHandler {
		operation := graphql.GetOperationContext(ctx)
		root := rootOf(operation.Operation.Operation)
		for _, field := range graphql.CollectFields(operation, operation.Operation.SelectionSet,
			[]string{root}) {
			if strings.HasPrefix(field.Name, "__") {
				continue // introspection, which is enabled or disabled as a whole
			}
			if err := mayRoot(transport.Caller(ctx), scopes, root+"."+field.Name); err != nil {
				return graphql.OneShot(&graphql.Response{Errors: gqlerror.List{present(ctx, err)}})
			}
		}
		return next(ctx)
	}
}

func mayRoot(actor domain.Actor, scopes map[string][]domain.Action, field string) error {
	return actor.RequireScope(scopes[field]...)
}

func rootOf(operation ast.Operation) string {
	switch operation {
	case ast.Mutation:
		return "Mutation"
	case ast.Subscription:
		return "Subscription"
	}
	return "Query"
}

// scopesOf returns the scopes of every root field from the schema, the required one first.
func scopesOf(schema *ast.Schema) map[string][]domain.Action {
	scopes := map[string][]domain.Action{}
	for _, root := range []*ast.Definition{schema.Query, schema.Mutation, schema.Subscription} {
		for _, field := range root.Fields {
			directive := field.Directives.ForName(scopeDirective)
			if directive == nil {
				continue
			}
			key := root.Name + "." + field.Name
			for _, argument := range directive.Arguments {
				scopes[key] = append(scopes[key], scopesNamed(argument.Value)...)
			}
		}
	}
	return scopes
}

// scopesNamed converts the enum values of the argument to scopes, which are the lower-case names.
func scopesNamed(value *ast.Value) []domain.Action {
	if value.Kind == ast.EnumValue {
		return []domain.Action{domain.Action(strings.ToLower(value.Raw))}
	}
	var named []domain.Action
	for _, child := range value.Children {
		named = append(named, scopesNamed(child.Value)...)
	}
	return named
}

// encodeDirectly encodes what a resolver returns, if its type is plain.
func encodeDirectly(ctx context.Context, _ any, next graphql.Resolver) (any, error) {
	resolved, err := next(ctx)
	if err != nil {
		return nil, err
	}
	var done graphql.Marshaler
	switch values := resolved.(type) {
	case []domain.Field:
		done = direct.Fields.List(ctx, values)
	case []domain.Word:
		done = direct.Words.List(ctx, values)
	case *domain.Money:
		done = direct.Money.One(ctx, values)
	case []shape.Case:
		done = encodeCases(ctx, values)
	}
	if done == nil {
		return resolved, nil
	}
	return done, nil
}

// encodeCases encodes a list of cases, nil if the executor must resolve it: because a member needs other
// reads than that of the fields, or because that read failed.
func encodeCases(ctx context.Context, cases []shape.Case) graphql.Marshaler {
	if !direct.Cases.Encodes(ctx) {
		return nil
	}
	listed, withFields := make([]direct.Case, len(cases)), selects(ctx, direct.Cases.Name, "fields")
	for i := range cases {
		listed[i].Case = &cases[i]
		if !withFields {
			continue
		}
		all, err := loadersFrom(ctx).batchOf(cases[i].ID).fields()
		if err != nil {
			return nil
		}
		listed[i].ReadFields = all[cases[i].ID]
	}
	return direct.Cases.List(ctx, listed)
}

// config returns the configuration of the generated code.
func config(root *resolver) generated.Config {
	return generated.Config{Resolvers: root, Complexity: fieldCosts(),
		Directives: generated.DirectiveRoot{Scope: scopeOfField, Direct: encodeDirectly}}
}

// grouped are rows by case, without a copy for each case.
type grouped[V any] struct {
	byCase map[domain.ID][]V
	all    []V
}

func newGrouped[V any](cases, rows int) grouped[V] {
	return grouped[V]{make(map[domain.ID][]V, cases), make([]V, 0, rows)}
}

// add adds a row. The rows of a case must follow each other.
func (g *grouped[V]) add(of domain.ID, value V) {
	g.all = append(g.all, value)
	end := len(g.all)
	g.byCase[of] = g.all[end-1-len(g.byCase[of]) : end : end]
}
