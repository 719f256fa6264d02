package store

import (
	"context"
	"time"

	"countersign/domain"
)

// LockoutPolicy defines the wait after failed sign-ins: from failure FreeAttempts on FirstDelay,
// doubling with each further failure up to MaxDelay. Failures older than ForgetAfter do not count.
type LockoutPolicy struct {
	FreeAttempts int
	FirstDelay   time.Duration
	MaxDelay     time.Duration
	ForgetAfter  time.Duration
}

// CountAttempt counts a sign-in attempt as failed before the password is compared, so that
// concurrent guesses count too, and locks the key after too many. While it is locked, nothing is
// counted and the remaining wait is returned.
func (t *Tx) CountAttempt(ctx context.Context, key []byte,
	rule LockoutPolicy) (wait time.Duration, err error) {
	const sql = `WITH n AS (SELECT clock() AS at), counted AS (
		INSERT INTO sign_in_failures AS f (key, failures, locked_until, last_at)
		SELECT $1, 1, CASE WHEN $2 <= 1 THEN n.at + make_interval(secs => $3) ELSE '-infinity' END,
		n.at FROM n
		ON CONFLICT (key) DO UPDATE SET last_at = excluded.last_at,
			failures = CASE WHEN f.last_at <= excluded.last_at - make_interval(secs => $5) THEN 1
			ELSE least(f.failures + 1, 1000) END,
			locked_until = CASE WHEN f.last_at <= excluded.last_at - make_interval(secs => $5)
			OR f.failures + 1 < $2 THEN '-infinity'::timestamptz
				ELSE excluded.last_at + make_interval(secs => least($4, $3 *
				power(2, least(f.failures + 1 - $2, 40)))) END
			WHERE f.locked_until <= excluded.last_at
		RETURNING 1)
		SELECT EXISTS (SELECT FROM counted),
		coalesce((SELECT extract(epoch FROM f.locked_until - n.at)::float8
			FROM sign_in_failures f, n WHERE f.key = $1 AND f.locked_until > n.at), 0)`
	var counted bool
	var seconds float64
	err = t.q.QueryRow(ctx, sql, key, rule.FreeAttempts, rule.FirstDelay.Seconds(),
		rule.MaxDelay.Seconds(), rule.ForgetAfter.Seconds()).Scan(&counted, &seconds)
	if err != nil || counted {
		return 0, translate(err, "count attempt")
	}
	// The snapshot of this statement does not include a lock that a concurrent attempt has just
	// set; it lasts at least FirstDelay.
	if seconds <= 0 {
		return rule.FirstDelay, nil
	}
	return time.Duration(seconds * float64(time.Second)), nil
}

// ClearFailures clears the failures of a key.
func (t *Tx) ClearFailures(ctx context.Context, key []byte) error {
	_, err := t.exec(ctx, "clear failures", `DELETE FROM sign_in_failures WHERE key = $1`, key)
	return err
}

// Attempts is an allowance of failed attempts: Most at first, and one more after each Every, up to
// Most.
type Attempts struct {
	Most  int
	Every time.Duration
}

// SpendAttempt spends one attempt of the key's allowance. If none is left, nothing changes and the
// time until the next one is returned.
func (t *Tx) SpendAttempt(ctx context.Context, key []byte,
	a Attempts) (wait time.Duration, err error) {
	const sql = `WITH n AS (SELECT clock() AS at), spent AS (
		INSERT INTO sign_in_allowances AS a (key, spent_until)
		SELECT $1, n.at + make_interval(secs => $2) FROM n
		ON CONFLICT (key) DO UPDATE SET spent_until = greatest(a.spent_until + make_interval(secs =>
		$2), excluded.spent_until)
			WHERE a.spent_until + make_interval(secs => $2) <= excluded.spent_until +
			make_interval(secs => $3)
		RETURNING 1)
		SELECT EXISTS (SELECT FROM spent),
		coalesce((SELECT extract(epoch FROM a.spent_until - n.at)::float8 - $3
			FROM sign_in_allowances a, n WHERE a.key = $1), 0)`
	var spent bool
	var seconds float64
	// of now, the latest time up to which attempts may be spent
	ahead := a.Every * time.Duration(a.Most-1)
	err = t.q.QueryRow(ctx, sql, key, a.Every.Seconds(), ahead.Seconds()).Scan(&spent, &seconds)
	if err != nil || spent {
		return 0, translate(err, "spend attempt")
	}
	// The snapshot of this statement does not include what a concurrent attempt has just spent.
	if seconds <= 0 {
		return a.Every, nil
	}
	return time.Duration(seconds * float64(time.Second)), nil
}

