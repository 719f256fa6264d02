package casework

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"strings"

	"countersign/domain"
	"countersign/events/generated"
)

const (
	// maxPasskeys bounds the active passkeys of one person.
	maxPasskeys = 20
	// maxPasskeyName is in characters.
	maxPasskeyName = 100
)

// Why a passkey was removed.
const (
	removedByHolder   = "removed_by_holder"
	removedWithSignIn = "sign_in_reset"
	removedByOperator = "removed_by_operator"
)

// AddPasskey registers a passkey of the actor, whose authenticator has proved that it holds the key.
// Other sessions of the actor end, because a passkey is the only way to sign in from now on.
func (svc *Service) AddPasskey(ctx context.Context, actor domain.Actor, p domain.Passkey) (domain.ID,
	error) {
	p.ID, p.UserID, p.Name = domain.NewID(), actor.UserID, strings.TrimSpace(p.Name)
	return changeOwnSignIn(ctx, svc, actor, "addPasskey", func(pc *permissionChange) (domain.ID, error) {
		if err := checkPasskeyName(p.Name); err != nil {
			return domain.NoID, err
		}
		known, err := pc.tx.PasskeysOf(ctx, actor.UserID)
		if err != nil {
			return domain.NoID, err
		}
		if len(known) >= maxPasskeys {
			return domain.NoID, domain.Invalid("", "You have %d passkeys already.", maxPasskeys).
				WithRemedy("Remove one first.")
		}
		if p.At, err = pc.tx.Clock(ctx); err != nil {
			return domain.NoID, err
		}
		if err := pc.tx.AddPasskey(ctx, p); err != nil {
			return domain.NoID, err
		}
		pc.emit(generated.PasskeyRegisteredV1{PasskeyID: p.ID, UserID: p.UserID, Name: p.Name,
			RelyingParty:  p.RelyingParty,
			CredentialID:  base64.RawURLEncoding.EncodeToString(p.CredentialID),
			PublicKey:     base64.RawURLEncoding.EncodeToString(p.PublicKey),
			Authenticator: hex.EncodeToString(p.AAGUID), Synced: p.Synced})
		return p.ID, pc.tx.EndOtherSessions(ctx, actor.UserID, actor.SessionID)
	})
}

func checkPasskeyName(name string) error {
	if name == "" || domain.Longer(name, maxPasskeyName) {
		return domain.Invalid("name", "Enter a name (1 to %d characters).", maxPasskeyName)
	}
	return domain.CheckText("name", name)
}

// RemovePasskey removes a passkey of the actor, who has just signed with one. NotFound if it is none
// of theirs.
func (svc *Service) RemovePasskey(ctx context.Context, actor domain.Actor, id domain.ID) error {
	_, err := changeOwnSignIn(ctx, svc, actor, "removePasskey",
		func(p *permissionChange) (domain.ID, error) {
			_, err := p.removePasskey(actor.UserID, id, removedByHolder)
			return id, err
		})
	return err
}

// RemovePersonsPasskey removes the passkey of a person for the operator's command line, and ends the
// sessions of the person, because the device may be in the hands of another. NotFound if it was removed.
func (svc *Service) RemovePersonsPasskey(ctx context.Context, actor domain.Actor, id domain.ID) (
	domain.Passkey, error) {
	const operation = "removePersonsPasskey"
	if err := svc.inScope(ctx, actor, operation, domain.ActManagePeople); err != nil {
		return domain.Passkey{}, err
	}
	if !actor.System {
		err := domain.Errorf(domain.NotPermitted, "Only the operator removes the passkey of another person.").
			WithRemedy("Reset the sign-in of the person.")
		svc.logRefusal(ctx, actor, operation, domain.NoID, err)
		return domain.Passkey{}, err
	}
	spec := permissionCommand{operation: operation, stream: domain.PeopleStream}
	return runPermissionChange(ctx, svc, actor, spec, func(p *permissionChange) (domain.Passkey, error) {
		found, err := p.tx.Passkeys(p.ctx, []domain.ID{id})
		if err != nil {
			return domain.Passkey{}, err
		}
		if len(found) == 0 || !found[0].RemovedAt.IsZero() {
			return domain.Passkey{}, domain.Errorf(domain.NotFound, "No passkey has this ID.").
				WithRemedy("List the passkeys.")
		}
		if err := p.keepsPasskey(found[0].UserID); err != nil {
			return domain.Passkey{}, err
		}
		removed, err := p.removePasskey(found[0].UserID, id, removedByOperator)
		if err == nil {
			_, err = p.tx.EndSessionsOf(p.ctx, removed.UserID)
		}
		return removed, err
	})
}

// keepsPasskey refuses to take the only passkey of a person after the setup, because the password would
// be enough again, which needs two people.
func (p *permissionChange) keepsPasskey(person domain.ID) error {
	setup, err := p.inSetup()
	if err != nil || setup {
		return err
	}
	passkeys, err := p.tx.PasskeysOf(p.ctx, person)
	if err != nil || len(passkeys) > 1 {
		return err
	}
	return domain.Errorf(domain.FourEyes, "This is the only passkey of the person, whose password would be enough again.").
		WithRemedy("Let two administrators reset the sign-in, or use: countersign user password.")
}

// changeOwnSignIn runs a change of the actor's own passkeys or password, for which only a session is
// enough.
func changeOwnSignIn(ctx context.Context, svc *Service, actor domain.Actor, operation string,
	change func(*permissionChange) (domain.ID, error)) (domain.ID, error) {
	if err := svc.inScope(ctx, actor, operation, domain.ScopeAccount); err != nil {
		return domain.NoID, err
	}
	if err := actor.RequireSession(); err != nil {
		svc.logRefusal(ctx, actor, operation, domain.NoID, err)
		return domain.NoID, err
	}
	spec := permissionCommand{operation: operation, stream: domain.PeopleStream}
	return runPermissionChange(ctx, svc, actor, spec, change)
}

func (p *permissionChange) removePasskey(user, id domain.ID, reason string) (domain.Passkey, error) {
	removed, err := p.tx.RemovePasskey(p.ctx, user, id)
	if err == nil {
		p.emit(generated.PasskeyRemovedV2{PasskeyID: id, UserID: user, Name: removed.Name, Reason: reason})
	}
	return removed, err
}

// removeAllPasskeys ends the passkeys of a person who gets a new way to sign in.
func (p *permissionChange) removeAllPasskeys(user domain.ID) error {
	passkeys, err := p.tx.PasskeysOf(p.ctx, user)
	if err != nil {
		return err
	}
	for _, passkey := range passkeys {
		if _, err := p.removePasskey(user, passkey.ID, removedWithSignIn); err != nil {
			return err
		}
	}
	return nil
}

// PasskeysOf returns the active passkeys of the actor.
func (svc *Service) PasskeysOf(ctx context.Context, actor domain.Actor) ([]domain.Passkey, error) {
	if err := svc.inScope(ctx, actor, "passkeys", domain.ScopeAccount); err != nil {
		return nil, err
	}
	return svc.db.Reader().PasskeysOf(ctx, actor.UserID)
}
