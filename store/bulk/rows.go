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
	rows.names = append(rows.names, name)
	rows.placeholders = append(rows.placeholders, rows.stmt.Arg(values)+"::"+kind+"[]")
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

// List returns the columns separated by commas, each as prefix.name.
func (r *Rows[R]) List(prefix string) string {
	return prefix + "." + strings.Join(r.names, ", "+prefix+".")
}
