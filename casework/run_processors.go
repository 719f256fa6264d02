package casework

import (
	"context"
	"slices"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/workflow"
)

// stageResult is what a processor found out; apply takes it into the change.
type stageResult struct {
	Outcome string
	Summary *generated.StageCompletedV1Summary
	// applyEdits are made on the case and the change before the engine is asked.
	applyEdits func(*transition)
	// afterCommit is done when the change is committed.
	afterCommit func(context.Context)
	// isStale says whether the result no longer holds for the case as it is now; nil: it always does.
	isStale func(domain.Case) bool
}

func (r *stageResult) apply(t *transition) {
	if r.applyEdits != nil {
		r.applyEdits(t)
	}
}

// The events at a node that a processor can be for.
const (
	eventRun        = "run"   // the stage's run is due
	eventReevaluate = "judge" // a person's command has changed values: the rules are evaluated again, inside its transaction
)

// processor is the behaviour of a stage. run does the slow work on values and readers, outside any transaction; it may
// be called again after a crash, so it must be repeatable.
type processor interface {
	run(ctx context.Context, p *stageSession, node *workflow.Node) (*stageResult, error)
	// possibleOutcomes are the outcomes in which it may end a stage.
	possibleOutcomes() []string
}

// processorFilter asks of a case whether a processor is for it, beyond its key. What it reads stays in the session.
type processorFilter func(ctx context.Context, p *stageSession) (bool, error)

// processorRegistry is the registry of behaviours: which processor is for a behaviour, event, document type and channel.
type processorRegistry struct {
	keys    []workflow.ProcessorKey
	table   []processor
	filters []processorFilter
}

// builtinProcessors registers what the program can do. Two processors of which neither is more specific for some case are
// AmbiguousProcessor.
func builtinProcessors(svc *Service) (*processorRegistry, error) {
	p := &processorRegistry{}
	p.register(workflow.ProcessorKey{Behaviour: "read"}, nil, newReadProcessor(svc))
	p.register(workflow.ProcessorKey{Behaviour: "read"}, hasReadableInvoice, newStructuredReadProcessor(svc))
	p.register(workflow.ProcessorKey{Behaviour: "extract"}, nil, newExtractProcessor(svc))
	p.register(workflow.ProcessorKey{Behaviour: "validate"}, nil, newValidateProcessor(svc))
	p.register(workflow.ProcessorKey{Behaviour: "validate", DocumentType: receiptType}, nil, withoutAccountCheck(newValidateProcessor(svc)))
	p.register(workflow.ProcessorKey{Behaviour: "assess"}, nil, newAssessProcessor(svc))
	p.register(workflow.ProcessorKey{Behaviour: "assess", DocumentType: receiptType}, nil, withoutAccountCheck(newAssessProcessor(svc)))
	p.register(workflow.ProcessorKey{Behaviour: "archive"}, nil, newArchiveProcessor(svc))
	return p, workflow.CheckProcessorKeys(p.keys)
}

// register registers a processor; with a filter it is more specific than one without.
func (p *processorRegistry) register(key workflow.ProcessorKey, only processorFilter, is processor) {
	key.Filtered = only != nil
	p.keys, p.filters, p.table = append(p.keys, key), append(p.filters, only), append(p.table, is)
}

// find returns the most specific processor for an event at a node. None is ProcessorNotFound; two that are equally specific
// for this case are AmbiguousProcessor.
func (p *processorRegistry) find(ctx context.Context, behaviour, event string, on *stageSession) (processor, error) {
	want := workflow.ProcessorKey{Behaviour: behaviour, Event: event, DocumentType: on.record.DocumentType, Channel: string(on.record.Channel)}
	var failed error
	at, err := workflow.ChooseProcessor(p.keys, want, func(index int) bool {
		if failed != nil {
			return false
		}
		var fits bool
		fits, failed = p.filters[index](ctx, on)
		return fits
	})
	if failed != nil {
		return nil, failed
	}
	if err != nil {
		return nil, err
	}
	return p.table[at], nil
}

// outcomes are those in which the stages of a behaviour may end; nil for a behaviour that nothing does.
func (p *processorRegistry) outcomes(behaviour string) []string {
	var all []string
	for i, key := range p.keys {
		if key.Behaviour != behaviour {
			continue
		}
		for _, outcome := range p.table[i].possibleOutcomes() {
			if !slices.Contains(all, outcome) {
				all = append(all, outcome)
			}
		}
	}
	return all
}
