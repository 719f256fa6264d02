package casework

import (
	"context"
	"slices"

	"countersign/domain"
	"countersign/events"
	"countersign/events/generated"
	"countersign/store"
)

// Messages and remedies that several commands share.
const (
	askAnotherAdministrator = "Ask another administrator."
	partyNameRequired       = "Enter the name of the company or person (up to 300 characters)."
	negativeLimit           = "The limit must not be negative."
	unknownRole             = "Unknown role %q."
	reviewCountOutOfRange   = "Choose between 1 and %d reviews."
	reasonTooLong           = "The reason is longer than %d characters."
)

// authorizeAction checks an action that concerns no particular case against the policy.
func (svc *Service) authorizeAction(
	ctx context.Context, r store.Reader, actor domain.Actor, action domain.Action,
) error {
	if err := checkScope(actor, action); err != nil {
		return err
	}
	user, err := r.User(ctx, actor.UserID)
	if err != nil {
		return err
	}
	authorizer, err := svc.uncommittedAuthorizer(ctx, r)
	if err != nil {
		return err
	}
	_, err = authorizer.AuthorizeGlobal(user, action)
	return err
}

// Authorize checks an action that concerns no particular case against the current policy and user
// rows.
func (svc *Service) Authorize(ctx context.Context, actor domain.Actor, action domain.Action) error {
	return svc.authorizeAction(ctx, svc.db.Reader(), actor, action)
}

// userEvent returns the event of a created or changed user, or nil if nothing was changed.
func userEvent(
	actor domain.Actor, created, password bool, before, after domain.User,
) events.Body {
	if created {
		return generated.UserCreatedV1{By: actor.UserID, Email: after.Email, Name: after.Name,
			Queues: after.Queues, Roles: roleNames(after.Roles), UserID: after.ID}
	}
	body := generated.UserChangedV1{UserID: after.ID, QueuesBefore: before.Queues,
		QueuesAfter: after.Queues, RolesBefore: roleNames(before.Roles),
		RolesAfter: roleNames(after.Roles), Changed: []string{}}
	for name, differs := range map[string]bool{"name": before.Name != after.Name,
		"email": before.Email != after.Email, "roles": !slices.Equal(before.Roles, after.Roles),
		"queues":   !slices.Equal(before.Queues, after.Queues),
		"disabled": before.Disabled != after.Disabled, "locale": before.Locale != after.Locale,
		"password": password} {
		if differs {
			body.Changed = append(body.Changed, name)
		}
	}
	if len(body.Changed) == 0 {
		return nil
	}
	slices.Sort(body.Changed)
	if before.Disabled != after.Disabled {
		body.Disabled = &after.Disabled
	}
	return body
}

func roleNames(roles []domain.Role) []string {
	names := make([]string, 0, len(roles))
	for _, role := range roles {
		names = append(names, string(role))
	}
	return names
}

// PartyKey normalises a company's name. Cases and conflicts refer to the same party by this key.
func PartyKey(name string) string { return domain.PartyKey(name) }
