package graph

import (
	"context"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"countersign/domain"
	"countersign/graph/generated"
	"countersign/graph/transport"
)

// scopeDirective is the name of the directive by which a field of the schema names the scope it needs.
const scopeDirective = "scope"

// scopeOfField refuses a field below the root that an API token has no scope for.
func scopeOfField(ctx context.Context, _ any, next graphql.Resolver, needs domain.Action, or []domain.Action) (any, error) {
	if err := transport.Caller(ctx).RequireScope(append([]domain.Action{needs}, or...)...); err != nil {
		return nil, err
	}
	return next(ctx)
}

// rootScopes refuses an operation, before any of it is carried out and on every transport, if an API token has no scope for
// one of its fields at the root. A field that names no scope is refused to everybody.
func rootScopes(present graphql.ErrorPresenterFunc, scopes map[string][]domain.Action) graphql.OperationMiddleware {
	return func(ctx context.Context, next graphql.OperationHandler) graphql.ResponseHandler {
		operation := graphql.GetOperationContext(ctx)
		root := rootOf(operation.Operation.Operation)
		for _, field := range graphql.CollectFields(operation, operation.Operation.SelectionSet, []string{root}) {
			if strings.HasPrefix(field.Name, "__") {
				continue // introspection, which is open or not as a whole
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

// scopesOf reads off the schema the scopes of every field at the root, the one it needs first.
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

// scopesNamed are the scopes of the argument's enum values: the same names in small letters.
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

// config is what the generated code is made to run with.
func config(root *resolver) generated.Config {
	return generated.Config{Resolvers: root, Complexity: fieldCosts(), Directives: generated.DirectiveRoot{Scope: scopeOfField}}
}
