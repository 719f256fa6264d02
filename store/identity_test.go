package store_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"countersign/domain"
	"countersign/store"
)

var lockOut = store.LockoutPolicy{FreeAttempts: 3, FirstDelay: time.Minute,
	MaxDelay: 5 * time.Minute, ForgetAfter: time.Hour}

// attempt counts one attempt and returns how long it must wait; 0 means that the password may be
// compared.
func (w *testEnv) attempt(key []byte) time.Duration {
	w.t.Helper()
	var wait time.Duration
	w.inTx(func(tx *store.Tx) (err error) {
		wait, err = tx.CountAttempt(w.ctx, key, lockOut)
		return err
	})
	return wait
}

func TestLockoutGrowsAndExpires(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	key := hash32()
	for range lockOut.FreeAttempts {
		if wait := w.attempt(key); wait != 0 {
			t.Fatalf("locked too early, for %s", wait)
		}
	}
	var elapsed time.Duration
	for _, want := range []time.Duration{time.Minute, 2 * time.Minute, 4 * time.Minute,
		5 * time.Minute, 5 * time.Minute} {
		wait := w.attempt(key)
		if wait > want || wait < want-20*time.Second {
			t.Fatalf("locked for %s, want about %s", wait, want)
		}
		if again := w.attempt(key); again > wait || again < wait-20*time.Second {
			t.Fatalf("an attempt while locked moved the lock from %s to %s", wait, again)
		}
		elapsed += want
		w.shiftClock(elapsed)
		if wait := w.attempt(key); wait != 0 {
			t.Fatalf("still locked for %s after %s", wait, want)
		}
	}
	w.shiftClock(elapsed + lockOut.ForgetAfter + time.Minute)
	for range lockOut.FreeAttempts {
		if wait := w.attempt(key); wait != 0 {
			t.Fatalf("old failures were remembered: %s", wait)
		}
	}
	other := hash32()
	w.attempt(other)
	w.inTx(func(tx *store.Tx) error { return tx.ClearFailures(w.ctx, key) })
	if n := w.rows("sign_in_failures", "key = $1", key); n != 0 {
		t.Error("the failures were not cleared")
	}
	if n := w.rows("sign_in_failures", "key = $1", other); n != 1 {
		t.Error("another's failures were cleared")
	}
}

