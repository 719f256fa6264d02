package transport

import (
	"context"
	"errors"

	"github.com/99designs/gqlgen/complexity"
	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"countersign/domain"
)

// Limits limit one document before it is executed. Tokens applies in the parser (see
// DefaultLimits).
type Limits struct {
	Tokens     int // of the whole document
	Depth      int // of nested fields
	Aliases    int // fields with an alias, counted at every use of their fragment
	Directives int
	RootFields int // of a mutation: each is a command
	Fields     int // counted at every use of their fragment, including repetitions
	Repeats    int // fields whose value another field of the same object already requests
	Cost       int // by the schema's cost of each field; lists count their members
}

// DefaultLimits allow the documents of the application and the CLI, and refuse requests with
// thousands of mutations.
func DefaultLimits() Limits {
	return Limits{Tokens: 2000, Depth: 10, Aliases: 15, Directives: 50, RootFields: 10, Fields: 1100,
		Repeats: 60, Cost: 10_000}
}

// Guard refuses documents beyond the limits. It is an extension of the executor.
type Guard struct {
	Limits Limits
	// Introspection allows __schema and __type.
	Introspection bool
	schema        graphql.ExecutableSchema
}

var _ interface {
	graphql.HandlerExtension
	graphql.OperationContextMutator
} = (*Guard)(nil)

// ExtensionName returns the name of the extension.
func (*Guard) ExtensionName() string { return "Guard" }

// Validate stores the schema.
func (g *Guard) Validate(schema graphql.ExecutableSchema) error {
	if g.Limits == (Limits{}) {
		return errors.New("the guard has no limits")
	}
	g.schema = schema
	return nil
}

// MutateOperationContext runs after validation and before execution.
func (g *Guard) MutateOperationContext(ctx context.Context,
	operation *graphql.OperationContext) *gqlerror.Error {
	count := limitCounter{limits: g.Limits, introspection: g.Introspection}
	count.directives += len(operation.Operation.Directives)
	err := count.walk(operation.Operation.SelectionSet, 1, &answered{})
	if err == nil && operation.Operation.Operation == ast.Mutation &&
		count.roots > g.Limits.RootFields {
		err = tooComplexError("commands", count.roots, g.Limits.RootFields)
	}
	if err == nil && operation.Operation.Operation == ast.Subscription &&
		len(graphql.CollectFields(operation, operation.Operation.SelectionSet,
			[]string{"Subscription"})) != 1 {
		err = domain.Invalid("query", "A subscription must select exactly one field.")
	}
	if err == nil {
		cost := complexity.Calculate(ctx, g.schema, operation.Operation, operation.Variables)
		if cost > g.Limits.Cost {
			err = tooComplexError("cost", cost, g.Limits.Cost)
		}
	}
	if err != nil {
		return toGraphQLError(err)
	}
	return nil
}

// Count counts the fields of a validated operation, and those whose value another field already
// requests.
func Count(operation *ast.OperationDefinition) (fields, repeats int) {
	const most = 1 << 30
	count := limitCounter{introspection: true,
		limits: Limits{Depth: most, Aliases: most, Directives: most, Fields: most, Repeats: most}}
	_ = count.walk(operation.SelectionSet, 1, &answered{}) // no limit is set
	return count.fields, count.repeats
}

type limitCounter struct {
	limits                     Limits
	aliases, directives, roots int
	fields, repeats            int // fragments count as fields too
	introspection              bool
}

// answered is the set of fields of one object of the response, by response name, from all
// fragments.
type answered struct{ fields map[string]*answered }

// field returns the part of the response with the name, and whether it was requested before.
func (a *answered) field(name string) (inner *answered, again bool) {
	if inner = a.fields[name]; inner != nil {
		return inner, true
	}
	if a.fields == nil {
		a.fields = map[string]*answered{}
	}
	inner = &answered{}
	a.fields[name] = inner
	return inner, false
}

// walk counts through fragments at each use. It stops at the first excess, so that nested fragments
// cannot make it slow.
func (c *limitCounter) walk(selections ast.SelectionSet, depth int, object *answered) error {
	for _, selection := range selections {
		c.fields++
		var inner ast.SelectionSet
		next, into := depth, object
		switch selected := selection.(type) {
		case *ast.Field:
			if depth == 1 {
				c.roots++
			}
			if selected.Alias != selected.Name {
				c.aliases++
			}
			var again bool
			if into, again = object.field(selected.Alias); again {
				c.repeats++
			}
			c.directives += len(selected.Directives)
			inner, next = selected.SelectionSet, depth+1
			if selected.Name == "__schema" || selected.Name == "__type" {
				if !c.introspection {
					return domain.Errorf(domain.IntrospectionDisabled,
						"Introspection is disabled on this server.").
						WithRemedy("Read the schema files, or use a development server.")
				}
				inner = nil // introspection is deeply nested
			}
		case *ast.InlineFragment:
			c.directives += len(selected.Directives)
			inner = selected.SelectionSet
		case *ast.FragmentSpread:
			c.directives += len(selected.Directives)
			inner = selected.Definition.SelectionSet
		}
		switch {
		case c.aliases > c.limits.Aliases:
			return tooComplexError("aliases", c.aliases, c.limits.Aliases)
		case c.directives > c.limits.Directives:
			return tooComplexError("directives", c.directives, c.limits.Directives)
		case c.fields > c.limits.Fields:
			return tooComplexError("fields", c.fields, c.limits.Fields)
		case c.repeats > c.limits.Repeats:
			return tooComplexError("repeated fields", c.repeats, c.limits.Repeats)
		case next-1 > c.limits.Depth:
			return tooComplexError("depth", next-1, c.limits.Depth)
		}
		if err := c.walk(inner, next, into); err != nil {
			return err
		}
	}
	return nil
}

func tooComplexError(what string, found, most int) error {
	return domain.Errorf(domain.QueryTooComplex, "The document is too complex: %s %d, maximum %d.",
		what, found, most).
		WithRemedy("Request less data at a time.").WithDetail("limit", what)
}
