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
	// edits are made on the case and the change before the engine is asked.
	edits func(*transition)
	// after is done when the change is committed.
	after func(context.Context)
	// stale says whether the result no longer holds for the case as it is now; nil: it always does.
	stale func(domain.Case) bool
}

func (r *stageResult) apply(t *transition) {
	if r.edits != nil {
		r.edits(t)
	}
}

// The events at a node that a processor can be for.
const (
	eventRun   = "run"   // the stage's run is due
	eventJudge = "judge" // a person's command has changed values: the rules are asked anew, inside its transaction
)

// processor is the behaviour of a stage. run does the slow work on values and readers, outside any transaction; it may
// be called again after a crash, so it must be repeatable.
type processor interface {
	run(ctx context.Context, p *pass, node *workflow.Node) (*stageResult, error)
	// ends are the outcomes in which it may end a stage.
	ends() []string
}

// filter asks of a case whether a processor is for it, beyond its key. What it reads stays with the pass.
type filter func(ctx context.Context, p *pass) (bool, error)

// processors is the registry of behaviours: which processor is for a behaviour, event, document type and channel.
type processors struct {
	keys    []workflow.Key
	table   []processor
	filters []filter
}

// builtinProcessors registers what the program can do. Two processors of which neither is more specific for some case are
// AmbiguousProcessor.
func builtinProcessors(h *Hall) (*processors, error) {
	p := &processors{}
	p.add(workflow.Key{Behaviour: "read"}, nil, readSteps(h))
	p.add(workflow.Key{Behaviour: "read"}, structured, structuredReadSteps(h))
	p.add(workflow.Key{Behaviour: "extract"}, nil, extractSteps(h))
	p.add(workflow.Key{Behaviour: "validate"}, nil, validateSteps(h))
	p.add(workflow.Key{Behaviour: "validate", DocumentType: receiptType}, nil, withoutAccount(validateSteps(h)))
	p.add(workflow.Key{Behaviour: "assess"}, nil, assessSteps(h))
	p.add(workflow.Key{Behaviour: "assess", DocumentType: receiptType}, nil, withoutAccount(assessSteps(h)))
	p.add(workflow.Key{Behaviour: "archive"}, nil, archiveSteps(h))
	return p, workflow.CheckKeys(p.keys)
}

// add registers a processor; with a filter it is more specific than one without.
func (p *processors) add(key workflow.Key, only filter, is processor) {
	key.Filtered = only != nil
	p.keys, p.filters, p.table = append(p.keys, key), append(p.filters, only), append(p.table, is)
}

// find returns the most specific processor for an event at a node. None is ProcessorNotFound; two that are equally specific
// for this case are AmbiguousProcessor.
func (p *processors) find(ctx context.Context, behaviour, event string, on *pass) (processor, error) {
	want := workflow.Key{Behaviour: behaviour, Event: event, DocumentType: on.kase.DocumentType, Channel: string(on.kase.Channel)}
	var failed error
	at, err := workflow.Choose(p.keys, want, func(index int) bool {
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
func (p *processors) outcomes(behaviour string) []string {
	var all []string
	for i, key := range p.keys {
		if key.Behaviour != behaviour {
			continue
		}
		for _, outcome := range p.table[i].ends() {
			if !slices.Contains(all, outcome) {
				all = append(all, outcome)
			}
		}
	}
	return all
}
