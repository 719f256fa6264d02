package store

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgtype"

	"countersign/domain"
)

// statement gathers the parts of one data-modifying statement.
type statement struct {
	parts []string
	args  []any
	wired int // bytes of the columns among the args
	// Of one about cases: the least and the greatest, and the ending of the partitions where all lie ("" = the tables as a whole).
	lowest, highest domain.ID
	month           string
}

// about begins a statement about the cases.
func (r Reader) about(cases []domain.ID) *statement {
	lowest, highest := span(cases)
	return &statement{lowest: lowest, highest: highest, month: r.months.of(lowest, highest)}
}

// bounds limits a column of case IDs to those of the statement: it says nothing new, but the plan finds the partitions by it,
// where the statement does not name them.
func (s *statement) bounds(col string) string {
	switch {
	case s.month != "":
		return "true"
	case s.lowest == s.highest:
		return col + " = " + s.arg(s.lowest)
	}
	return col + " BETWEEN " + s.arg(s.lowest) + " AND " + s.arg(s.highest)
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
	set.names = append(set.names, name)
	if array := encoded(set.rows, kind, get); array != nil {
		set.s.wired += len(array)
		set.marks = append(set.marks, set.s.arg(&wire{array, set.s})+"::"+kind+"[]")
		return
	}
	values := make(pgtype.FlatArray[T], len(set.rows))
	for i := range set.rows {
		values[i] = get(&set.rows[i])
	}
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
