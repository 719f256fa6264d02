package graph

import (
	"context"

	"countersign/domain"
	"countersign/graph/donotuse"
	"countersign/graph/scalar"
	"countersign/graph/shape"
)

func (viewerResolver) Conflicts(ctx context.Context, viewer *shape.Viewer) ([]domain.Conflict, error) {
	return load(ctx).views.Reader().Conflicts(ctx, viewer.Person.ID)
}

func (r viewerResolver) APITokens(ctx context.Context, viewer *shape.Viewer) ([]domain.APIToken, error) {
	return r.views.Reader().TokensOf(ctx, viewer.Person.ID)
}

func (personResolver) ID(_ context.Context, user *domain.User) (string, error) {
	return scalar.GlobalID(scalar.KindPerson, user.ID), nil
}

func (personResolver) Email(_ context.Context, user *domain.User) (*string, error) {
	return optional(user.Email), nil
}

func (personResolver) OpenReviews(ctx context.Context, user *domain.User) (*int, error) {
	return load(ctx).loads.Load(ctx, user.ID)
}

func (limitResolver) Action(_ context.Context, limit *domain.Limit) (string, error) {
	return string(limit.Action), nil
}

func (limitResolver) Amount(_ context.Context, limit *domain.Limit) (*domain.Money, error) {
	if limit.Unlimited {
		return nil, nil
	}
	return &domain.Money{Minor: limit.BaseMinor, Currency: domain.BaseCurrency}, nil
}

func (apiTokenResolver) ID(_ context.Context, token *domain.APIToken) (string, error) {
	return scalar.GlobalID(scalar.KindAPIToken, token.ID), nil
}

func (auditEntryResolver) Kind(_ context.Context, entry *shape.AuditEntry) (donotuse.AuditKind, error) {
	return donotuse.AuditKind(entry.Kind), nil
}

func (auditEntryResolver) OnBehalfOf(ctx context.Context, entry *shape.AuditEntry) (*domain.User, error) {
	return person(ctx, entry.ForID)
}

func (auditEntryResolver) Actor(ctx context.Context, entry *shape.AuditEntry) (*domain.User, error) {
	return person(ctx, entry.ActorID)
}
