package store

import (
	"slices"

	"countersign/domain"
)

// filterFacts is what a filter guarantees of every review it admits, as far as it helps to choose
// an index.
type filterFacts struct {
	queues            []string    // possible queues; nil = any
	excluded          []string    // queues that cannot occur
	assignees         []domain.ID // possible assignees, NoID for unassigned; nil = any
	undecided         bool        // open or claimed
	previousAssignees []domain.ID // possible users whose claim expired; nil = any
	cases             []domain.ID // possible cases; nil = any
}

// maxQueueBranches is the largest number of queues that a list reads one by one.
const maxQueueBranches = 40

func newFilterFacts(filter domain.Filter) filterFacts {
	var s filterFacts
	if queues, known := possibleValues[string](filter, domain.ColQueue); known &&
		len(queues) <= maxQueueBranches {
		s.queues = queues
	}
	s.excluded = excludedQueues(filter)
	if statuses, known := possibleValues[string](filter, domain.ColStatus); known {
		s.undecided = !slices.ContainsFunc(statuses, func(status string) bool {
			return status != string(domain.ReviewOpen) && status != string(domain.ReviewClaimed)
		})
	}
	s.assignees, _ = possibleValues[domain.ID](filter, domain.ColAssignee)
	if how, known := possibleValues[string](filter, domain.ColUnassignCause); known &&
		slices.Equal(how, []string{string(domain.UnassignedByExpiry)}) {
		s.previousAssignees, _ = possibleValues[domain.ID](filter, domain.ColPreviousAssignee)
	}
	s.cases, _ = possibleValues[domain.ID](filter, domain.ColCase)
	return s
}

// excludedQueues returns the queues that no row admitted by the filter can have.
func excludedQueues(f domain.Filter) []string {
	if c := f.Compare; c != nil && c.Column == domain.ColQueue && c.Op == "!=" {
		if queue, ok := c.Value.(string); ok {
			return []string{queue}
		}
	}
	var excluded []string
	for _, part := range f.And {
		excluded = append(excluded, excludedQueues(part)...)
	}
	return excluded
}

// fewRows returns a subquery of the rows if they are one person's reviews or those of named cases,
// otherwise "". OFFSET 0 keeps the planner from merging it, because a generic plan does not know that these rows
// are few.
func (s filterFacts) fewRows(arg func(any) string) string {
	switch {
	case !s.undecided:
		return ""
	case s.cases != nil:
		return "(SELECT * FROM reviews r WHERE " + undecidedReview + " AND r.case_id = ANY(" + arg(s.cases) + "::uuid[]) OFFSET 0) r"
	case s.previousAssignees != nil:
		return "(SELECT * FROM reviews r WHERE r.status = 'open' AND r.left_how = 'expired' AND r.left_by = ANY(" + arg(s.previousAssignees) + "::uuid[]) OFFSET 0) r"
	case s.assignees != nil && !slices.Contains(s.assignees, domain.NoID):
		return "(SELECT * FROM reviews r WHERE " + undecidedReview + " AND r.assignee = ANY(" +
			arg(s.assignees) + "::uuid[]) OFFSET 0) r"
	}
	return ""
}

// possibleValues returns the values that the column can have in the rows that the filter admits;
// known is false if the filter does not restrict the column.
func possibleValues[T comparable](f domain.Filter, column domain.Column) (values []T, known bool) {
	switch {
	case f.Const != nil:
		return []T{}, !*f.Const
	case f.Compare != nil:
		return comparisonValues[T](*f.Compare, column)
	case f.Or != nil:
		values = []T{}
		for _, part := range f.Or {
			some, known := possibleValues[T](part, column)
			if !known {
				return nil, false
			}
			for _, value := range some {
				if !slices.Contains(values, value) {
					values = append(values, value)
				}
			}
		}
		return values, true
	}
	for _, part := range f.And {
		if some, one := possibleValues[T](part, column); one &&
			(!known || len(some) < len(values)) {
			values, known = some, true
		}
	}
	return values, known
}

func comparisonValues[T comparable](c domain.Comparison, column domain.Column) ([]T, bool) {
	if c.Column != column {
		return nil, false
	}
	switch c.Op {
	case "==":
		value, ok := c.Value.(T)
		return []T{value}, ok
	case "in":
		if values, ok := c.Value.([]T); ok {
			return values, true
		}
		values, ok := any(slices.Clone(c.Values)).([]T)
		return values, ok && values != nil
	}
	return nil, false
}
