package graph

import (
	"context"

	"countersign/casework"
	"countersign/domain"
	"countersign/graph/donotuse"
	"countersign/graph/generated"
	"countersign/graph/scalar"
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

// Correctable reports whether the caller may submit the correction of the case.
func (r caseResolver) Correctable(ctx context.Context, c *shape.Case) (bool, error) {
	if c.Status != domain.Archived {
		return false, nil
	}
	err := r.service.MayCorrectArchived(ctx, callerOf(ctx), c.ID)
	if err != nil && domain.CodeOf(err) == domain.Internal {
		return false, err
	}
	return err == nil, nil
}

func (r mutationResolver) CorrectArchivedCase(ctx context.Context,
	in donotuse.CorrectArchivedCaseInput) (*donotuse.CasePayload, error) {
	id, err := scalar.IDOf(scalar.KindCase, "caseId", in.CaseID)
	if err != nil {
		return casePayload(casework.CaseResult{}, err)
	}
	done, err := r.service.CorrectArchived(ctx, callerOf(ctx), casework.CorrectArchived{
		Once: casework.Once{Key: valueOrEmpty(in.IdempotencyKey)}, CaseID: id, Reason: in.Reason})
	return casePayload(casework.CaseResult{CaseID: done.CorrectionID}, err)
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
