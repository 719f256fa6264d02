package casework

import (
	"context"

	"countersign/domain"
	"countersign/rules"
	"countersign/store"
	"countersign/workflow"
)

// processFactsAfter returns the facts that guards evaluate: those of the case after the change.
func (svc *Service) processFactsAfter(
	ctx context.Context, p *stageSession, def *workflow.Definition, t *transition,
) (domain.ProcessFacts, error) {
	if err := svc.loadFieldsAndFindings(ctx, p); err != nil {
		return domain.ProcessFacts{}, err
	}
	fields := p.fields
	if len(t.change.Fields) > 0 || len(t.change.DeleteFieldSources) > 0 {
		fields = t.change.Fields
	}
	kind, err := svc.documentType(ctx, svc.db.Reader(), p.record)
	if err != nil {
		return domain.ProcessFacts{}, err
	}
	found := processFacts(def, t.change.Case, kind, fields,
		putFindings(p.findings, t.change.StageFindings))
	if len(def.Documents) > 0 {
		found.Unseen, err = svc.db.Reader().Unseen(ctx, p.record.ID)
	}
	return found, err
}

// loadFieldsAndFindings loads fields and findings once per session.
func (svc *Service) loadFieldsAndFindings(ctx context.Context, p *stageSession) error {
	if p.fields == nil {
		fields, err := svc.db.Reader().Fields(ctx, p.record.ID)
		if err != nil {
			return err
		}
		p.fields = fieldsFromRows(fields)
	}
	if p.findings == nil {
		findings, err := svc.db.Reader().Findings(ctx, p.record.ID)
		if err != nil {
			return err
		}
		p.findings = findingsByStage(findings)
	}
	return nil
}

func fieldsFromRows(rows []store.CaseField) []domain.Field {
	fields := make([]domain.Field, 0, len(rows))
	for _, row := range rows {
		fields = append(fields, row.Field)
	}
	return fields
}

// findingsOf returns the findings of rows.
func findingsOf(rows []store.CaseFinding) []domain.Finding {
	findings := make([]domain.Finding, 0, len(rows))
	for _, row := range rows {
		findings = append(findings, row.Finding)
	}
	return findings
}

func findingsByStage(rows []store.CaseFinding) map[string][]domain.Finding {
	found := map[string][]domain.Finding{}
	for _, row := range rows {
		found[row.Stage] = append(found[row.Stage], row.Finding)
	}
	return found
}

// putFindings replaces the findings of the evaluated stages and returns all.
func putFindings(
	found map[string][]domain.Finding, evaluated []store.StageFindings,
) map[string][]domain.Finding {
	for _, stage := range evaluated {
		found[stage.Stage] = stage.Findings
	}
	return found
}

// processFacts returns the facts that guards evaluate on a case of the command.
func (c *command) processFacts(
	record domain.Case, fields []domain.Field, found map[string][]domain.Finding,
) (domain.ProcessFacts, error) {
	kind, err := c.documentType()
	if err != nil {
		return domain.ProcessFacts{}, err
	}
	facts := processFacts(c.def, record, kind, fields, found)
	facts.Unseen, err = c.unseenDocuments()
	return facts, err
}

// unseenDocuments reports whether the case has supporting documents, and no approval or rejection of a person
// counts. If the command revoked any, the case counts as one without.
func (c *command) unseenDocuments() (bool, error) {
	escalates := c.change.Decision != nil && c.change.Decision.Verdict == domain.Escalate
	if len(c.def.Documents) == 0 || len(c.change.Votes) > 0 && !escalates {
		return false, nil
	}
	if len(c.change.RevokedDuties) > 0 {
		all, err := c.tx.Supporting(c.ctx, c.before.ID)
		return len(all) > 0, err
	}
	return c.tx.Unseen(c.ctx, c.before.ID)
}

func processFacts(
	def *workflow.Definition, c domain.Case, kind *domain.DocumentType, fields []domain.Field,
	found map[string][]domain.Finding,
) domain.ProcessFacts {
	facts := domain.ProcessFacts{Amount: c.Amount, AmountKnown: c.AmountKnown,
		BaseMinor: c.BaseMinor, Currency: c.Amount.Currency,
		Country: c.Country, OtherCountries: c.OtherCountries, AtRisk: c.AtRisk,
		DocumentType: c.DocumentType, Channel: c.Channel, Risk: c.Risk,
		Missing: c.Missing, Unstated: c.Unstated,
		UnsureFields: rules.Unsure(kind, fields, c.DeclaredAmount, c.DifferingFields),
		Attributes:   domain.AttributeFacts(def.Attributes, c.Attributes)}
	facts.KeptReviews = c.Part.Nodes()
	if workflow.WasDoubted(def, c.Marking) || c.Part.IsPart() {
		facts.UnsureFields = rules.DecisiveFields(kind)
	}
	facts.AddFields(fields)
	for _, findings := range found {
		facts.Findings = append(facts.Findings, findings...)
	}
	return facts
}
