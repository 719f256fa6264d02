package identity

import (
	"context"

	"countersign/domain"
	"countersign/store"
)

// RegisteringProof is how a person proves that they may add a passkey: with one that they have, or with
// the password if they have none. An account without both proves it by its session.
type RegisteringProof struct {
	Password  string
	Assertion *domain.PasskeyAssertion
	Client    string
}

// PasswordProof is how a person proves in their session that they may change the password: with the
// present one, and with a passkey if they have one.
type PasswordProof struct {
	Password  string
	Assertion *domain.PasskeyAssertion
	Client    string
	Device    string
}

// ConfirmPassword verifies the proof of the actor and returns the hash of the present password. Failures
// are counted and locked out as those of SignIn. The passkey is verified first, so that a session alone
// does not find out the password of a person with passkeys.
func (g *Authenticator) ConfirmPassword(ctx context.Context, actor domain.Actor, proof PasswordProof) (
	string, error) {
	if _, err := g.confirmByPasskey(ctx, actor, proof.Assertion); err != nil {
		return "", err
	}
	return g.confirmPassword(ctx, actor, SignInRequest{Password: proof.Password, Client: proof.Client,
		Device: proof.Device}, "changePassword")
}

// confirmByPasskey verifies the assertion of an actor who has passkeys, and reports false for one who
// has none.
func (g *Authenticator) confirmByPasskey(ctx context.Context, actor domain.Actor,
	assertion *domain.PasskeyAssertion) (bool, error) {
	known, err := g.db.Reader().PasskeysOf(ctx, actor.UserID)
	if err != nil || len(known) == 0 {
		return false, err
	}
	if assertion == nil {
		return false, domain.Errorf(domain.PasskeyRequired, "Confirm with a passkey that you have.").
			WithRemedy("If you have lost it, ask an administrator to reset your sign-in.")
	}
	return true, g.Confirm(ctx, actor, *assertion)
}

// confirmPassword counts and compares the password of the actor, and returns its hash.
func (g *Authenticator) confirmPassword(ctx context.Context, actor domain.Actor, in SignInRequest,
	action string) (string, error) {
	user, err := g.db.Reader().User(ctx, actor.UserID)
	if err != nil {
		return "", err
	}
	in.Email, in.RequestID = user.Email, actor.RequestID
	checked, _, err := g.checkPassword(ctx, normalEmail(user.Email), in, action)
	if domain.HasCode(err, domain.Unauthenticated) {
		err = domain.Errorf(domain.Unauthenticated, "The password is incorrect.").
			WithRemedy("Try again. If you have forgotten it, ask an administrator to reset your sign-in.").
			WithCause(err)
	}
	if err != nil {
		return "", err
	}
	return checked.hash, g.db.InTx(ctx, func(tx *store.Tx) error {
		return g.succeeded(ctx, tx, checked.attempt)
	})
}
