package store

import (
	"context"
	"time"

	"countersign/domain"
)

// LockoutPolicy says how failures to sign in lead to waiting: from the Free-th failure on one waits First, twice as long after
// each further one, at most Most; failures older than Memory are forgotten.
type LockoutPolicy struct {
	FreeAttempts int
	FirstDelay   time.Duration
	MaxDelay     time.Duration
	ForgetAfter  time.Duration
}

// CountAttempt counts an attempt to sign in as failed before the password is looked at, so that guesses sent at once
// count too, and locks when too many failed. While locked nothing is counted, and how long it still lasts is returned.
func (t *Tx) CountAttempt(ctx context.Context, key []byte, rule LockoutPolicy) (wait time.Duration, err error) {
	const sql = `WITH n AS (SELECT clock() AS at), counted AS (
		INSERT INTO sign_in_failures AS f (key, failures, locked_until, last_at)
		SELECT $1, 1, CASE WHEN $2 <= 1 THEN n.at + make_interval(secs => $3) ELSE '-infinity' END, n.at FROM n
		ON CONFLICT (key) DO UPDATE SET last_at = excluded.last_at,
			failures = CASE WHEN f.last_at <= excluded.last_at - make_interval(secs => $5) THEN 1 ELSE least(f.failures + 1, 1000) END,
			locked_until = CASE WHEN f.last_at <= excluded.last_at - make_interval(secs => $5) OR f.failures + 1 < $2 THEN '-infinity'::timestamptz
				ELSE excluded.last_at + make_interval(secs => least($4, $3 * power(2, least(f.failures + 1 - $2, 40)))) END
			WHERE f.locked_until <= excluded.last_at
		RETURNING 1)
		SELECT EXISTS (SELECT FROM counted), coalesce((SELECT extract(epoch FROM f.locked_until - n.at)::float8
			FROM sign_in_failures f, n WHERE f.key = $1 AND f.locked_until > n.at), 0)`
	var counted bool
	var seconds float64
	err = t.q.QueryRow(ctx, sql, key, rule.FreeAttempts, rule.FirstDelay.Seconds(), rule.MaxDelay.Seconds(), rule.ForgetAfter.Seconds()).Scan(&counted, &seconds)
	if err != nil || counted {
		return 0, translate(err, "count attempt")
	}
	// A lock that another attempt has set this instant is not in this statement's snapshot yet; it lasts First at least.
	if seconds <= 0 {
		return rule.FirstDelay, nil
	}
	return time.Duration(seconds * float64(time.Second)), nil
}

// ClearFailures clears the failures of a key.
func (t *Tx) ClearFailures(ctx context.Context, key []byte) error {
	_, err := t.exec(ctx, "forget failures", `DELETE FROM sign_in_failures WHERE key = $1`, key)
	return err
}

// Attempts is an allowance of failed attempts: Most at first, and one more after each Every, up to Most again.
type Attempts struct {
	Most  int
	Every time.Duration
}

// SpendAttempt takes one attempt off the key's allowance. When it is used up nothing changes, and how long until there is
// one again is returned.
func (t *Tx) SpendAttempt(ctx context.Context, key []byte, a Attempts) (wait time.Duration, err error) {
	const sql = `WITH n AS (SELECT clock() AS at), spent AS (
		INSERT INTO sign_in_allowances AS a (key, spent_until) SELECT $1, n.at + make_interval(secs => $2) FROM n
		ON CONFLICT (key) DO UPDATE SET spent_until = greatest(a.spent_until + make_interval(secs => $2), excluded.spent_until)
			WHERE a.spent_until + make_interval(secs => $2) <= excluded.spent_until + make_interval(secs => $3)
		RETURNING 1)
		SELECT EXISTS (SELECT FROM spent), coalesce((SELECT extract(epoch FROM a.spent_until - n.at)::float8 - $3
			FROM sign_in_allowances a, n WHERE a.key = $1), 0)`
	var spent bool
	var seconds float64
	ahead := a.Every * time.Duration(a.Most-1) // of now, up to which the allowance may be spent
	err = t.q.QueryRow(ctx, sql, key, a.Every.Seconds(), ahead.Seconds()).Scan(&spent, &seconds)
	if err != nil || spent {
		return 0, translate(err, "spend attempt")
	}
	// What another attempt has spent this instant is not in this statement's snapshot yet.
	if seconds <= 0 {
		return a.Every, nil
	}
	return time.Duration(seconds * float64(time.Second)), nil
}

