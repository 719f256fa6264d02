package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

// SessionHolder is a session as found by its secret's hash, with what says whether it still holds.
type SessionHolder struct {
	Session  domain.Session
	Name     string
	Locale   string
	Disabled bool // the person
	Expired  bool // by the database's clock
}

// TokenHolder is an API token as found by its secret's hash, with what says whether it still holds.
type TokenHolder struct {
	Token    domain.APIToken
	Name     string // of the person
	Locale   string
	Disabled bool // the person
	Expired  bool // by the database's clock
}

// SessionByHash reads the session of a secret's SHA-256, also one that ended; NotFound if there never was one.
func (r Reader) SessionByHash(ctx context.Context, hash []byte) (SessionHolder, error) {
	return one(ctx, r.q, "session", `SELECT s.id, s.user_id, s.created_at, s.expires_at, s.ended_at, u.name, u.locale, u.disabled,
		s.expires_at <= clock() FROM sessions s JOIN users u ON u.id = s.user_id WHERE s.token_hash = $1`,
		func(row pgx.CollectableRow) (SessionHolder, error) {
			var h SessionHolder
			var ended *time.Time
			s := &h.Session
			err := row.Scan(&s.ID, &s.UserID, &s.CreatedAt, &s.ExpiresAt, &ended, &h.Name, &h.Locale, &h.Disabled, &h.Expired)
			s.CreatedAt, s.ExpiresAt, s.EndedAt = s.CreatedAt.UTC(), s.ExpiresAt.UTC(), orZero(ended)
			return h, err
		}, hash)
}

// SessionLive reports whether the session has neither ended nor expired and its person is not disabled.
func (r Reader) SessionLive(ctx context.Context, id domain.ID) (bool, error) {
	var live bool
	err := r.q.QueryRow(ctx, `SELECT EXISTS (SELECT FROM sessions s JOIN users u ON u.id = s.user_id WHERE s.id = $1
		AND s.ended_at IS NULL AND s.expires_at > clock() AND NOT u.disabled)`, id).Scan(&live)
	return live, translate(err, "session")
}

const tokenColumns = `t.id, t.user_id, t.name, t.scopes, t.created_at, t.expires_at, t.revoked_at, t.last_used_at`

func scanToken(row pgx.CollectableRow, more ...any) (domain.APIToken, error) {
	var t domain.APIToken
	var expires, revoked, used *time.Time
	err := row.Scan(append([]any{&t.ID, &t.UserID, &t.Name, &t.Scopes, &t.CreatedAt, &expires, &revoked, &used}, more...)...)
	t.CreatedAt, t.ExpiresAt, t.RevokedAt, t.LastUsed = t.CreatedAt.UTC(), orZero(expires), orZero(revoked), orZero(used)
	return t, err
}

func scanBareToken(row pgx.CollectableRow) (domain.APIToken, error) { return scanToken(row) }

// TokenByHash reads the API token of a secret's SHA-256, also a revoked one; NotFound if there never was one.
func (r Reader) TokenByHash(ctx context.Context, hash []byte) (TokenHolder, error) {
	return one(ctx, r.q, "token", `SELECT `+tokenColumns+`, u.name, u.locale, u.disabled, coalesce(t.expires_at <= clock(), false)
		FROM api_tokens t JOIN users u ON u.id = t.user_id WHERE t.token_hash = $1`,
		func(row pgx.CollectableRow) (TokenHolder, error) {
			var h TokenHolder
			var err error
			h.Token, err = scanToken(row, &h.Name, &h.Locale, &h.Disabled, &h.Expired)
			return h, err
		}, hash)
}

// Token reads one API token; NotFound if there is none.
func (r Reader) Token(ctx context.Context, id domain.ID) (domain.APIToken, error) {
	return one(ctx, r.q, "token", `SELECT `+tokenColumns+` FROM api_tokens t WHERE t.id = $1`, scanBareToken, id)
}

// TokensOf reads a person's API tokens, newest first, revoked and expired ones too.
func (r Reader) TokensOf(ctx context.Context, user domain.ID) ([]domain.APIToken, error) {
	return collect(ctx, r.q, "tokens", `SELECT `+tokenColumns+` FROM api_tokens t WHERE t.user_id = $1 ORDER BY t.created_at DESC, t.id DESC`,
		scanBareToken, user)
}

// TokenLive reports whether the API token is neither revoked nor expired and its person is not disabled.
func (r Reader) TokenLive(ctx context.Context, tokenID domain.ID) (bool, error) {
	var live bool
	err := r.q.QueryRow(ctx, `SELECT EXISTS (SELECT FROM api_tokens t JOIN users u ON u.id = t.user_id WHERE t.id = $1
		AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > clock()) AND NOT u.disabled)`, tokenID).Scan(&live)
	return live, translate(err, "token")
}

