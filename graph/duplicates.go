package graph

import (
	"context"
	"slices"

	"countersign/casework"
	"countersign/graph/donotuse"
	"countersign/graph/shape"
	"countersign/views"
)

// ListedCases reads other cases only if a finding lists one.
func (r caseResolver) ListedCases(ctx context.Context, c *shape.Case) ([]views.ListedCase, error) {
	if !isStaff(c) {
		return []views.ListedCase{}, nil
	}
	findings, err := findingsOf(ctx, c)
	if err != nil {
		return nil, err
	}
	var references []string
	for _, finding := range findings {
		for _, reference := range finding.NamedCases() {
			if !slices.Contains(references, reference) {
				references = append(references, reference)
			}
		}
	}
	if len(references) == 0 {
		return []views.ListedCase{}, nil
	}
	return r.views.ListedCases(ctx, callerOf(ctx), c.ID, references)
}

func (r listedCaseResolver) Case(ctx context.Context, listed *views.ListedCase) (
	*shape.Case, error) {
	return r.caseByID(ctx, listed.ID)
}

func (listedCaseResolver) RejectionReason(_ context.Context, listed *views.ListedCase) (*string,
	error) {
	return optional(listed.RejectionReason), nil
}

func (r mutationResolver) ClearDuplicate(ctx context.Context,
	in donotuse.ClearDuplicateInput) (*donotuse.ReviewPayload, error) {
	on, err := onReview(in.ReviewID, in.ExpectedVersion, in.IdempotencyKey)
	if err != nil {
		return reviewPayload(casework.ReviewResult{}, err)
	}
	actor, err := actorOnBehalfOf(ctx, in.OnBehalfOf)
	if err != nil {
		return reviewPayload(casework.ReviewResult{}, err)
	}
	return reviewPayload(r.service.ClearDuplicate(ctx, actor, casework.ClearDuplicate{
		ReviewTarget: on, Reference: in.Reference, Reason: in.Reason,
		OtherVersion: valueOrEmpty(in.OtherVersion)}))
}
