package workflow

import (
	"maps"
	"slices"

	"countersign/domain"
)

// maxEntries limits the nodes entered in one step; a sound definition stays far below.
const maxEntries = 4096

// Advance computes the effect of an event on a case: the new marking and the work to start or
// withdraw. It is deterministic, reads no clock and does not modify its arguments.
//
// Errors: StateMismatch if the event does not match the marking (a replay, a token that is gone, a
// seat that is already decided, a case that has ended), InvalidInput for an outcome or verdict that
// the node does not declare, ExpressionFailed if a guard cannot be evaluated, UnsoundDefinition if
// the definition is at fault.
func Advance(
	def *Definition, marking domain.Marking, event Event, facts domain.ProcessFacts,
) (Step, error) {
	return AdvanceTraced(def, marking, event, facts, nil)
}

// AdvanceTraced is Advance that calls onEdge for every edge it takes, in order.
func AdvanceTraced(
	def *Definition, marking domain.Marking, event Event, facts domain.ProcessFacts,
	onEdge func(*Edge),
) (Step, error) {
	switch event.Kind {
	case StageEnded:
		facts.Outcome = event.Outcome
		if facts.Outcome == "" {
			facts.Outcome = OutcomeDone
		}
	case StageFailed:
		facts.Outcome = string(event.Code)
	case ReviewDecided:
		facts.Outcome = string(event.Verdict)
	}
	return advanceTraced(def, marking, event, &facts, nil, onEdge)
}

// StatusOf returns the case status that a marking implies: received before the start, the end's
// status when no token is left. The caller restores this status when an incident is resolved.
func StatusOf(def *Definition, marking domain.Marking) domain.Status {
	if len(marking.Tokens) > 0 {
		return statusOf(def, marking.Tokens)
	}
	for _, node := range def.Nodes {
		if node.Kind == KindEnd && marking.Visits[node.ID] > 0 {
			return node.Status
		}
	}
	return domain.Received
}

// WasDoubted reports whether a person returned the case to its submitter or opened it again after its
// end. Only a decision may let it pass then: its submitter could otherwise confirm what a reviewer
// doubted.
func WasDoubted(def *Definition, marking domain.Marking) bool {
	if len(marking.Tokens) == 0 {
		return false
	}
	return marking.Visits[Returned] > 0 || slices.ContainsFunc(def.Nodes, func(node *Node) bool {
		return node.Kind == KindEnd && marking.Visits[node.ID] > 0
	})
}

// ExecutesDecision reports whether a decision is being executed. The case cannot be abandoned or
// restarted then.
func ExecutesDecision(def *Definition, marking domain.Marking) bool {
	p := stepBuilder{def: def, tokens: marking.Tokens}
	return len(marking.Tokens) > 0 && p.refuseIfExecutingDecision() != nil
}

// guardChooser replaces the guards of a gateway: it returns the index of the edge to take.
type guardChooser func(gateway *Node) int

// stepBuilder computes one step.
type stepBuilder struct {
	def          *Definition
	facts        *domain.ProcessFacts
	chooseBranch guardChooser // nil: evaluate the guards
	tokens       []domain.Token
	visits       map[string]int
	state        nodeStates
	effects      []Effect
	deferred     []Effect // appended to effects at the end, so that withdrawals come first
	endNode      *Node
	entries      int
	onEdge       func(*Edge) // called for every edge that is taken; may be nil
	routeState   *routeState // decoded when it is first needed; see route
	routeChanged bool
}

func advance(
	def *Definition, marking domain.Marking, event Event, facts *domain.ProcessFacts,
	choose guardChooser,
) (Step, error) {
	return advanceTraced(def, marking, event, facts, choose, nil)
}

func advanceTraced(
	def *Definition, marking domain.Marking, event Event, facts *domain.ProcessFacts,
	choose guardChooser, onEdge func(*Edge),
) (Step, error) {
	p := stepBuilder{def: def, facts: facts, chooseBranch: choose, onEdge: onEdge,
		state: nodeStates{byNode: marking.Notes}}
	p.tokens = append(make([]domain.Token, 0, len(marking.Tokens)+2), marking.Tokens...)
	before := domain.Received
	if len(p.tokens) > 0 {
		before = statusOf(def, p.tokens)
	}
	if p.visits = maps.Clone(marking.Visits); p.visits == nil {
		p.visits = make(map[string]int, 8)
	}
	if err := p.apply(event); err != nil {
		return Step{}, err
	}
	return p.finish(before)
}

