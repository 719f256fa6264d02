package workflow

import (
	"slices"
	"time"

	"countersign/domain"
	"countersign/expr"
)

// Kind is what a node is.
type Kind string

// The kinds of nodes. nodeKinds holds the behaviour of each.
const (
	KindStart     Kind = "start"     // where a case begins; exactly one
	KindStage     Kind = "stage"     // automatic work; ends in one of its declared outcomes
	KindExternal  Kind = "external"  // a stage that an external program completes
	KindSaga      Kind = "saga"      // calls to other systems in order, undone if one fails
	KindTimer     Kind = "timer"     // waits for a fixed time
	KindReview    Kind = "review"    // work of people: one or more seats
	KindExclusive Kind = "exclusive" // gateway: the first true branch, else the default
	KindFork      Kind = "fork"      // gateway: a token on every branch
	KindJoin      Kind = "join"      // waits until every branch has arrived
	KindEnd       Kind = "end"       // removes the last token and gives the final status
	KindCall      Kind = "call"      // another process, whose nodes follow; see Node.ShownKind
)

// Returned is the pseudo node where a case waits for its submitter. A definition cannot use its id.
const Returned = "returned"

// OutcomeDone is the outcome of a stage that declares none.
const OutcomeDone = "done"

// The outcomes of a saga.
const (
	SagaDone   = "done"   // every call was made
	SagaUndone = "undone" // a call failed, and the calls made before it were undone
)

// Overdue is what happens when a review is not claimed in time. An alert is sent in any case.
type Overdue string

// The values of Overdue.
const (
	OverdueAlert    Overdue = "alert"    // alerts the assignee and the managers
	OverdueReassign Overdue = "reassign" // also reassigns to the least-loaded eligible reviewer
)

// DutyApproval is the duty of a review that names none; votes of one duty come from distinct
// persons.
const DutyApproval = "approval"

// Definition is one version of a process, parsed and statically checked. It is immutable and safe
// for concurrent use.
type Definition struct {
	Key     string
	Version int
	// Title is the display name by language ("en", "zh").
	Title map[string]string
	// Callable says that other processes call this one: it has no cases of its own.
	Callable      bool
	DocumentTypes []string // empty: any
	HasAmount     bool     // false: the process has no amount, and limits do not apply
	// KeyFacts are the facts whose change revokes votes, in addition to implicitKeyFacts.
	KeyFacts []string
	// Needs are the facts without which a case goes to a review with the duty domain.DutyRepair.
	Needs     []string
	Order     domain.OrderRule // whether a case is submitted with a payment order
	ReEnter   string           // node where a returned case continues, unless the review names another
	OnReplace string           // node where a case continues after its document was replaced
	OnEnter   string           // node where a case continues after its fields were entered by hand
	OnAbandon string           // the stage that seals an abandoned case
	// RemindSubmitter is how long after a return the submitter is reminded; 0: never.
	RemindSubmitter time.Duration
	// Reopen are the final statuses from which a case can be reopened; it continues at OnEnter.
	Reopen []domain.Status
	// Attributes are what a submitter states with a document.
	Attributes []domain.AttributeRule
	// Documents are the kinds of supporting documents that a case can have.
	Documents []domain.DocumentRule
	Nodes     []*Node

	bounds expr.Intervals // of attributes, in which ranges of guards are compared
	start  *Node
	index  map[string]*Node
	routes *routeMap
}

// Node is one node of a definition. Fields that do not apply to its kind are zero.
type Node struct {
	ID    string
	Kind  Kind
	Title map[string]string
	Line  int // in the YAML, from 1; of a node of a called process that of the call
	// Within is the id of the call around a node of a called process, "" for the others.
	Within string
	// Call is set on a node that calls another process, Ends on the ends of a called or callable one.
	Call *Call
	Ends bool
	// Behaviour selects the processor of a stage or review. It defaults to the kind.
	Behaviour string
	// Queue is the work queue of a stage (light, ocr, model, connect) or the queue of a review (L1,
	// L2, AML …).
	Queue string
	// QueueFor overrides a stage's queue by document type.
	QueueFor map[string]string
	Attempts int           // of a stage or a saga's step, at least 1
	Backoff  time.Duration // before the second attempt; doubles with each further one
	// Topic is what external programs lease an external stage by. Lease is how long a program has
	// before the stage is offered again.
	Topic string
	Lease time.Duration
	// PaysNothing says that the program of an external stage does not pay; see MayPay.
	PaysNothing bool
	// Required says that the case does not continue without the language model of the stage: its failure is
	// handled like that of any stage. WaitsForBudget says that the stage waits while the budget of
	// language models is used up; otherwise it continues without the model, or fails if it is required.
	Required, WaitsForBudget bool
	// After is how long a timer waits.
	After time.Duration
	// Timeout is how long a review or external stage can stay open before its boundary timer fires;
	// 0: no limit.
	Timeout time.Duration
	// Steps are the calls of a saga, in order.
	Steps []SagaStep
	// Status is the status of the case while a token is at this node; for an end, the final status.
	Status domain.Status
	// Outcome is set on the stages that seal a case: the final status that follows (archived,
	// rejected, abandoned).
	Outcome domain.Status

	Level int
	Duty  string
	Seats int // reviewers who decide in parallel
	// Quorum is how many approvals are needed; where a majority or all decide, how many votes,
	// abstentions included. A return decides immediately.
	Quorum int
	// DecideBy is how the votes decide.
	DecideBy DecideBy
	// Abstain says that a member of a committee can abstain.
	Abstain bool
	// Votes says whether the votes of a committee are hidden until it is complete.
	Votes Votes
	// ChairQueue and ChairLevel are those of the seat whose vote breaks a tie, VetoQueue and VetoLevel
	// those of the seat whose rejection rejects; empty: there is no such seat.
	ChairQueue, VetoQueue string
	ChairLevel, VetoLevel int
	ClaimWithin           time.Duration
	DecideWithin          time.Duration
	Overdue               Overdue // what happens when ClaimWithin has passed
	// Remind is how long before the next deadline of a review people are reminded, the longest first.
	Remind        []time.Duration
	EscalateTo    string // queue; empty: this review cannot be escalated
	EscalateLevel int

	// Skills are the skills that a queue with the skill strategy requires of the assignee of this
	// review.
	Skills []string
	// Undo is how long a decision can be undone before it takes effect; 0: it takes effect
	// immediately.
	Undo time.Duration
	// SignatureAbove is the amount at risk above which an approval needs the reviewer's signature by
	// passkey, in minor units of the base currency; nil: none needs one. An unknown amount is above it.
	SignatureAbove *int64
	// Bulk limits which reviews of this node can be approved in bulk; nil: none.
	Bulk *BulkLimits

	Edges []Edge

	number      int      // position in the definition
	scope       string   // the branches of forks around the node; see scope.go
	impl        nodeKind // the entry of nodeKinds for Kind
	joinSources []*Node  // of a join: the nodes whose tokens it waits for, in order of declaration
}

