package graph

import (
	"context"
	"log/slog"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"countersign/internal/tracing"
)

// slowResolver is how long a resolver takes that gets a span of its own. One span per field would
// cost more than the fields.
const slowResolver = time.Millisecond

// traceOperation begins a span for a query or a command. A subscription has a span per frame
// instead, because it lasts as long as the page is open.
func traceOperation(ctx context.Context, next graphql.OperationHandler) graphql.ResponseHandler {
	operation := graphql.GetOperationContext(ctx).Operation
	if !tracing.Recording(ctx) || operation.Operation == ast.Subscription {
		return next(ctx)
	}
	ctx, span := tracing.Begin(ctx, "graphql "+string(operation.Operation)+" "+
		rootField(operation))
	respond := next(ctx)
	return func(responseCtx context.Context) *graphql.Response {
		response := respond(tracing.Inherit(responseCtx, ctx))
		code := ""
		if response != nil && len(response.Errors) > 0 {
			code, _ = response.Errors[0].Extensions["code"].(string)
		}
		span.End(code)
		return response
	}
}

// rootField returns the first field of the operation. It is a name of the schema, unlike the
// operation's name, which the client chooses.
func rootField(operation *ast.OperationDefinition) string {
	for _, selection := range operation.SelectionSet {
		if field, ok := selection.(*ast.Field); ok {
			return field.Name
		}
	}
	return ""
}

// traceSlowResolver records the resolvers that took long.
func traceSlowResolver(ctx context.Context, next graphql.Resolver) (any, error) {
	field := graphql.GetFieldContext(ctx)
	if field == nil || !field.IsResolver || !tracing.Recording(ctx) {
		return next(ctx)
	}
	began := time.Now() //nolint:forbidigo // the start of a span
	value, err := next(ctx)
	if time.Since(began) >= slowResolver {
		tracing.Past(ctx, "resolver "+field.Object+"."+field.Field.Name, began,
			slog.Bool("failed", err != nil))
	}
	return value, err
}