// finish checks the new marking and assembles the step.
func (p *stepBuilder) finish(before domain.Status) (Step, error) {
	step := Step{}
	p.saveRoute()
	if count := len(p.effects) + len(p.deferred); count > 0 || p.endNode != nil {
		step.Effects = append(append(make([]Effect, 0, count+2), p.effects...), p.deferred...)
	}
	step.Marking = domain.Marking{Tokens: p.tokens, Visits: p.visits, Notes: p.state.byNode}
	if p.endNode == nil {
		if step.Status = statusOf(p.def, p.tokens); step.Status != before {
			step.Effects = append(step.Effects, SetStatus{step.Status})
		}
		return step, nil
	}
	if len(p.tokens) > 0 {
		return Step{}, unsoundError(p.endNode, "The end is reached while %s is still open.",
			p.tokens[0].Node)
	}
	step.Status = p.endNode.Status
	step.Effects = append(step.Effects, SetStatus{step.Status}, Ended{step.Status})
	return step, nil
}

// apply moves the tokens according to the event.
func (p *stepBuilder) apply(event Event) error {
	switch event.Kind {
	case Started:
		if len(p.tokens) > 0 || len(p.visits) > 0 {
			return stateMismatch("The case has already started.")
		}
		return p.enterNode(p.def.start, nil)
	case StageEnded:
		return p.endStage(event)
	case StageFailed:
		return p.failStage(event)
	case TimerFired:
		return p.fireTimer(event)
	case StepEnded, StepFailed:
		return p.advanceSaga(event)
	case ReviewDecided:
		return p.decide(event)
	case Resubmitted:
		return p.resubmit(event)
	case Replaced:
		return p.restart(p.def.OnReplace)
	case Entered:
		return p.restart(p.def.OnEnter)
	case Abandoned:
		return p.abandon()
	case Reopened:
		return p.reopen(event)
	case SeatReopened:
		return p.reopenSeat(event)
	case Reevaluated:
		return p.reevaluate(event)
	case committeeDecided:
		return p.decideCommittee(event)
	case rerouted, resumed:
		return p.reroute(event)
	}
	return domain.Invalid("event", "Unknown event %q.", event.Kind)
}

func (p *stepBuilder) endStage(event Event) error {
	node, at, err := p.locateToken(event, KindStage, KindExternal)
	if err != nil {
		return err
	}
	outcome := event.Outcome
	if outcome == "" {
		outcome = OutcomeDone
	}
	edge := node.outcomeEdge(outcome)
	if edge == nil {
		return domain.Invalid("outcome", "The stage %s does not declare the outcome %q.",
			node.ID, outcome)
	}
	p.leaveNode(node, at)
	return p.leaveAlong(node, edge)
}

// failStage takes the boundary edge that catches the failure.
func (p *stepBuilder) failStage(event Event) error {
	node, at, err := p.locateToken(event, KindStage, KindExternal)
	if err != nil {
		return err
	}
	edge := node.errorEdge(event.Code)
	if edge == nil {
		return domain.Invalid("code",
			"The stage %s has no edge for the failure %s; the failure is an incident.", node.ID,
			event.Code)
	}
	p.leaveNode(node, at)
	return p.leaveAlong(node, edge)
}

// restart withdraws all work and continues at the target. It refuses if the case has ended,
// executes a decision or waits for its submitter.
func (p *stepBuilder) restart(target string) error {
	if err := p.refuseIfExecutingDecision(); err != nil {
		return err
	}
	if p.hasToken(Returned) {
		return stateMismatch(
			"The case is waiting for its submitter and continues when it is resubmitted.")
	}
	if err := p.withdrawTokens(nil); err != nil {
		return err
	}
	return p.enterNode(p.def.index[target], nil)
}

