package graph

import (
	"context"

	"countersign/domain"
	"countersign/graph/donotuse"
	"countersign/graph/scalar"
	"countersign/graph/shape"
)

func (viewerResolver) Conflicts(ctx context.Context, viewer *shape.Viewer) (
	[]domain.Conflict, error) {
	return loadersFrom(ctx).views.ConflictsOf(ctx, callerOf(ctx), viewer.Person.ID)
}

func (r viewerResolver) APITokens(ctx context.Context, _ *shape.Viewer) ([]domain.APIToken, error) {
	return r.views.Tokens(ctx, callerOf(ctx))
}

func (personResolver) ID(_ context.Context, user *domain.User) (string, error) {
	return scalar.GlobalID(scalar.KindPerson, user.ID), nil
}

func (personResolver) Email(_ context.Context, user *domain.User) (*string, error) {
	return optional(user.Email), nil
}

func (personResolver) OpenReviews(ctx context.Context, user *domain.User) (*int, error) {
	shown, err := loadersFrom(ctx).caseViewer()
	if err != nil || !shown.CountsOpenReviews(*user) {
		return nil, err
	}
	return loadersFrom(ctx).openReviewCounts.Load(ctx, user.ID)
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

func (apiTokenResolver) RequestsPerMinute(_ context.Context, token *domain.APIToken) (*int, error) {
	if token.RequestsPerMinute == 0 {
		return nil, nil
	}
	own := int(token.RequestsPerMinute)
	return &own, nil
}

func (personResolver) APITokens(ctx context.Context, user *domain.User) ([]domain.APIToken, error) {
	return loadersFrom(ctx).tokens.Load(ctx, user.ID)
}

// readTokens reads the API tokens of people, for people administrators.
func (l *loaders) readTokens(ctx context.Context, ids []domain.ID) (
	map[domain.ID][]domain.APIToken, error) {
	viewer, err := l.viewer()
	if err != nil || !viewer.HasRole(domain.RoleAdmin) {
		return nil, err
	}
	tokens, err := l.views.Reader().TokensOf(ctx, ids...)
	byPerson := make(map[domain.ID][]domain.APIToken, len(ids))
	for _, id := range ids {
		byPerson[id] = []domain.APIToken{} // an empty list means no tokens, nil means not visible
	}
	for _, token := range tokens {
		byPerson[token.UserID] = append(byPerson[token.UserID], token)
	}
	return byPerson, err
}

func (r mutationResolver) SetAPITokenRequests(ctx context.Context,
	in donotuse.SetAPITokenRequestsInput) (*donotuse.SetAPITokenRequestsPayload, error) {
	payload := &donotuse.SetAPITokenRequestsPayload{}
	id, err := scalar.IDOf(scalar.KindAPIToken, "tokenId", in.TokenID)
	if err == nil && in.RequestsPerMinute != nil && *in.RequestsPerMinute < 1 {
		err = domain.Invalid("requestsPerMinute",
			"Enter at least one request per minute. Omit the number to restore the default.")
	}
	if err == nil {
		var perMinute int64
		if in.RequestsPerMinute != nil {
			perMinute = int64(*in.RequestsPerMinute)
		}
		var token domain.APIToken
		if token, err = r.service.SetTokenRequests(ctx, callerOf(ctx), id, perMinute); err == nil {
			payload.Token = &token
		}
	}
	payload.UserErrors, err = userErrorsOf(err)
	return payload, err
}

func (auditEntryResolver) Kind(_ context.Context, entry *shape.AuditEntry) (
	donotuse.AuditKind, error) {
	return donotuse.AuditKind(entry.Kind), nil
}

func (auditEntryResolver) OnBehalfOf(ctx context.Context, entry *shape.AuditEntry) (
	*domain.User, error) {
	return loadPerson(ctx, entry.ForID)
}

func (auditEntryResolver) Actor(ctx context.Context, entry *shape.AuditEntry) (
	*domain.User, error) {
	return loadPerson(ctx, entry.ActorID)
}

// loadPeople reads the names of users, without those that do not exist.
func loadPeople(ctx context.Context, ids []domain.ID) ([]domain.User, error) {
	people := make([]domain.User, 0, len(ids))
	for _, id := range ids {
		person, err := loadPerson(ctx, id)
		if err != nil {
			return nil, err
		}
		if person != nil {
			people = append(people, *person)
		}
	}
	return people, nil
}
