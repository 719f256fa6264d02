package workflow

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"countersign/domain"
)

// The limits of a verification. The cost keeps it below five seconds without a clock: many branches
// cost steps before they produce markings, and a step costs by its tokens and the gateways it
// passes. One unit takes less than half a microsecond.
const (
	maxMarkings = 100_000
	maxCost     = 2_500_000
)

// Verification is the result of verifying a definition, which is sound if there are no problems.
type Verification struct {
	Markings int // distinct markings reached
	Problems []Problem
	Warnings []Problem // likely mistakes; see Warnings and Cautions
}

// Sound reports whether there are no problems.
func (p Verification) Sound() bool { return len(p.Problems) == 0 }

// Verify explores every marking that the definition can reach with the engine itself: any branch of
// a gateway, any declared outcome or caught failure of a stage, any timer at any time, a failure of
// any call of a saga, any verdict of a reviewer, and abandonment, replacement, manual entry or an
// evaluation of the route with changed facts at any time. It reports two tokens at one node, an end with work still open and markings from which
// no end can be reached except by abandonment, each with a path, and nodes that are never entered.
func Verify(def *Definition) Verification { return verify(def, maxMarkings) }

func verify(def *Definition, limit int) Verification {
	e := newExplorer(def, limit)
	e.explore()
	problems := e.problems(true)
	if len(problems) == 0 { // problems without changed facts are easier to understand
		e.exploreReroutes()
		problems = e.problems(false)
	}
	if len(problems) == 0 {
		problems = append(weakerByAttributes(def), unseenDocuments(def)...)
	}
	return Verification{Markings: len(e.states), Warnings: append(Warnings(def), Cautions(def)...),
		Problems: problems}
}

// problems reports what the exploration has found. unreached also reports nodes that are never
// entered.
func (e *explorer) problems(unreached bool) []Problem {
	if e.failure != nil {
		return []Problem{*e.failure}
	}
	problems := e.findStuck()
	if unreached {
		problems = append(problems, e.findUnreached()...)
	}
	return problems
}

func newExplorer(def *Definition, limit int) *explorer {
	return &explorer{def: def, limit: limit, index: map[string]int{}, entered: map[string]bool{},
		rerouted: map[string]nodeSet{}}
}

// explore visits the reachable markings breadth-first until all are known or a step fails.
func (e *explorer) explore() {
	e.tryTransition(transition{kind: ordinary, event: Event{Kind: Started}, from: -1})
	for at := 0; at < len(e.states) && e.failure == nil; at++ {
		e.tryTransitions(e.possibleTransitions(at))
	}
}

// exploreReroutes visits the markings that are only reachable by evaluating the route again, after
// explore.
func (e *explorer) exploreReroutes() {
	explored := len(e.states)
	for at := 0; at < len(e.states) && e.failure == nil; at++ {
		if at >= explored {
			e.tryTransitions(e.possibleTransitions(at))
		}
		e.tryTransitions(e.rerouteTransitions(at))
	}
}

func (e *explorer) tryTransitions(steps []transition) {
	for _, next := range steps {
		if e.failure != nil {
			return
		}
		e.tryTransition(next)
	}
}

// state is one normalized marking, with the shortest path to it.
type state struct {
	marking    domain.Marking
	from       int // index of the previous state, -1 for the start
	label      string
	ended      bool
	successors []int    // by ordinary transitions
	reviews    []string // reviews whose votes are valid or pending, if the explorer tracks them
}

type transitionKind int

const (
	ordinary  transitionKind = iota // caused by the process itself
	exception                       // by people or changed facts; not a way to an end
)

type transition struct {
	kind  transitionKind
	event Event
	from  int
}

type explorer struct {
	def          *Definition
	limit        int
	trackReviews bool // distinguish markings by the reviews on the path
	states       []state
	index        map[string]int
	entered      map[string]bool
	rerouted     map[string]nodeSet // see rerouteTransitions
	cost         int
	failure      *Problem
}

// possibleTransitions lists what can happen at a marking.
func (e *explorer) possibleTransitions(at int) []transition {
	marking := e.states[at].marking
	if len(marking.Tokens) == 0 {
		return nil
	}
	var steps []transition
	add := func(kind transitionKind, event Event) {
		steps = append(steps,
			transition{kind, event, at})
	}
	states := nodeStates{byNode: marking.Notes}
	for _, token := range marking.Tokens {
		node := e.def.index[token.Node]
		if node == nil {
			add(ordinary, Event{Kind: Resubmitted})
			add(ordinary, Event{Kind: Resubmitted, ReplacedDocument: true})
			continue
		}
		for _, event := range possibleEvents(node, &states) {
			event.Node, event.Visit = node.ID, token.Visit
			add(ordinary, event)
		}
	}
	for _, kind := range []EventKind{Abandoned, Replaced, Entered} {
		add(exception, Event{Kind: kind})
	}
	return steps
}

// possibleEvents lists the events that a token at a node can lead to, in a fixed order.
func possibleEvents(node *Node, states *nodeStates) []Event {
	events := node.impl.possibleEvents(node, states)
	if node.Timeout > 0 {
		events = append(events, Event{Kind: TimerFired})
	}
	return events
}

// catchableFailures returns one failure for each boundary error edge that some failure takes.
func (n *Node) catchableFailures() []domain.Code {
	var found []domain.Code
	for i := range n.Edges {
		if n.Edges[i].Trigger != TriggerError {
			continue
		}
		for _, code := range append([]domain.Code{domain.EngineFailed}, domain.Codes()...) {
			if n.errorEdge(code) == &n.Edges[i] {
				found = append(found, code)
				break
			}
		}
	}
	return found
}

