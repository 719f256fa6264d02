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
	parts        []string
	args         []any
	encodedBytes int // bytes of the columns among the args
	// Of one about cases: the least and the greatest, and the ending of the partitions where all lie ("" = the tables as a whole).
	lowest, highest domain.ID
	partitionSuffix string
}

// newStatement begins a statement about the cases.
func (r Reader) newStatement(cases []domain.ID) *statement {
	lowest, highest := idRange(cases)
	return &statement{lowest: lowest, highest: highest, partitionSuffix: r.partitions.suffixFor(lowest, highest)}
}

// caseIDBounds limits a column of case IDs to those of the statement: it says nothing new, but the plan finds the partitions by it,
// where the statement does not name them.
func (s *statement) caseIDBounds(col string) string {
	switch {
	case s.partitionSuffix != "":
		return "true"
	case s.lowest == s.highest:
		return col + " = " + s.arg(s.lowest)
	}
	return col + " BETWEEN " + s.arg(s.lowest) + " AND " + s.arg(s.highest)
}

// partitionOf is the partitioned table of the name, or its partition where the statement's cases lie: to read, update and delete
// from. Rows are added to the table as a whole, which finds their partition without a look at the others.
func (s *statement) partitionOf(name string) string { return name + s.partitionSuffix }

func (s *statement) arg(value any) string {
	s.args = append(s.args, value)
	return "$" + strconv.Itoa(len(s.args))
}

func (s *statement) addCTE(name, format string, args ...any) {
	s.parts = append(s.parts, name+" AS ("+fmt.Sprintf(format, args...)+")")
}

// unnestRows is rows of one kind, handed over as one array a column: the text of the statement, and so its plan, is the same
// for any number of rows.
type unnestRows[R any] struct {
	stmt         *statement
	rows         []R
	names        []string
	placeholders []string
}

func newUnnestRows[R any](s *statement, rows []R) *unnestRows[R] {
	return &unnestRows[R]{stmt: s, rows: rows}
}

// addColumn adds a column of the Postgres type kind.
func addColumn[R, T any](set *unnestRows[R], name, kind string, get func(*R) T) {
	set.names = append(set.names, name)
	if array := encodeColumn(set.rows, kind, get); array != nil {
		set.stmt.encodedBytes += len(array)
		set.placeholders = append(set.placeholders, set.stmt.arg(&arrayParam{array, set.stmt})+"::"+kind+"[]")
		return
	}
	values := make(pgtype.FlatArray[T], len(set.rows))
	for i := range set.rows {
		values[i] = get(&set.rows[i])
	}
	set.placeholders = append(set.placeholders, set.stmt.arg(values)+"::"+kind+"[]")
}

// fromClause is the rows as a table of the alias, for a FROM.
func (set *unnestRows[R]) fromClause(alias string) string {
	return "unnest(" + strings.Join(set.placeholders, ", ") + ") AS " + alias + "(" + strings.Join(set.names, ", ") + ")"
}

// numberedFromClause is the rows as a table of the alias with their number n, from 1.
func (set *unnestRows[R]) numberedFromClause(alias string) string {
	return "unnest(" + strings.Join(set.placeholders, ", ") + ") WITH ORDINALITY AS " + alias + "(" + strings.Join(set.names, ", ") + ", n)"
}

// columnList names the columns from the one at from on, each as prefix.name.
func (set *unnestRows[R]) columnList(prefix string, from int) string {
	return prefix + "." + strings.Join(set.names[from:], ", "+prefix+".")
}
