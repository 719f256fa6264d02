package graph

import (
	"context"

	"countersign/casework"
	"countersign/domain"
	"countersign/graph/donotuse"
	"countersign/graph/shape"
)

// ApprovalRequirements reads the overrides only if a finding needs one, so that lists of cases
// without findings take no further statement.
func (r caseResolver) ApprovalRequirements(ctx context.Context, c *shape.Case) (
	[]domain.ApprovalRequirement, error) {
	requirements := []domain.ApprovalRequirement{}
	if !isStaff(c) {
		return requirements, nil
	}
	batch := loadersFrom(ctx).batchOf(c.ID)
	findings, err := shareOfCase(batch.findings())(c.ID)
	if err != nil {
		return nil, err
	}
	needed, err := r.views.ApprovalRequirements(ctx, findings, nil, nil)
	if err != nil || len(needed) == 0 {
		return requirements, err
	}
	given, err := shareOfCase(batch.overrides())(c.ID)
	if err != nil {
		return nil, err
	}
	approvedIn, err := approvedQueues(batch, c)
	if err != nil {
		return nil, err
	}
	return r.views.ApprovalRequirements(ctx, findings, given, approvedIn)
}

// approvedQueues returns the queues in which the case was approved at its present visits, and those
// of its open reviews, whose approval counts as well.
func approvedQueues(batch *caseBatch, c *shape.Case) ([]string, error) {
	reviews, err := shareOfCase(batch.reviews())(c.ID)
	if err != nil {
		return nil, err
	}
	decisions, err := shareOfCase(batch.decisions())(c.ID)
	if err != nil {
		return nil, err
	}
	approved := map[domain.ID]bool{}
	for _, decision := range decisions {
		approved[decision.ReviewID] = decision.Verdict == domain.Approve
	}
	var queues []string
	for _, review := range reviews {
		open := review.Status == domain.ReviewOpen || review.Status == domain.ReviewClaimed
		if open || approved[review.ID] && review.Visit == c.Marking.Visits[review.Node] {
			queues = append(queues, review.Queue)
		}
	}
	return queues, nil
}

func (requirementResolver) Queue(_ context.Context, r *domain.ApprovalRequirement) (*string, error) {
	if r.Queue == "" {
		return nil, nil
	}
	return &r.Queue, nil
}

func (overrideResolver) Person(ctx context.Context, o *domain.FindingOverride) (
	*domain.User, error) {
	return loadPerson(ctx, o.Person)
}

func (overrideResolver) OnBehalfOf(ctx context.Context, o *domain.FindingOverride) (
	*domain.User, error) {
	return loadPerson(ctx, o.OnBehalfOf)
}

func overrideInputs(inputs []donotuse.FindingOverrideInput) []casework.OverrideInput {
	overrides := make([]casework.OverrideInput, 0, len(inputs))
	for _, input := range inputs {
		overrides = append(overrides, casework.OverrideInput{Rule: input.Rule, Reason: input.Reason})
	}
	return overrides
}

func (r mutationResolver) OverrideFindings(ctx context.Context,
	in donotuse.OverrideFindingsInput) (*donotuse.ReviewPayload, error) {
	on, err := onReview(in.ReviewID, in.ExpectedVersion, in.IdempotencyKey)
	if err != nil {
		return reviewPayload(casework.ReviewResult{}, err)
	}
	actor, err := actorOnBehalfOf(ctx, in.OnBehalfOf)
	if err != nil {
		return reviewPayload(casework.ReviewResult{}, err)
	}
	return reviewPayload(r.service.OverrideFindings(ctx, actor,
		casework.OverrideFindings{ReviewTarget: on, Overrides: overrideInputs(in.Overrides)}))
}
