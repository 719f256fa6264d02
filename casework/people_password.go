package casework

import (
	"context"

	"countersign/domain"
)

// ChangePassword changes the actor's own password, which the actor has proved to know, and ends their
// other sessions. Who made the account or its way to sign in stays recorded: only a one-time link makes
// people independent of each other.
func (svc *Service) ChangePassword(ctx context.Context, actor domain.Actor,
	change domain.PasswordChange) error {
	_, err := changeOwnSignIn(ctx, svc, actor, "changePassword", func(p *permissionChange) (domain.ID, error) {
		user, err := p.tx.User(p.ctx, actor.UserID)
		if err != nil {
			return domain.NoID, err
		}
		if err := p.checkPasswordChange(user, change); err != nil {
			return domain.NoID, err
		}
		return user.ID, p.writeUser(user, user, change.After, false)
	})
	return err
}

// checkPasswordChange repeats what was proved before the transaction: another session could have changed
// the password, or added the first passkey, in the meantime.
func (p *permissionChange) checkPasswordChange(user domain.User, change domain.PasswordChange) error {
	_, present, err := p.tx.UserByEmail(p.ctx, user.Email)
	if err != nil {
		return err
	}
	if present != change.Before || change.After == "" {
		return domain.Errorf(domain.StateMismatch, "Your password was changed in the meantime.").
			WithRemedy("Sign in again.")
	}
	passkeys, err := p.tx.PasskeysOf(p.ctx, user.ID)
	if err == nil && len(passkeys) > 0 && !change.ByPasskey {
		err = domain.Errorf(domain.PasskeyRequired, "Confirm with a passkey that you have.")
	}
	return err
}
