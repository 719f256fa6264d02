package casework

import (
	"context"

	"countersign/domain"
	"countersign/workflow"
)

// BeforeAssess runs a function of a test before the execute step of the assess processors.
func (svc *Service) BeforeAssess(do func() error) {
	for i, key := range svc.processors.keys {
		if key.Behaviour != domain.BehaviourAssess {
			continue
		}
		assess := svc.processors.table[i].(stageProcessor[*ruleEvaluation])
		execute := assess.execute
		assess.execute = func(ctx context.Context, work *ruleEvaluation) error {
			if err := do(); err != nil {
				return err
			}
			return execute(ctx, work)
		}
		svc.processors.table[i] = assess
	}
}

// ObserveTransitions reports the events given to the engine and the edges taken.
func (svc *Service) ObserveTransitions(
	observe func(*workflow.Definition, workflow.Event, *workflow.Edge),
) {
	svc.observe = observe
}

// RegisterAmbiguousProcessors registers two processors that both accept every case of a document
// type.
func (svc *Service) RegisterAmbiguousProcessors(behaviour, documentType string) {
	accept := func(context.Context, *stageSession) (bool, error) { return true, nil }
	for range 2 {
		svc.processors.register(workflow.ProcessorKey{Behaviour: behaviour,
			DocumentType: documentType}, accept, newExtractProcessor(svc))
	}
}

// ParseImport parses the CSV of a conflict import.
func ParseImport(text string) error {
	_, err := parseImport(text)
	return err
}
