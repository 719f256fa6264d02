package workflow

import (
	"countersign/domain"
)

// mostFollowed bounds the events of one way; a sound definition with approvals alone stays far below.
const mostFollowed = 10_000

// Follow takes a case with these facts from its start to an end: every stage ends in its first outcome, every review is
// approved, every wait is over, every call succeeds. It returns the nodes on its way in the order of the definition; an
// error is that of Advance, with the way so far.
func Follow(def *Definition, facts domain.ProcessFacts) ([]string, error) {
	open := []Event{{Kind: Started}}
	marking, gone := domain.Marking{}, map[string]bool{}
	for n := 0; len(open) > 0 && n < mostFollowed; n++ {
		event := open[0]
		open = open[1:]
		step, err := Advance(def, marking, event, facts)
		if domain.HasCode(err, domain.StateMismatch) {
			continue // withdrawn meanwhile, or the quorum was reached without it
		}
		if err != nil {
			return wayOf(def, gone), err
		}
		marking = step.Marking
		for node := range marking.Visits {
			gone[node] = true
		}
		for _, effect := range step.Effects {
			if next, ok := usual(def, effect); ok {
				open = append(open, next)
			}
		}
	}
	return wayOf(def, gone), nil
}

// usual is what ordinarily becomes of an effect.
func usual(def *Definition, effect Effect) (Event, bool) {
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

func wayOf(def *Definition, gone map[string]bool) []string {
	way := make([]string, 0, len(gone))
	for _, node := range def.Nodes {
		if gone[node.ID] {
			way = append(way, node.ID)
		}
	}
	return way
}
