package workflow

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"countersign/domain"
)

// The bounds of a proof; a process that goes beyond them is refused with that reason. The work is what keeps it below
// five seconds, without a clock: an explosion of branches costs steps before it makes markings, and a step costs by the
// tokens it moves among and the nodes it passes. A unit is below half a microsecond.
const (
	maxMarkings = 100_000
	maxCost     = 2_500_000
)

// Verification is what the exploration of a definition found. It is sound when there are no problems.
type Verification struct {
	Markings int // distinct markings reached
	Problems []Problem
	Warnings []Problem // what looks like a slip but harms nothing: see Warnings
}

// Sound reports whether nothing was found.
func (p Verification) Sound() bool { return len(p.Problems) == 0 }

// Verify explores every marking that the definition can reach, through the engine's own steps: guards free, stages ending
// in every declared outcome or failing in every way that is caught, every timer firing at any time, sagas failing at any
// call, reviewers deciding every way, the case abandoned, replaced or entered by hand at any time.
// It finds tokens that meet at one node, ends reached with work still open, markings from which no end can be reached
// (leaving the way of abandonment aside), and nodes that are never entered; the first two and the third with a path.
func Verify(def *Definition) Verification { return verify(def, maxMarkings) }

func verify(def *Definition, limit int) Verification {
	e := newExplorer(def, limit)
	e.explore()
	proof := Verification{Markings: len(e.states), Warnings: Warnings(def)}
	switch {
	case e.failure != nil:
		proof.Problems = append(proof.Problems, *e.failure)
	default:
		proof.Problems = append(e.findStuck(), e.findUnreached()...)
	}
	return proof
}

func newExplorer(def *Definition, limit int) *explorer {
	return &explorer{def: def, limit: limit, index: map[string]int{}, entered: map[string]bool{}}
}

// explore follows every way, the shortest first, until all are known or something is broken.
func (e *explorer) explore() {
	e.tryTransition(transition{kind: ordinary, event: Event{Kind: Started}, from: -1})
	for at := 0; at < len(e.states) && e.failure == nil; at++ {
		for _, next := range e.possibleTransitions(at) {
			if e.tryTransition(next); e.failure != nil {
				break
			}
		}
	}
}

// state is one marking in its normal form, with the first way it was reached.
type state struct {
	marking    domain.Marking
	from       int // index of the state before, -1 for the start
	label      string
	ended      bool
	successors []int    // by ordinary steps
	reviews    []string // reviews whose votes stand or are awaited, when the explorer follows them
}

type transitionKind int

const (
	ordinary  transitionKind = iota // what the process itself brings
	exception                       // abandonment and the like: no proof of a way out
)

type transition struct {
	kind  transitionKind
	event Event
	from  int
}

type explorer struct {
	def          *Definition
	limit        int
	trackReviews bool // tell markings apart by the reviews that were asked on the way
	states       []state
	index        map[string]int
	entered      map[string]bool
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
	add := func(kind transitionKind, event Event) { steps = append(steps, transition{kind, event, at}) }
	book := nodeStates{byNode: marking.Notes}
	for _, token := range marking.Tokens {
		node := e.def.index[token.Node]
		if node == nil {
			add(ordinary, Event{Kind: Resubmitted})
			add(ordinary, Event{Kind: Resubmitted, ReplacedDocument: true})
			continue
		}
		for _, event := range possibleEvents(node, &book) {
			event.Node, event.Visit = node.ID, token.Visit
			add(ordinary, event)
		}
	}
	for _, kind := range []EventKind{Abandoned, Replaced, Entered} {
		add(exception, Event{Kind: kind})
	}
	return steps
}

// possibleEvents lists what the work at a node can bring, in a fixed order.
func possibleEvents(node *Node, states *nodeStates) []Event {
	var found []Event
	switch node.Kind {
	case KindStage, KindExternal:
		for _, outcome := range node.Outcomes() {
			found = append(found, Event{Kind: StageEnded, Outcome: outcome})
		}
		for _, code := range node.catchableFailures() {
			found = append(found, Event{Kind: StageFailed, Code: code})
		}
	case KindReview:
		for _, seat := range representativeSeats(states.seats(node).Open) {
			for _, verdict := range node.Verdicts() {
				if verdict != domain.Escalate || !seat.Escalated {
					found = append(found, Event{Kind: ReviewDecided, Seat: seat.Seat, Verdict: verdict})
				}
			}
		}
	case KindSaga:
		under := states.saga(node.ID)
		found = append(found, Event{Kind: StepEnded, Step: under.Step, Undo: under.Undo})
		if !under.Undo {
			found = append(found, Event{Kind: StepFailed, Step: under.Step})
		}
	case KindTimer:
		found = append(found, Event{Kind: TimerFired})
	}
	if node.Timeout > 0 {
		found = append(found, Event{Kind: TimerFired})
	}
	return found
}

