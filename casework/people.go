package casework

import (
	"context"
	"net/mail"
	"slices"
	"strings"

	"countersign/domain"
	"countersign/events"
	"countersign/events/generated"
	"countersign/store"
)

// PutUser asks for a person to be made or changed. PasswordHash "" keeps the password.
type PutUser struct {
	User         domain.User
	PasswordHash string
}

// onPeople runs a change of power of which nothing is answered.
func (h *Hall) onPeople(ctx context.Context, actor domain.Actor, operation string, stream domain.SystemStream, fn func(*powers) error) error {
	_, err := onPower(ctx, h, actor, powerCommand{operation: operation, stream: stream, action: domain.ActManagePeople},
		func(p *powers) (bool, error) { return true, fn(p) })
	return err
}

// mayPlain asks the policy about an action that is about no case.
func (h *Hall) mayPlain(ctx context.Context, r store.Reader, actor domain.Actor, action domain.Action) error {
	if err := scope(actor, action); err != nil {
		return err
	}
	user, err := r.User(ctx, actor.UserID)
	if err != nil {
		return err
	}
	judge, err := h.judgeUncommitted(ctx, r)
	if err != nil {
		return err
	}
	_, err = judge.AuthorizePlain(user, action)
	return err
}

// May asks about an action that is about no case, from the rows as they are now.
func (h *Hall) May(ctx context.Context, actor domain.Actor, action domain.Action) error {
	return h.mayPlain(ctx, h.db.Reader(), actor, action)
}

// PutUser makes or changes a person with roles and queues. A new password, or being disabled, signs them out everywhere.
func (h *Hall) PutUser(ctx context.Context, actor domain.Actor, in PutUser) (domain.ID, error) {
	user := in.User
	user.Email, user.Name = strings.ToLower(strings.TrimSpace(user.Email)), strings.TrimSpace(user.Name)
	if _, err := mail.ParseAddress(user.Email); err != nil {
		return domain.NoID, domain.Invalid("email", "%q is not an e-mail address", user.Email)
	}
	if user.Name == "" || len(user.Name) > 300 {
		return domain.NoID, domain.Invalid("name", "a name of 1 to 300 characters is needed")
	}
	for _, role := range user.Roles {
		if !slices.Contains(domain.Roles(), role) {
			return domain.NoID, domain.Invalid("roles", "there is no role %q", role)
		}
	}
	err := h.onPeople(ctx, actor, "putUser", domain.PeopleStream, func(p *powers) error {
		tx := p.tx
		before, err := tx.User(ctx, user.ID)
		fresh := user.ID == domain.NoID || domain.HasCode(err, domain.NotFound)
		if err != nil && !fresh {
			return err
		}
		if user.ID == domain.NoID {
			user.ID = domain.NewID()
		}
		if err := tx.PutUser(ctx, user, in.PasswordHash); err != nil {
			return err
		}
		// Whoever came in by the old password, or may not come in any more, goes now.
		if in.PasswordHash != "" || user.Disabled {
			if _, err := tx.EndSessionsOf(ctx, user.ID); err != nil {
				return err
			}
		}
		if !fresh {
			p.touched = append(p.touched, user.ID)
		}
		p.tell(userFact(actor, fresh, before, user))
		return nil
	})
	return user.ID, err
}

func userFact(actor domain.Actor, fresh bool, before, after domain.User) events.Body {
	if fresh {
		return generated.UserCreatedV1{By: actor.UserID, Email: after.Email, Name: after.Name, Queues: after.Queues,
			Roles: roleNames(after.Roles), UserID: after.ID}
	}
	body := generated.UserChangedV1{UserID: after.ID, QueuesBefore: before.Queues, QueuesAfter: after.Queues,
		RolesBefore: roleNames(before.Roles), RolesAfter: roleNames(after.Roles), Changed: []string{}}
	for name, differs := range map[string]bool{"name": before.Name != after.Name, "email": before.Email != after.Email,
		"roles": !slices.Equal(before.Roles, after.Roles), "queues": !slices.Equal(before.Queues, after.Queues),
		"disabled": before.Disabled != after.Disabled} {
		if differs {
			body.Changed = append(body.Changed, name)
		}
	}
	if len(body.Changed) == 0 {
		body.Changed = []string{"password"}
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

// SetLimit asks for the amount up to which a role may act.
func (h *Hall) SetLimit(ctx context.Context, actor domain.Actor, limit domain.Limit) error {
	return h.onPeople(ctx, actor, "setLimit", domain.PolicyStream, func(p *powers) error {
		tx := p.tx
		before, err := tx.Limit(ctx, limit.Role, limit.Action, limit.DocumentType)
		known := err == nil
		if err != nil && !domain.HasCode(err, domain.NotFound) {
			return err
		}
		if err := tx.PutLimit(ctx, limit); err != nil {
			return err
		}
		version, _, err := tx.Policy(ctx)
		if err != nil && !domain.HasCode(err, domain.NotFound) {
			return err
		}
		body := generated.LimitChangedV1{Action: string(limit.Action), DocumentType: limit.DocumentType, PolicyVersion: version,
			Role: string(limit.Role), After: &generated.LimitChangedV1After{Unlimited: limit.Unlimited, BaseMinor: &limit.BaseMinor}}
		if known {
			body.Before = &generated.LimitChangedV1Before{Unlimited: before.Unlimited, BaseMinor: &before.BaseMinor}
		}
		if p.touched, err = tx.HoldersOf(ctx, limit.Role); err != nil {
			return err
		}
		p.tell(body)
		return nil
	})
}

// PutRate adds a dated rate: micros of a base minor unit per minor unit of the currency.
func (h *Hall) PutRate(ctx context.Context, actor domain.Actor, currency string, micros int64) error {
	if !domain.KnownCurrency(currency) || micros <= 0 {
		return domain.Invalid("currency", "%q is not a known currency, or the rate is not positive", currency)
	}
	return h.db.InTx(ctx, func(tx *store.Tx) error {
		if !actor.System {
			if err := h.mayPlain(ctx, tx.Reader, actor, domain.ActManagePeople); err != nil {
				return err
			}
		}
		now, err := tx.Clock(ctx)
		if err != nil {
			return err
		}
		return tx.PutRate(ctx, currency, micros, now)
	})
}

// PartyKey is the normal form of a company's name, by which cases and conflicts find each other.
func PartyKey(name string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return strings.ContainsRune(" .,;:'\"()-/&\t\n\u00a0", r)
	}), " ")
}