// Of many concurrent guesses only as many reach the password as are free.
func TestConcurrentGuessesAreCounted(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	key := hash32()
	var passed atomic.Int32
	var group sync.WaitGroup
	for range 40 {
		group.Go(func() {
			err := w.db.InTx(w.ctx, func(tx *store.Tx) error {
				wait, err := tx.CountAttempt(w.ctx, key, lockOut)
				if err == nil && wait == 0 {
					passed.Add(1)
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if got := int(passed.Load()); got != lockOut.FreeAttempts {
		t.Errorf("%d guesses passed, want %d", got, lockOut.FreeAttempts)
	}
}

func (w *testEnv) session(user domain.ID, passwordHash string) (domain.Session, []byte, error) {
	hash := hash32()
	var session domain.Session
	err := w.db.InTx(w.ctx, func(tx *store.Tx) (err error) {
		session, err = tx.PutSession(w.ctx, store.NewSession{ID: domain.NewID(), UserID: user,
			PasswordHash: passwordHash, TokenHash: hash, Lifetime: time.Hour})
		return err
	})
	return session, hash, err
}

func TestSessionsBeginAndEnd(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	user := w.person(domain.RoleL1)
	w.inTx(func(tx *store.Tx) error { return tx.PutUser(w.ctx, user, "$hash$") })
	session, hash, err := w.session(user.ID, "$hash$")
	w.must(err)
	if got := session.ExpiresAt.Sub(session.CreatedAt); got != time.Hour {
		t.Errorf("lives %s, want an hour", got)
	}
	found, err := w.read().SessionByHash(w.ctx, hash)
	w.must(err)
	if found.Session != session || found.Expired || found.Disabled || found.Name != user.Name {
		t.Errorf("read %+v, want %+v", found, session)
	}
	w.shiftClock(time.Hour + time.Second)
	if found, err = w.read().SessionByHash(w.ctx, hash); err != nil || !found.Expired {
		t.Errorf("not expired: %+v %v", found, err)
	}
	expired, err := w.read().Credential(w.ctx, domain.Actor{SessionID: session.ID})
	w.must(err)
	if expired.Holds {
		t.Error("an expired session is said to hold")
	}
	w.shiftClock(0)
	for _, want := range []bool{true, false} {
		w.inTx(func(tx *store.Tx) error {
			ended, err := tx.EndSession(w.ctx, session.ID)
			if ended != want {
				t.Errorf("ended: %t, want %t", ended, want)
			}
			return err
		})
	}
	if found, err = w.read().SessionByHash(w.ctx, hash); err != nil ||
		found.Session.EndedAt.IsZero() {
		t.Errorf("not ended: %+v %v", found, err)
	}
	_, err = w.read().SessionByHash(w.ctx, hash32())
	wantCode(t, err, domain.NotFound)
}

// No session is created if the password changed or the user was disabled while it was compared.
func TestSessionNeedsTheComparedPassword(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	user := w.person(domain.RoleL1)
	w.inTx(func(tx *store.Tx) error { return tx.PutUser(w.ctx, user, "$new$") })
	_, _, err := w.session(user.ID, "$old$")
	wantCode(t, err, domain.NotFound)
	user.Disabled = true
	w.inTx(func(tx *store.Tx) error { return tx.PutUser(w.ctx, user, "") })
	_, _, err = w.session(user.ID, "$new$")
	wantCode(t, err, domain.NotFound)
}

func TestTokensAreValidUntilRevokedOrExpired(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	user := w.person(domain.RoleSubmitter)
	put := func(token domain.APIToken) (domain.APIToken, []byte) {
		hash := hash32()
		token.ID, token.UserID = domain.NewID(), user.ID
		w.inTx(func(tx *store.Tx) (err error) {
			token, err = tx.PutToken(w.ctx, token, hash)
			return err
		})
		return token, hash
	}
	live := func(id domain.ID, want bool, when string) {
		t.Helper()
		got, err := w.read().Credential(w.ctx, domain.Actor{TokenID: id})
		w.must(err)
		if got.Holds != want || want && (got.At.IsZero() || got.Version == 0) {
			t.Errorf("%s: %+v, want that it holds: %t", when, got, want)
		}
	}
	lasting, _ := put(domain.APIToken{Name: "lasting"})
	dated, hash := put(domain.APIToken{Name: "dated", Scopes: []string{"read"},
		ExpiresAt: w.now().Add(time.Hour)})
	live(lasting.ID, true, "new")
	live(dated.ID, true, "new and dated")
	live(domain.NewID(), false, "unknown")
	w.inTx(func(tx *store.Tx) error { return tx.TouchTokens(w.ctx, dated.ID) })
	found, err := w.read().TokenByHash(w.ctx, hash)
	w.must(err)
	if found.Token.LastUsed.IsZero() || found.Expired || found.Token.Scopes[0] != "read" ||
		!found.Token.ExpiresAt.Equal(dated.ExpiresAt) {
		t.Errorf("read %+v", found)
	}
	w.shiftClock(time.Hour + time.Second)
	live(dated.ID, false, "after its date")
	live(lasting.ID, true, "an hour later")
	var revoked domain.APIToken
	for range 2 {
		w.inTx(func(tx *store.Tx) error {
			again, err := tx.RevokeToken(w.ctx, lasting.ID)
			if !revoked.RevokedAt.IsZero() && !again.RevokedAt.Equal(revoked.RevokedAt) {
				t.Error("revoking twice moved the time")
			}
			revoked = again
			return err
		})
	}
	live(lasting.ID, false, "revoked")
	if one, err := w.read().Token(w.ctx, lasting.ID); err != nil || one.Name != "lasting" ||
		!one.RevokedAt.Equal(revoked.RevokedAt) {
		t.Errorf("read alone: %+v %v", one, err)
	}
	_, err = w.read().Token(w.ctx, domain.NewID())
	wantCode(t, err, domain.NotFound)
	tokens, err := w.read().TokensOf(w.ctx, user.ID)
	w.must(err)
	if len(tokens) != 2 || tokens[0].Name != "dated" || tokens[1].RevokedAt.IsZero() {
		t.Errorf("listed %+v", tokens)
	}
	w.shiftClock(0)
	user.Disabled = true
	w.inTx(func(tx *store.Tx) error { return tx.PutUser(w.ctx, user, "") })
	live(dated.ID, false, "of a disabled person")
}