// PutToken keeps a new API token under its secret's hash and returns it as kept.
func (t *Tx) PutToken(ctx context.Context, token domain.APIToken, hash []byte) (domain.APIToken, error) {
	return one(ctx, t.q, "put token", `INSERT INTO api_tokens AS t (id, token_hash, user_id, name, scopes, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6) RETURNING `+tokenColumns, scanBareToken,
		token.ID, hash, token.UserID, token.Name, append([]string{}, token.Scopes...), nullable(token.ExpiresAt))
}

// RevokeToken ends an API token for good and returns it; one revoked before keeps its first time.
func (t *Tx) RevokeToken(ctx context.Context, id domain.ID) (domain.APIToken, error) {
	return one(ctx, t.q, "revoke token", `UPDATE api_tokens AS t SET revoked_at = coalesce(t.revoked_at, clock()) WHERE t.id = $1
		RETURNING `+tokenColumns, scanBareToken, id)
}

// TouchTokens notes that the tokens were used just now.
func (t *Tx) TouchTokens(ctx context.Context, ids ...domain.ID) error {
	_, err := t.exec(ctx, "touch tokens", `UPDATE api_tokens SET last_used_at = clock() WHERE id = ANY($1)`, ids)
	return err
}

// NewSession is a session to be kept. PasswordHash is what was compared: the session is made only if it is still the
// person's and the person is not disabled.
type NewSession struct {
	ID           domain.ID
	UserID       domain.ID
	PasswordHash string
	TokenHash    []byte
	Lifetime     time.Duration
}

// PutSession keeps a session that begins now. NotFound when the person was disabled or the password changed meanwhile.
func (t *Tx) PutSession(ctx context.Context, s NewSession) (domain.Session, error) {
	return one(ctx, t.q, "put session", `INSERT INTO sessions (id, token_hash, user_id, created_at, expires_at)
		SELECT $1, $2, u.id, n.at, n.at + make_interval(secs => $3) FROM users u, (SELECT clock() AS at) n
		WHERE u.id = $4 AND NOT u.disabled AND u.password_hash = $5 FOR SHARE OF u
		RETURNING id, user_id, created_at, expires_at`, func(row pgx.CollectableRow) (domain.Session, error) {
		var kept domain.Session
		err := row.Scan(&kept.ID, &kept.UserID, &kept.CreatedAt, &kept.ExpiresAt)
		kept.CreatedAt, kept.ExpiresAt = kept.CreatedAt.UTC(), kept.ExpiresAt.UTC()
		return kept, err
	}, s.ID, s.TokenHash, s.Lifetime.Seconds(), s.UserID, s.PasswordHash)
}

// EndSession signs out; false when the session had ended before.
func (t *Tx) EndSession(ctx context.Context, id domain.ID) (bool, error) {
	n, err := t.exec(ctx, "end session", `UPDATE sessions SET ended_at = clock() WHERE id = $1 AND ended_at IS NULL`, id)
	return n == 1, err
}

// EndSessionsOf signs a person out everywhere and returns how many sessions that ended.
func (t *Tx) EndSessionsOf(ctx context.Context, user domain.ID) (int64, error) {
	return t.exec(ctx, "end sessions", `UPDATE sessions SET ended_at = clock() WHERE user_id = $1 AND ended_at IS NULL`, user)
}

// LockOut says how failures to sign in lead to waiting: from the Free-th failure on one waits First, twice as long after
// each further one, at most Most; failures older than Memory are forgotten.
type LockOut struct {
	Free   int
	First  time.Duration
	Most   time.Duration
	Memory time.Duration
}

// CountAttempt counts an attempt to sign in as failed before the password is looked at, so that guesses sent at once
// count too, and locks when too many failed. While locked nothing is counted, and how long it still lasts is returned.
func (t *Tx) CountAttempt(ctx context.Context, key []byte, rule LockOut) (wait time.Duration, err error) {
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
	err = t.q.QueryRow(ctx, sql, key, rule.Free, rule.First.Seconds(), rule.Most.Seconds(), rule.Memory.Seconds()).Scan(&counted, &seconds)
	if err != nil || counted {
		return 0, translate(err, "count attempt")
	}
	// A lock that another attempt has set this instant is not in this statement's snapshot yet; it lasts First at least.
	if seconds <= 0 {
		return rule.First, nil
	}
	return time.Duration(seconds * float64(time.Second)), nil
}

// ForgetFailures clears the failures of an e-mail's key, and some that have grown older than memory.
func (t *Tx) ForgetFailures(ctx context.Context, key []byte, memory time.Duration) error {
	_, err := t.exec(ctx, "forget failures", `DELETE FROM sign_in_failures WHERE key = $1 OR key IN (
		SELECT key FROM sign_in_failures WHERE last_at <= clock() - make_interval(secs => $2) LIMIT 100 FOR UPDATE SKIP LOCKED)`,
		key, memory.Seconds())
	return err
}

// orZero is the zero time for nil.
func orZero(at *time.Time) time.Time {
	if at == nil {
		return time.Time{}
	}
	return at.UTC()
}
