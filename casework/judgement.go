package casework

import (
	"context"
	"fmt"
	"time"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/rules"
	"countersign/store"
	"countersign/workflow"
)

// seen is what the rules are shown of a case, and the set that judges it.
type seen struct {
	input rules.Input
	set   *rules.Set
}

// gather reads what the rules need beside the fields: duplicates, the vendor's history, and which set judges now.
func (h *Hall) gather(ctx context.Context, r store.Reader, c domain.Case, fields []domain.Field, document domain.Document, now time.Time) (seen, error) {
	input := rules.Input{DocumentType: c.DocumentType, Fields: fields, Amount: c.Amount, AmountKnown: c.AmountKnown, BaseMinor: c.BaseMinor,
		Declared: c.DeclaredAmount, Country: c.Country, Today: now}
	kin, err := r.KinOf(ctx, c.ID, c.PartyID, c.DocumentNumber, c.Country, document.SHA256)
	if err != nil {
		return seen{}, err
	}
	for _, twin := range kin.SameBytes {
		input.Duplicates = append(input.Duplicates, rules.DuplicateHit{Kind: rules.SameBytes, CaseID: twin.ID, Reference: twin.Reference})
	}
	for _, twin := range kin.SameNumber {
		input.Duplicates = append(input.Duplicates, rules.DuplicateHit{Kind: rules.SameNumber, CaseID: twin.ID, Reference: twin.Reference})
	}
	input.CountryRisk = kin.CountryRisk
	if c.PartyID != domain.NoID {
		input.Vendor = rules.VendorHistory{Looked: true, Cases: kin.Approved, Account: kin.Account, Recent: kin.Recent, RecentSum: kin.RecentSum}
	}
	sets, err := h.ruleSets.at(ctx, r, kin.RuleSets)
	if err != nil {
		return seen{}, err
	}
	set, err := setFor(sets, c.DocumentType)
	return seen{input, set}, err
}

// judgeBoth runs validation and risk, and returns the findings of each and the score of both.
func judgeBoth(s seen) (validation, risk []domain.Finding, score int, err error) {
	first, err := s.set.Validate(s.input)
	if err != nil {
		return nil, nil, 0, err
	}
	second, err := s.set.Assess(s.input, first.Findings)
	return first.Findings, second.Findings, second.Score, err
}

// validateStage checks the fields: is the document complete and consistent?
type validateStage struct{ hall *Hall }

func (s validateStage) run(ctx context.Context, p *pass, node *workflow.Node) (*stageResult, error) {
	shown, err := s.hall.show(ctx, p)
	if err != nil {
		return nil, err
	}
	result, err := shown.set.Validate(shown.input)
	if err != nil {
		return nil, err
	}
	return judged(node.ID, shown.set, result.Findings, result.Score), nil
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
	result, err := shown.set.Assess(shown.input, earlier)
	if err != nil {
		return nil, err
	}
	return judged(node.ID, shown.set, result.Findings, result.Score), nil
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
	shown, err := h.gather(ctx, h.db.Reader(), p.kase, p.fields, *p.document, p.now)
	if err != nil {
		return seen{}, err
	}
	p.shown = &shown
	return shown, nil
}

// judged records a stage's findings, the score so far and the set that judged.
func judged(stage string, set *rules.Set, findings []domain.Finding, score int) *stageResult {
	count, blocking, points := int64(len(findings)), int64(0), int64(score)
	for _, finding := range findings {
		if finding.Severity == domain.SeverityBlocking {
			blocking++
		}
	}
	return &stageResult{Outcome: workflow.OutcomeDone,
		Summary: &generated.StageCompletedV1Summary{Findings: &count, Blocking: &blocking, Risk: &points, RuleSet: fmt.Sprintf("%s %d", set.Key, set.Version), Rules: ruleNames(findings)},
		edits: func(t *transition) {
			for i := range findings {
				findings[i].Revision = t.change.Case.FactsRevision
			}
			t.change.Case.Risk = score
			t.change.StageFindings = append(t.change.StageFindings, store.StageFindings{Stage: stage, Findings: findings})
		}}
}

// ruleNames are the rules that found something: the way after a gateway is explained by them, their values stand with
// the findings.
func ruleNames(findings []domain.Finding) []string {
	names := make([]string, 0, len(findings))
	for _, finding := range findings {
		names = append(names, finding.Rule)
	}
	return names
}
