package graph

import (
	"context"

	"countersign/casework"
	"countersign/domain"
	"countersign/graph/donotuse"
	"countersign/graph/shape"
)

func (r caseResolver) LineItems(ctx context.Context, c *shape.Case) (*shape.LineItems, error) {
	lines, err := r.views.Reader().LineItems(ctx, c.ID)
	if err != nil {
		return nil, err
	}
	money := func(minor int64) *domain.Money {
		if lines.Currency == "" {
			return nil
		}
		return &domain.Money{Minor: minor, Currency: lines.Currency}
	}
	found := &shape.LineItems{Items: make([]shape.LineItem, 0, len(lines.Items)),
		Found: lines.Found(), XMLCount: lines.XMLCount, PageCount: lines.PageCount,
		Currency: lines.Currency}
	if lines.By != domain.NoID {
		if found.Corrected, err = correctionOfLines(ctx, c, lines); err != nil {
			return nil, err
		}
	}
	if lines.Sum != nil {
		found.Sum, found.Adjustment = money(*lines.Sum), money(lines.Adjustment)
	}
	if lines.Check != domain.LinesUnchecked {
		found.SumEquals = &lines.Check
	}
	for _, item := range lines.Items {
		shown := shape.LineItem{LineItem: item}
		if item.Minor != nil {
			shown.Amount = money(*item.Minor)
		}
		if item.Allowance != 0 {
			shown.Allowance = money(item.Allowance)
		}
		if item.Check != domain.RowUnchecked {
			adds := item.Check == domain.RowAddsUp
			shown.AddsUp = &adds
		}
		if shown.Boxes == nil {
			shown.Boxes = []domain.Box{}
		}
		found.Items = append(found.Items, shown)
	}
	return found, nil
}

// Items returns the first items.
func (lineItemsResolver) Items(_ context.Context, lines *shape.LineItems, first int) (
	[]shape.LineItem, error) {
	return lines.Items[:min(max(first, 0), len(lines.Items))], nil
}

// correctionOfLines returns who corrected the items and when. Submitters, and people without
// confidential access, do not see who reviewed.
func correctionOfLines(ctx context.Context, c *shape.Case, lines domain.LineItems) (
	*shape.LineItemsCorrection, error) {
	correction := &shape.LineItemsCorrection{At: lines.At}
	if lines.By != callerOf(ctx).UserID && (!isStaff(c) || c.Redacted) {
		return correction, nil
	}
	var err error
	correction.By, err = loadPerson(ctx, lines.By)
	return correction, err
}

func (r mutationResolver) CorrectLineItems(ctx context.Context,
	in donotuse.CorrectLineItemsInput) (*donotuse.ReviewPayload, error) {
	on, err := onReview(in.ReviewID, in.ExpectedVersion, in.IdempotencyKey)
	if err != nil {
		return reviewPayload(casework.ReviewResult{}, err)
	}
	actor, err := actorOnBehalfOf(ctx, in.OnBehalfOf)
	if err != nil {
		return reviewPayload(casework.ReviewResult{}, err)
	}
	items := make([]casework.LineItemInput, 0, len(in.Items))
	for _, item := range in.Items {
		items = append(items, casework.LineItemInput{From: item.From, Kept: item.Kept, Description: item.Description,
			Quantity: item.Quantity, Unit: item.Unit, UnitPrice: item.UnitPrice,
			TaxRate: item.TaxRate, Amount: item.Amount})
	}
	return reviewPayload(r.service.CorrectLineItems(ctx, actor,
		casework.CorrectLineItems{ReviewTarget: on, Items: items}))
}
