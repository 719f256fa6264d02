package domain

import "slices"

// Filter is a condition on the rows of a list. authz derives it from the policy for a known user,
// and store renders it as SQL with parameters. Exactly one field is set; the zero Filter is an
// empty And, which is true.
type Filter struct {
	And     []Filter
	Or      []Filter
	Not     *Filter
	Compare *Comparison
	Const   *bool
	Anti    *AntiJoin
	Exists  *ReviewExists
	// EveryCountry must be true of each country of the row's risk basis, not only of the one in
	// force.
	EveryCountry *Filter
}

// Uses reports whether the filter compares the column.
func (f Filter) Uses(column Column) bool {
	uses := func(part Filter) bool { return part.Uses(column) }
	switch {
	case f.Compare != nil:
		return f.Compare.Column == column
	case f.Not != nil:
		return uses(*f.Not)
	case f.EveryCountry != nil:
		return uses(*f.EveryCountry)
	}
	return slices.ContainsFunc(f.And, uses) || slices.ContainsFunc(f.Or, uses)
}

// ReviewExists matches a case with a review that is open or claimed in one of the queues, or was
// decided by the person. It is used in filters on cases only.
type ReviewExists struct {
	Queues    []string // open or claimed in one of them
	DecidedBy ID       // decided by the person; NoID if Queues is set
}

// HasReviewIn matches cases with an open or claimed review in one of the queues.
func HasReviewIn(queues ...string) Filter { return Filter{Exists: &ReviewExists{Queues: queues}} }

// HasDecisionOf matches cases with a review that the person decided.
func HasDecisionOf(person ID) Filter { return Filter{Exists: &ReviewExists{DecidedBy: person}} }

// Comparison compares a column with Value, or with Values if Op is "in".
type Comparison struct {
	Column Column
	Op     string // == != < <= > >= in
	Value  any    // int64, bool, string or ID; with in also []ID
	Values []string
}

// Column is a column that a condition may use. store maps each to SQL and rejects others.
type Column string

// The columns. All are NOT NULL integers, booleans or enumerated strings.
const (
	ColQueue            Column = "queue"
	ColLevel            Column = "level"
	ColDocumentType     Column = "document_type"
	ColCountry          Column = "country"
	ColBaseMinor        Column = "base_minor"
	ColAmountKnown      Column = "amount_known"
	ColSubmitter        Column = "submitter"
	ColAssignee         Column = "assignee"
	ColStatus           Column = "status"
	ColPreviousAssignee Column = "left_by"  // reviews only; not available in policies
	ColUnassignCause    Column = "left_how" // reviews only; not available in policies
	ColDrawn            Column = "drawn"    // reviews only; not available in policies
	ColCase             Column = "case_id"  // reviews only; not available in policies
)

// AntiJoin excludes rows for which another table has a row about the person.
type AntiJoin struct {
	Kind   AntiKind
	Person ID
}

// AntiKind is the kind of an exclusion.
type AntiKind string

// The exclusions: a vote in the same duty, an interest in the case, a conflict with the party's
// group.
const (
	AntiVote     AntiKind = "vote"
	AntiInterest AntiKind = "interest"
	AntiConflict AntiKind = "conflict"
)

// All returns the conjunction of the filters, true if there are none.
func All(filters ...Filter) Filter { return Filter{And: filters} }

// Any returns the disjunction of the filters, false if there are none.
func Any(filters ...Filter) Filter {
	if len(filters) == 0 {
		return Constant(false)
	}
	return Filter{Or: filters}
}

// Constant returns a filter that is always true or always false.
func Constant(value bool) Filter { return Filter{Const: &value} }

// Where returns a filter that compares a column with a value.
func Where(column Column, op string, value any) Filter {
	return Filter{Compare: &Comparison{Column: column, Op: op, Value: value}}
}

// Without returns a filter that excludes rows by an anti-join about the person.
func Without(kind AntiKind, person ID) Filter {
	return Filter{Anti: &AntiJoin{Kind: kind, Person: person}}
}
