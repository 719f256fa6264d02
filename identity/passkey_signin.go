package identity

import (
	"context"
	"crypto/rand"
	"encoding/base64"

	"countersign/audit"
	"countersign/domain"
	"countersign/store"
)

// PasskeyRequest is what a browser asks an authenticator to sign. Without credentials the authenticator
// offers the accounts that it knows.
type PasskeyRequest struct {
	Challenge    string
	RelyingParty string
	Credentials  [][]byte
}

// PasskeySignIn is a request for a session by passkey.
type PasskeySignIn struct {
	Assertion domain.PasskeyAssertion
	Client    string
	Device    string
	RequestID string
}

// BeginPasskeySignIn returns a challenge for a person who is not known yet.
func (g *Authenticator) BeginPasskeySignIn(ctx context.Context) (PasskeyRequest, error) {
	return g.requestPasskey(ctx, purposeSignIn, domain.NoID, nil)
}

// BeginConfirmation returns a challenge for the actor, who signs it to change their passkeys.
func (g *Authenticator) BeginConfirmation(ctx context.Context, actor domain.Actor) (PasskeyRequest,
	error) {
	passkeys, err := g.db.Reader().PasskeysOf(ctx, actor.UserID)
	if err != nil {
		return PasskeyRequest{}, err
	}
	return g.requestPasskey(ctx, purposeConfirm, actor.UserID, passkeys)
}

func (g *Authenticator) requestPasskey(ctx context.Context, purpose string, user domain.ID,
	passkeys []domain.Passkey) (PasskeyRequest, error) {
	if err := g.requirePasskeys(); err != nil {
		return PasskeyRequest{}, err
	}
	raw := make([]byte, 32)
	_, _ = rand.Read(raw) // crypto/rand never fails
	request := PasskeyRequest{Challenge: base64.RawURLEncoding.EncodeToString(raw),
		RelyingParty: g.settings.RelyingParty}
	for _, p := range passkeys {
		request.Credentials = append(request.Credentials, p.CredentialID)
	}
	return request, g.addChallenge(ctx, request.Challenge, purpose, user, []byte("{}"))
}

// SignInWithPasskey begins a session. A passkey is two factors: the device, and what the device
// verifies the person by. A refusal is Unauthenticated, for the reason of SignIn.
func (g *Authenticator) SignInWithPasskey(ctx context.Context, in PasskeySignIn) (SignInResult, error) {
	line := store.AccessEntry{Action: "signIn", Object: "passkey", RequestID: in.RequestID}
	passkey, err := g.verifyPasskey(ctx, purposeSignIn, domain.NoID, in.Assertion)
	line.Actor = passkey.UserID
	if domain.HasCode(err, domain.SignatureInvalid) {
		return SignInResult{}, g.logRefusal(ctx, line, refusedPasskey(err))
	}
	if err != nil {
		return SignInResult{}, err
	}
	user, err := g.db.Reader().User(ctx, passkey.UserID)
	if err != nil {
		return SignInResult{}, err
	}
	user, hash, err := g.userByEmail(ctx, user.Email)
	if err != nil {
		return SignInResult{}, err
	}
	if user.ID == domain.NoID || user.Disabled {
		return SignInResult{}, g.logRefusal(ctx, line, refusedPasskey(nil))
	}
	begun, err := g.beginSession(ctx, user, hash, shownDevice(in.Device), line)
	if domain.HasCode(err, domain.NotFound) { // disabled in the meantime
		return SignInResult{}, g.logRefusal(ctx, line, refusedPasskey(nil))
	}
	return begun, err
}

func refusedPasskey(cause error) *domain.Error {
	return domain.Errorf(domain.Unauthenticated, "This passkey does not sign in here.").
		WithRemedy("Try another passkey, or ask an administrator to reset your sign-in.").
		WithCause(cause)
}

// Confirm verifies that the actor signed a challenge of BeginConfirmation.
func (g *Authenticator) Confirm(ctx context.Context, actor domain.Actor,
	signed domain.PasskeyAssertion) error {
	_, err := g.verifyPasskey(ctx, purposeConfirm, actor.UserID, signed)
	return err
}

// verifyPasskey ends the challenge and verifies the signature, in the way in which signatures of
// approvals are verified. NoID accepts every person's passkey. The passkey is returned with the error
// if it is known.
func (g *Authenticator) verifyPasskey(ctx context.Context, purpose string, user domain.ID,
	signed domain.PasskeyAssertion) (domain.Passkey, error) {
	if err := g.requirePasskeys(); err != nil {
		return domain.Passkey{}, err
	}
	challenge, raw := challengeOf(signed)
	if _, err := g.takeChallenge(ctx, challenge, purpose, user); err != nil {
		return domain.Passkey{}, err
	}
	passkey, err := g.db.Reader().PasskeyByCredential(ctx, signed.CredentialID)
	if domain.HasCode(err, domain.NotFound) {
		return domain.Passkey{}, foreignPasskey()
	}
	if err != nil {
		return domain.Passkey{}, err
	}
	count, err := audit.VerifyAssertion(audit.KeyOf(passkey), signed, raw)
	if user != domain.NoID && passkey.UserID != user {
		if err == nil {
			err = g.markSharedAuthenticator(ctx, user, passkey)
		}
		if err != nil {
			g.log.WarnContext(ctx, "passkey of another account", "user", user, "error", err)
		}
		return domain.Passkey{}, foreignPasskey()
	}
	if err != nil {
		return passkey, invalidPasskey("The passkey's signature is not valid.", err)
	}
	return passkey, g.db.InTx(ctx, func(tx *store.Tx) error {
		used, err := tx.UsePasskey(ctx, passkey.ID, count)
		if err == nil && !used {
			err = invalidPasskey("The authenticator's counter did not grow: its key may have been copied.",
				nil)
		}
		return err
	})
}

func foreignPasskey() error { return invalidPasskey("It is not a passkey of this account.", nil) }

func invalidPasskey(message string, cause error) error {
	return domain.Errorf(domain.SignatureInvalid, "%s", message).
		WithRemedy("Use a passkey of your account.").WithCause(cause)
}
