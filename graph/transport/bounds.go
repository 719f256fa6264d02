package transport

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"countersign/domain"
)

// maxJSONDepth limits the nesting of JSON values from clients, because Postgres parses them
// recursively.
const maxJSONDepth = 32

// Bounds refuses inputs beyond the schema's directives @length and @items, and text that Postgres
// cannot store. It checks every argument and input field, literal or variable, before any resolver
// runs, so that no resolver can forget a check. It is an extension of the executor.
type Bounds struct{ schema *ast.Schema }

var _ interface {
	graphql.HandlerExtension
	graphql.OperationContextMutator
} = (*Bounds)(nil)

// ExtensionName returns the name of the extension.
func (*Bounds) ExtensionName() string { return "Bounds" }

// Validate stores the schema.
func (b *Bounds) Validate(schema graphql.ExecutableSchema) error {
	b.schema = schema.Schema()
	return nil
}

// MutateOperationContext runs after validation and before execution.
func (b *Bounds) MutateOperationContext(_ context.Context,
	operation *graphql.OperationContext) *gqlerror.Error {
	if err := b.selections(operation.Operation.SelectionSet, operation.Variables); err != nil {
		return toGraphQLError(err)
	}
	return nil
}

// selections checks the arguments of every field. Guard has limited the number of fields before.
func (b *Bounds) selections(selections ast.SelectionSet, variables map[string]any) error {
	for _, selection := range selections {
		var inner ast.SelectionSet
		switch selected := selection.(type) {
		case *ast.Field:
			for _, argument := range selected.Arguments {
				definition := selected.Definition.Arguments.ForName(argument.Name)
				if definition == nil {
					continue
				}
				value, err := argument.Value.Value(variables)
				if err != nil {
					return domain.Invalid(argument.Name, "%s is invalid.", argument.Name).
						WithCause(err)
				}
				if err := b.check(argument.Name, definition.Type, boundOf(definition.Directives),
					value); err != nil {
					return err
				}
			}
			inner = selected.SelectionSet
		case *ast.InlineFragment:
			inner = selected.SelectionSet
		case *ast.FragmentSpread:
			inner = selected.Definition.SelectionSet
		}
		if err := b.selections(inner, variables); err != nil {
			return err
		}
	}
	return nil
}

// Bound is the limit that directives set for an argument or input field.
type Bound struct {
	Min, Max int // characters; Max 0 means unlimited
	Items    int // elements of a list; 0 means unlimited
}

// boundOf returns the limit of an argument or input field.
func boundOf(directives ast.DirectiveList) (bound Bound) {
	number := func(directive *ast.Directive, name string) int {
		if argument := directive.Arguments.ForName(name); argument != nil {
			n, _ := strconv.Atoi(argument.Value.Raw) // an Int in a validated schema
			return n
		}
		return 0
	}
	if length := directives.ForName("length"); length != nil {
		bound.Min, bound.Max = number(length, "min"), number(length, "max")
	}
	if items := directives.ForName("items"); items != nil {
		bound.Items = number(items, "max")
	}
	return bound
}

// check checks a value of a type against its limit and descends into lists and input objects.
func (b *Bounds) check(path string, of *ast.Type, bound Bound, value any) error {
	if value == nil {
		return nil
	}
	if of.Elem != nil {
		return b.checkList(path, of.Elem, bound, value)
	}
	definition := b.schema.Types[of.NamedType]
	if definition != nil && definition.Kind == ast.InputObject {
		return b.checkObject(path, definition, value)
	}
	if of.NamedType == "JSON" {
		return checkJSON(path, bound, value)
	}
	text, ok := value.(string)
	if !ok {
		return nil // a number, a file, or a value that the scalar itself checks
	}
	return checkText(path, bound, text)
}

func (b *Bounds) checkList(path string, elem *ast.Type, bound Bound, value any) error {
	list, ok := value.([]any)
	if !ok {
		return b.check(path, elem, bound, value) // a single value is coerced to a list of one
	}
	if bound.Items > 0 && len(list) > bound.Items {
		return domain.Invalid(path, "%s can have at most %d elements; %d were sent.", path,
			bound.Items, len(list)).
			WithRemedy("Send fewer elements per request.").
			WithDetail("most", strconv.Itoa(bound.Items)).
			WithDetail("sent", strconv.Itoa(len(list)))
	}
	for i, element := range list {
		if err := b.check(fmt.Sprintf("%s.%d", path, i), elem, bound, element); err != nil {
			return err
		}
	}
	return nil
}

func (b *Bounds) checkObject(path string, definition *ast.Definition, value any) error {
	fields, ok := value.(map[string]any)
	if !ok {
		return nil // refused when it is decoded
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		field := definition.Fields.ForName(name)
		if field == nil {
			continue
		}
		if err := b.check(path+"."+name, field.Type, boundOf(field.Directives),
			fields[name]); err != nil {
			return err
		}
	}
	return nil
}

// checkText checks one text: characters that Postgres cannot store, and the length.
func checkText(path string, bound Bound, text string) error {
	if err := domain.CheckText(path, text); err != nil {
		return err
	}
	if bound.Max == 0 || len(text) <= bound.Max && len(text) >= bound.Min && bound.Min <= 1 {
		return nil
	}
	switch length := utf8.RuneCountInString(text); {
	case length > bound.Max:
		return domain.Invalid(path, "%s can have at most %d characters; %d were sent.", path,
			bound.Max, length).
			WithRemedy("Shorten it.").WithDetail("most", strconv.Itoa(bound.Max)).
			WithDetail("sent", strconv.Itoa(length))
	case length < bound.Min:
		return domain.Invalid(path, "%s needs at least %d characters; %d were sent.", path,
			bound.Min, length).
			WithDetail("least", strconv.Itoa(bound.Min)).WithDetail("sent", strconv.Itoa(length))
	}
	return nil
}

// checkJSON checks a JSON value: the length of its compact text, its depth, and its texts and
// numbers.
func checkJSON(path string, bound Bound, value any) error {
	if err := checkParts(path, value, maxJSONDepth); err != nil {
		return err
	}
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return domain.Invalid(path, "%s is not valid JSON.", path).WithCause(err)
	}
	return checkText(path, bound, strings.TrimSuffix(text.String(), "\n"))
}

func checkParts(path string, value any, depth int) error {
	if depth == 0 {
		return domain.Invalid(path, "%s is nested more than %d levels deep.", path, maxJSONDepth)
	}
	switch value := value.(type) {
	case string:
		return domain.CheckText(path, value)
	case json.Number:
		if number, err := value.Float64(); err != nil || math.IsInf(number, 0) {
			return domain.Invalid(path, "%s contains a number that is too large.", path)
		}
	case []any:
		for _, part := range value {
			if err := checkParts(path, part, depth-1); err != nil {
				return err
			}
		}
	case map[string]any:
		for name, part := range value {
			if err := domain.CheckText(path, name); err != nil {
				return err
			}
			if err := checkParts(path, part, depth-1); err != nil {
				return err
			}
		}
	}
	return nil
}
