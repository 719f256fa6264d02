package store

import (
	"countersign/domain"
	"countersign/store/bulk"
)

// statement is a bulk statement about the rows of cases.
type statement struct {
	bulk.Statement
	lowest, highest domain.ID // of the cases
	// partitionSuffix ends the names of the partitions that hold all of the cases; "" if the tables
	// are used as a whole.
	partitionSuffix string
}

// newStatement returns an empty statement about the cases.
func (r Reader) newStatement(cases []domain.ID) *statement {
	lowest, highest := idRange(cases)
	return &statement{lowest: lowest, highest: highest,
		partitionSuffix: r.partitions.suffixFor(lowest, highest)}
}

// caseIDBounds limits a column of case IDs to the range of the statement. The condition is
// redundant, but the planner finds the partitions by it if the statement does not name them.
func (s *statement) caseIDBounds(col string) string {
	switch {
	case s.partitionSuffix != "":
		return "true"
	case s.lowest == s.highest:
		return col + " = " + s.Arg(s.lowest)
	}
	return col + " BETWEEN " + s.Arg(s.lowest) + " AND " + s.Arg(s.highest)
}

// partitionOf returns the partition of the table that holds the statement's cases, or the table
// itself, to read, update and delete from. Rows are inserted into the table, which finds their
// partition without planning for the others.
func (s *statement) partitionOf(table string) string { return table + s.partitionSuffix }
