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

// maxJSONDepth bounds the nesting of a JSON value that a person sends; Postgres recurses into it.
const maxJSONDepth = 32

// Bounds refuses inputs beyond what the schema's directives @length and @items say of them, and text that Postgres
// cannot keep. It reads every argument and input field of an operation before any resolver runs, whether it came as a
// literal or in a variable, so no resolver can forget it. It is an extension of the executor.
type Bounds struct{ schema *ast.Schema }

var _ interface {
	graphql.HandlerExtension
	graphql.OperationContextMutator
} = (*Bounds)(nil)

// ExtensionName names the extension.
func (*Bounds) ExtensionName() string { return "Bounds" }

// Validate takes the schema.
func (b *Bounds) Validate(schema graphql.ExecutableSchema) error {
	b.schema = schema.Schema()
	return nil
}

// MutateOperationContext is called after validation and before execution.
func (b *Bounds) MutateOperationContext(_ context.Context, operation *graphql.OperationContext) *gqlerror.Error {
	if err := b.selections(operation.Operation.SelectionSet, operation.Variables); err != nil {
		return toGraphQLError(err)
	}
	return nil
}

// selections checks the arguments of every field. The guard has bounded the number of fields before.
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
					return domain.Invalid(argument.Name, "%s cannot be read.", argument.Name).WithCause(err)
				}
				if err := b.check(argument.Name, definition.Type, boundOf(definition.Directives), value); err != nil {
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

// Bound is what the directives of an argument or input field say.
type Bound struct {
	Min, Max int // characters; Max 0 says nothing
	Items    int // of a list; 0 says nothing
}

// boundOf reads the directives of an argument or input field.
func boundOf(directives ast.DirectiveList) (bound Bound) {
	number := func(directive *ast.Directive, name string) int {
		if argument := directive.Arguments.ForName(name); argument != nil {
			n, _ := strconv.Atoi(argument.Value.Raw) // the schema was validated: it is an Int
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

// check judges a value of a type by its bound and goes into lists and input objects.
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
		return nil // a number, a file, or what the scalar itself refuses
	}
	return checkText(path, bound, text)
}

func (b *Bounds) checkList(path string, elem *ast.Type, bound Bound, value any) error {
	list, ok := value.([]any)
	if !ok {
		return b.check(path, elem, bound, value) // a single value stands for a list of one
	}
	if bound.Items > 0 && len(list) > bound.Items {
		return domain.Invalid(path, "%s has at most %d elements, %d were sent.", path, bound.Items, len(list)).
			WithRemedy("Send fewer at one time.").WithDetail("most", strconv.Itoa(bound.Items)).WithDetail("sent", strconv.Itoa(len(list)))
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
		return nil // refused where it is read
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		field := definition.Fields.ForName(name)
		if field == nil {
			continue
		}
		if err := b.check(path+"."+name, field.Type, boundOf(field.Directives), fields[name]); err != nil {
			return err
		}
	}
	return nil
}

// checkText judges one text: what Postgres cannot keep, and its length in characters.
func checkText(path string, bound Bound, text string) error {
	if err := domain.CheckText(path, text); err != nil {
		return err
	}
	if bound.Max == 0 || len(text) <= bound.Max && len(text) >= bound.Min && bound.Min <= 1 {
		return nil
	}
	switch length := utf8.RuneCountInString(text); {
	case length > bound.Max:
		return domain.Invalid(path, "%s has at most %d characters, %d were sent.", path, bound.Max, length).
			WithRemedy("Shorten it.").WithDetail("most", strconv.Itoa(bound.Max)).WithDetail("sent", strconv.Itoa(length))
	case length < bound.Min:
		return domain.Invalid(path, "%s has at least %d characters, %d were sent.", path, bound.Min, length).
			WithDetail("least", strconv.Itoa(bound.Min)).WithDetail("sent", strconv.Itoa(length))
	}
	return nil
}

// checkJSON judges a JSON value by the length of its compact text, its depth, and the texts and numbers in it.
func checkJSON(path string, bound Bound, value any) error {
	if err := checkParts(path, value, maxJSONDepth); err != nil {
		return err
	}
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return domain.Invalid(path, "%s is not JSON.", path).WithCause(err)
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
			return domain.Invalid(path, "%s holds a number that is too large.", path)
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
