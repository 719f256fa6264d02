package workflow

import (
	"slices"
	"time"

	"countersign/domain"
	"countersign/expr"
)

// Kind is what a node is.
type Kind string

// The kinds of nodes.
const (
	KindStart     Kind = "start"     // one; where a case begins
	KindStage     Kind = "stage"     // work of the machine; ends in one of its declared outcomes
	KindExternal  Kind = "external"  // a stage that a program outside leases by its topic and completes
	KindSaga      Kind = "saga"      // calls to other systems in order; when one fails, those before it are undone
	KindTimer     Kind = "timer"     // waits for a time
	KindReview    Kind = "review"    // work of persons: one or more seats
	KindExclusive Kind = "exclusive" // passed through: the first true branch, else the default
	KindFork      Kind = "fork"      // passed through: a token on every branch
	KindJoin      Kind = "join"      // waits until every branch has arrived
	KindEnd       Kind = "end"       // takes the last token away and gives the final status
)

// Returned is the pseudo node where a case waits for its submitter; no definition may use the name.
const Returned = "returned"

// OutcomeDone is the outcome of a stage that declares none.
const OutcomeDone = "done"

// The outcomes of a saga.
const (
	SagaDone   = "done"   // every step was taken
	SagaUndone = "undone" // a step failed, and what had been done was undone
)

// QueueExternal is the queue of an external stage's run: no worker of ours serves it.
const QueueExternal = domain.QueueExternal

// Overdue says what happens when nobody claims a review in time; an alert is given in any case.
type Overdue string

// The answers to a review that nobody claims.
const (
	OverdueAlert    Overdue = "alert"    // the assignee and the managers are told
	OverdueReassign Overdue = "reassign" // and it goes to the eligible person with the fewest open reviews
)

// DutyApproval is the duty of a review that names none; votes of one duty come from distinct persons.
const DutyApproval = "approval"

// Definition is one version of a process, parsed and statically checked. It is never changed after Parse and is safe
// for concurrent use.
type Definition struct {
	Key     string
	Version int
	// Title is the name for people by language ("en", "zh").
	Title         map[string]string
	DocumentTypes []string // empty: any
	HasAmount     bool     // false: the process has no amount, limits are not asked
	// KeyFacts are the facts whose change makes a vote fall, beside those that always do (see KeyFields).
	KeyFacts  []string
	ReEnter   string // node where a returned case goes on, unless the review names another
	OnReplace string // node where a case with a replaced document starts again
	OnEnter   string // node where a case goes on whose fields were entered by hand
	OnAbandon string // node of the abandonment's seal
	// Reopen are the final statuses from which a case may be taken up again; it goes on at OnEnter.
	Reopen []domain.Status
	Nodes  []*Node

	start *Node
	index map[string]*Node
}

// Node is one node of a definition. Fields of other kinds are zero.
type Node struct {
	ID    string
	Kind  Kind
	Title map[string]string
	Line  int // in the YAML, from 1
	// Behaviour selects the processor of a stage or review; its default is the kind, for stages the node's id is usual.
	Behaviour string
	// Queue is the work queue of a stage (light, ocr, model, connect) or the queue of a review (L1, L2, AML …).
	Queue string
	// QueueFor overrides a stage's queue by document type.
	QueueFor map[string]string
	Attempts int           // of a stage or a saga's step, at least 1
	Backoff  time.Duration // before the second attempt; doubles with each further one
	// Topic is what programs lease an external stage by; Lease is how long they keep it before it is offered again.
	Topic string
	Lease time.Duration
	// After is how long a timer waits.
	After time.Duration
	// Timeout is how long a review or external stage may stay open before its boundary timer fires; 0: for ever.
	Timeout time.Duration
	// Steps are the calls of a saga, in order.
	Steps []SagaStep
	// Status is what the case shows while a token stands here; for an end, the final status.
	Status domain.Status
	// Outcome is set on the stages that seal a case: the final status it is settling to (archived, rejected, abandoned).
	Outcome domain.Status

	Level         int
	Duty          string
	Seats         int // persons asked at once
	Quorum        int // approvals needed; one rejection or return decides at once
	ClaimWithin   time.Duration
	DecideWithin  time.Duration
	Overdue       Overdue // when ClaimWithin has passed
	EscalateTo    string  // queue; empty: this review cannot be escalated
	EscalateLevel int

	// Skills are those that a person has to have to be given this review by a queue that goes by skills.
	Skills []string
	// Undo is how long a decision can be taken back before it takes effect; 0: it takes effect at once.
	Undo time.Duration
	// Bulk is what may be approved here together with other reviews; nil: every review is decided alone.
	Bulk *BulkLimits

	Edges []Edge

	joinSources []*Node // of a join: the nodes whose tokens it waits for, in order of declaration
}

