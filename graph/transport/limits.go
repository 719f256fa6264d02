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

// Limits bound one document before it is executed. Tokens are the parser's own (see Tokens of DefaultLimits).
type Limits struct {
	Tokens     int // of the whole document
	Depth      int // of nested fields
	Aliases    int // fields under another name, counted with every use of their fragment
	Directives int
	RootFields int // of a mutation: each is a command
	Fields     int // counted with every use of their fragment
	Cost       int // by the schema's cost of each field; lists count their members
}

// DefaultLimits are wide enough for the pages and the command line, and for nobody's thousand mutations.
func DefaultLimits() Limits {
	return Limits{Tokens: 2000, Depth: 10, Aliases: 15, Directives: 50, RootFields: 10, Fields: 1000, Cost: 10_000}
}

// Guard refuses documents beyond the limits; it is an extension of the executor.
type Guard struct {
	Limits Limits
	schema graphql.ExecutableSchema
}

var _ interface {
	graphql.HandlerExtension
	graphql.OperationContextMutator
} = (*Guard)(nil)

// ExtensionName names the extension.
func (*Guard) ExtensionName() string { return "Guard" }

// Validate takes the schema.
func (g *Guard) Validate(schema graphql.ExecutableSchema) error {
	if g.Limits == (Limits{}) {
		return errors.New("the guard has no limits")
	}
	g.schema = schema
	return nil
}

// MutateOperationContext is called after validation and before execution.
func (g *Guard) MutateOperationContext(ctx context.Context, operation *graphql.OperationContext) *gqlerror.Error {
	count := counter{most: g.Limits}
	count.directives += len(operation.Operation.Directives)
	err := count.walk(operation.Operation.SelectionSet, 1)
	if err == nil && operation.Operation.Operation == ast.Mutation && count.roots > g.Limits.RootFields {
		err = tooComplex("commands", count.roots, g.Limits.RootFields)
	}
	if err == nil {
		cost := complexity.Calculate(ctx, g.schema, operation.Operation, operation.Variables)
		if cost > g.Limits.Cost {
			err = tooComplex("cost", cost, g.Limits.Cost)
		}
	}
	if err != nil {
		return wrapped(err)
	}
	return nil
}

type counter struct {
	most                       Limits
	aliases, directives, roots int
	fields                     int // fragments count too
}

// walk counts through fragments at each use, and stops at the first excess, so that fragments that use fragments cannot
// make it long.
func (c *counter) walk(selections ast.SelectionSet, depth int) error {
	for _, selection := range selections {
		c.fields++
		var inner ast.SelectionSet
		next := depth
		switch selected := selection.(type) {
		case *ast.Field:
			if depth == 1 {
				c.roots++
			}
			if selected.Alias != selected.Name {
				c.aliases++
			}
			c.directives += len(selected.Directives)
			inner, next = selected.SelectionSet, depth+1
			if selected.Name == "__schema" || selected.Name == "__type" {
				inner = nil // deep by nature; open in development only
			}
		case *ast.InlineFragment:
			c.directives += len(selected.Directives)
			inner = selected.SelectionSet
		case *ast.FragmentSpread:
			c.directives += len(selected.Directives)
			inner = selected.Definition.SelectionSet
		}
		switch {
		case c.aliases > c.most.Aliases:
			return tooComplex("aliases", c.aliases, c.most.Aliases)
		case c.directives > c.most.Directives:
			return tooComplex("directives", c.directives, c.most.Directives)
		case c.fields > c.most.Fields:
			return tooComplex("fields", c.fields, c.most.Fields)
		case next-1 > c.most.Depth:
			return tooComplex("depth", next-1, c.most.Depth)
		}
		if err := c.walk(inner, next); err != nil {
			return err
		}
	}
	return nil
}

func tooComplex(what string, found, most int) error {
	return domain.Fail(domain.QueryTooComplex, "The document is too complex: %s %d, at most %d.", what, found, most).
		WithWayOut("Ask for less at one time.").WithDetail("limit", what)
}
