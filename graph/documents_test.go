package graph

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"countersign/domain"
)

// idArgument is a place in the schema that accepts an id: a field of an operation and the path to
// the id in its arguments.
type idArgument struct {
	root  *ast.Definition
	field *ast.FieldDefinition
	path  string // argument, then input fields, separated by dots
}

// String returns the name used in tables: claimReview.input.reviewId.
func (p idArgument) String() string { return p.field.Name + "." + p.path }

// idArguments returns every place of the schema that accepts an id. Places below other types than
// the operations are named after their type.
func idArguments(schema *ast.Schema) (places []idArgument) {
	for _, name := range slices.Sorted(maps.Keys(schema.Types)) {
		root := schema.Types[name]
		if root.Kind != ast.Object || root.BuiltIn {
			continue
		}
		for _, field := range root.Fields {
			if strings.HasPrefix(field.Name, "__") {
				continue
			}
			for _, argument := range field.Arguments {
				idsBelow(schema, argument.Type, argument.Name,
					func(path string) { places = append(places, idArgument{root, field, path}) })
			}
		}
	}
	return places
}

func idsBelow(schema *ast.Schema, of *ast.Type, path string, found func(string)) {
	if of.Name() == "ID" {
		found(path)
		return
	}
	for _, field := range schema.Types[of.Name()].Fields { // of an input; a scalar has none
		idsBelow(schema, field.Type, path+"."+field.Name, found)
	}
}

// documentBuilder fills in the arguments of a field: the required ones, or all.
type documentBuilder struct {
	schema *ast.Schema
	values map[string]any        // by path; set here even if optional
	other  func(path string) any // returns an id for places that the test does not vary
	full   bool
	nonce  string // part of the idempotency key
}

// defaultValues are used where any value is accepted.
var defaultValues = map[string]any{"String": "x", "Int": 1, "Float": 1.0, "Boolean": false,
	"BigInt": "1", "JSON": map[string]any{}, "DateTime": soon,
	"MoneyInput": map[string]any{"amount": "1.00", "currency": "USD"},
	"FieldInput": map[string]any{"name": "net", "value": "1.00"}}

// valuesByName are used for names that need a particular value.
var valuesByName = map[string]any{"expectedVersion": "1.1", "first": 10, "last": 5,
	"account": "DE89370400440532013000", "email": "new@example.com",
	"validFrom": "2098-01-01T00:00:00Z", "weekday": 1, "from": "09:00", "to": "17:00",
	"zone": "UTC", "confirm": true, "leaseToken": domain.NewID().String()}

// document returns the operation for the field, and its variables.
func (a documentBuilder) document(root *ast.Definition, field *ast.FieldDefinition, depth int) (
	string, map[string]any) {
	variables := map[string]any{}
	var declared, given []string
	for _, argument := range field.Arguments {
		value, wanted := a.value(argument.Type, argument.Name, argument.Name,
			argument.DefaultValue != nil)
		if !wanted {
			continue
		}
		variables[argument.Name] = value
		declared = append(declared, "$"+argument.Name+": "+argument.Type.String())
		given = append(given, argument.Name+": $"+argument.Name)
	}
	text := strings.ToLower(root.Name)
	if len(given) > 0 {
		return fmt.Sprintf("%s(%s) { %s(%s) %s }", text, strings.Join(declared, ", "), field.Name,
			strings.Join(given, ", "), a.selection(field.Type, depth)), variables
	}
	return fmt.Sprintf("%s { %s %s }", text, field.Name, a.selection(field.Type, depth)), variables
}

func (a documentBuilder) value(of *ast.Type, path, name string, optional bool) (any, bool) {
	set, isSet := a.values[path]
	if isSet && of.Elem == nil {
		return set, true
	}
	below := slices.ContainsFunc(slices.Collect(maps.Keys(a.values)),
		func(key string) bool { return key == path || strings.HasPrefix(key, path+".") })
	wanted := below || of.NonNull && !optional || a.full &&
		!slices.Contains([]string{"ID", "Upload", "Cursor"}, of.Name())
	if !wanted {
		return nil, false
	}
	if of.Elem != nil {
		one, ok := a.value(of.Elem, path, name, false)
		return []any{one}, ok
	}
	if of.Name() == "ID" {
		return a.other(path), true
	}
	if name == "idempotencyKey" {
		return a.nonce, true
	}
	special, ok := valuesByName[name]
	if _, isText := special.(string); ok && (!isText || of.Name() != "Int") {
		return special, true
	}
	if value, ok := defaultValues[of.Name()]; ok {
		return value, true
	}
	definition := a.schema.Types[of.Name()]
	if definition.Kind == ast.Enum {
		return definition.EnumValues[0].Name, true
	}
	object := map[string]any{}
	for _, field := range definition.Fields {
		if value, ok := a.value(field.Type, path+"."+field.Name, field.Name,
			field.DefaultValue != nil); ok {
			object[field.Name] = value
		}
	}
	return object, true
}

// selection selects every field without required arguments, down to the depth.
func (a documentBuilder) selection(of *ast.Type, depth int) string {
	definition := a.schema.Types[of.Name()]
	switch definition.Kind {
	case ast.Scalar, ast.Enum:
		return ""
	case ast.Union:
		return "{ __typename ... on Refusal { code message remedy field values { name value } } }"
	case ast.Interface:
		text := "{ __typename "
		for _, possible := range a.schema.GetPossibleTypes(definition) {
			// types may have common fields of different types
			text += "... on " + possible.Name + " " + a.selected(possible, depth, possible.Name+"_")
		}
		return text + " }"
	}
	return a.selected(definition, depth, "")
}

// selected lists the fields of an object, with aliases if there is a prefix.
func (a documentBuilder) selected(definition *ast.Definition, depth int, prefix string) string {
	text := "{ __typename"
	for _, field := range definition.Fields {
		if strings.HasPrefix(field.Name, "__") ||
			slices.ContainsFunc(field.Arguments,
				func(x *ast.ArgumentDefinition) bool {
					return x.Type.NonNull &&
						x.DefaultValue == nil
				}) {
			continue
		}
		name := field.Name
		if prefix != "" {
			name = prefix + field.Name + ": " + field.Name
		}
		switch below := a.schema.Types[field.Type.Name()]; {
		case below.Kind == ast.Scalar || below.Kind == ast.Enum:
			text += " " + name
		case below.Kind == ast.Union || depth > 1:
			text += " " + name + " " + a.selection(field.Type, depth-1)
		}
	}
	return text + " }"
}
