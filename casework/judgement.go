package casework

import (
	"context"
	"time"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/rules"
	"countersign/store"
	"countersign/workflow"
)

// seen is what the rules are shown of a case.
type seen struct {
	input rules.Input
}

// gather reads what the rules need beside the fields: duplicates and the vendor's history.
func gather(ctx context.Context, r store.Reader, c domain.Case, fields []domain.Field, document domain.Document, now time.Time) (seen, error) {
	input := rules.Input{DocumentType: c.DocumentType, Fields: fields, Amount: c.Amount, AmountKnown: c.AmountKnown, BaseMinor: c.BaseMinor,
		Declared: c.DeclaredAmount, Country: c.Country, Today: now}
	kin, err := r.KinOf(ctx, c.ID, c.PartyID, c.DocumentNumber, document.SHA256)
	if err != nil {
		return seen{}, err
	}
	for _, twin := range kin.SameBytes {
		input.Duplicates = append(input.Duplicates, rules.DuplicateHit{Kind: rules.SameBytes, CaseID: twin.ID, Reference: twin.Reference})
	}
	for _, twin := range kin.SameNumber {
		input.Duplicates = append(input.Duplicates, rules.DuplicateHit{Kind: rules.SameNumber, CaseID: twin.ID, Reference: twin.Reference})
	}
	if c.PartyID != domain.NoID {
		input.Vendor = rules.VendorHistory{Looked: true, Cases: kin.Approved}
	}
	return seen{input}, nil
}

// judgeBoth runs validation and risk, and returns the findings of each and the score of both.
func judgeBoth(s seen) (validation, risk []domain.Finding, score int) {
	first := rules.Validate(s.input)
	second := rules.Assess(s.input, first.Findings)
	return first.Findings, second.Findings, second.Score
}

// validateStage checks the fields: is the document complete and consistent?
type validateStage struct{ hall *Hall }

func (s validateStage) run(ctx context.Context, p *pass, node *workflow.Node) (*stageResult, error) {
	shown, err := s.hall.show(ctx, p)
	if err != nil {
		return nil, err
	}
	result := rules.Validate(shown.input)
	return judged(node.ID, result.Findings, result.Score), nil
}

// assessStage scores the risk of the case.
type assessStage struct{ hall *Hall }

func (s assessStage) run(ctx context.Context, p *pass, node *workflow.Node) (*stageResult, error) {
	shown, err := s.hall.show(ctx, p)
	if err != nil {
		return nil, err
	}
	var earlier []domain.Finding
	for stage, findings := range p.findings {
		if stage != node.ID {
			earlier = append(earlier, findings...)
		}
	}
	result := rules.Assess(shown.input, earlier)
	return judged(node.ID, result.Findings, result.Score), nil
}

// show gathers, once a pass, what the rules see.
func (h *Hall) show(ctx context.Context, p *pass) (seen, error) {
	if p.shown != nil {
		return *p.shown, nil
	}
	if err := h.loadJudgement(ctx, p); err != nil {
		return seen{}, err
	}
	if err := h.loadDocument(ctx, p); err != nil {
		return seen{}, err
	}
	shown, err := gather(ctx, h.db.Reader(), p.kase, p.fields, *p.document, p.now)
	if err != nil {
		return seen{}, err
	}
	p.shown = &shown
	return shown, nil
}

// judged records a stage's findings and the score so far.
func judged(stage string, findings []domain.Finding, score int) *stageResult {
	count, blocking, points := int64(len(findings)), int64(0), int64(score)
	for _, finding := range findings {
		if finding.Severity == domain.SeverityBlocking {
			blocking++
		}
	}
	return &stageResult{Outcome: workflow.OutcomeDone,
		Summary: &generated.StageCompletedV1Summary{Findings: &count, Blocking: &blocking, Risk: &points},
		edits: func(t *transition) {
			for i := range findings {
				findings[i].Revision = t.change.Case.FactsRevision
			}
			t.change.Case.Risk = score
			t.change.StageFindings = append(t.change.StageFindings, store.StageFindings{Stage: stage, Findings: findings})
		}}
}
