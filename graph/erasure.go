package graph

import (
	"context"

	"countersign/casework"
	"countersign/domain"
	"countersign/graph/donotuse"
	"countersign/graph/scalar"
	"countersign/graph/shape"
	"countersign/views"
)

func (r caseResolver) Erasure(ctx context.Context, c *shape.Case) (*donotuse.CaseErasure, error) {
	erasure, err := r.views.Erasure(ctx, callerOf(ctx), c.Case)
	if err != nil || erasure == nil {
		return nil, err
	}
	return &donotuse.CaseErasure{At: erasure.At, Reason: erasure.Reason, Proposer: erasure.ProposedBy,
		Confirmer: erasure.ConfirmedBy}, nil
}

func (caseErasureResolver) ProposedBy(ctx context.Context, e *donotuse.CaseErasure) (*domain.User, error) {
	return personOrSystem(ctx, e.Proposer)
}

func (caseErasureResolver) ConfirmedBy(ctx context.Context, e *donotuse.CaseErasure) (*domain.User, error) {
	return personOrSystem(ctx, e.Confirmer)
}

func (r caseResolver) LegalHolds(ctx context.Context, c *shape.Case) ([]donotuse.LegalHold, error) {
	holds, err := r.views.LegalHolds(ctx, callerOf(ctx), c.ID)
	shown := make([]donotuse.LegalHold, 0, len(holds))
	for _, hold := range holds {
		shown = append(shown, legalHoldOf(hold))
	}
	return shown, err
}

func legalHoldOf(hold views.LegalHold) donotuse.LegalHold {
	return donotuse.LegalHold{ID: scalar.GlobalID(scalar.KindLegalHold, hold.ID), Reason: hold.Reason,
		By: hold.PlacedBy, PlacedAt: hold.PlacedAt, LiftedAt: timeOrNil(hold.LiftedAt)}
}

func (legalHoldResolver) PlacedBy(ctx context.Context, hold *donotuse.LegalHold) (*domain.User, error) {
	return personOrSystem(ctx, hold.By)
}

func (r queryResolver) RetentionPeriods(ctx context.Context) ([]donotuse.RetentionPeriod, error) {
	periods, err := r.views.RetentionPeriods(ctx, callerOf(ctx))
	shown := make([]donotuse.RetentionPeriod, 0, len(periods))
	for _, period := range periods {
		shown = append(shown, donotuse.RetentionPeriod{DocumentType: period.DocumentType,
			Days: period.Days, ValidFrom: timeOrNil(period.ValidFrom), InForce: period.InForce,
			Reason: period.Reason, By: period.SetBy})
	}
	return shown, err
}

func (retentionPeriodResolver) SetBy(ctx context.Context, period *donotuse.RetentionPeriod) (*domain.User,
	error) {
	return personOrSystem(ctx, period.By)
}

func (r mutationResolver) SetRetention(ctx context.Context, in donotuse.SetRetentionInput) (
	*donotuse.ControlPayload, error) {
	done, err := r.service.SetRetention(ctx, callerOf(ctx), casework.SetRetention{
		Once:         casework.Once{Key: valueOrEmpty(in.IdempotencyKey)},
		DocumentType: in.DocumentType, Days: in.Days, ExpectedDays: in.ExpectedDays, Reason: in.Reason})
	return controlPayload([]casework.ControlResult{done}, false, err)
}

func (r mutationResolver) PlaceLegalHold(ctx context.Context, in donotuse.PlaceLegalHoldInput) (
	*donotuse.LegalHoldPayload, error) {
	command := casework.PlaceLegalHold{Once: casework.Once{Key: valueOrEmpty(in.IdempotencyKey)},
		Reason: in.Reason}
	var done casework.HoldResult
	var err error
	if command.CaseID, err = scalar.IDOf(scalar.KindCase, "caseId", in.CaseID); err == nil {
		done, err = r.service.PlaceLegalHold(ctx, callerOf(ctx), command)
	}
	payload := &donotuse.LegalHoldPayload{}
	if err == nil {
		var hold views.LegalHold
		if hold, err = r.views.LegalHold(ctx, callerOf(ctx), done.HoldID); err != nil {
			return nil, err
		}
		shown := legalHoldOf(hold)
		payload.Hold = &shown
	}
	payload.UserErrors, err = userErrorsOf(err)
	return payload, err
}

func (r mutationResolver) ProposeHoldLift(ctx context.Context, in donotuse.ProposeHoldLiftInput) (
	*donotuse.ControlPayload, error) {
	command := casework.ProposeHoldLift{Once: casework.Once{Key: valueOrEmpty(in.IdempotencyKey)},
		Reason: in.Reason}
	var err error
	if command.HoldID, err = scalar.IDOf(scalar.KindLegalHold, "holdId", in.HoldID); err != nil {
		return controlPayload(nil, false, err)
	}
	done, err := r.service.ProposeHoldLift(ctx, callerOf(ctx), command)
	return controlPayload([]casework.ControlResult{done}, false, err)
}

func (r mutationResolver) ProposeErasure(ctx context.Context, in donotuse.ProposeErasureInput) (
	*donotuse.ControlPayload, error) {
	command := casework.ProposeErasure{Once: casework.Once{Key: valueOrEmpty(in.IdempotencyKey)},
		Reason: in.Reason}
	var err error
	if command.CaseID, err = scalar.IDOf(scalar.KindCase, "caseId", in.CaseID); err != nil {
		return controlPayload(nil, false, err)
	}
	done, err := r.service.ProposeErasure(ctx, callerOf(ctx), command)
	return controlPayload([]casework.ControlResult{done}, false, err)
}
