package views

import (
	"time"

	"countersign/domain"
	"countersign/store"
)

// ConflictQuery narrows a list of conflicts of interest.
type ConflictQuery struct {
	Person domain.ID // NoID means everyone
	Text   string    // part of the party's name; "" means all
	After  domain.ID // cursor: conflicts with a greater id
	Limit  int
}

// ProposalQuery narrows a list of proposals; empty values do not filter.
type ProposalQuery struct {
	Kind   domain.ProposalKind
	Key    string
	Status domain.ProposalStatus
	Before domain.ID // cursor: proposals made before this one; NoID means from the newest
	Limit  int
}

// IncidentQuery narrows a list of incidents further than the policy does; empty values do not
// filter.
type IncidentQuery struct {
	Code  domain.Code
	Node  string
	After *IncidentCursor
	Limit int
}

func (q IncidentQuery) forStore(limit int) store.IncidentQuery {
	return store.IncidentQuery{Code: q.Code, Node: q.Node, Limit: limit,
		After: (*store.IncidentCursor)(q.After)}
}

// IncidentCursor is the sort key of the last incident of a page.
type IncidentCursor struct {
	EndedAt time.Time
	RunID   domain.ID
}

// QueueCursor is the sort key of the last review of a page.
type QueueCursor struct {
	DecideBy time.Time
	ID       domain.ID
}

// Due selects reviews by their deadline; "" does not filter.
type Due string

// Values of Due.
const (
	DueOverdue = Due(store.DueOverdue)
	DueAtRisk  = Due(store.DueAtRisk)
)

// Overdue reports whether the review is overdue, by the same rule as the lists.
func Overdue(review domain.Review, now time.Time) bool { return store.Overdue(review, now) }

// AtRisk reports whether the review is at risk, by the same rule as the lists.
func AtRisk(review domain.Review, now time.Time) bool { return store.AtRisk(review, now) }
