package workflow

import (
	"countersign/domain"
)

// maxSimulatedEvents bounds the events of one way; a sound definition with approvals alone stays far below.
const maxSimulatedEvents = 10_000

// Simulate takes a case with these facts from its start to an end: every stage ends in its first outcome, every review is
// approved, every wait is over, every call succeeds. It returns the nodes on its way in the order of the definition; an
// error is that of Advance, with the way so far.
func Simulate(def *Definition, facts domain.ProcessFacts) ([]string, error) {
	open := []Event{{Kind: Started}}
	marking, visited := domain.Marking{}, map[string]bool{}
	for n := 0; len(open) > 0 && n < maxSimulatedEvents; n++ {
		event := open[0]
		open = open[1:]
		step, err := Advance(def, marking, event, facts)
		if domain.HasCode(err, domain.StateMismatch) {
			continue // withdrawn meanwhile, or the quorum was reached without it
		}
		if err != nil {
			return visitedNodes(def, visited), err
		}
		marking = step.Marking
		for node := range marking.Visits {
			visited[node] = true
		}
		for _, effect := range step.Effects {
			if next, ok := usualEvent(def, effect); ok {
				open = append(open, next)
			}
		}
	}
	return visitedNodes(def, visited), nil
}

// usualEvent is what ordinarily becomes of an effect.
func usualEvent(def *Definition, effect Effect) (Event, bool) {
	switch effect := effect.(type) {
	case StartStage:
		event := Event{Kind: StageEnded, Node: effect.Node, Visit: effect.Visit, Outcome: OutcomeDone}
		if node, ok := def.Node(effect.Node); ok && len(node.Outcomes()) > 0 {
			event.Outcome = node.Outcomes()[0]
		}
		return event, true
	case StartTimer:
		return Event{Kind: TimerFired, Node: effect.Node, Visit: effect.Visit}, !effect.Boundary
	case StartStep:
		return Event{Kind: StepEnded, Node: effect.Node, Visit: effect.Visit, Step: effect.Step, Undo: effect.Undo}, true
	case OpenReview:
		return Event{Kind: ReviewDecided, Node: effect.Node, Visit: effect.Visit, Seat: effect.Seat, Verdict: domain.Approve}, true
	}
	return Event{}, false
}

func visitedNodes(def *Definition, visited map[string]bool) []string {
	way := make([]string, 0, len(visited))
	for _, node := range def.Nodes {
		if visited[node.ID] {
			way = append(way, node.ID)
		}
	}
	return way
}
