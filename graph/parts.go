package graph

import (
	"context"

	"countersign/casework"
	"countersign/domain"
	"countersign/graph/donotuse"
	"countersign/graph/generated"
	"countersign/graph/shape"
	"countersign/views"
)

type (
	parentCaseResolver   struct{ *resolver }
	filePartResolver     struct{ *resolver }
	splitPayloadResolver struct{ *resolver }
	mergePayloadResolver struct{ *resolver }
)

func (r *resolver) ParentCase() generated.ParentCaseResolver { return parentCaseResolver{r} }

func (r *resolver) FilePart() generated.FilePartResolver { return filePartResolver{r} }

func (r *resolver) SplitCasePayload() generated.SplitCasePayloadResolver {
	return splitPayloadResolver{r}
}

func (r *resolver) MergePartsPayload() generated.MergePartsPayloadResolver {
	return mergePayloadResolver{r}
}

func (caseResolver) Parent(ctx context.Context, c *shape.Case) (*views.ParentCase, error) {
	if !c.Part.IsPart() {
		return nil, nil
	}
	parents, err := loadersFrom(ctx).batchOf(c.ID).parents()
	return parents[c.ID], err
}

// Pages returns the pages of the file as it was submitted that a part has.
func (caseResolver) Pages(_ context.Context, c *shape.Case) (*casework.PageRange, error) {
	if !c.Part.IsPart() {
		return nil, nil
	}
	return &casework.PageRange{First: c.Part.First, Last: c.Part.Last}, nil
}

func (caseResolver) Parts(ctx context.Context, c *shape.Case) ([]views.FilePart, error) {
	if c.Outcome != domain.Abandoned && c.Status != domain.Abandoned {
		return nil, nil // a case ends when it is split
	}
	parts, err := loadersFrom(ctx).batchOf(c.ID).parts()
	return parts[c.ID], err
}

func (r parentCaseResolver) Case(ctx context.Context, parent *views.ParentCase) (*shape.Case, error) {
	return r.caseByID(ctx, parent.ID)
}

func (filePartResolver) Pages(_ context.Context, part *views.FilePart) (*casework.PageRange, error) {
	return &casework.PageRange{First: part.First, Last: part.Last}, nil
}

func (r filePartResolver) Case(ctx context.Context, part *views.FilePart) (*shape.Case, error) {
	return r.caseByID(ctx, part.ID)
}

func (r splitPayloadResolver) Case(ctx context.Context, p *donotuse.SplitCasePayload) (
	*shape.Case, error) {
	loadersFrom(ctx).forget(p.CaseID)
	return r.caseByID(ctx, p.CaseID)
}

func (splitPayloadResolver) Parts(ctx context.Context, p *donotuse.SplitCasePayload) (
	[]views.FilePart, error) {
	if p.CaseID == domain.NoID {
		return nil, nil
	}
	parts, err := loadersFrom(ctx).batchOf(p.CaseID).parts()
	return parts[p.CaseID], err
}

func (r mergePayloadResolver) Case(ctx context.Context, p *donotuse.MergePartsPayload) (
	*shape.Case, error) {
	return r.caseByID(ctx, p.CaseID)
}

func (r mutationResolver) SplitCase(ctx context.Context, in donotuse.SplitCaseInput) (
	*donotuse.SplitCasePayload, error) {
	payload := &donotuse.SplitCasePayload{}
	on, err := onReview(in.ReviewID, in.ExpectedVersion, in.IdempotencyKey)
	if err == nil {
		var actor domain.Actor
		if actor, err = actorOnBehalfOf(ctx, in.OnBehalfOf); err == nil {
			var split casework.SplitResult
			split, err = r.service.SplitCase(ctx, actor,
				casework.SplitCase{ReviewTarget: on, Parts: pageRanges(in.Parts)})
			payload.CaseID = split.CaseID
		}
	}
	payload.UserErrors, err = userErrorsOf(err)
	return payload, err
}

func pageRanges(inputs []donotuse.PageRangeInput) []casework.PageRange {
	ranges := make([]casework.PageRange, 0, len(inputs))
	for _, input := range inputs {
		ranges = append(ranges, casework.PageRange{First: input.First, Last: input.Last})
	}
	return ranges
}

func (r mutationResolver) MergeParts(ctx context.Context, in donotuse.MergePartsInput) (
	*donotuse.MergePartsPayload, error) {
	payload := &donotuse.MergePartsPayload{}
	on, err := onReview(in.ReviewID, in.ExpectedVersion, in.IdempotencyKey)
	if err == nil {
		var actor domain.Actor
		if actor, err = actorOnBehalfOf(ctx, in.OnBehalfOf); err == nil {
			var merged casework.MergeResult
			merged, err = r.service.MergeParts(ctx, actor,
				casework.MergeParts{ReviewTarget: on, Reason: in.Reason})
			payload.CaseID, payload.Reference = merged.CaseID, optional(merged.Reference)
		}
	}
	payload.UserErrors, err = userErrorsOf(err)
	return payload, err
}
