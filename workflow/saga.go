package workflow

import "countersign/domain"

// sagaState is a saga's state between its calls: the call in progress and its direction.
type sagaState struct {
	Step int  `json:"step"` // from 1
	Undo bool `json:"undo,omitempty"`
}

func (n *nodeStates) saga(node string) sagaState {
	state := sagaState{Step: 1}
	n.read(node, &state)
	return state
}

func (n *nodeStates) setSaga(node string, state sagaState) { n.set(node, state) }

// startStepEffect returns the effect that starts the call in progress.
func startStepEffect(node *Node, visit int, state sagaState) StartStep {
	step := StartStep{Node: node.ID, Visit: visit, Step: state.Step, Undo: state.Undo,
		Attempts: node.Attempts, Backoff: node.Backoff}
	if state.Step >= 1 && state.Step <= len(node.Steps) {
		declared := node.Steps[state.Step-1]
		step.Name, step.Call = declared.ID, declared.Call
		if state.Undo {
			step.Call = declared.Undo
		}
	}
	return step
}

// advanceSaga starts the next call or, after a call failed permanently, undoes the previous one.
// The failed call is undone too, because it may have had an effect.
func (p *stepBuilder) advanceSaga(event Event) error {
	node, at, err := p.locateToken(event, KindSaga)
	if err != nil {
		return err
	}
	state := p.state.saga(node.ID)
	failed := event.Kind == StepFailed
	switch {
	case event.Step != state.Step || event.Undo != state.Undo || event.Step < 1 ||
		event.Step > len(node.Steps):
		return stateMismatch("Step %d of %s is not in progress.", event.Step, node.ID).
			WithDetail("node", node.ID)
	case failed && state.Undo:
		return domain.Invalid("event",
			"Undoing step %d of %s failed; that is an incident and is retried.",
			event.Step, node.ID)
	case failed:
		state = sagaState{Step: node.lastUndoableStep(state.Step), Undo: true}
	case state.Undo:
		state.Step = node.lastUndoableStep(state.Step - 1)
	default:
		state.Step++
	}
	outcome := ""
	if state.Undo && state.Step == 0 {
		outcome = SagaUndone
	} else if state.Step > len(node.Steps) {
		outcome = SagaDone
	}
	if outcome == "" {
		p.state.setSaga(node.ID, state)
		p.deferEffect(startStepEffect(node, event.Visit, state))
		return nil
	}
	p.facts.Outcome = outcome
	p.leaveNode(node, at)
	return p.leaveAlong(node, node.outcomeEdge(outcome))
}

// lastUndoableStep returns the number of the last step up to the given one that can be undone, 0 if
// there is none.
func (n *Node) lastUndoableStep(step int) int {
	for step > 0 && n.Steps[step-1].Undo == "" {
		step--
	}
	return step
}

// EndsSaga reports whether the event is the last one of its saga: every call was made, or every
// call was undone.
func EndsSaga(def *Definition, marking domain.Marking, event Event) bool {
	node, ok := def.index[event.Node]
	if !ok || node.Kind != KindSaga {
		return false
	}
	states := nodeStates{byNode: marking.Notes}
	state := states.saga(node.ID)
	switch {
	case event.Kind == StepFailed:
		return node.lastUndoableStep(state.Step) == 0
	case state.Undo:
		return node.lastUndoableStep(state.Step-1) == 0
	}
	return state.Step == len(node.Steps)
}
