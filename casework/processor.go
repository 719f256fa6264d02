package casework

import (
	"context"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/store"
	"countersign/workflow"
)

// stageResult is what a processor found out; apply takes it into the change.
type stageResult struct {
	Outcome string
	Summary *generated.StageCompletedV1Summary
	// edits are made on the case and the change before the engine is asked.
	edits func(*transition)
}

func (r *stageResult) apply(t *transition) {
	if r.edits != nil {
		r.edits(t)
	}
}

// processor is the behaviour of a stage. run does the slow work on values and readers, outside any transaction; it may
// be called again after a crash, so it must be repeatable.
type processor interface {
	run(ctx context.Context, p *pass, node *workflow.Node) (*stageResult, error)
}

// processors finds the most specific processor.
type processors struct {
	keys  []workflow.Key
	table []processor
}

func builtinProcessors(h *Hall) (*processors, error) {
	p := &processors{}
	p.add("read", readStage{h})
	p.add("extract", extractStage{h})
	p.add("validate", validateStage{h})
	p.add("assess", assessStage{h})
	p.add("archive", archiveStage{h})
	return p, nil
}

func (p *processors) add(behaviour string, is processor) {
	p.keys = append(p.keys, workflow.Key{Behaviour: behaviour})
	p.table = append(p.table, is)
}

func (p *processors) find(behaviour, documentType string, channel domain.Channel) (processor, error) {
	at, err := workflow.MostSpecific(p.keys, workflow.Key{Behaviour: behaviour, DocumentType: documentType, Channel: string(channel)})
	if err != nil {
		return nil, err
	}
	return p.table[at], nil
}

// outcomes are those in which the stages of a behaviour may end; nil for a behaviour that nothing does.
func (p *processors) outcomes(behaviour string) []string {
	for _, key := range p.keys {
		if key.Behaviour == behaviour {
			return []string{workflow.OutcomeDone}
		}
	}
	return nil
}

// factsAfter are the facts that guards see: the case as the change leaves it.
func (h *Hall) factsAfter(ctx context.Context, p *pass, t *transition) (domain.ProcessFacts, error) {
	if err := h.loadJudgement(ctx, p); err != nil {
		return domain.ProcessFacts{}, err
	}
	found := p.findings
	for _, stage := range t.change.StageFindings {
		found[stage.Stage] = stage.Findings
	}
	fields := p.fields
	if len(t.change.Fields) > 0 || len(t.change.DropFields) > 0 {
		fields = t.change.Fields
	}
	return processFacts(t.change.Case, fields, found), nil
}

// loadJudgement reads fields and findings once a pass.
func (h *Hall) loadJudgement(ctx context.Context, p *pass) error {
	if p.fields == nil {
		fields, err := h.db.Reader().Fields(ctx, p.kase.ID)
		if err != nil {
			return err
		}
		p.fields = plainFields(fields)
	}
	if p.findings == nil {
		findings, err := h.db.Reader().Findings(ctx, p.kase.ID)
		if err != nil {
			return err
		}
		p.findings = byStage(findings)
	}
	return nil
}

func plainFields(rows []store.FieldOf) []domain.Field {
	fields := make([]domain.Field, 0, len(rows))
	for _, row := range rows {
		fields = append(fields, row.Field)
	}
	return fields
}

func byStage(rows []store.FindingOf) map[string][]domain.Finding {
	found := map[string][]domain.Finding{}
	for _, row := range rows {
		found[row.Stage] = append(found[row.Stage], row.Finding)
	}
	return found
}

func processFacts(c domain.Case, fields []domain.Field, found map[string][]domain.Finding) domain.ProcessFacts {
	facts := domain.ProcessFacts{Amount: c.Amount, AmountKnown: c.AmountKnown, BaseMinor: c.BaseMinor, Currency: c.Amount.Currency,
		Country: c.Country, DocumentType: c.DocumentType, Channel: c.Channel, Risk: c.Risk, Fields: make(map[string]string, len(fields))}
	for _, field := range fields {
		facts.Fields[field.Name] = field.Normalised
		facts.HasStructuredData = facts.HasStructuredData || field.Source == domain.SourceXML
	}
	for _, findings := range found {
		facts.Findings = append(facts.Findings, findings...)
	}
	return facts
}
