package casework

import (
	"context"

	"countersign/workflow"
)

// BeforeAssess puts a step of a test before the act of the processors that assess.
func (svc *Service) BeforeAssess(do func() error) {
	for i, key := range svc.processors.keys {
		if key.Behaviour != "assess" {
			continue
		}
		assess := svc.processors.table[i].(stageProcessor[*ruleEvaluation])
		act := assess.execute
		assess.execute = func(ctx context.Context, work *ruleEvaluation) error {
			if err := do(); err != nil {
				return err
			}
			return act(ctx, work)
		}
		svc.processors.table[i] = assess
	}
}

// ObserveTransitions lets a test see what the engine is asked and which edges it takes.
func (svc *Service) ObserveTransitions(
	seen func(*workflow.Definition, workflow.Event, *workflow.Edge),
) {
	svc.observe = seen
}

// RegisterAmbiguousProcessors registers two processors that both let every case of a document type pass.
func (svc *Service) RegisterAmbiguousProcessors(behaviour, documentType string) {
	every := func(context.Context, *stageSession) (bool, error) { return true, nil }
	for range 2 {
		svc.processors.register(workflow.ProcessorKey{Behaviour: behaviour,
			DocumentType: documentType}, every, newExtractProcessor(svc))
	}
}

// ParseImport parses the CSV of an import of conflicts.
func ParseImport(text string) error {
	_, err := parseImport(text)
	return err
}
