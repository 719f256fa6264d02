package workflow

import (
	"countersign/domain"
)

// maxSimulatedEvents limits the events of one simulation; a sound definition with approvals only
// stays far below.
const maxSimulatedEvents = 10_000

// Simulate advances a case with these facts from its start to an end: every stage ends in its first
// outcome, every review is approved, every timer fires, every call succeeds. It returns the visited
// nodes in the order of the definition. An error is that of Advance; the nodes visited so far are
// returned with it.
func Simulate(def *Definition, facts domain.ProcessFacts) ([]string, error) {
	open := []Event{{Kind: Started}}
	marking, visited := domain.Marking{}, map[string]bool{}
	for n := 0; len(open) > 0 && n < maxSimulatedEvents; n++ {
		event := open[0]
		open = open[1:]
		step, err := Advance(def, marking, event, facts)
		if domain.HasCode(err, domain.StateMismatch) {
			continue // withdrawn by an earlier event, or not needed for the quorum
		}
		if err != nil {
			return visitedNodes(def, visited), err
		}
		marking = step.Marking
		for node := range marking.Visits {
			visited[node] = true
		}
		for _, effect := range step.Effects {
			if next, ok := successEvent(def, effect); ok {
				open = append(open, next)
			}
		}
	}
	return visitedNodes(def, visited), nil
}

// successEvent returns the event that completes the work of an effect successfully; ok is false if
// there is none.
func successEvent(def *Definition, effect Effect) (event Event, ok bool) {
	switch effect := effect.(type) {
	case StartStage:
		event := Event{Kind: StageEnded, Node: effect.Node, Visit: effect.Visit,
			Outcome: OutcomeDone}
		if node, ok := def.Node(effect.Node); ok && len(node.Outcomes()) > 0 {
			event.Outcome = node.Outcomes()[0]
		}
		return event, true
	case StartTimer:
		return Event{Kind: TimerFired, Node: effect.Node, Visit: effect.Visit}, !effect.Boundary
	case StartStep:
		return Event{Kind: StepEnded, Node: effect.Node, Visit: effect.Visit, Step: effect.Step,
			Undo: effect.Undo}, true
	case OpenReview:
		verdict := domain.Approve
		if effect.Duty == domain.DutyRepair {
			verdict = domain.Repaired
		}
		return Event{Kind: ReviewDecided, Node: effect.Node, Visit: effect.Visit, Seat: effect.Seat,
			Verdict: verdict}, true
	}
	return Event{}, false
}

func visitedNodes(def *Definition, visited map[string]bool) []string {
	nodes := make([]string, 0, len(visited))
	for _, node := range def.Nodes {
		if visited[node.ID] {
			nodes = append(nodes, node.ID)
		}
	}
	return nodes
}
