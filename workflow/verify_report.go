package workflow

import (
	"fmt"
	"slices"

	"countersign/domain"
)

// findStuck names the first marking from which no end can be reached by ordinary steps.
func (e *explorer) findStuck() []Problem {
	before := make([][]int, len(e.states))
	out := make([]bool, len(e.states))
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
		if open = open[:len(open)-1]; !out[at] {
			out[at] = true
			open = append(open, before[at]...)
		}
	}
	at := slices.Index(out, false)
	if at < 0 {
		return nil
	}
	// Where nothing can happen any more is the better example than the fork in the road that led there.
	for other := at; other < len(out); other++ {
		if !out[other] && len(e.states[other].successors) == 0 {
			at = other
			break
		}
	}
	tokens := e.states[at].marking.Tokens
	problem := Problem{Node: tokens[0].Node, Rule: "stuck", Path: e.path(at), Message: "from here the case never comes to an end"}
	for _, token := range tokens {
		node := e.def.index[token.Node]
		if node != nil && node.Kind == KindJoin && len(e.states[at].successors) == 0 {
			problem.Node, problem.Rule, problem.Message = node.ID, "stuck_join", "the join waits for a branch that never arrives"
		}
	}
	if node := e.def.index[problem.Node]; node != nil {
		problem.Line = node.Line
	}
	return []Problem{problem}
}

// findUnreached names the nodes that no case ever enters, each with the way that comes nearest. The seal of abandonment is owed even
// where no case can be abandoned.
func (e *explorer) findUnreached() []Problem {
	var problems []Problem
	owed := map[*Node]bool{}
	markReachable(e.def.index[e.def.OnAbandon], owed)
	for _, node := range e.def.Nodes {
		if !e.entered[node.ID] && !owed[node] {
			problems = append(problems, Problem{Line: node.Line, Node: node.ID, Rule: "dead", Message: "no case ever comes here",
				Path: e.nearestPath(node)})
		}
	}
	return problems
}

// nearestPath returns the way to the first marking with a token as close before the node as there is one, nil if there is none.
func (e *explorer) nearestPath(node *Node) []string {
	behind := map[*Node]bool{node: true}
	for grown := true; grown; {
		for at := range e.states {
			if slices.ContainsFunc(e.states[at].marking.Tokens, func(t domain.Token) bool { return behind[e.def.index[t.Node]] }) {
				return e.path(at)
			}
		}
		var before []*Node
		for _, from := range e.def.Nodes {
			if !behind[from] && slices.ContainsFunc(from.Edges, func(edge Edge) bool { return behind[edge.target] }) {
				before = append(before, from)
			}
		}
		for _, from := range before {
			behind[from] = true
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
		return event.Node + " runs out of time"
	case StepEnded, StepFailed:
		what := map[EventKind]string{StepEnded: "done", StepFailed: "fails"}[event.Kind]
		if event.Undo {
			what = "undone"
		}
		return fmt.Sprintf("%s step %d %s", event.Node, event.Step, what)
	case ReviewDecided:
		return event.Node + " " + string(event.Verdict)
	}
	return string(event.Kind)
}
