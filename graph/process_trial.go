package graph

import (
	"context"

	"countersign/domain"
	"countersign/graph/donotuse"
	"countersign/views"
)

func (r queryResolver) TryProcessDefinition(
	ctx context.Context, document string, in donotuse.TriedCaseInput,
) (*donotuse.ProcessTrial, error) {
	tried := views.TriedCase{Country: valueOrEmpty(in.Country),
		DocumentType: valueOrEmpty(in.DocumentType), Channel: in.Channel, Risk: in.Risk,
		Fields: map[string]string{}, Unsure: in.UnsureFields,
		Attributes: statedAttributes(in.Attributes), Supporting: in.SupportingDocuments}
	for _, field := range in.Fields {
		tried.Fields[field.Name] = field.Value
	}
	for _, finding := range in.Findings {
		tried.Findings = append(tried.Findings,
			domain.Finding{Rule: finding.Rule, Severity: finding.Severity})
	}
	if in.Amount != nil {
		amount, err := domain.ParseMoney(in.Amount.Amount, in.Amount.Currency)
		if err != nil {
			return nil, err
		}
		tried.Amount = &amount
	}
	trial, err := r.views.TryProcess(ctx, callerOf(ctx), document, tried, r.clock.Now())
	if err != nil {
		return nil, err
	}
	result := &donotuse.ProcessTrial{Nodes: trial.Nodes, Reviews: []donotuse.TriedReview{},
		Status: trial.Status, Problem: optional(trial.Problem),
		ProblemNode: optional(trial.ProblemNode)}
	for _, seat := range trial.Seats {
		result.Reviews = append(result.Reviews,
			donotuse.TriedReview{Node: seat.Node, Queue: seat.Queue, Level: seat.Level})
	}
	return result, nil
}
