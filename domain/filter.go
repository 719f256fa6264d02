package domain

// Filter is a condition over the columns of a list as a value: authz makes it from the policy (user known, row
// unknown), store renders it with parameters. Exactly one of the fields And, Or, Not, Compare, Const, Anti, Exists is set;
// all nil is And of nothing: true.
type Filter struct {
	And     []Filter
	Or      []Filter
	Not     *Filter
	Compare *Comparison
	Const   *bool
	Anti    *AntiJoin
	Exists  *ReviewExists
}

// ReviewExists admits a case that has a review of a kind: open or claimed in one of the queues, or decided by the person.
// It is used in filters over cases only.
type ReviewExists struct {
	Queues    []string // open or claimed in one of them
	DecidedBy ID       // decided by the person; NoID when Queues are meant
}

// HasReviewIn admits cases with an open or claimed review in one of the queues.
func HasReviewIn(queues ...string) Filter { return Filter{Exists: &ReviewExists{Queues: queues}} }

// HasDecisionOf admits cases of which the person decided a review.
func HasDecisionOf(person ID) Filter { return Filter{Exists: &ReviewExists{DecidedBy: person}} }

// Comparison is column op value; Values with op "in".
type Comparison struct {
	Column Column
	Op     string // == != < <= > >= in
	Value  any    // int64, bool, string or ID
	Values []string
}

// Column is a name a condition may use; store maps each to SQL and refuses others.
type Column string

// The columns conditions may use; all NOT NULL int64, bool or enum-like strings.
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
	ColPreviousAssignee Column = "left_by"  // of reviews; no condition of a policy names it
	ColUnassignCause    Column = "left_how" // as ColLeftBy
)

// AntiJoin excludes rows for which a row exists elsewhere about the person.
type AntiJoin struct {
	Kind   AntiKind
	Person ID
}

// AntiKind names the exclusions.
type AntiKind string

// The exclusions: a vote in the same duty, an interest in the case, a conflict with the party's group.
const (
	AntiVote     AntiKind = "vote"
	AntiInterest AntiKind = "interest"
	AntiConflict AntiKind = "conflict"
)

// All is the conjunction of the filters; none means true.
func All(filters ...Filter) Filter { return Filter{And: filters} }

// Any is the disjunction of the filters; none means false.
func Any(filters ...Filter) Filter {
	if len(filters) == 0 {
		return Constant(false)
	}
	return Filter{Or: filters}
}

// Constant is a filter that is always the value.
func Constant(value bool) Filter { return Filter{Const: &value} }

// Where compares a column with a value.
func Where(column Column, op string, value any) Filter {
	return Filter{Compare: &Comparison{Column: column, Op: op, Value: value}}
}

// Without excludes rows by an anti-join about the person.
func Without(kind AntiKind, person ID) Filter {
	return Filter{Anti: &AntiJoin{Kind: kind, Person: person}}
}