// catchableFailures returns one failure for each boundary error's edge that some failure takes.
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

// representativeSeats keeps one plain and one escalated seat: seats of a kind are alike to the engine.
func representativeSeats(open []openSeat) []openSeat {
	var kept []openSeat
	for _, escalated := range []bool{false, true} {
		if i := slices.IndexFunc(open, func(s openSeat) bool { return s.Escalated == escalated }); i >= 0 {
			kept = append(kept, open[i])
		}
	}
	return kept
}

// tryTransition takes a step with every combination of gateway branches and adds the markings that come out.
func (e *explorer) tryTransition(taken transition) {
	var marking domain.Marking
	if taken.from >= 0 {
		marking = e.states[taken.from].marking
	}
	var script, width []int
	for {
		if e.cost += 4 + 4*len(marking.Tokens) + 2*len(script); e.cost > maxCost {
			e.failTooLarge("following every way takes too long")
			return
		}
		asked := 0
		width = width[:0]
		ask := func(gateway *Node) int {
			if asked == len(script) {
				script = append(script, 0)
			}
			width = append(width, len(gateway.Edges))
			asked++
			return script[asked-1]
		}
		result, err := advance(e.def, marking, taken.event, &domain.ProcessFacts{}, ask)
		if err != nil && !domain.HasCode(err, domain.StateMismatch) {
			e.failAt(taken, err)
		} else if err == nil {
			e.addMarking(taken, result)
		}
		if e.failure != nil {
			return
		}
		script = script[:asked]
		last := asked - 1
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
	problem := Problem{Rule: "unsound", Message: messageOf(err), Path: append(e.path(taken.from), eventLabel(taken.event))}
	var failure *domain.Error
	if errors.As(err, &failure) {
		problem.Node = failure.Detail["node"]
	}
	if node := e.def.index[problem.Node]; node != nil {
		problem.Line = node.Line
	}
	e.failure = &problem
}

// failTooLarge ends the proof with the reason, at the node that multiplies the ways the most.
func (e *explorer) failTooLarge(reason string) {
	var widest *Node
	for _, node := range e.def.Nodes {
		if (node.Kind == KindFork || node.Kind == KindExclusive) && (widest == nil ||
			node.Kind == KindFork && widest.Kind == KindExclusive || node.Kind == widest.Kind && len(node.Edges) > len(widest.Edges)) {
			widest = node
		}
	}
	problem := Problem{Rule: "state_space", Message: reason + "; too many branches run side by side or follow each other"}
	if widest != nil {
		problem.Node, problem.Line = widest.ID, widest.Line
	}
	e.failure = &problem
}

// addMarking enters a marking in its normal form and links it to where it came from.
func (e *explorer) addMarking(taken transition, result Step) {
	for node := range result.Marking.Visits {
		e.entered[node] = true
	}
	marking := e.normalize(result.Marking)
	key, asked := markingKey(marking), e.reviewsAfter(taken, result)
	for _, node := range asked {
		key += "|" + node
	}
	at, known := e.index[key]
	if !known {
		if at = len(e.states); at >= e.limit {
			e.failTooLarge(fmt.Sprintf("the process has more than %d markings", e.limit))
			return
		}
		e.index[key] = at
		e.states = append(e.states, state{marking: marking, from: taken.from, label: eventLabel(taken.event), ended: len(marking.Tokens) == 0, reviews: asked})
	}
	if taken.kind == ordinary && taken.from >= 0 {
		e.states[taken.from].successors = append(e.states[taken.from].successors, at)
	}
}

// normalize forgets what does not matter to the future: visits, the order of tokens, the numbers of seats.
func (e *explorer) normalize(marking domain.Marking) domain.Marking {
	states := nodeStates{byNode: marking.Notes}
	for i := range marking.Tokens {
		marking.Tokens[i].Visit = 1
		node := e.def.index[marking.Tokens[i].Node]
		if node == nil || node.Kind != KindReview || states.byNode[node.ID] == nil {
			continue
		}
		note := states.seats(node)
		slices.SortFunc(note.Open, func(a, b openSeat) int { return seatRank(a) - seatRank(b) })
		for j := range note.Open {
			note.Open[j].Seat = j + 1
		}
		note.Last = len(note.Open)
		states.setSeats(node.ID, note)
	}
	slices.SortFunc(marking.Tokens, func(a, b domain.Token) int { return strings.Compare(a.Node, b.Node) })
	return domain.Marking{Tokens: marking.Tokens, Notes: states.byNode}
}

func seatRank(seat openSeat) int {
	if seat.Escalated {
		return 1
	}
	return 0
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
