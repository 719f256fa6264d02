package graph

import (
	"context"

	"countersign/casework"
	"countersign/domain"
	"countersign/graph/donotuse"
)

func (r queryResolver) GroupMappings(ctx context.Context) ([]donotuse.GroupMapping, error) {
	if err := r.service.Authorize(ctx, callerOf(ctx), domain.ActManagePeople); err != nil {
		return nil, err
	}
	mapped, err := r.views.Reader().GroupRoles(ctx, "")
	shown := make([]donotuse.GroupMapping, len(mapped))
	for i, m := range mapped {
		shown[i] = donotuse.GroupMapping{Provider: m.Provider, Group: m.Group, Role: string(m.Role)}
	}
	return shown, err
}

func (r mutationResolver) PutGroupMapping(ctx context.Context, in donotuse.PutGroupMappingInput) (
	*donotuse.ControlPayload, error) {
	done, err := r.service.PutGroupRole(ctx, callerOf(ctx), casework.PutGroupRole{
		Once: casework.Once{Key: valueOrEmpty(in.IdempotencyKey)}, Ended: in.Ended, Reason: in.Reason,
		Mapped: domain.GroupRole{Provider: in.Provider, Group: in.Group, Role: domain.Role(in.Role)}})
	return controlPayload([]casework.ControlResult{done}, false, err)
}

// signInOf is how a person signs in through providers, for people administrators.
type signInOf struct {
	employeeID string
	identities []donotuse.ProviderIdentity
	others     []domain.ID
}

// readSignIns reads how people sign in through providers. It returns nothing to others than people
// administrators.
func (l *loaders) readSignIns(ctx context.Context, ids []domain.ID) (map[domain.ID]*signInOf, error) {
	viewer, err := l.viewer()
	if err != nil || !viewer.HasRole(domain.RoleAdmin) {
		return nil, err
	}
	users, err := l.views.Reader().Users(ctx, ids)
	if err != nil {
		return nil, err
	}
	found := make(map[domain.ID]*signInOf, len(users))
	for i := range users {
		found[users[i].ID] = &signInOf{employeeID: users[i].EmployeeID, others: users[i].OtherAccounts,
			identities: []donotuse.ProviderIdentity{}}
	}
	linked, err := l.views.Reader().IdentitiesOf(ctx, ids...)
	for _, identity := range linked {
		shown := donotuse.ProviderIdentity{Provider: identity.Provider, Subject: identity.Subject,
			WantedRoles: []string{}, LinkedAt: identity.LinkedAt, UsedAt: identity.UsedAt}
		for _, role := range identity.WantedRoles {
			shown.WantedRoles = append(shown.WantedRoles, string(role))
		}
		of := found[identity.UserID]
		of.identities = append(of.identities, shown)
	}
	return found, err
}

func (personResolver) EmployeeID(ctx context.Context, user *domain.User) (*string, error) {
	signIn, err := loadersFrom(ctx).signIns.Load(ctx, user.ID)
	if err != nil || signIn == nil {
		return nil, err
	}
	return &signIn.employeeID, nil
}

func (personResolver) Identities(ctx context.Context, user *domain.User) ([]donotuse.ProviderIdentity,
	error) {
	signIn, err := loadersFrom(ctx).signIns.Load(ctx, user.ID)
	if err != nil || signIn == nil {
		return nil, err
	}
	return signIn.identities, nil
}

func (personResolver) OtherAccounts(ctx context.Context, user *domain.User) ([]domain.User, error) {
	signIn, err := loadersFrom(ctx).signIns.Load(ctx, user.ID)
	if err != nil || signIn == nil {
		return nil, err
	}
	return loadPeople(ctx, signIn.others)
}
