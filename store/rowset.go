package store

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgtype"
)

// statement gathers the parts of one data-modifying statement.
type statement struct {
	parts []string
	args  []any
	month string // the ending of the partitions where all its cases lie; "" = the tables as a whole
}

// table is the partitioned table of the name, or its partition where the statement's cases lie: to read, update and delete
// from. Rows are added to the table as a whole, which finds their partition without a look at the others.
func (s *statement) table(name string) string { return name + s.month }

func (s *statement) arg(value any) string {
	s.args = append(s.args, value)
	return "$" + strconv.Itoa(len(s.args))
}

func (s *statement) with(name, format string, args ...any) {
	s.parts = append(s.parts, name+" AS ("+fmt.Sprintf(format, args...)+")")
}

// rowSet is rows of one kind, handed over as one array a column: the text of the statement, and so its plan, is the same
// for any number of rows.
type rowSet[R any] struct {
	s     *statement
	rows  []R
	names []string
	marks []string
}

func newRowSet[R any](s *statement, rows []R) *rowSet[R] { return &rowSet[R]{s: s, rows: rows} }

// column adds a column of the Postgres type kind.
func column[R, T any](set *rowSet[R], name, kind string, get func(*R) T) {
	values := make(pgtype.FlatArray[T], len(set.rows))
	for i := range set.rows {
		values[i] = get(&set.rows[i])
	}
	set.names = append(set.names, name)
	set.marks = append(set.marks, set.s.arg(values)+"::"+kind+"[]")
}

// as is the rows as a table of the alias, for a FROM.
func (set *rowSet[R]) as(alias string) string {
	return "unnest(" + strings.Join(set.marks, ", ") + ") AS " + alias + "(" + strings.Join(set.names, ", ") + ")"
}

// numbered is the rows as a table of the alias with their number n, from 1.
func (set *rowSet[R]) numbered(alias string) string {
	return "unnest(" + strings.Join(set.marks, ", ") + ") WITH ORDINALITY AS " + alias + "(" + strings.Join(set.names, ", ") + ", n)"
}

// list names the columns from the one at from on, each as prefix.name.
func (set *rowSet[R]) list(prefix string, from int) string {
	return prefix + "." + strings.Join(set.names[from:], ", "+prefix+".")
}
