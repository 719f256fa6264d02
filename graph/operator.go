package graph

import (
	"context"
	"time"

	"countersign/casework"
	"countersign/domain"
	"countersign/graph/donotuse"
	"countersign/graph/scalar"
	"countersign/internal/clientaddr"
)

type operatorRequestResolver struct{ *resolver }

func (r queryResolver) OperatorRequests(ctx context.Context, onlyOpen bool) ([]domain.BreakGlass, error) {
	return r.views.OperatorRequests(ctx, callerOf(ctx), onlyOpen)
}

func (r queryResolver) TrustedProxies(ctx context.Context) ([]string, error) {
	return r.views.TrustedProxies(ctx, callerOf(ctx))
}

func (r mutationResolver) SetTrustedProxies(ctx context.Context, in donotuse.SetTrustedProxiesInput) (
	*donotuse.ControlPayload, error) {
	networks, err := clientaddr.ParseProxies(in.Networks)
	if err != nil {
		return controlPayload(nil, false, domain.Invalid("networks", "%s", err.Error()))
	}
	done, err := r.service.SetTrustedProxies(ctx, callerOf(ctx), casework.SetTrustedProxies{
		Once: casework.Once{Key: valueOrEmpty(in.IdempotencyKey)}, Networks: networks.Texts(), Reason: in.Reason,
		Expected: in.ExpectedNetworks})
	return controlPayload([]casework.ControlResult{done}, false, err)
}

func (r mutationResolver) ReviewOperatorRequest(ctx context.Context, in donotuse.ReviewOperatorRequestInput) (
	*donotuse.OperatorRequestPayload, error) {
	id, err := scalar.IDOf(scalar.KindOperatorRequest, "requestId", in.RequestID)
	var done domain.BreakGlass
	if err == nil {
		done, err = r.service.ReviewBreakGlass(ctx, callerOf(ctx), casework.ReviewBreakGlass{ID: id, Note: in.Note,
			Once: casework.Once{Key: valueOrEmpty(in.IdempotencyKey)}})
	}
	return operatorRequestPayload(done, err)
}

func (r mutationResolver) EndOperatorRequest(ctx context.Context, in donotuse.EndOperatorRequestInput) (
	*donotuse.OperatorRequestPayload, error) {
	id, err := scalar.IDOf(scalar.KindOperatorRequest, "requestId", in.RequestID)
	var done domain.BreakGlass
	if err == nil {
		done, err = r.service.EndBreakGlass(ctx, callerOf(ctx), casework.EndBreakGlass{ID: id,
			Reason: valueOrEmpty(in.Reason), Once: casework.Once{Key: valueOrEmpty(in.IdempotencyKey)}})
	}
	return operatorRequestPayload(done, err)
}

func operatorRequestPayload(done domain.BreakGlass, err error) (*donotuse.OperatorRequestPayload, error) {
	payload := &donotuse.OperatorRequestPayload{}
	if err == nil {
		payload.Request = &done
	}
	payload.UserErrors, err = userErrorsOf(err)
	return payload, err
}

func (operatorRequestResolver) ID(_ context.Context, b *domain.BreakGlass) (string, error) {
	return scalar.GlobalID(scalar.KindOperatorRequest, b.ID), nil
}

func (operatorRequestResolver) Person(ctx context.Context, b *domain.BreakGlass) (*domain.User, error) {
	return personOrSystem(ctx, b.Person)
}

func (operatorRequestResolver) EffectiveAt(_ context.Context, b *domain.BreakGlass) (*time.Time, error) {
	return timeOrNil(b.EffectiveAt), nil
}

func (operatorRequestResolver) ExpiresAt(_ context.Context, b *domain.BreakGlass) (*time.Time, error) {
	return timeOrNil(b.ExpiresAt), nil
}

func (operatorRequestResolver) EndedAt(_ context.Context, b *domain.BreakGlass) (*time.Time, error) {
	return timeOrNil(b.EndedAt), nil
}

func (operatorRequestResolver) Reviewers(ctx context.Context, b *domain.BreakGlass) ([]domain.User, error) {
	return loadPeople(ctx, b.Reviewers)
}
