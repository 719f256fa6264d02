package graph

import (
	"context"

	"countersign/domain"
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
		Found: lines.Found(), XMLCount: lines.XMLCount, PageCount: lines.PageCount}
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
