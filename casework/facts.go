package casework

import (
	"context"

	"countersign/domain"
	"countersign/store"
)

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
