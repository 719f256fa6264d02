package views

import (
	"countersign/rules"
	"countersign/store"
	"countersign/workflow"
)

// Names of the types that adapters query with; an adapter does not know the store.
type (
	CaseQuery = store.CaseQuery
	// ConflictQuery narrows the list of conflicts.
	ConflictQuery = store.ConflictQuery
	// ProposalQuery asks for proposals.
	ProposalQuery = store.ProposalQuery
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

// How a definition is drawn and faulted.
type (
	Graph             = workflow.Graph
	LineKind          = workflow.GraphEdgeKind
	DefinitionProblem = workflow.Problem
)

// The kinds of lines.
const (
	LineNext    = workflow.EdgeNext
	LineOutcome = workflow.EdgeOutcome
	LineVerdict = workflow.EdgeVerdict
	LineReturn  = workflow.EdgeReturn
	LineBranch  = workflow.EdgeBranch
	LineDefault = workflow.EdgeDefault
	LineTimeout = workflow.EdgeTimeout
	LineError   = workflow.EdgeError
	LineAbandon = workflow.EdgeAbandon
)

// Draw draws a definition; PathNode reads the node off an event of a counter-example.
var (
	Draw     = workflow.NewGraph
	PathNode = workflow.PathNode
)

// Rule is one line of a rule set.
type Rule = rules.Rule

// Validation is the phase of rules that ask whether a document is complete and consistent.
const Validation = rules.Validation
