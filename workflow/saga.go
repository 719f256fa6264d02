package workflow

import "countersign/domain"

// sagaNote is what a saga keeps between its calls: which one is under way, forwards or backwards.
type sagaNote struct {
	Step int  `json:"step"` // from 1
	Undo bool `json:"undo,omitempty"`
}

func (n *notes) saga(node string) sagaNote {
	note := sagaNote{Step: 1}
	n.read(node, &note)
	return note
}

func (n *notes) setSaga(node string, note sagaNote) { n.set(node, note) }

// stepOf asks for the call that the note says is under way.
func stepOf(node *Node, visit int, note sagaNote) StartStep {
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

// goOnWithSaga takes the next call forwards, or, once one has failed for good, the next one backwards. The failed call
// is undone too: nobody knows whether it had an effect.
func (p *pass) goOnWithSaga(event Event) error {
	node, at, err := p.locate(event, KindSaga)
	if err != nil {
		return err
	}
	note := p.notes.saga(node.ID)
	failed := event.Kind == StepFailed
	switch {
	case event.Step != note.Step || event.Undo != note.Undo || event.Step < 1 || event.Step > len(node.Steps):
		return mismatch("Step %d of %s is not under way.", event.Step, node.ID).WithDetail("node", node.ID)
	case failed && note.Undo:
		return domain.Invalid("event", "undoing step %d of %s failed; that is an incident and is tried again", event.Step, node.ID)
	case failed:
		note = sagaNote{Step: node.undoFrom(note.Step), Undo: true}
	case note.Undo:
		note.Step = node.undoFrom(note.Step - 1)
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
		p.notes.setSaga(node.ID, note)
		p.begin(stepOf(node, event.Visit, note))
		return nil
	}
	p.facts.Outcome = outcome
	p.leave(node, at)
	return p.follow(node, node.edge(outcome))
}

// undoFrom returns the number of the last step up to the given one that can be undone, 0 if there is none.
func (n *Node) undoFrom(step int) int {
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
	book := notes{kept: marking.Notes}
	note := book.saga(node.ID)
	switch {
	case event.Kind == StepFailed:
		return node.undoFrom(note.Step) == 0
	case note.Undo:
		return node.undoFrom(note.Step-1) == 0
	}
	return note.Step == len(node.Steps)
}
