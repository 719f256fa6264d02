package identity

import (
	"context"
	"time"

	"countersign/domain"
	"countersign/store"
)

const (
	// freshSignIn is how old a sign-in through a provider may be that proves who adds a passkey.
	freshSignIn = 10 * time.Minute
	// settledPeriod is how long an identity is linked, or a passkey exists that was added through a
	// provider, before it proves more than the provider's word. The person is notified at its start.
	settledPeriod = 24 * time.Hour
)

// checkRegistering refuses a person who proves nothing, and returns the proof: another passkey, the
// password, or, for an account without both, a recent sign-in through a provider.
func (g *Authenticator) checkRegistering(ctx context.Context, actor domain.Actor,
	proof RegisteringProof) (domain.PasskeyProof, error) {
	known, err := g.db.Reader().PasskeysOf(ctx, actor.UserID)
	if err != nil {
		return "", err
	}
	if len(known) > 0 {
		return g.checkRegisteringPasskey(ctx, actor, proof)
	}
	user, err := g.db.Reader().User(ctx, actor.UserID)
	if err != nil {
		return "", err
	}
	_, hash, err := g.db.Reader().UserByEmail(ctx, user.Email)
	if err != nil {
		return "", err
	}
	if hash == "" || g.settings.PasswordsOff {
		return domain.ProofProvider, g.checkRegisteringSession(ctx, actor)
	}
	_, err = g.confirmPassword(ctx, actor, SignInRequest{Password: proof.Password, Client: proof.Client},
		"confirmPassword")
	return domain.ProofPassword, err
}

// checkRegisteringPasskey accepts a signature by another passkey. One that was itself added with
// nothing but the provider's word proves no more than that.
func (g *Authenticator) checkRegisteringPasskey(ctx context.Context, actor domain.Actor,
	proof RegisteringProof) (domain.PasskeyProof, error) {
	if proof.Assertion == nil {
		return "", domain.Errorf(domain.PasskeyRequired, "Confirm with a passkey that you have.").
			WithRemedy("If you have lost it, ask an administrator to reset your sign-in.")
	}
	passkey, err := g.verifyPasskey(ctx, purposeConfirm, actor.UserID, *proof.Assertion)
	if err != nil {
		return "", err
	}
	settled, err := g.db.Reader().PasskeyOlderThan(ctx, passkey.ID, settledPeriod)
	if err == nil && !settled {
		return domain.ProofProvider, nil
	}
	return domain.ProofPasskey, err
}

// checkRegisteringSession accepts a session that has just begun through a provider.
func (g *Authenticator) checkRegisteringSession(ctx context.Context, actor domain.Actor) error {
	session, err := g.db.Reader().ProviderSession(ctx, actor.SessionID)
	switch {
	case err != nil && !domain.HasCode(err, domain.NotFound):
		return err
	case err != nil || session.Issuer == "":
		return domain.Errorf(domain.PasskeyRequired, "This account has no password to confirm with.").
			WithRemedy("Sign in through your provider, then add the passkey.")
	case session.Linked < settledPeriod:
		return domain.Errorf(domain.StateMismatch,
			"You signed in through the provider for the first time less than 24 hours ago.").
			WithRemedy("Add the passkey when 24 hours have passed.").
			WithDetail("reason", "provider_new")
	case session.Age > freshSignIn:
		return domain.Errorf(domain.PasskeyRequired, "Confirm that it is you.").
			WithRemedy("Sign in through your provider again, and add the passkey within 10 minutes.")
	}
	return nil
}

// markSharedAuthenticator records that the person who acts signed with the passkey of another
// account: both accounts are one person.
func (g *Authenticator) markSharedAuthenticator(ctx context.Context, user domain.ID,
	passkey domain.Passkey) error {
	return g.db.InTx(ctx, func(tx *store.Tx) error {
		if _, err := tx.IncrementAuthority(ctx); err != nil {
			return err
		}
		if err := tx.MarkAuthenticator(ctx, user, passkey.CredentialID); err != nil {
			return err
		}
		return tx.LogAccess(ctx, store.AccessEntry{Actor: user, Action: "sharedAuthenticator",
			Object: "user:" + passkey.UserID.String(), Code: domain.SignatureInvalid})
	})
}
