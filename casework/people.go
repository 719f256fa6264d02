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

// onPeople runs a change of power: the right is asked, the authority's version raised first, so that running decisions
// and this change wait for each other, and the change told on its stream.
func (h *Hall) onPeople(ctx context.Context, actor domain.Actor, operation string, stream domain.SystemStream,
	fn func(*store.Tx) ([]events.Body, error),
) error {
	err := h.onStream(ctx, stream, actor, func(tx *store.Tx) ([]events.Body, error) {
		if _, err := tx.RaiseAuthority(ctx); err != nil {
			return nil, err
		}
		if !actor.System {
			if err := h.mayPlain(ctx, tx.Reader, actor, domain.ActManagePeople); err != nil {
				return nil, err
			}
		}
		return fn(tx)
	})
	if err != nil {
		h.refused(ctx, actor, operation, domain.NoID, err)
	}
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
	policy, err := loadPolicy(ctx, r)
	if err != nil {
		return err
	}
	held := h.authority.Load()
	if held == nil || held.policy != policy.Version {
		authority, err := r.AuthorityVersion(ctx)
		if err != nil {
			return err
		}
		if held, err = h.judgeAt(ctx, r, authority.Version); err != nil {
			return err
		}
	}
	_, err = held.judge.AuthorizePlain(user, action)
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
	err := h.onPeople(ctx, actor, "putUser", domain.PeopleStream, func(tx *store.Tx) ([]events.Body, error) {
		before, err := tx.User(ctx, user.ID)
		fresh := user.ID == domain.NoID || domain.HasCode(err, domain.NotFound)
		if err != nil && !fresh {
			return nil, err
		}
		if user.ID == domain.NoID {
			user.ID = domain.NewID()
		}
		if err := tx.PutUser(ctx, user, in.PasswordHash); err != nil {
			return nil, err
		}
		// Whoever came in by the old password, or may not come in any more, goes now.
		if in.PasswordHash != "" || user.Disabled {
			if _, err := tx.EndSessionsOf(ctx, user.ID); err != nil {
				return nil, err
			}
		}
		return []events.Body{userFact(actor, fresh, before, user)}, nil
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
	return h.onPeople(ctx, actor, "setLimit", domain.PolicyStream, func(tx *store.Tx) ([]events.Body, error) {
		before, err := tx.Limit(ctx, limit.Role, limit.Action, limit.DocumentType)
		known := err == nil
		if err != nil && !domain.HasCode(err, domain.NotFound) {
			return nil, err
		}
		if err := tx.PutLimit(ctx, limit); err != nil {
			return nil, err
		}
		version, _, err := tx.Policy(ctx)
		if err != nil && !domain.HasCode(err, domain.NotFound) {
			return nil, err
		}
		body := generated.LimitChangedV1{Action: string(limit.Action), DocumentType: limit.DocumentType, PolicyVersion: version,
			Role: string(limit.Role), After: &generated.LimitChangedV1After{Unlimited: limit.Unlimited, BaseMinor: &limit.BaseMinor}}
		if known {
			body.Before = &generated.LimitChangedV1Before{Unlimited: before.Unlimited, BaseMinor: &before.BaseMinor}
		}
		return []events.Body{body}, nil
	})
}

// DeclareConflict bars a person from every case of a party and its group. Party is a name as on documents.
type DeclareConflict struct {
	Person domain.ID
	Party  string
	Reason string
}

// DeclareConflict declares a conflict of interest; one's own needs no right, another's the right to manage people.
func (h *Hall) DeclareConflict(ctx context.Context, actor domain.Actor, in DeclareConflict) (domain.ID, error) {
	key := partyKey(in.Party)
	if key == "" {
		return domain.NoID, domain.Invalid("party", "name the company or person")
	}
	conflict := domain.Conflict{ID: domain.NewID(), Person: in.Person, Reason: strings.TrimSpace(in.Reason), DeclareBy: actor.UserID}
	asking := actor
	if in.Person == actor.UserID {
		asking.System = true // one's own conflict needs nobody's leave
	}
	err := h.onPeople(ctx, asking, "declareConflict", domain.PeopleStream, func(tx *store.Tx) ([]events.Body, error) {
		party, _, err := tx.EnsureParty(ctx, key, strings.TrimSpace(in.Party))
		if err != nil {
			return nil, err
		}
		conflict.PartyID = party
		fresh, err := tx.DeclareConflict(ctx, conflict)
		if err != nil || !fresh {
			return nil, err
		}
		return []events.Body{generated.ConflictDeclaredV1{ConflictID: conflict.ID, PartyID: party, Person: in.Person, Reason: conflict.Reason}}, nil
	})
	return conflict.ID, err
}

// EndConflict ends a declared conflict; it needs the right to manage people.
func (h *Hall) EndConflict(ctx context.Context, actor domain.Actor, id domain.ID, reason string) error {
	return h.onPeople(ctx, actor, "endConflict", domain.PeopleStream, func(tx *store.Tx) ([]events.Body, error) {
		conflicts, err := tx.Conflicts(ctx, domain.NoID)
		if err != nil {
			return nil, err
		}
		at := slices.IndexFunc(conflicts, func(c domain.Conflict) bool { return c.ID == id })
		if at < 0 {
			return nil, domain.Fail(domain.NotFound, "There is no such conflict in force.")
		}
		if _, err := tx.EndConflict(ctx, id); err != nil {
			return nil, err
		}
		c := conflicts[at]
		return []events.Body{generated.ConflictEndedV1{ConflictID: id, PartyID: c.PartyID, Person: c.Person, Reason: reason}}, nil
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

// partyKey is the normal form of a company's name, by which cases and conflicts find each other.
func partyKey(name string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return strings.ContainsRune(" .,;:'\"()-/&\t\n\u00a0", r)
	}), " ")
}
