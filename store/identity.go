package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

// SessionWithUser is a session found by the hash of its secret, with what decides whether it is
// valid.
type SessionWithUser struct {
	Session  domain.Session
	Name     string
	Locale   string
	Disabled bool // the person
	Expired  bool // by the database's clock
}

// TokenWithUser is an API token found by the hash of its secret, with what decides whether it is
// valid.
type TokenWithUser struct {
	Token    domain.APIToken
	Name     string // of the person
	Locale   string
	Disabled bool // the person
	Expired  bool // by the database's clock
}

// SessionByHash reads the session with the secret's SHA-256, also one that has ended; NotFound if
// there is none.
func (r Reader) SessionByHash(ctx context.Context, hash []byte) (SessionWithUser, error) {
	return queryOne(ctx, r.q, "session", `SELECT s.id, s.user_id, s.created_at, s.expires_at,
		s.ended_at, u.name, u.locale, u.disabled, s.expires_at <= clock() FROM sessions s
		JOIN users u ON u.id = s.user_id WHERE s.token_hash = $1`,
		func(row pgx.CollectableRow) (SessionWithUser, error) {
			var h SessionWithUser
			var ended *time.Time
			s := &h.Session
			err := row.Scan(&s.ID, &s.UserID, &s.CreatedAt, &s.ExpiresAt, &ended, &h.Name,
				&h.Locale, &h.Disabled, &h.Expired)
			s.CreatedAt, s.ExpiresAt, s.EndedAt = s.CreatedAt.UTC(), s.ExpiresAt.UTC(),
				utcOrZero(ended)
			return h, err
		}, hash)
}

// liveSession and liveToken select the valid sessions and API tokens: not ended, not expired, and
// of a user who is not disabled.
const (
	liveSession = `sessions s JOIN users u ON u.id = s.user_id WHERE s.ended_at IS NULL
	AND s.expires_at > clock() AND NOT u.disabled`
	liveToken = `api_tokens t JOIN users u ON u.id = t.user_id WHERE t.revoked_at IS NULL
		AND (t.expires_at IS NULL OR t.expires_at > clock()) AND NOT u.disabled`
)

// Credential reads whether the actor's session or API token is valid, and until when. An actor
// without either has no credential that could end.
func (r Reader) Credential(ctx context.Context,
	actor domain.Actor) (domain.CredentialState, error) {
	if actor.SessionID == domain.NoID && actor.TokenID == domain.NoID {
		now, err := r.RightsVersion(ctx)
		return domain.CredentialState{Holds: true, At: now.At, Version: now.Credentials}, err
	}
	return queryOne(ctx, r.q, "credential",
		`SELECT c.ends_at IS NOT NULL, CASE WHEN c.ends_at < 'infinity' THEN c.ends_at END, clock(),
		k.version
		FROM credential_changes k LEFT JOIN (SELECT s.expires_at AS ends_at FROM `+liveSession+`
		AND s.id = $1
			UNION ALL SELECT coalesce(t.expires_at, 'infinity') FROM `+liveToken+`
			AND t.id = $2) c ON true`,
		func(row pgx.CollectableRow) (domain.CredentialState, error) {
			var state domain.CredentialState
			var ends *time.Time
			err := row.Scan(&state.Holds, &ends, &state.At, &state.Version)
			state.EndsAt, state.At = utcOrZero(ends), state.At.UTC()
			return state, err
		}, actor.SessionID, actor.TokenID)
}

// RightsVersion reads the versions of rights and credentials. Concurrent callers share a statement
// that begins after their calls.
func (r Reader) RightsVersion(ctx context.Context) (domain.RightsVersion, error) {
	if r.batchers != nil {
		return batched(ctx, r.batchers.rights, struct{}{})
	}
	var v domain.RightsVersion
	err := r.q.QueryRow(ctx, `SELECT a.version, k.version, clock() FROM authority a CROSS
		JOIN credential_changes k`).
		Scan(&v.Authority, &v.Credentials, &v.At)
	v.At = v.At.UTC()
	return v, translate(err, "rights")
}

const tokenColumns = `t.id, t.user_id, t.name, t.scopes, t.created_at, t.expires_at, t.revoked_at,
	t.last_used_at, coalesce(t.requests_per_minute, 0)`

func scanToken(row pgx.CollectableRow, more ...any) (domain.APIToken, error) {
	var t domain.APIToken
	var expires, revoked, used *time.Time
	err := row.Scan(append([]any{&t.ID, &t.UserID, &t.Name, &t.Scopes, &t.CreatedAt, &expires,
		&revoked, &used, &t.RequestsPerMinute}, more...)...)
	t.CreatedAt, t.ExpiresAt, t.RevokedAt, t.LastUsed = t.CreatedAt.UTC(), utcOrZero(expires),
		utcOrZero(revoked), utcOrZero(used)
	return t, err
}

func scanTokenRow(row pgx.CollectableRow) (domain.APIToken, error) { return scanToken(row) }

// TokenByHash reads the API token with the secret's SHA-256, also a revoked one; NotFound if there
// is none.
func (r Reader) TokenByHash(ctx context.Context, hash []byte) (TokenWithUser, error) {
	return queryOne(ctx, r.q, "token", `SELECT `+tokenColumns+`, u.name, u.locale, u.disabled,
		coalesce(t.expires_at <= clock(), false)
		FROM api_tokens t JOIN users u ON u.id = t.user_id WHERE t.token_hash = $1`,
		func(row pgx.CollectableRow) (TokenWithUser, error) {
			var h TokenWithUser
			var err error
			h.Token, err = scanToken(row, &h.Name, &h.Locale, &h.Disabled, &h.Expired)
			return h, err
		}, hash)
}

