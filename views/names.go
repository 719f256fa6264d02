package views

import "countersign/store"

// Names of what doors ask with; a door does not know the store.
type (
	CaseQuery = store.CaseQuery
	// ConflictQuery narrows the list of conflicts.
	ConflictQuery = store.ConflictQuery
	QueueCursor   = store.QueueCursor
	// IncidentQuery and IncidentCursor ask for failed stages.
	IncidentQuery  = store.IncidentQuery
	IncidentCursor = store.IncidentCursor
)

// Overdue and AtRisk judge one review as the lists do.
var (
	Overdue = store.Overdue
	AtRisk  = store.AtRisk
)

// Due narrows a list of reviews by their time; "" is any.
type Due string

// The kinds of due.
const (
	DueOverdue = Due(store.DueOverdue)
	DueAtRisk  = Due(store.DueAtRisk)
)
