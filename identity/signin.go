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

// maxEmailBytes is the longest e-mail address there is; a longer one is nobody's.
const maxEmailBytes = 320

// SignIn asks for a session by e-mail and password.
type SignIn struct {
	Email     string
	Password  string
	RequestID string
}

// SignedInPerson is a session that began. Secret goes into the cookie and is kept nowhere else.
type SignedInPerson struct {
	Secret  string
	Session domain.Session
	User    domain.User
}

// SignIn begins a session. An unknown e-mail, a wrong password and a disabled person are one and the same answer,
// Unauthenticated, in about the same time; after too many failures it is LockedOut, whose Detail retryAfterSeconds says
// for how long, for an unknown e-mail too. Each outcome is a line of the access log.
func (g *Gate) SignIn(ctx context.Context, in SignIn) (SignedInPerson, error) {
	email := strings.ToLower(strings.TrimSpace(in.Email))
	key := hashOf(email)
	line := store.Access{Action: "signIn", Object: "email:" + hex.EncodeToString(key[:8]), RequestID: in.RequestID}
	wait, err := g.countAttempt(ctx, key)
	if err != nil {
		return SignedInPerson{}, err
	}
	if wait > 0 {
		return SignedInPerson{}, g.refuse(ctx, line, lockedOut(wait))
	}
	user, hash, err := g.person(ctx, email)
	if err != nil {
		return SignedInPerson{}, err
	}
	right, err := compare(ctx, in.Password, hash)
	if err != nil {
		return SignedInPerson{}, err
	}
	line.Actor = user.ID
	if !right {
		return SignedInPerson{}, g.refuse(ctx, line, wrong())
	}
	begun, err := g.begin(ctx, user, hash, key, line)
	if domain.HasCode(err, domain.NotFound) { // disabled or given another password in this very moment
		return SignedInPerson{}, g.refuse(ctx, line, wrong())
	}
	return begun, err
}

func (g *Gate) countAttempt(ctx context.Context, key []byte) (wait time.Duration, err error) {
	err = g.db.InTx(ctx, func(tx *store.Tx) error {
		wait, err = tx.CountAttempt(ctx, key, g.settings.LockOut)
		return err
	})
	return wait, err
}

// person reads whose e-mail it is. Nobody, and who may not come in, has an empty hash, which no password fits.
func (g *Gate) person(ctx context.Context, email string) (domain.User, string, error) {
	if email == "" || len(email) > maxEmailBytes || strings.ContainsRune(email, 0) {
		return domain.User{}, "", nil
	}
	user, hash, err := g.db.Reader().UserByEmail(ctx, email)
	if domain.HasCode(err, domain.NotFound) || domain.HasCode(err, domain.InvalidInput) {
		_, err = g.db.Reader().User(ctx, domain.SystemUserID) // takes the time that reading a person takes
		return domain.User{}, "", err
	}
	if user.Disabled {
		hash = ""
	}
	return user, hash, err
}

func (g *Gate) begin(ctx context.Context, user domain.User, hash string, key []byte, line store.Access) (SignedInPerson, error) {
	secret, tokenHash := newSession()
	begun := SignedInPerson{Secret: secret, User: user}
	err := g.db.InTx(ctx, func(tx *store.Tx) error {
		var err error
		begun.Session, err = tx.PutSession(ctx, store.NewSession{ID: domain.NewID(), UserID: user.ID, PasswordHash: hash,
			TokenHash: tokenHash, Lifetime: g.settings.SessionLifetime})
		if err != nil {
			return err
		}
		if err := tx.ForgetFailures(ctx, key, g.settings.LockOut.Memory); err != nil {
			return err
		}
		return tx.LogAccess(ctx, line)
	})
	if err != nil {
		return SignedInPerson{}, fmt.Errorf("identity: begin session: %w", err)
	}
	return begun, nil
}

// SignOut ends the actor's session, in every tab; ending it twice is no error.
func (g *Gate) SignOut(ctx context.Context, actor domain.Actor) error {
	if actor.SessionID == domain.NoID {
		return domain.Invalid("", "Only a session can sign out; an API token is revoked.")
	}
	return g.db.InTx(ctx, func(tx *store.Tx) error {
		ended, err := tx.EndSession(ctx, actor.SessionID)
		if err != nil || !ended {
			return err
		}
		return tx.LogAccess(ctx, store.Access{Actor: actor.UserID, Action: "signOut", RequestID: actor.RequestID})
	})
}

// refuse writes the refusal to the access log before it is answered.
func (g *Gate) refuse(ctx context.Context, line store.Access, refusal *domain.Error) error {
	line.Code = refusal.Code
	ctx = context.WithoutCancel(ctx)
	if err := g.db.InTx(ctx, func(tx *store.Tx) error { return tx.LogAccess(ctx, line) }); err != nil {
		g.log.WarnContext(ctx, "access log not written", "error", err, "action", line.Action)
	}
	return refusal
}

func wrong() *domain.Error {
	return domain.Fail(domain.Unauthenticated, "The e-mail address or the password is not right.").
		WithWayOut("Check both and try again, or ask an administrator for a new password.")
}

func lockedOut(wait time.Duration) *domain.Error {
	seconds := int64((wait + time.Second - 1) / time.Second)
	return domain.Fail(domain.LockedOut, "Signing in failed too often for this e-mail address.").
		WithWayOut("Try again in %s.", inWords(seconds)).WithDetail("retryAfterSeconds", strconv.FormatInt(seconds, 10))
}

func inWords(seconds int64) string {
	count, unit := seconds, "second"
	if seconds >= 60 {
		count, unit = (seconds+59)/60, "minute"
	}
	if count != 1 {
		unit += "s"
	}
	return strconv.FormatInt(count, 10) + " " + unit
}