// Edge leads from a node to the next.
type Edge struct {
	// On is the stage's outcome or the reviewer's verdict that takes this edge; empty elsewhere.
	On string
	// Trigger is set on boundary edges, which leave a node before its work has ended.
	Trigger Trigger
	// Codes are the failures that take a boundary error edge; empty: all failures that no earlier
	// edge takes.
	Codes []domain.Code
	// When is the guard of a gateway's branch; empty for its default and elsewhere.
	When string
	To   string
	// CancelsAll withdraws all other open work of the case when the edge is taken. A return always
	// does.
	CancelsAll bool
	// Cancels withdraws the open work at these nodes when the edge is taken.
	Cancels []string

	guard  *expr.Condition
	target *Node
}

// Trigger is the cause that takes a boundary edge.
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
	// Undo is the operation that undoes the call, also when it is unknown whether the call had any
	// effect; empty: the call needs no undoing.
	Undo string
}

// Node returns the node with the id.
func (d *Definition) Node(id string) (*Node, bool) {
	node, ok := d.index[id]
	return node, ok
}

// implicitKeyFacts are the key facts of every process, even if its definition does not list them.
var implicitKeyFacts = []string{"amount", "currency", "counterparty", "account", "document_hash"}

// RequiresOrder reports whether nothing is paid or archived as approved without a payment order.
func (d *Definition) RequiresOrder() bool { return d.Order == domain.OrderRuleRequired }

// KeyFields returns the key facts that the definition lists in addition to implicitKeyFacts.
func (d *Definition) KeyFields() []string {
	return slices.DeleteFunc(slices.Clone(d.KeyFacts), func(name string) bool {
		return slices.Contains(implicitKeyFacts, name)
	})
}

// DutyOf returns the duty of a review node, "" for any other.
func (d *Definition) DutyOf(id string) string {
	if node, ok := d.index[id]; ok {
		return node.Duty
	}
	return ""
}

// LimitsApply reports whether approval limits apply at a node.
func (d *Definition) LimitsApply(duty string) bool {
	return d.HasAmount && duty != domain.DutyRepair
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

// Catches reports whether a boundary edge of the node takes a failure with the code. Other failures
// become incidents.
func (n *Node) Catches(code domain.Code) bool { return n.errorEdge(code) != nil }

// errorEdge returns the boundary edge that takes a failure, nil if there is none.
func (n *Node) errorEdge(code domain.Code) *Edge {
	for i := range n.Edges {
		edge := &n.Edges[i]
		if edge.Trigger == TriggerError && (len(edge.Codes) == 0 ||
			slices.Contains(edge.Codes, code)) {
			return edge
		}
	}
	return nil
}

// timeoutEdge returns the edge that the boundary timer takes, nil if there is none.
func (n *Node) timeoutEdge() *Edge {
	for i := range n.Edges {
		if n.Edges[i].Trigger == TriggerTimeout {
			return &n.Edges[i]
		}
	}
	return nil
}

// Repairs reports whether the node is a review in which a reviewer names missing facts.
func (n *Node) Repairs() bool { return n.Kind == KindReview && n.Duty == domain.DutyRepair }

// Verdicts returns the verdicts that a reviewer can give at this node in a seat that was not
// escalated.
func (n *Node) Verdicts() []domain.Verdict {
	verdicts := []domain.Verdict{domain.Approve, domain.Reject}
	if n.Repairs() {
		verdicts = []domain.Verdict{domain.Repaired}
	}
	if n.Abstain {
		verdicts = append(verdicts, domain.Abstain)
	}
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

// Delay returns how long a stage waits before the given attempt (2 is the first retry), without
// jitter.
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
