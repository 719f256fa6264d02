package identity

import (
	"context"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"

	"countersign/domain"
	"countersign/store"
)

// maxEmail is the greatest length of an email address.
const maxEmail = 320 // characters

// SignInRequest is a request for a session by email and password. Client is the network under which
// attempts are counted, Device the secret of the browser's device cookie, if any.
type SignInRequest struct {
	Email     string
	Password  string
	Client    string
	Device    string
	RequestID string
}

// SignInResult is a new session. Secret and Device go into cookies and are not stored.
type SignInResult struct {
	Secret      string
	Session     domain.Session
	User        domain.User
	Device      string
	DeviceUntil time.Time
}

// SignIn begins a session. An unknown email, a wrong password and a disabled user get the same
// response, Unauthenticated, after about the same time. After too many failures it is LockedOut,
// with the wait in Detail retryAfterSeconds, also for an unknown email. Each outcome is written to
// the access log.
func (g *Authenticator) SignIn(ctx context.Context, in SignInRequest) (SignInResult, error) {
	if g.settings.PasswordsOff {
		return SignInResult{}, passwordsOff()
	}
	email := normalEmail(in.Email)
	checked, line, err := g.checkPassword(ctx, email, in, "signIn")
	if err != nil {
		return SignInResult{}, err
	}
	begun, err := g.beginSession(ctx, checked.user, checked.hash, checked.attempt, line)
	if domain.HasCode(err, domain.NotFound) { // disabled or password changed in the meantime
		return SignInResult{}, g.logRefusal(ctx, line, wrongCredentials())
	}
	if domain.HasCode(err, domain.PasskeyRequired) {
		return SignInResult{}, g.logRefusal(ctx, line, passkeyRequired())
	}
	return begun, err
}

// checkedPassword is an attempt with the right password.
type checkedPassword struct {
	user    domain.User
	hash    string
	attempt attempt
}

// checkPassword counts an attempt and compares the password. It logs a refusal under the action.
func (g *Authenticator) checkPassword(ctx context.Context, email string, in SignInRequest,
	action string) (checkedPassword, store.AccessEntry, error) {
	key := hashSecret(email)
	line := store.AccessEntry{Action: action, Object: "email:" + hex.EncodeToString(key[:8]),
		RequestID: in.RequestID}
	attempt, err := g.attemptOf(ctx, email, in)
	if err != nil {
		return checkedPassword{}, line, err
	}
	wait, err := g.count(ctx, attempt)
	if err != nil {
		return checkedPassword{}, line, err
	}
	if wait > 0 {
		return checkedPassword{}, line, g.logRefusal(ctx, line, lockedOut(wait))
	}
	user, hash, err := g.userByEmail(ctx, email)
	if err != nil {
		return checkedPassword{}, line, err
	}
	right, err := comparePassword(ctx, in.Password, hash)
	if err != nil {
		return checkedPassword{}, line, err
	}
	line.Actor = user.ID
	if !right {
		return checkedPassword{}, line, g.logRefusal(ctx, line, wrongCredentials())
	}
	return checkedPassword{user, hash, attempt}, line, nil
}

// passkeyRequired is the answer to the right password of an account that signs in by passkey.
func passkeyRequired() *domain.Error {
	return domain.Errorf(domain.PasskeyRequired, "This account signs in with a passkey.").
		WithRemedy("Sign in with your passkey. If you have lost it, ask an administrator to reset your sign-in.")
}

func normalEmail(email string) string { return strings.ToLower(strings.TrimSpace(email)) }

// couldBeEmail reports whether the text is short enough and valid as a query parameter.
func couldBeEmail(email string) bool {
	return email != "" && !domain.Longer(email, maxEmail) && domain.CheckText("email", email) == nil
}

// userByEmail reads the user with the email. An unknown or disabled user has an empty hash, which
// no password matches.
func (g *Authenticator) userByEmail(ctx context.Context,
	email string) (domain.User, string, error) {
	if !couldBeEmail(email) {
		return domain.User{}, "", nil
	}
	user, hash, err := g.db.Reader().UserByEmail(ctx, email)
	if domain.HasCode(err, domain.NotFound) || domain.HasCode(err, domain.InvalidInput) {
		_, err = g.db.Reader().User(ctx, domain.SystemUserID) // takes as long as reading a user
		return domain.User{}, "", err
	}
	if user.Disabled {
		hash = ""
	}
	return user, hash, err
}

