package identity

import (
	"context"
	"encoding/hex"
	"time"

	"countersign/store"
)

// maxDevices is how many known devices a user has at most; those that expire first are deleted.
const maxDevices = 20

// attempt is one sign-in attempt with the keys of its counters. From a device on which the user
// signed in before it counts only under device, so that failures from elsewhere do not lock the
// user out. Otherwise it counts under pair (account and client, strictly), under account (over all
// clients, so that many addresses do not guess faster) and under client (over all accounts, so that
// one address cannot try one password on every account).
//
// The keys are hashes of what was sent, whether the account exists or not: unknown emails have the
// same counters and get the same responses.
type attempt struct {
	// hash of the sent device secret, known or not; nil without one
	shown                         []byte
	device, pair, account, client []byte
}

// attemptOf returns the keys under which the attempt counts.
func (g *Authenticator) attemptOf(ctx context.Context, email string,
	in SignInRequest) (attempt, error) {
	a := attempt{pair: hashSecret("pair\x00" + email + "\x00" + in.Client),
		account: hashSecret("account\x00" + email), client: hashSecret("client\x00" + in.Client)}
	if wellFormed(in.Device) {
		a.shown = hashSecret(in.Device)
	}
	known, err := g.knownDevice(ctx, email, a.shown)
	if known {
		a.device = hashSecret("device\x00" + email + "\x00" + in.Device)
	}
	return a, err
}

// knownDevice reports whether the user with the email signed in on the device before. Without a
// device cookie it does not query the database.
func (g *Authenticator) knownDevice(ctx context.Context, email string, hash []byte) (bool, error) {
	if hash == nil || !couldBeEmail(email) {
		return false, nil
	}
	return g.db.Reader().DeviceKnown(ctx, hash, email)
}

// DeviceKey returns a key of the device with the secret if the user with the email signed in on it
// before, otherwise "".
func (g *Authenticator) DeviceKey(ctx context.Context, email, device string) (string, error) {
	if !wellFormed(device) {
		return "", nil
	}
	hash := hashSecret(device)
	known, err := g.knownDevice(ctx, normalEmail(email), hash)
	if err != nil || !known {
		return "", err
	}
	return hex.EncodeToString(hash[:16]), nil
}

// lockedError rolls an attempt's counters back: an attempt that is refused before the password is
// compared is not counted.
type lockedError struct{ wait time.Duration }

// Error implements error; the text is never shown.
func (lockedError) Error() string { return "locked out" }

// count counts the attempt as failed before the password is compared, so that concurrent attempts
// count too. The attempt is refused if it returns a wait.
func (g *Authenticator) count(ctx context.Context, a attempt) (time.Duration, error) {
	err := g.db.InTx(ctx, func(tx *store.Tx) error {
		refusedIf := func(wait time.Duration, err error) error {
			if err == nil && wait > 0 {
				return lockedError{wait}
			}
			return err
		}
		if a.device != nil {
			return refusedIf(tx.CountAttempt(ctx, a.device, g.settings.Lockout))
		}
		// Always in this order, so that attempts do not deadlock.
		if err := refusedIf(tx.CountAttempt(ctx, a.pair, g.settings.Lockout)); err != nil {
			return err
		}
		if err := refusedIf(tx.SpendAttempt(ctx, a.account,
			g.settings.AccountAttempts)); err != nil {
			return err
		}
		return refusedIf(tx.SpendAttempt(ctx, a.client, g.settings.ClientAttempts))
	})
	if locked, ok := err.(lockedError); ok { //nolint:errorlint // returned by InTx as it is
		return locked.wait, nil
	}
	return 0, err
}

// succeeded clears the attempt's failures and returns what it has spent, because only failures
// count.
func (g *Authenticator) succeeded(ctx context.Context, tx *store.Tx, a attempt) error {
	if a.device != nil {
		return tx.ClearFailures(ctx, a.device)
	}
	if err := tx.ClearFailures(ctx, a.pair); err != nil {
		return err
	}
	if err := tx.ReturnAttempt(ctx, a.account, g.settings.AccountAttempts); err != nil {
		return err
	}
	return tx.ReturnAttempt(ctx, a.client, g.settings.ClientAttempts)
}