func (p *stepBuilder) abandon() error {
	if err := p.refuseIfExecutingDecision(); err != nil {
		return err
	}
	if err := p.withdrawTokens(nil); err != nil {
		return err
	}
	return p.enterNode(p.def.index[p.def.OnAbandon], nil)
}

// refuseIfExecutingDecision returns an error if the case has ended, is being sealed, or a saga is
// executing its decision, because abandoning or restarting it would undo a decision.
func (p *stepBuilder) refuseIfExecutingDecision() error {
	if len(p.tokens) == 0 {
		return stateMismatch("The case is not in progress.")
	}
	for _, token := range p.tokens {
		node := p.def.index[token.Node]
		switch {
		case node == nil:
		case node.Outcome != "":
			return stateMismatch("The case is already being closed as %s.", node.Outcome).
				WithDetail("node", node.ID)
		case node.Kind == KindSaga:
			return stateMismatch(
				"The decision is being sent to other systems. You can change the case when that has finished.").
				WithDetail("node", node.ID)
		}
	}
	return nil
}

func (p *stepBuilder) resubmit(event Event) error {
	at := p.tokenIndex(Returned)
	if at < 0 {
		return stateMismatch("The case is not waiting for its submitter.")
	}
	target := p.state.returnTo()
	p.removeToken(at)
	p.state.drop(Returned)
	if event.ReplacedDocument {
		target = p.def.OnReplace
	}
	node, ok := p.def.index[target]
	if !ok {
		return unsoundError(nil,
			"The case was returned to %q, which this version of the process does not have.", target)
	}
	return p.enterNode(node, nil)
}

// locateToken finds the token that an event refers to. The event applies to nodes of the given
// kinds only.
func (p *stepBuilder) locateToken(event Event, kinds ...Kind) (*Node, int, error) {
	node, ok := p.def.index[event.Node]
	if !ok || !slices.Contains(kinds, node.Kind) {
		return nil, 0, stateMismatch("%q is not a %s of this process.", event.Node, kinds[0])
	}
	for at, token := range p.tokens {
		if token.Node == event.Node && token.Visit == event.Visit {
			return node, at, nil
		}
	}
	return nil, 0, stateMismatch("The case is no longer at %s (visit %d).", event.Node,
		event.Visit).
		WithDetail("node", event.Node)
}

func (p *stepBuilder) tokenIndex(node string) int {
	for at, token := range p.tokens {
		if token.Node == node {
			return at
		}
	}
	return -1
}

func (p *stepBuilder) hasToken(node string) bool { return p.tokenIndex(node) >= 0 }

func (p *stepBuilder) removeToken(at int) { p.tokens = append(p.tokens[:at], p.tokens[at+1:]...) }

func (p *stepBuilder) addEffect(effect Effect)   { p.effects = append(p.effects, effect) }
func (p *stepBuilder) deferEffect(effect Effect) { p.deferred = append(p.deferred, effect) }

// statusOf returns the case status of a marking with tokens: the status of the token nearest to the
// end of the case.
func statusOf(def *Definition, tokens []domain.Token) domain.Status {
	status, best := domain.Processing, -1
	for i := range tokens {
		candidate := domain.Returned
		if tokens[i].Node != Returned {
			node := def.index[tokens[i].Node]
			if node == nil || node.Kind == KindJoin {
				continue
			}
			candidate = node.Status
		}
		if rank := statusRank(candidate); rank > best {
			status, best = candidate, rank
		}
	}
	return status
}

func statusRank(status domain.Status) int {
	switch status {
	case domain.Processing:
		return 0
	case domain.InReview:
		return 1
	case domain.Approved:
		return 2
	case domain.Settling:
		return 3
	case domain.Returned:
		return 4
	}
	return 0
}

func stateMismatch(format string, args ...any) *domain.Error {
	err := domain.Errorf(domain.StateMismatch, format, args...).
		WithRemedy("Reload the case. It has changed since you opened it.")
	err.Op = "workflow.Advance"
	return err
}

func unsoundError(node *Node, format string, args ...any) *domain.Error {
	err := domain.Errorf(domain.UnsoundDefinition, format, args...)
	err.Op = "workflow.Advance"
	if node != nil {
		err = err.WithDetail("node", node.ID)
	}
	return err
}