func (g *Authenticator) beginSession(ctx context.Context, user domain.User, hash string, a attempt,
	line store.AccessEntry) (SignInResult, error) {
	begun := newSessionOf(user)
	err := g.db.InTx(ctx, func(tx *store.Tx) error {
		if a.pair != nil { // by password
			passkeys, err := tx.PasskeysOf(ctx, user.ID)
			if err != nil {
				return err
			}
			if len(passkeys) > 0 {
				return passkeyRequired()
			}
		}
		return g.openSession(ctx, tx, &begun, store.NewSession{PasswordHash: hash}, a, line)
	})
	if err != nil {
		return SignInResult{}, fmt.Errorf("identity: begin session: %w", err)
	}
	return begun, nil
}

// newSessionOf returns the secrets of a session that is not stored yet.
func newSessionOf(user domain.User) SignInResult {
	secret, _ := newSession()
	device, _ := newSession()
	return SignInResult{Secret: secret, User: user, Device: device}
}

// openSession stores the session and the device, and returns what the attempt has spent.
func (g *Authenticator) openSession(ctx context.Context, tx *store.Tx, begun *SignInResult,
	session store.NewSession, a attempt, line store.AccessEntry) (err error) {
	session.ID, session.UserID = domain.NewID(), begun.User.ID
	session.TokenHash, session.Lifetime = hashSecret(begun.Secret), g.settings.SessionLifetime
	if begun.Session, err = tx.PutSession(ctx, session); err != nil {
		return err
	}
	begun.DeviceUntil, err = tx.PutDevice(ctx, store.NewDevice{UserID: begun.User.ID,
		Hash: hashSecret(begun.Device), Replaces: a.shown,
		Lifetime: g.settings.DeviceLifetime, Most: maxDevices})
	if err != nil {
		return err
	}
	if a.pair != nil {
		if err := g.succeeded(ctx, tx, a); err != nil {
			return err
		}
	}
	return tx.LogAccess(ctx, line)
}

// passwordsOff is the answer to a password where no one signs in by it.
func passwordsOff() *domain.Error {
	return domain.Errorf(domain.NotPermitted, "No one signs in by password here.").
		WithRemedy("Sign in through your provider or with a passkey.")
}

// SignOut ends the actor's session in every tab; ending it twice is no error.
func (g *Authenticator) SignOut(ctx context.Context, actor domain.Actor) error {
	if actor.SessionID == domain.NoID {
		return domain.Invalid("", "Only a session can sign out. Revoke the API token instead.")
	}
	return g.db.InTx(ctx, func(tx *store.Tx) error {
		ended, err := tx.EndSession(ctx, actor.SessionID)
		if err != nil || !ended {
			return err
		}
		return tx.LogAccess(ctx, store.AccessEntry{Actor: actor.UserID, Action: "signOut",
			RequestID: actor.RequestID})
	})
}

// logRefusal writes the refusal to the access log and returns it.
func (g *Authenticator) logRefusal(ctx context.Context, line store.AccessEntry,
	refusal *domain.Error) error {
	line.Code = refusal.Code
	ctx = context.WithoutCancel(ctx)
	err := g.db.InTx(ctx, func(tx *store.Tx) error {
		if err := tx.ForgetOldFailures(ctx, g.settings.Lockout.ForgetAfter); err != nil {
			return err
		}
		return tx.LogAccess(ctx, line)
	})
	if err != nil {
		g.log.WarnContext(ctx, "access log not written", "error", err, "action", line.Action)
	}
	return refusal
}

func wrongCredentials() *domain.Error {
	return domain.Errorf(domain.Unauthenticated, "The email address or password is incorrect.").
		WithRemedy("Check both and try again, or ask an administrator for a new password.")
}

func lockedOut(wait time.Duration) *domain.Error {
	seconds := int64((wait + time.Second - 1) / time.Second)
	return domain.Errorf(domain.LockedOut, "Too many failed sign-in attempts.").
		WithRemedy("Try again in %s.", formatWait(seconds)).WithRetryAfter(wait)
}

func formatWait(seconds int64) string {
	count, unit := seconds, "second"
	if seconds >= 60 {
		count, unit = (seconds+59)/60, "minute"
	}
	if count != 1 {
		unit += "s"
	}
	return strconv.FormatInt(count, 10) + " " + unit
}
