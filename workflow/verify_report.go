package workflow

import (
	"fmt"
	"slices"

	"countersign/domain"
)

// findStuck reports the first marking from which no end can be reached by ordinary transitions.
func (e *explorer) findStuck() []Problem {
	before := make([][]int, len(e.states))
	reachesEnd := make([]bool, len(e.states))
	var open []int
	for at := range e.states {
		for _, next := range e.states[at].successors {
			before[next] = append(before[next], at)
		}
		if e.states[at].ended {
			open = append(open, at)
		}
	}
	for len(open) > 0 {
		at := open[len(open)-1]
		if open = open[:len(open)-1]; !reachesEnd[at] {
			reachesEnd[at] = true
			open = append(open, before[at]...)
		}
	}
	at := slices.Index(reachesEnd, false)
	if at < 0 {
		return nil
	}
	// A marking without any transition is a better example than an earlier one that inevitably
	// leads to it.
	for other := at; other < len(reachesEnd); other++ {
		if !reachesEnd[other] && len(e.states[other].successors) == 0 {
			at = other
			break
		}
	}
	tokens := e.states[at].marking.Tokens
	problem := Problem{Node: tokens[0].Node, Rule: "stuck", Path: e.path(at),
		Message: "From this node the case can never reach an end."}
	for _, token := range tokens {
		node := e.def.index[token.Node]
		if node != nil && node.Kind == KindJoin && len(e.states[at].successors) == 0 {
			problem.Node, problem.Rule = node.ID, "stuck_join"
			problem.Message = "The join waits for a branch that never arrives. If two steps of one branch lead " +
				"to it, let them meet in an either/or before it."
		}
	}
	if node := e.def.index[problem.Node]; node != nil {
		problem.Line = node.Line
	}
	return []Problem{problem}
}

// findUnreached reports the nodes that no case ever enters, each with the path that comes nearest.
// The nodes that seal an abandoned case are required even if no case can be abandoned.
func (e *explorer) findUnreached() []Problem {
	var problems []Problem
	required := map[*Node]bool{}
	markReachable(e.def.index[e.def.OnAbandon], required)
	for _, node := range e.def.Nodes {
		if !e.entered[node.ID] && !required[node] {
			problems = append(problems, Problem{Line: node.Line, Node: node.ID, Rule: "dead",
				Message: "No case can reach this node.", Path: e.nearestPath(node)})
		}
	}
	return problems
}

// nearestPath returns the path to the first marking with a token at the node's nearest predecessor
// that can hold one, nil if there is none.
func (e *explorer) nearestPath(node *Node) []string {
	leading := map[*Node]bool{node: true}
	hasLeadingToken := func(s state) bool {
		return slices.ContainsFunc(s.marking.Tokens,
			func(t domain.Token) bool { return leading[e.def.index[t.Node]] })
	}
	for grown := true; grown; {
		for at := range e.states {
			if hasLeadingToken(e.states[at]) {
				return e.path(at)
			}
		}
		var before []*Node
		for _, from := range e.def.Nodes {
			if !leading[from] && slices.ContainsFunc(from.Edges,
				func(edge Edge) bool { return leading[edge.target] }) {
				before = append(before, from)
			}
		}
		for _, from := range before {
			leading[from] = true
		}
		grown = len(before) > 0
	}
	return nil
}

// path returns the events that lead to a marking.
func (e *explorer) path(at int) []string {
	var labels []string
	for ; at >= 0; at = e.states[at].from {
		labels = append(labels, e.states[at].label)
	}
	slices.Reverse(labels)
	return labels
}

func eventLabel(event Event) string {
	switch event.Kind {
	case StageEnded:
		return event.Node + " " + event.Outcome
	case StageFailed:
		return event.Node + " fails with " + string(event.Code)
	case TimerFired:
		return event.Node + " times out"
	case StepEnded, StepFailed:
		what := map[EventKind]string{StepEnded: "done", StepFailed: "fails"}[event.Kind]
		if event.Undo {
			what = "undone"
		}
		return fmt.Sprintf("%s step %d %s", event.Node, event.Step, what)
	case ReviewDecided:
		return event.Node + " " + string(event.Verdict)
	case rerouted, resumed:
		return event.Node + " rerouted to " + event.Outcome
	}
	return string(event.Kind)
}
