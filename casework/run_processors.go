package casework

import (
	"context"
	"slices"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/workflow"
)

// stageResult is the result of a processor; apply writes it into the change.
type stageResult struct {
	Outcome string
	Summary *generated.StageCompletedV1Summary
	// applyEdits edits the case and the change before the engine advances.
	applyEdits func(*transition)
	// afterCommit runs after the change is committed.
	afterCommit func(context.Context)
	// isStale reports whether the result is outdated for the case as it is now; nil means never.
	isStale func(domain.Case) bool
}

func (r *stageResult) apply(t *transition) {
	if r.applyEdits != nil {
		r.applyEdits(t)
	}
}

// The events that a processor can be registered for.
const (
	eventRun = "run" // the run of the stage is due
	// a command changed values, so its transaction evaluates the rules again
	eventReevaluate = "judge"
)

// processor is the behaviour of a stage. run does the slow work on values and readers, outside a
// transaction. It must be repeatable, because it runs again after a crash.
type processor interface {
	run(ctx context.Context, p *stageSession, node *workflow.Node) (*stageResult, error)
	// possibleOutcomes returns the outcomes in which it can end a stage.
	possibleOutcomes() []string
}

// processorFilter reports whether a processor applies to a case, beyond its key. What it loads
// stays in the session.
type processorFilter func(ctx context.Context, p *stageSession) (bool, error)

// processorRegistry maps a behaviour, event, document type and channel to a processor.
type processorRegistry struct {
	keys    []workflow.ProcessorKey
	table   []processor
	filters []processorFilter
}

// builtinProcessors registers the built-in processors. It returns AmbiguousProcessor if two are
// equally specific for some case.
func builtinProcessors(svc *Service) (*processorRegistry, error) {
	p := &processorRegistry{}
	add := func(behaviour, documentType string, filter processorFilter, proc processor) {
		p.register(workflow.ProcessorKey{Behaviour: behaviour, DocumentType: documentType}, filter,
			proc)
	}
	add(domain.BehaviourRead, "", nil, newReadProcessor(svc))
	add(domain.BehaviourRead, "", hasReadableInvoice, newStructuredReadProcessor(svc))
	add(domain.BehaviourExtract, "", nil, newExtractProcessor(svc))
	add(domain.BehaviourParse, "", nil, newParseProcessor(svc))
	add(domain.BehaviourValidate, "", nil, newValidateProcessor(svc))
	add(domain.BehaviourValidate, receiptType, nil, withoutAccountCheck(newValidateProcessor(svc)))
	add(domain.BehaviourAssess, "", nil, newAssessProcessor(svc))
	add(domain.BehaviourAssess, receiptType, nil, withoutAccountCheck(newAssessProcessor(svc)))
	add(domain.BehaviourArchive, "", nil, newArchiveProcessor(svc))
	return p, workflow.CheckProcessorKeys(p.keys)
}

// register registers a processor. A processor with a filter is more specific than one without.
func (p *processorRegistry) register(
	key workflow.ProcessorKey, filter processorFilter, proc processor,
) {
	key.Filtered = filter != nil
	p.keys, p.filters, p.table = append(p.keys, key), append(p.filters, filter),
		append(p.table, proc)
}

// find returns the most specific processor for an event at a node. Errors: ProcessorNotFound if
// there is none, AmbiguousProcessor if two are equally specific for this case.
func (p *processorRegistry) find(
	ctx context.Context, behaviour, event string, session *stageSession,
) (processor, error) {
	want := workflow.ProcessorKey{Behaviour: behaviour, Event: event,
		DocumentType: session.record.DocumentType, Channel: string(session.record.Channel)}
	var failed error
	at, err := workflow.ChooseProcessor(p.keys, want, func(index int) bool {
		if failed != nil {
			return false
		}
		var matches bool
		matches, failed = p.filters[index](ctx, session)
		return matches
	})
	if failed != nil {
		return nil, failed
	}
	if err != nil {
		return nil, err
	}
	return p.table[at], nil
}

// outcomes returns the outcomes in which stages of a behaviour can end; nil if no processor has it.
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
