package casework

import (
	"context"

	"countersign/workflow"
)

// BeforeWeighing puts a step of a test before the act of the processors that assess.
func (h *Hall) BeforeWeighing(do func() error) {
	for i, key := range h.processors.keys {
		if key.Behaviour != "assess" {
			continue
		}
		assess := h.processors.table[i].(steps[*judgement])
		act := assess.act
		assess.act = func(ctx context.Context, work *judgement) error {
			if err := do(); err != nil {
				return err
			}
			return act(ctx, work)
		}
		h.processors.table[i] = assess
	}
}

// WatchEdges lets a test see what the engine is asked and which edges it takes.
func (h *Hall) WatchEdges(seen func(*workflow.Definition, workflow.Event, *workflow.Edge)) {
	h.seen = seen
}

// Rivals registers two processors that both let every case of a document type pass.
func (h *Hall) Rivals(behaviour, documentType string) {
	every := func(context.Context, *pass) (bool, error) { return true, nil }
	for range 2 {
		h.processors.add(workflow.Key{Behaviour: behaviour, DocumentType: documentType}, every, extractSteps(h))
	}
}
