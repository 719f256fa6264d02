// Package direct encodes lists of objects that have no resolvers, such as the fields of a case and the
// words of a page. The executor makes a context, a closure and a goroutine for each element of a list
// and its members; for hundreds of plain values that costs more than reading them.
//
// What may enter: values of the domain and the selection of a document. What never happens here: I/O, a
// question about rights, output that differs from that of the executor.
package direct

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strconv"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// Append appends the JSON of one member of a value.
type Append[T any] func(out []byte, value *T) []byte

// Member returns how a selected member is appended, nil if it cannot be.
type Member[T any] func(operation *graphql.OperationContext, selected graphql.CollectedField) Append[T]

// Type is an object type of the schema: its name, and all its members by name.
type Type[T any] struct {
	Name    string
	Members map[string]Member[T]
}

// encoded is a complete JSON value.
type encoded []byte

func (e encoded) MarshalGQL(w io.Writer) { _, _ = w.Write(e) }

type plansKey struct{}

// selection identifies what is selected of a field. The field itself would not: one field of a fragment
// is merged with different others in each place where the fragment is used.
type selection struct {
	first  *ast.Selection
	length int
}

// WithPlans returns the context of one operation, in which the selections of its fields are planned once
// and not once for each object that has the field.
func WithPlans(ctx context.Context) context.Context {
	return context.WithValue(ctx, plansKey{}, &sync.Map{})
}

// planned returns the members that the current field selects, nil if the executor must resolve it.
func (t Type[T]) planned(ctx context.Context) []member[T] {
	return t.plannedOf(ctx, graphql.GetFieldContext(ctx).Field)
}

func (t Type[T]) plannedOf(ctx context.Context, field graphql.CollectedField) []member[T] {
	plans, _ := ctx.Value(plansKey{}).(*sync.Map)
	if plans == nil {
		plans = &sync.Map{}
	}
	key := selection{&field.Selections[0], len(field.Selections)}
	known, ok := plans.Load(key)
	if !ok {
		known, _ = plans.LoadOrStore(key, t.plan(graphql.GetOperationContext(ctx), field))
	}
	members, _ := known.([]member[T])
	return members
}

// Encodes reports whether the type has all that the current field selects.
func (t Type[T]) Encodes(ctx context.Context) bool { return t.planned(ctx) != nil }

// EncodesField is Encodes for a field that the current field selects.
func (t Type[T]) EncodesField(ctx context.Context, field graphql.CollectedField) bool {
	return t.plannedOf(ctx, field) != nil
}

// One returns the value as JSON, null for nil, or nil if something is selected that the type does not have.
func (t Type[T]) One(ctx context.Context, value *T) graphql.Marshaler {
	members := t.planned(ctx)
	if members == nil {
		return nil
	}
	if value == nil {
		return graphql.Null
	}
	return encoded(appendObject(make([]byte, 0, 64), members, value))
}

// List returns the values as JSON, or nil if something is selected that the type does not have: the
// executor must then resolve the list. It needs the context of the field that returns the list.
func (t Type[T]) List(ctx context.Context, values []T) graphql.Marshaler {
	members := t.planned(ctx)
	if members == nil {
		return nil
	}
	const usual = 96 // bytes of an object
	return encoded(appendList(make([]byte, 0, 2+usual*len(values)), members, values))
}

func appendList[T any](out []byte, members []member[T], values []T) []byte {
	out = append(out, '[')
	for i := range values {
		if i > 0 {
			out = append(out, ',')
		}
		before := len(out)
		out = appendObject(out, members, &values[i])
		if i == 0 { // the others are about as long as the first
			out = slices.Grow(out, (len(out)-before+1)*(len(values)-1)*9/8)
		}
	}
	return append(out, ']')
}

// member is a selected member with its key, such as "total":
type member[T any] struct {
	key    []byte
	append Append[T]
}

// plan returns what the document selects of the type, nil if the type does not have all of it.
func (t Type[T]) plan(operation *graphql.OperationContext, field graphql.CollectedField) []member[T] {
	selected := graphql.CollectFields(operation, field.Selections, []string{t.Name})
	members := make([]member[T], 0, len(selected))
	for _, one := range selected {
		appendValue := t.memberOf(operation, one)
		if appendValue == nil {
			return nil
		}
		members = append(members, member[T]{append(appendText(nil, one.Alias), ':'), appendValue})
	}
	return members
}

func (t Type[T]) memberOf(operation *graphql.OperationContext, selected graphql.CollectedField) Append[T] {
	if selected.Name == "__typename" {
		name := appendText(nil, t.Name)
		return func(out []byte, _ *T) []byte { return append(out, name...) }
	}
	if of := t.Members[selected.Name]; of != nil {
		return of(operation, selected)
	}
	return nil
}

func appendObject[T any](out []byte, members []member[T], value *T) []byte {
	out = append(out, '{')
	for i := range members {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, members[i].key...)
		out = members[i].append(out, value)
	}
	return append(out, '}')
}

// plain returns a member that has no selection of its own.
func plain[T any](appendValue Append[T]) Member[T] {
	return func(*graphql.OperationContext, graphql.CollectedField) Append[T] { return appendValue }
}

// Text is a string member.
func Text[T any](of func(*T) string) Member[T] {
	return plain(func(out []byte, value *T) []byte { return appendText(out, of(value)) })
}

// Integer is a member of type Int.
func Integer[T any](of func(*T) int) Member[T] {
	return plain(func(out []byte, value *T) []byte { return strconv.AppendInt(out, int64(of(value)), 10) })
}

// Number is a member of type Float.
func Number[T any](of func(*T) float64) Member[T] {
	return plain(func(out []byte, value *T) []byte { return strconv.AppendFloat(out, of(value), 'g', -1, 64) })
}

// Bool is a member of type Boolean.
func Bool[T any](of func(*T) bool) Member[T] {
	return plain(func(out []byte, value *T) []byte { return strconv.AppendBool(out, of(value)) })
}

// Object is a member of another type, null if it is nil.
func Object[T, U any](kind Type[U], of func(*T) *U) Member[T] {
	return func(operation *graphql.OperationContext, selected graphql.CollectedField) Append[T] {
		members := kind.plan(operation, selected)
		if members == nil {
			return nil
		}
		return func(out []byte, value *T) []byte {
			if found := of(value); found != nil {
				return appendObject(out, members, found)
			}
			return append(out, "null"...)
		}
	}
}

// ListOf is a member that is a list of another type.
func ListOf[T, U any](kind Type[U], of func(*T) []U) Member[T] {
	return func(operation *graphql.OperationContext, selected graphql.CollectedField) Append[T] {
		members := kind.plan(operation, selected)
		if members == nil {
			return nil
		}
		return func(out []byte, value *T) []byte { return appendList(out, members, of(value)) }
	}
}

// appendText appends a JSON string as the executor writes it.
func appendText(out []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; c < 0x20 || c == '"' || c == '\\' {
			var escaped bytes.Buffer
			graphql.MarshalString(text).MarshalGQL(&escaped)
			return append(out, escaped.Bytes()...)
		}
	}
	out = append(out, '"')
	out = append(out, text...)
	return append(out, '"')
}