// representativeSeats returns one seat of each kind, because the engine treats all seats of a kind the
// same: first normal, then escalated ones.
func representativeSeats(open []openSeat) []openSeat {
	var kept []openSeat
	for _, seat := range open {
		if !slices.ContainsFunc(kept, func(s openSeat) bool { return seatOrder(s, seat) == 0 }) {
			kept = append(kept, seat)
		}
	}
	slices.SortStableFunc(kept, seatOrder)
	return kept
}

// tryTransition takes a step with every combination of gateway branches and adds the resulting
// markings.
func (e *explorer) tryTransition(taken transition) {
	var marking domain.Marking
	if taken.from >= 0 {
		marking = e.states[taken.from].marking
	}
	var script, width []int
	for {
		if e.cost += 4 + 4*len(marking.Tokens) + 2*len(script); e.cost > maxCost {
			e.failTooLarge("Exploring every path takes too long")
			return
		}
		chosen := 0
		width = width[:0]
		choose := func(gateway *Node) int {
			if chosen == len(script) {
				script = append(script, 0)
			}
			width = append(width, len(gateway.Edges))
			chosen++
			return script[chosen-1]
		}
		result, err := advance(e.def, marking, taken.event, &domain.ProcessFacts{}, choose)
		if err != nil && !domain.HasCode(err, domain.StateMismatch) {
			e.failAt(taken, err)
		} else if err == nil {
			e.addMarking(taken, result)
		}
		if e.failure != nil {
			return
		}
		script = script[:chosen]
		last := chosen - 1
		for last >= 0 && script[last]+1 == width[last] {
			last--
		}
		if last < 0 {
			return
		}
		script = append(script[:last], script[last]+1)
	}
}

func (e *explorer) failAt(taken transition, err error) {
	path := append(e.path(taken.from), eventLabel(taken.event))
	problem := Problem{Rule: "unsound", Message: messageOf(err), Path: path}
	var failure *domain.Error
	if errors.As(err, &failure) {
		problem.Node = failure.Detail["node"]
	}
	if node := e.def.index[problem.Node]; node != nil {
		problem.Line = node.Line
	}
	e.failure = &problem
}

// failTooLarge ends the exploration with the reason, at the gateway that multiplies the paths the
// most.
func (e *explorer) failTooLarge(reason string) {
	var widest *Node
	for _, node := range e.def.Nodes {
		if (node.Kind == KindFork || node.Kind == KindExclusive) &&
			(widest == nil || node.widerThan(widest)) {
			widest = node
		}
	}
	problem := Problem{Rule: "state_space",
		Message: reason + ": too many branches run in parallel or follow each other."}
	if widest != nil {
		problem.Node, problem.Line = widest.ID, widest.Line
	}
	e.failure = &problem
}

// widerThan reports whether a gateway multiplies the paths more than another: forks more than
// exclusive gateways, then the one with more branches.
func (n *Node) widerThan(other *Node) bool {
	if n.Kind != other.Kind {
		return n.Kind == KindFork
	}
	return len(n.Edges) > len(other.Edges)
}

// addMarking adds a normalized marking, unless it is known, and links it to the state before.
func (e *explorer) addMarking(taken transition, result Step) {
	for node := range result.Marking.Visits {
		e.entered[node] = true
	}
	marking := e.normalize(result.Marking)
	key, reviews := markingKey(marking), e.reviewsAfter(taken, result)
	for _, node := range reviews {
		key += "|" + node
	}
	at, known := e.index[key]
	if !known {
		if at = len(e.states); at >= e.limit {
			e.failTooLarge(fmt.Sprintf("The process has more than %d states", e.limit))
			return
		}
		e.index[key] = at
		e.states = append(e.states,
			state{marking: marking, from: taken.from, label: eventLabel(taken.event),
				ended: len(marking.Tokens) == 0, reviews: reviews})
	}
	if taken.kind == ordinary && taken.from >= 0 {
		e.states[taken.from].successors = append(e.states[taken.from].successors, at)
	}
}

// normalize removes what does not affect later steps: visits, the order of tokens, the numbers of
// seats.
func (e *explorer) normalize(marking domain.Marking) domain.Marking {
	states := nodeStates{byNode: marking.Notes}
	for i := range marking.Tokens {
		marking.Tokens[i].Visit = 1
		node := e.def.index[marking.Tokens[i].Node]
		if node == nil || node.Kind != KindReview || states.byNode[node.ID] == nil {
			continue
		}
		seats := states.seats(node)
		slices.SortFunc(seats.Open, seatOrder)
		for j := range seats.Open {
			seats.Open[j].Seat = j + 1
		}
		seats.Last = len(seats.Open)
		for j := range seats.Cast {
			seats.Cast[j].Seat, seats.Cast[j].Escalated = 0, false
		}
		slices.SortFunc(seats.Cast, voteOrder)
		states.setSeats(node.ID, seats)
	}
	slices.SortFunc(marking.Tokens,
		func(a, b domain.Token) int { return strings.Compare(a.Node, b.Node) })
	return domain.Marking{Tokens: marking.Tokens, Notes: states.byNode}
}

// seatOrder puts normal seats before escalated ones; equal seats are of one kind.
func seatOrder(a, b openSeat) int {
	switch {
	case a.Escalated == b.Escalated:
		return strings.Compare(string(a.Role), string(b.Role))
	case a.Escalated:
		return 1
	}
	return -1
}

func voteOrder(a, b castVote) int {
	return strings.Compare(string(a.Verdict)+string(a.Role), string(b.Verdict)+string(b.Role))
}

func markingKey(marking domain.Marking) string {
	var key strings.Builder
	for _, token := range marking.Tokens {
		key.WriteString(token.Node)
		key.WriteByte('=')
		key.Write(marking.Notes[token.Node])
		key.WriteByte(';')
	}
	return key.String()
}
