package bulk

import (
	"reflect"
	"testing"

	"github.com/jackc/pgx/v5/pgtype"
)

type item struct {
	name  string
	count int
	note  *string
}

func TestRowsAreOneArrayPerColumn(t *testing.T) {
	t.Parallel()
	note := "n"
	s := &Statement{}
	id := s.Arg(7)
	rows := NewRows(s, []item{{"a", 1, nil}, {"b", 2, &note}})
	Column(rows, "name", "text", func(i *item) string { return i.name })
	Column(rows, "count", "int", func(i *item) int { return i.count })
	if got, want := rows.From("x"), "unnest($2::text[], $3::int[]) AS x(name, count)"; got != want {
		t.Errorf("From is %q, want %q", got, want)
	}
	if got, want := rows.NumberedFrom("x"),
		"unnest($2::text[], $3::int[]) WITH ORDINALITY AS x(name, count, n)"; got != want {
		t.Errorf("NumberedFrom is %q, want %q", got, want)
	}
	if got, want := rows.List("x"), "x.name, x.count"; got != want {
		t.Errorf("List is %q, want %q", got, want)
	}
	if got, want := rows.Assignments("x"), "name = x.name, count = x.count"; got != want {
		t.Errorf("Assignments is %q, want %q", got, want)
	}
	Column(rows, "note", "text", func(i *item) *string { return i.note })
	want := []any{7, pgtype.FlatArray[string]{"a", "b"}, pgtype.FlatArray[int]{1, 2},
		pgtype.FlatArray[*string]{nil, &note}}
	if id != "$1" || !reflect.DeepEqual(s.Args(), want) || !reflect.DeepEqual(rows.Names(),
		[]string{"name", "count", "note"}) {
		t.Errorf("args %v of columns %v, want %v", s.Args(), rows.Names(), want)
	}
}

// The text of a statement is the same for any number of rows, because each text is prepared and
// planned.
func TestTextDoesNotDependOnTheNumberOfRows(t *testing.T) {
	t.Parallel()
	text := func(items []item) string {
		s := &Statement{}
		rows := NewRows(s, items)
		Column(rows, "name", "text", func(i *item) string { return i.name })
		s.AddCTE("a", "INSERT INTO t (%s) SELECT %s FROM %s RETURNING name", "name", rows.List("x"),
			rows.From("x"))
		s.AddCTE("b", "SELECT FROM a WHERE name = %s", s.Arg("a"))
		return s.With() + "SELECT FROM b"
	}
	want := "WITH a AS (INSERT INTO t (name) SELECT x.name FROM unnest($1::text[]) AS x(name) RETURNING name),\n" +
		"b AS (SELECT FROM a WHERE name = $2)\nSELECT FROM b"
	for n := range 3 {
		if got := text(make([]item, n)); got != want {
			t.Errorf("%d rows: %q, want %q", n, got, want)
		}
	}
}

// An array in a row is passed as text and cast where it is written.
func TestArrayColumnIsCast(t *testing.T) {
	t.Parallel()
	s := &Statement{}
	rows := NewRows(s, []item{{name: "{DE,FR}"}})
	ArrayColumn(rows, "countries", "text", func(i *item) string { return i.name })
	if got, want := rows.From("x"), "unnest($1::text[]) AS x(countries)"; got != want {
		t.Errorf("From is %q, want %q", got, want)
	}
	if got, want := rows.List("x"), "x.countries::text[]"; got != want {
		t.Errorf("List is %q, want %q", got, want)
	}
	if got, want := rows.Assignments("x"), "countries = x.countries::text[]"; got != want {
		t.Errorf("Assignments is %q, want %q", got, want)
	}
}
