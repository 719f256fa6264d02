package workflow

import (
	"slices"
	"strings"

	"countersign/domain"
)

// sagaKind calls other systems in order and undoes the calls already made when one fails.
type sagaKind struct{ workKind }

func (sagaKind) attributes() []string {
	return []string{"behaviour", "attempts", "backoff", "status", "steps", "on"}
}

// parse requires an edge for both outcomes, so that no definition leaves a failure unhandled.
func (sagaKind) parse(b *builder, node *Node, text nodeText) {
	b.attempts(node, text)
	b.status(node, text.Status, domain.Approved)
	if len(text.Steps) == 0 || len(text.Steps) > maxSteps {
		b.addProblem(node, "steps", "A saga must have between 1 and %d steps.", maxSteps)
	}
	for _, step := range text.Steps {
		switch {
		case !namePattern.MatchString(step.ID):
			b.addProblem(node, "steps", "The step id %q is not valid: "+nameRule+".", step.ID)
		case slices.ContainsFunc(node.Steps,
			func(other SagaStep) bool { return other.ID == step.ID }):
			b.addProblem(node, "steps", "The step %q is listed twice.", step.ID)
		case step.Call == "":
			b.addProblem(node, "steps", "The step %s needs a call.", step.ID)
		}
		node.Steps = append(node.Steps, SagaStep(step))
	}
	b.outcomes(node, text.On)
	for _, outcome := range []string{SagaDone, SagaUndone} {
		if node.outcomeEdge(outcome) == nil {
			b.addProblem(node, "outcomes", "A saga needs a target for %s.", outcome)
		}
	}
	for _, edge := range node.Edges {
		if edge.On != SagaDone && edge.On != SagaUndone {
			b.addProblem(node, "outcomes",
				"%q is not an outcome of a saga (done, undone).", edge.On)
		}
	}
}

func (sagaKind) enter(p *stepBuilder, node, _ *Node) error {
	if err := p.checkSeen(node); err != nil {
		return err
	}
	visit, err := p.placeToken(node)
	if err != nil {
		return err
	}
	p.state.setSaga(node.ID, sagaState{Step: 1})
	p.openWork(node, visit)
	return nil
}

func (sagaKind) openWork(p *stepBuilder, node *Node, visit int) {
	p.deferEffect(startStepEffect(node, visit, p.state.saga(node.ID)))
}

// cancelWork refuses, because no step would undo the calls that the saga has already made.
func (sagaKind) cancelWork(_ *stepBuilder, node *Node, _ int) error {
	return unsoundError(node,
		"The saga %s can be withdrawn while its calls to other systems are in progress; they would never be undone.", node.ID)
}

func (sagaKind) possibleEvents(node *Node, states *nodeStates) []Event {
	current := states.saga(node.ID)
	events := []Event{{Kind: StepEnded, Step: current.Step, Undo: current.Undo}}
	if !current.Undo {
		events = append(events, Event{Kind: StepFailed, Step: current.Step})
	}
	return events
}

func (sagaKind) draw(node *Node) string {
	steps := make([]string, 0, len(node.Steps))
	for _, step := range node.Steps {
		steps = append(steps, step.ID)
	}
	return stateDeclaration(node, " ("+strings.Join(steps, ", then ")+")")
}
