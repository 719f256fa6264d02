package store

import (
	"slices"

	"countersign/domain"
)

// filterFacts is what a filter over reviews says of every row it admits, as far as that shows which index leads to the rows.
type filterFacts struct {
	queues            []string    // in one of these; nil = not known
	assignees         []domain.ID // held by one of these, NoID for nobody; nil = not known
	undecided         bool        // open or claimed
	previousAssignees []domain.ID // left by one of these when their claim ran out; nil = not known
}

// maxQueueBranches bounds the queues that a list is read from one by one.
const maxQueueBranches = 40

func newFilterFacts(filter domain.Filter) filterFacts {
	var s filterFacts
	if queues, known := possibleValues[string](filter, domain.ColQueue); known && len(queues) <= maxQueueBranches {
		s.queues = queues
	}
	if statuses, known := possibleValues[string](filter, domain.ColStatus); known {
		s.undecided = !slices.ContainsFunc(statuses, func(status string) bool {
			return status != string(domain.ReviewOpen) && status != string(domain.ReviewClaimed)
		})
	}
	s.assignees, _ = possibleValues[domain.ID](filter, domain.ColAssignee)
	if how, known := possibleValues[string](filter, domain.ColUnassignCause); known && slices.Equal(how, []string{string(domain.UnassignedByExpiry)}) {
		s.previousAssignees, _ = possibleValues[domain.ID](filter, domain.ColPreviousAssignee)
	}
	return s
}

// personSubquery is where the rows are looked up when they are one person's reviews, as SQL; "" when they are not. It is a fence: a generic
// plan does not know that they are few.
func (s filterFacts) personSubquery(arg func(any) string) string {
	switch {
	case !s.undecided:
		return ""
	case s.previousAssignees != nil:
		return "(SELECT * FROM reviews r WHERE r.status = 'open' AND r.left_how = 'expired' AND r.left_by = ANY(" + arg(s.previousAssignees) + "::uuid[]) OFFSET 0) r"
	case s.assignees != nil && !slices.Contains(s.assignees, domain.NoID):
		return "(SELECT * FROM reviews r WHERE " + undecidedReview + " AND r.assignee = ANY(" + arg(s.assignees) + "::uuid[]) OFFSET 0) r"
	}
	return ""
}

// possibleValues are the values one of which the column has in every row that the filter admits; not known where the filter
// leaves it open.
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
		if some, one := possibleValues[T](part, column); one && (!known || len(some) < len(values)) {
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
		values, ok := any(slices.Clone(c.Values)).([]T)
		return values, ok && values != nil
	}
	return nil, false
}