// ReturnAttempt gives an attempt back that did not fail.
func (t *Tx) ReturnAttempt(ctx context.Context, key []byte, a Attempts) error {
	_, err := t.exec(ctx, "return attempt", `UPDATE sign_in_allowances SET spent_until = spent_until - make_interval(secs => $2) WHERE key = $1`,
		key, a.Every.Seconds())
	return err
}

// ForgetOldFailures removes some failures older than memory and some allowances that are whole again.
func (t *Tx) ForgetOldFailures(ctx context.Context, memory time.Duration) error {
	_, err := t.exec(ctx, "forget old failures", `WITH n AS (SELECT clock() AS at), old AS (
		DELETE FROM sign_in_failures WHERE key IN (SELECT key FROM sign_in_failures, n
			WHERE last_at <= n.at - make_interval(secs => $1) ORDER BY last_at LIMIT 20 FOR UPDATE OF sign_in_failures SKIP LOCKED))
		DELETE FROM sign_in_allowances WHERE key IN (SELECT key FROM sign_in_allowances, n
			WHERE spent_until <= n.at ORDER BY spent_until LIMIT 20 FOR UPDATE OF sign_in_allowances SKIP LOCKED)`, memory.Seconds())
	return err
}

// DeviceKnown reports whether the person with the e-mail signed in on the device with the secret's hash before, and it has
// not expired.
func (r Reader) DeviceKnown(ctx context.Context, hash []byte, email string) (bool, error) {
	var known bool
	err := r.q.QueryRow(ctx, `SELECT EXISTS (SELECT FROM sign_in_devices d JOIN users u ON u.id = d.user_id
		WHERE d.token_hash = $1 AND u.email = $2 AND d.expires_at > clock())`, hash, email).Scan(&known)
	return known, translate(err, "device")
}

// NewDevice is a device on which a person has just signed in, under a new secret's hash. Replaces is the hash of the secret
// that the device showed, nil if it showed none; it is worth nothing afterwards. A person is known on Most devices.
type NewDevice struct {
	UserID   domain.ID
	Hash     []byte
	Replaces []byte
	Lifetime time.Duration
	Most     int
}

// PutDevice keeps the device and returns how long it is known. Others who are known on it stay so.
func (t *Tx) PutDevice(ctx context.Context, d NewDevice) (until time.Time, err error) {
	if d.Replaces != nil {
		if _, err := t.exec(ctx, "rotate device", `UPDATE sign_in_devices SET token_hash = $2 WHERE token_hash = $1`, d.Replaces, d.Hash); err != nil {
			return until, err
		}
	}
	err = t.q.QueryRow(ctx, `INSERT INTO sign_in_devices (token_hash, user_id, expires_at) VALUES ($1, $2, clock() + make_interval(secs => $3))
		ON CONFLICT (token_hash, user_id) DO UPDATE SET expires_at = excluded.expires_at RETURNING expires_at`,
		d.Hash, d.UserID, d.Lifetime.Seconds()).Scan(&until)
	if err != nil {
		return until, translate(err, "put device")
	}
	_, err = t.exec(ctx, "forget devices", `DELETE FROM sign_in_devices WHERE user_id = $1 AND (expires_at <= clock() OR token_hash IN (
		SELECT token_hash FROM sign_in_devices WHERE user_id = $1 ORDER BY expires_at DESC, token_hash OFFSET $2))`, d.UserID, d.Most)
	return until.UTC(), err
}