// Edge leads from a node to the next.
type Edge struct {
	// On is the stage's outcome or the reviewer's verdict that takes this edge; empty elsewhere.
	On string
	// Trigger is set on the edges at a node's boundary, which leave it in the middle of its work.
	Trigger Trigger
	// Codes are the failures that take a boundary error's edge; empty: all that no edge before it takes.
	Codes []domain.Code
	// When is the guard of a gateway's branch; empty for its default and elsewhere.
	When string
	To   string
	// CancelsAll withdraws all other open work of the case when the edge is taken. A return always does.
	CancelsAll bool
	// Cancels withdraws the open work at these nodes when the edge is taken.
	Cancels []string

	guard  *expr.Condition
	target *Node
}

// Trigger says what takes an edge at a node's boundary.
type Trigger string

// The triggers.
const (
	TriggerTimeout Trigger = "timeout" // the boundary timer fired
	TriggerError   Trigger = "error"   // the stage failed permanently
)

// SagaStep is one call to another system.
type SagaStep struct {
	ID   string
	Call string // name of the connector's operation
	// Undo takes the call back, also when it is not known whether the call had any effect; empty: there is nothing to
	// take back.
	Undo string
}

// Node returns the node of the id.
func (d *Definition) Node(id string) (*Node, bool) {
	node, ok := d.index[id]
	return node, ok
}

// implicitKeyFacts are the key facts of every process, whether it names them or not.
var implicitKeyFacts = []string{"amount", "currency", "counterparty", "account", "document_hash"}

// KeyFields are the fields whose change makes a vote fall, as the definition names them beside the facts that always do.
func (d *Definition) KeyFields() []string {
	return slices.DeleteFunc(slices.Clone(d.KeyFacts), func(name string) bool { return slices.Contains(implicitKeyFacts, name) })
}

// DutyOf returns the duty of a review node, "" for any other.
func (d *Definition) DutyOf(id string) string {
	if node, ok := d.index[id]; ok {
		return node.Duty
	}
	return ""
}

// Outcomes returns the outcomes a stage declares, in order.
func (n *Node) Outcomes() []string {
	outcomes := make([]string, 0, len(n.Edges))
	for _, edge := range n.Edges {
		if edge.Trigger == "" {
			outcomes = append(outcomes, edge.On)
		}
	}
	return outcomes
}

// Catches reports whether a failure of the code takes a boundary edge of the node. The failure of any other is an
// incident.
func (n *Node) Catches(code domain.Code) bool { return n.errorEdge(code) != nil }

// errorEdge returns the boundary edge that a failure takes, nil if there is none.
func (n *Node) errorEdge(code domain.Code) *Edge {
	for i := range n.Edges {
		edge := &n.Edges[i]
		if edge.Trigger == TriggerError && (len(edge.Codes) == 0 || slices.Contains(edge.Codes, code)) {
			return edge
		}
	}
	return nil
}

// timeoutEdge returns the edge of the boundary timer, nil if there is none.
func (n *Node) timeoutEdge() *Edge {
	for i := range n.Edges {
		if n.Edges[i].Trigger == TriggerTimeout {
			return &n.Edges[i]
		}
	}
	return nil
}

// Verdicts returns what a reviewer may decide at this node, before any escalation.
func (n *Node) Verdicts() []domain.Verdict {
	verdicts := []domain.Verdict{domain.Approve, domain.Reject}
	if n.outcomeEdge(string(domain.Return)) != nil {
		verdicts = append(verdicts, domain.Return)
	}
	if n.EscalateTo != "" {
		verdicts = append(verdicts, domain.Escalate)
	}
	return verdicts
}

// QueueOf returns the work queue of a stage for a document type.
func (n *Node) QueueOf(documentType string) string {
	if queue, ok := n.QueueFor[documentType]; ok {
		return queue
	}
	return n.Queue
}

// Delay returns how long a stage waits before the given attempt (2 is the first retry), without jitter.
func (n *Node) Delay(attempt int) time.Duration {
	delay := n.Backoff
	for i := 2; i < attempt && delay < time.Hour; i++ {
		delay *= 2
	}
	return delay
}

// outcomeEdge returns the edge taken on an outcome or verdict, nil if there is none.
func (n *Node) outcomeEdge(on string) *Edge {
	for i := range n.Edges {
		if n.Edges[i].Trigger == "" && n.Edges[i].On == on {
			return &n.Edges[i]
		}
	}
	return nil
}