// ReturnAttempt returns an attempt that did not fail to the allowance.
func (t *Tx) ReturnAttempt(ctx context.Context, key []byte, a Attempts) error {
	_, err := t.exec(ctx, "return attempt", `UPDATE sign_in_allowances
		SET spent_until = spent_until - make_interval(secs => $2) WHERE key = $1`,
		key, a.Every.Seconds())
	return err
}

// ForgetOldFailures deletes some failures older than memory and some allowances that are full
// again.
func (t *Tx) ForgetOldFailures(ctx context.Context, memory time.Duration) error {
	_, err := t.exec(ctx, "delete old failures", `WITH n AS (SELECT clock() AS at), old AS (
		DELETE FROM sign_in_failures WHERE key IN (SELECT key FROM sign_in_failures, n
			WHERE last_at <= n.at - make_interval(secs => $1) ORDER BY last_at
			LIMIT 20 FOR UPDATE OF sign_in_failures SKIP LOCKED))
		DELETE FROM sign_in_allowances WHERE key IN (SELECT key FROM sign_in_allowances, n
			WHERE spent_until <= n.at ORDER BY spent_until
			LIMIT 20 FOR UPDATE OF sign_in_allowances SKIP LOCKED)`, memory.Seconds())
	return err
}

// DeviceKnown reports whether the user with the email signed in on the device with this secret's
// hash and the device has not expired.
func (r Reader) DeviceKnown(ctx context.Context, hash []byte, email string) (bool, error) {
	var known bool
	err := r.q.QueryRow(ctx, `SELECT EXISTS (SELECT FROM sign_in_devices d
		JOIN users u ON u.id = d.user_id
		WHERE d.token_hash = $1 AND u.email = $2 AND d.expires_at > clock())`, hash, email).
		Scan(&known)
	return known, translate(err, "device")
}

// NewDevice is a device on which a user has just signed in, with the hash of a new secret. Replaces
// is the hash of the device's previous secret, which becomes invalid; nil if it had none. At most
// Most devices are kept for a user.
type NewDevice struct {
	UserID   domain.ID
	Hash     []byte
	Replaces []byte
	Lifetime time.Duration
	Most     int
}

// PutDevice stores the device and returns when it expires. Other users of the device keep it.
func (t *Tx) PutDevice(ctx context.Context, d NewDevice) (until time.Time, err error) {
	if d.Replaces != nil {
		if _, err := t.exec(ctx, "rotate device", `UPDATE sign_in_devices SET token_hash = $2
			WHERE token_hash = $1`, d.Replaces, d.Hash); err != nil {
			return until, err
		}
	}
	err = t.q.QueryRow(ctx, `INSERT INTO sign_in_devices (token_hash, user_id, expires_at)
		VALUES ($1, $2, clock() + make_interval(secs => $3))
		ON CONFLICT (token_hash, user_id) DO UPDATE SET expires_at = excluded.expires_at
		RETURNING expires_at`,
		d.Hash, d.UserID, d.Lifetime.Seconds()).Scan(&until)
	if err != nil {
		return until, translate(err, "put device")
	}
	_, err = t.exec(ctx, "delete devices", `DELETE FROM sign_in_devices WHERE user_id = $1
		AND (expires_at <= clock() OR token_hash IN (
		SELECT token_hash FROM sign_in_devices WHERE user_id = $1 ORDER BY expires_at DESC,
		token_hash OFFSET $2))`, d.UserID, d.Most)
	return until.UTC(), err
}
