package bulk

import (
	"strings"

	"github.com/jackc/pgx/v5/pgtype"
)

// Rows passes Go values to a statement as rows, one array parameter for each column.
type Rows[R any] struct {
	stmt         *Statement
	rows         []R
	names        []string
	casts        []string // appended to a column where its value is written
	placeholders []string
}

// NewRows returns rows without columns.
func NewRows[R any](s *Statement, rows []R) *Rows[R] { return &Rows[R]{stmt: s, rows: rows} }

// Column adds a column of the Postgres type kind, whose values get reads from the rows in their
// order.
func Column[R, T any](rows *Rows[R], name, kind string, get func(*R) T) {
	values := make(pgtype.FlatArray[T], len(rows.rows))
	for i := range rows.rows {
		values[i] = get(&rows.rows[i])
	}
	rows.names, rows.casts = append(rows.names, name), append(rows.casts, "")
	rows.placeholders = append(rows.placeholders, rows.stmt.Arg(values)+"::"+kind+"[]")
}

// ArrayColumn adds a column whose values are arrays of the Postgres type element. get returns them
// as array literals such as {DE,FR}, because unnest would flatten arrays of arrays.
func ArrayColumn[R any](rows *Rows[R], name, element string, get func(*R) string) {
	Column(rows, name, "text", get)
	rows.casts[len(rows.casts)-1] = "::" + element + "[]"
}

// Names returns the names of the columns.
func (r *Rows[R]) Names() []string { return r.names }

// From returns the rows as a table with the alias, for a FROM clause.
func (r *Rows[R]) From(alias string) string {
	return "unnest(" + strings.Join(r.placeholders, ", ") + ") AS " + alias + "(" +
		strings.Join(r.names, ", ") + ")"
}

// NumberedFrom returns the rows as a table with the alias and a last column n, the number of the
// row from 1.
func (r *Rows[R]) NumberedFrom(alias string) string {
	return "unnest(" + strings.Join(r.placeholders, ", ") + ") WITH ORDINALITY AS " + alias +
		"(" + strings.Join(r.names, ", ") + ", n)"
}

// List returns the values of the columns separated by commas, each as prefix.name.
func (r *Rows[R]) List(prefix string) string {
	list := make([]string, len(r.names))
	for i, name := range r.names {
		list[i] = prefix + "." + name + r.casts[i]
	}
	return strings.Join(list, ", ")
}

// Assignments returns the columns as the assignments of an UPDATE, each as name = prefix.name.
func (r *Rows[R]) Assignments(prefix string) string {
	list := make([]string, len(r.names))
	for i, name := range r.names {
		list[i] = name + " = " + prefix + "." + name + r.casts[i]
	}
	return strings.Join(list, ", ")
}
