package graph

import (
	"context"

	"countersign/graph/donotuse"
	"countersign/graph/generated"
	"countersign/graph/shape"
	"countersign/views"
)

type correctedCaseResolver struct{ *resolver }

func (r *resolver) CorrectedCase() generated.CorrectedCaseResolver {
	return correctedCaseResolver{r}
}

// Corrects reads the archived case that the case corrects.
func (r caseResolver) Corrects(ctx context.Context, c *shape.Case) (*views.CorrectedCase, error) {
	return r.views.Corrects(ctx, c.ID)
}

// Correction reads the case that corrects the case.
func (r caseResolver) Correction(ctx context.Context, c *shape.Case) (*shape.Case, error) {
	id, err := r.views.Correction(ctx, callerOf(ctx), c.Case)
	if err != nil {
		return nil, err
	}
	return r.caseByID(ctx, id)
}

func (r correctedCaseResolver) Case(ctx context.Context, corrected *views.CorrectedCase) (
	*shape.Case, error) {
	return r.caseByID(ctx, corrected.ID)
}

func (correctedCaseResolver) Order(_ context.Context, corrected *views.CorrectedCase) (
	*donotuse.CorrectedOrder, error) {
	order := corrected.PaymentOrder
	if order == nil {
		return nil, nil
	}
	return &donotuse.CorrectedOrder{Payer: order.Payer, Payee: order.Payee,
		Account: order.Account, Bic: optional(order.BIC), Country: order.Country,
		Amount: order.Amount, Purpose: order.Purpose, Reference: order.Reference,
		PassedAt: timeOrNil(corrected.PassedAt)}, nil
}
