package workflow

import (
	"maps"
	"slices"

	"countersign/domain"
)

// maxEntries bounds the nodes entered in one step; a sound definition stays far below.
const maxEntries = 4096

// Advance computes what an event does to a case: the new marking and the effects. It reads no clock and changes none of
// its arguments; the same arguments always give the same step.
//
// Errors: StateMismatch when the event does not fit the marking (a replay, a token that is gone, a seat already
// decided, a case that is over), InvalidInput for an outcome or verdict the node does not declare, ExpressionFailed
// when a guard has no answer, UnsoundDefinition when the net itself is at fault.
func Advance(def *Definition, marking domain.Marking, event Event, facts domain.ProcessFacts) (Step, error) {
	return AdvanceTraced(def, marking, event, facts, nil)
}

// AdvanceTraced is Advance that tells of every edge it takes, in order.
func AdvanceTraced(def *Definition, marking domain.Marking, event Event, facts domain.ProcessFacts, seen func(*Edge)) (Step, error) {
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
	return advanceTraced(def, marking, event, &facts, nil, seen)
}

// StatusOf returns the macro status that a marking stands for: received before the start, the end's status when no
// token is left. The caller restores it when an incident is resolved.
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

// ExecutesDecision reports whether a decision is being carried out, so that the case can be neither given up nor begun anew.
func ExecutesDecision(def *Definition, marking domain.Marking) bool {
	p := stepBuilder{def: def, tokens: marking.Tokens}
	return len(marking.Tokens) > 0 && p.refuseIfExecutingDecision() != nil
}

// guardChooser answers a gateway in place of its guards: it returns the index of the edge to take.
type guardChooser func(gateway *Node) int

// stepBuilder is one step in the making.
type stepBuilder struct {
	def          *Definition
	facts        *domain.ProcessFacts
	chooseBranch guardChooser // nil: the guards are asked
	tokens       []domain.Token
	visits       map[string]int
	state        nodeStates
	effects      []Effect
	deferred     []Effect // held back so that withdrawals come first
	endNode      *Node
	entries      int
	onEdge       func(*Edge) // told of every edge that is taken; nil: nobody asks
}

func advance(def *Definition, marking domain.Marking, event Event, facts *domain.ProcessFacts, ask guardChooser) (Step, error) {
	return advanceTraced(def, marking, event, facts, ask, nil)
}

func advanceTraced(def *Definition, marking domain.Marking, event Event, facts *domain.ProcessFacts, ask guardChooser, seen func(*Edge)) (Step, error) {
	p := stepBuilder{def: def, facts: facts, chooseBranch: ask, onEdge: seen, state: nodeStates{byNode: marking.Notes}}
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

// finish checks the marking that came out and puts the step together.
func (p *stepBuilder) finish(before domain.Status) (Step, error) {
	step := Step{}
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
		return Step{}, unsoundError(p.endNode, "the end is reached while %s is still open", p.tokens[0].Node)
	}
	step.Status = p.endNode.Status
	step.Effects = append(step.Effects, SetStatus{step.Status}, Ended{step.Status})
	return step, nil
}

// apply moves the tokens as the event says.
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
	}
	return domain.Invalid("event", "the event %q is not known", event.Kind)
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
		return domain.Invalid("outcome", "the stage %s does not declare the outcome %q", node.ID, outcome)
	}
	p.leaveNode(node, at)
	return p.takeEdge(node, edge)
}

// failStage takes the edge at the stage's boundary that catches the failure.
func (p *stepBuilder) failStage(event Event) error {
	node, at, err := p.locateToken(event, KindStage, KindExternal)
	if err != nil {
		return err
	}
	edge := node.errorEdge(event.Code)
	if edge == nil {
		return domain.Invalid("code", "the stage %s does not say where the failure %s leads; it is an incident", node.ID, event.Code)
	}
	p.leaveNode(node, at)
	return p.takeEdge(node, edge)
}

// restart withdraws everything and places one token, unless the case is over, settling or with its submitter.
func (p *stepBuilder) restart(target string) error {
	if err := p.refuseIfExecutingDecision(); err != nil {
		return err
	}
	if p.hasToken(Returned) {
		return stateMismatch("The case waits for its submitter; it goes on when it is resubmitted.")
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

// refuseIfExecutingDecision refuses what would undo a decision: the case is over, a seal is being set, or a saga is acting on it.
func (p *stepBuilder) refuseIfExecutingDecision() error {
	if len(p.tokens) == 0 {
		return stateMismatch("The case is not under way.")
	}
	for _, token := range p.tokens {
		node := p.def.index[token.Node]
		switch {
		case node == nil:
		case node.Outcome != "":
			return stateMismatch("The case is already being closed as %s.", node.Outcome).WithDetail("node", node.ID)
		case node.Kind == KindSaga:
			return stateMismatch("Other systems are being told of the decision; the case can be changed when that is done.").
				WithDetail("node", node.ID)
		}
	}
	return nil
}

func (p *stepBuilder) resubmit(event Event) error {
	at := p.tokenIndex(Returned)
	if at < 0 {
		return stateMismatch("The case does not wait for its submitter.")
	}
	target := p.state.returnTo()
	p.removeToken(at)
	p.state.drop(Returned)
	if event.ReplacedDocument {
		target = p.def.OnReplace
	}
	node, ok := p.def.index[target]
	if !ok {
		return unsoundError(nil, "the case was returned to %q, which this version does not have", target)
	}
	return p.enterNode(node, nil)
}

// locateToken finds the token an event speaks of; kinds are those that know such an event.
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
	return nil, 0, stateMismatch("The case is not at %s (visit %d) any more.", event.Node, event.Visit).
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

// statusOf is the macro status of a marking with tokens: of several the one nearest to the end of the case.
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
		WithRemedy("Reload the case: it has moved on.")
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