// Token reads one API token; NotFound if there is none.
func (r Reader) Token(ctx context.Context, id domain.ID) (domain.APIToken, error) {
	return queryOne(ctx, r.q, "token", `SELECT `+tokenColumns+` FROM api_tokens t WHERE t.id = $1`,
		scanTokenRow, id)
}

// TokensOf reads the API tokens of users, newest first, including revoked and expired ones.
func (r Reader) TokensOf(ctx context.Context, users ...domain.ID) ([]domain.APIToken, error) {
	return queryAll(ctx, r.q, "tokens", `SELECT `+tokenColumns+` FROM api_tokens t
		WHERE t.user_id = ANY($1) ORDER BY t.created_at DESC, t.id DESC`,
		scanTokenRow, users)
}

// PutToken stores a new API token under its secret's hash and returns it as stored.
func (t *Tx) PutToken(ctx context.Context, token domain.APIToken,
	hash []byte) (domain.APIToken, error) {
	return queryOne(ctx, t.q, "put token",
		`INSERT INTO api_tokens AS t (id, token_hash, user_id, name, scopes, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6) RETURNING `+tokenColumns, scanTokenRow,
		token.ID, hash, token.UserID, token.Name, append([]string{}, token.Scopes...),
		nullable(token.ExpiresAt))
}

// RevokeToken revokes an API token and returns it; a token that was already revoked keeps its time
// of revocation.
func (t *Tx) RevokeToken(ctx context.Context, id domain.ID) (domain.APIToken, error) {
	t.rightsChanged = true
	return queryOne(ctx, t.q, "revoke token", `UPDATE api_tokens AS t
		SET revoked_at = coalesce(t.revoked_at, clock()) WHERE t.id = $1
		RETURNING `+tokenColumns, scanTokenRow, id)
}

// SetTokenRequests sets an API token's own limit of requests per minute (0: the user's limit) and
// returns the token.
func (t *Tx) SetTokenRequests(ctx context.Context, id domain.ID,
	perMinute int64) (domain.APIToken, error) {
	return queryOne(ctx, t.q, "token requests", `UPDATE api_tokens AS t
		SET requests_per_minute = nullif($2, 0) WHERE t.id = $1
		RETURNING `+tokenColumns, scanTokenRow, id, perMinute)
}

// TouchTokens records that the tokens were used now.
func (t *Tx) TouchTokens(ctx context.Context, ids ...domain.ID) error {
	_, err := t.exec(ctx, "touch tokens", `UPDATE api_tokens SET last_used_at = clock()
		WHERE id = ANY($1)`, ids)
	return err
}

// NewSession is a session to store. PasswordHash is the hash that was compared: the session is
// created only if the user still has this password and is not disabled.
type NewSession struct {
	ID           domain.ID
	UserID       domain.ID
	PasswordHash string
	TokenHash    []byte
	Lifetime     time.Duration
	// External is the identity at the provider through which the session begins, zero without one.
	External domain.ExternalIdentity
}

// PutSession stores a session that begins now. NotFound if the user was disabled or the password
// changed in the meantime.
func (t *Tx) PutSession(ctx context.Context, s NewSession) (domain.Session, error) {
	return queryOne(ctx, t.q, "put session",
		`INSERT INTO sessions (id, token_hash, user_id, created_at, expires_at, issuer, subject,
			provider_session)
		SELECT $1, $2, u.id, n.at, n.at + make_interval(secs => $3), $6, $7, $8
		FROM users u, (SELECT clock() AS at) n
		WHERE u.id = $4 AND NOT u.disabled AND u.password_hash = $5 FOR SHARE OF u
		RETURNING id, user_id, created_at, expires_at`,
		func(row pgx.CollectableRow) (domain.Session, error) {
			var kept domain.Session
			err := row.Scan(&kept.ID, &kept.UserID, &kept.CreatedAt, &kept.ExpiresAt)
			kept.CreatedAt, kept.ExpiresAt = kept.CreatedAt.UTC(), kept.ExpiresAt.UTC()
			return kept, err
		}, s.ID, s.TokenHash, s.Lifetime.Seconds(), s.UserID, s.PasswordHash, s.External.Issuer,
		s.External.Subject, s.External.Session)
}

// EndSession ends a session; false if it had already ended.
func (t *Tx) EndSession(ctx context.Context, id domain.ID) (bool, error) {
	t.rightsChanged = true
	n, err := t.exec(ctx, "end session", `UPDATE sessions SET ended_at = clock() WHERE id = $1
		AND ended_at IS NULL`, id)
	return n == 1, err
}

// EndSessionsOf ends all sessions of a user and returns how many.
func (t *Tx) EndSessionsOf(ctx context.Context, user domain.ID) (int64, error) {
	t.rightsChanged = true
	return t.exec(ctx, "end sessions", `UPDATE sessions SET ended_at = clock() WHERE user_id = $1
		AND ended_at IS NULL`, user)
}

// EndOtherSessions ends all sessions of a user except one.
func (t *Tx) EndOtherSessions(ctx context.Context, user, except domain.ID) error {
	t.rightsChanged = true
	_, err := t.exec(ctx, "end sessions", `UPDATE sessions SET ended_at = clock() WHERE user_id = $1
		AND id <> $2 AND ended_at IS NULL`, user, except)
	return err
}

// utcOrZero returns the time in UTC, and the zero time for nil.
func utcOrZero(at *time.Time) time.Time {
	if at == nil {
		return time.Time{}
	}
	return at.UTC()
}
