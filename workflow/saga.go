package workflow

import "countersign/domain"

// sagaState is what a saga keeps between its calls: which one is under way, forwards or backwards.
type sagaState struct {
	Step int  `json:"step"` // from 1
	Undo bool `json:"undo,omitempty"`
}

func (n *nodeStates) saga(node string) sagaState {
	note := sagaState{Step: 1}
	n.read(node, &note)
	return note
}

func (n *nodeStates) setSaga(node string, note sagaState) { n.set(node, note) }

// startStepEffect asks for the call that the note says is under way.
func startStepEffect(node *Node, visit int, note sagaState) StartStep {
	step := StartStep{Node: node.ID, Visit: visit, Step: note.Step, Undo: note.Undo, Attempts: node.Attempts, Backoff: node.Backoff}
	if note.Step >= 1 && note.Step <= len(node.Steps) {
		declared := node.Steps[note.Step-1]
		step.Name, step.Call = declared.ID, declared.Call
		if note.Undo {
			step.Call = declared.Undo
		}
	}
	return step
}

// advanceSaga takes the next call forwards, or, once one has failed permanently, the next one backwards. The failed call
// is undone too: nobody knows whether it had an effect.
func (p *stepBuilder) advanceSaga(event Event) error {
	node, at, err := p.locateToken(event, KindSaga)
	if err != nil {
		return err
	}
	note := p.state.saga(node.ID)
	failed := event.Kind == StepFailed
	switch {
	case event.Step != note.Step || event.Undo != note.Undo || event.Step < 1 || event.Step > len(node.Steps):
		return stateMismatch("Step %d of %s is not under way.", event.Step, node.ID).WithDetail("node", node.ID)
	case failed && note.Undo:
		return domain.Invalid("event", "undoing step %d of %s failed; that is an incident and is tried again", event.Step, node.ID)
	case failed:
		note = sagaState{Step: node.lastUndoableStep(note.Step), Undo: true}
	case note.Undo:
		note.Step = node.lastUndoableStep(note.Step - 1)
	default:
		note.Step++
	}
	outcome := ""
	if note.Undo && note.Step == 0 {
		outcome = SagaUndone
	} else if note.Step > len(node.Steps) {
		outcome = SagaDone
	}
	if outcome == "" {
		p.state.setSaga(node.ID, note)
		p.deferEffect(startStepEffect(node, event.Visit, note))
		return nil
	}
	p.facts.Outcome = outcome
	p.leaveNode(node, at)
	return p.takeEdge(node, node.outcomeEdge(outcome))
}

// lastUndoableStep returns the number of the last step up to the given one that can be undone, 0 if there is none.
func (n *Node) lastUndoableStep(step int) int {
	for step > 0 && n.Steps[step-1].Undo == "" {
		step--
	}
	return step
}

// EndsSaga reports whether the event is the last of its saga: every call was made, or everything was taken back.
func EndsSaga(def *Definition, marking domain.Marking, event Event) bool {
	node, ok := def.index[event.Node]
	if !ok || node.Kind != KindSaga {
		return false
	}
	states := nodeStates{byNode: marking.Notes}
	note := states.saga(node.ID)
	switch {
	case event.Kind == StepFailed:
		return node.lastUndoableStep(note.Step) == 0
	case note.Undo:
		return node.lastUndoableStep(note.Step-1) == 0
	}
	return note.Step == len(node.Steps)
}
