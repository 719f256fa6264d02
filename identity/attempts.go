package identity

import (
	"context"
	"encoding/hex"
	"time"

	"countersign/store"
)

// maxDevices bounds the devices on which one person is known; the ones that expire first are forgotten.
const maxDevices = 20

// attempt is one attempt to sign in, by what it is counted under. From a device on which the person signed in before it
// counts under device alone: failures from elsewhere do not keep the person out. From any other it counts under account
// and client together, strictly; under the account over all clients, so that many addresses do not guess faster than that
// allows; and under the client over all accounts, so that one address does not try one password on everybody.
//
// The keys are hashes of what was sent, whether such an account exists or not: the same counters and the same answers
// hold for an e-mail that is nobody's.
type attempt struct {
	shown                         []byte // hash of the device's secret, known for this person or not; nil without one
	device, pair, account, client []byte
}

// attemptOf finds out under what the attempt counts.
func (g *Authenticator) attemptOf(ctx context.Context, email string, in SignInRequest) (attempt, error) {
	a := attempt{pair: hashSecret("pair\x00" + email + "\x00" + in.Client), account: hashSecret("account\x00" + email), client: hashSecret("client\x00" + in.Client)}
	if wellFormed(in.Device) {
		a.shown = hashSecret(in.Device)
	}
	known, err := g.knownDevice(ctx, email, a.shown)
	if known {
		a.device = hashSecret("device\x00" + email + "\x00" + in.Device)
	}
	return a, err
}

// knownDevice reports whether the person with the e-mail signed in on the device before. Who has no such cookie asks
// nothing of the database, whatever e-mail they send.
func (g *Authenticator) knownDevice(ctx context.Context, email string, hash []byte) (bool, error) {
	if hash == nil || !couldBeEmail(email) {
		return false, nil
	}
	return g.db.Reader().DeviceKnown(ctx, hash, email)
}

// DeviceKey names the device with the secret, if the person with the e-mail signed in on it before; "" else.
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

// lockedError rolls an attempt's counters back: what is refused before the password is looked at counts nowhere.
type lockedError struct{ wait time.Duration }

// Error is never shown.
func (lockedError) Error() string { return "locked out" }

// count counts the attempt as failed before the password is looked at, so that attempts sent concurrently count too. A
// wait refuses it.
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
		// Always in this order, so that attempts never wait for each other in a circle.
		if err := refusedIf(tx.CountAttempt(ctx, a.pair, g.settings.Lockout)); err != nil {
			return err
		}
		if err := refusedIf(tx.SpendAttempt(ctx, a.account, g.settings.AccountAttempts)); err != nil {
			return err
		}
		return refusedIf(tx.SpendAttempt(ctx, a.client, g.settings.ClientAttempts))
	})
	if locked, ok := err.(lockedError); ok { //nolint:errorlint // returned by InTx as it is
		return locked.wait, nil
	}
	return 0, err
}

// succeeded clears what the attempt was counted under, and gives back what it has spent: only failures count.
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
