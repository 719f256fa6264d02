package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

// UserByEmployeeID reads the user with the normalised employee id; NotFound if there is none.
func (r Reader) UserByEmployeeID(ctx context.Context, id string) (domain.User, error) {
	return queryOne(ctx, r.q, "user", `SELECT `+userColumns+` FROM users u WHERE u.employee_id = $1`,
		scanUser, id)
}

const identityColumns = `issuer, subject, user_id, provider, wanted_roles, linked_at, used_at`

func scanIdentity(row pgx.CollectableRow) (domain.LinkedIdentity, error) {
	var l domain.LinkedIdentity
	var roles []string
	err := row.Scan(&l.Issuer, &l.Subject, &l.UserID, &l.Provider, &roles, &l.LinkedAt, &l.UsedAt)
	for _, role := range roles {
		l.WantedRoles = append(l.WantedRoles, domain.Role(role))
	}
	l.LinkedAt, l.UsedAt = l.LinkedAt.UTC(), l.UsedAt.UTC()
	return l, err
}

// Identities reads the identities of an account, and those with the issuer's subject.
func (r Reader) Identities(ctx context.Context, user domain.ID, issuer, subject string) (
	[]domain.LinkedIdentity, error) {
	return queryAll(ctx, r.q, "identities", `SELECT `+identityColumns+` FROM external_identities
		WHERE user_id = $1 OR (issuer, subject) = ($2, $3) ORDER BY issuer, subject`, scanIdentity, user,
		issuer, subject)
}

// IdentitiesOf reads the identities of accounts.
func (r Reader) IdentitiesOf(ctx context.Context, users ...domain.ID) ([]domain.LinkedIdentity, error) {
	return queryAll(ctx, r.q, "identities", `SELECT `+identityColumns+` FROM external_identities
		WHERE user_id = ANY($1) ORDER BY provider, issuer, subject`, scanIdentity, users)
}

// PutIdentity stores an identity, or its use and the wanted roles of one that exists.
func (t *Tx) PutIdentity(ctx context.Context, l domain.LinkedIdentity) error {
	roles := make([]string, len(l.WantedRoles))
	for i, role := range l.WantedRoles {
		roles[i] = string(role)
	}
	_, err := t.exec(ctx, "identity", `INSERT INTO external_identities (issuer, subject, user_id, provider,
			wanted_roles) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (issuer, subject) DO UPDATE SET used_at = clock(), provider = excluded.provider,
		wanted_roles = excluded.wanted_roles`, l.Issuer, l.Subject, l.UserID, l.Provider, roles)
	return err
}

// SignedUpThroughProvider marks the person as signed up if others made the account or its way to
// sign in.
func (t *Tx) SignedUpThroughProvider(ctx context.Context, user domain.ID) error {
	_, err := t.exec(ctx, "signed up", `UPDATE users SET signed_up_at = clock() WHERE id = $1
		AND vouched_at IS NOT NULL AND signed_up_at IS NULL`, user)
	return err
}

// DeleteIdentities removes the identities of an account, ends its sessions that began through a
// provider, and returns what it removed.
func (t *Tx) DeleteIdentities(ctx context.Context, user domain.ID) ([]domain.LinkedIdentity, error) {
	t.rightsChanged = true
	if _, err := t.exec(ctx, "end sessions", `UPDATE sessions SET ended_at = clock()
		WHERE user_id = $1 AND ended_at IS NULL AND issuer <> ''`, user); err != nil {
		return nil, err
	}
	return queryAll(ctx, t.q, "identities", `DELETE FROM external_identities WHERE user_id = $1
		RETURNING `+identityColumns, scanIdentity, user)
}

// RecentlyLinked reports whether one of the people was linked to a provider, or added a passkey with
// nothing but a sign-in through one, less than the period ago.
func (r Reader) RecentlyLinked(ctx context.Context, period time.Duration, people ...domain.ID) (bool,
	error) {
	return queryOne(ctx, r.q, "recently linked", `SELECT EXISTS (SELECT FROM external_identities
			WHERE user_id = ANY($1) AND linked_at > clock() - make_interval(secs => $2))
		OR EXISTS (SELECT FROM passkeys WHERE user_id = ANY($1) AND proof = 'provider'
			AND removed_at IS NULL AND at > clock() - make_interval(secs => $2))`,
		pgx.RowTo[bool], people, period.Seconds())
}

// PasskeyOlderThan reports whether the passkey was added before the period, or not by a sign-in
// through a provider.
func (r Reader) PasskeyOlderThan(ctx context.Context, id domain.ID, period time.Duration) (bool, error) {
	return queryOne(ctx, r.q, "passkey", `SELECT proof <> 'provider'
		OR at <= clock() - make_interval(secs => $2) FROM passkeys WHERE id = $1`, pgx.RowTo[bool], id,
		period.Seconds())
}

// ProviderSession is how an active session began.
type ProviderSession struct {
	Issuer string // "" = not through a provider
	Age    time.Duration
	Linked time.Duration // since the identity was fixed to the account
}

// ProviderSession reads how an active session began; NotFound if it has ended.
func (r Reader) ProviderSession(ctx context.Context, session domain.ID) (ProviderSession, error) {
	return queryOne(ctx, r.q, "session", `SELECT s.issuer,
			extract(epoch FROM clock() - s.created_at)::float8,
			coalesce(extract(epoch FROM clock() - i.linked_at)::float8, 0)
		FROM sessions s LEFT JOIN external_identities i ON i.issuer = s.issuer AND i.subject = s.subject
		WHERE s.id = $1 AND s.ended_at IS NULL`, func(row pgx.CollectableRow) (ProviderSession, error) {
		var s ProviderSession
		var age, linked float64
		err := row.Scan(&s.Issuer, &age, &linked)
		s.Age, s.Linked = seconds(age), seconds(linked)
		return s, err
	}, session)
}

func seconds(count float64) time.Duration { return time.Duration(count * float64(time.Second)) }

// MarkAuthenticator records that the person holds the authenticator of a credential. All accounts
// with the mark are one person.
func (t *Tx) MarkAuthenticator(ctx context.Context, user domain.ID, credentialID []byte) error {
	_, err := t.exec(ctx, "mark authenticator",
		`SELECT mark_person('authenticator', encode($1, 'hex'), $2)`, credentialID, user)
	return err
}

// ProviderRequest is a sign-in that a browser has begun at a provider.
type ProviderRequest struct {
	StateHash   []byte
	BrowserHash []byte // of the secret of the browser's cookie
	Provider    string
	Nonce       string
	Verifier    string
	ReturnTo    string
}

// AddProviderRequest stores a request for a time, and deletes expired ones.
func (t *Tx) AddProviderRequest(ctx context.Context, p ProviderRequest, lifetime time.Duration) error {
	if _, err := t.exec(ctx, "expired requests",
		`DELETE FROM provider_requests WHERE expires_at <= clock()`); err != nil {
		return err
	}
	_, err := t.exec(ctx, "provider request", `INSERT INTO provider_requests (state_hash, browser_hash,
			provider, nonce, verifier, return_to, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, clock() + make_interval(secs => $7))`, p.StateHash, p.BrowserHash,
		p.Provider, p.Nonce, p.Verifier, p.ReturnTo, lifetime.Seconds())
	return err
}

// TakeProviderRequest deletes and returns a request; NotFound if it does not exist, was used, has
// expired, or was begun for another provider or in another browser.
func (t *Tx) TakeProviderRequest(ctx context.Context, provider string, stateHash, browserHash []byte) (
	ProviderRequest, error) {
	return queryOne(ctx, t.q, "provider request", `DELETE FROM provider_requests WHERE state_hash = $1
		AND browser_hash = $2 AND provider = $3 AND expires_at > clock()
		RETURNING state_hash, browser_hash, provider, nonce, verifier, return_to`,
		pgx.RowToStructByPos[ProviderRequest], stateHash, browserHash, provider)
}

// UseLogoutToken ends the sessions that the token names and returns whose they are. It returns false
// if the token was used before.
func (t *Tx) UseLogoutToken(ctx context.Context, l domain.ProviderLogout) (ended []domain.ID, fresh bool, err error) {
	if _, err := t.exec(ctx, "expired logout tokens",
		`DELETE FROM logout_tokens WHERE expires_at <= clock()`); err != nil {
		return nil, false, err
	}
	n, err := t.exec(ctx, "logout token", `INSERT INTO logout_tokens (issuer, token_id, expires_at)
		VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`, l.Issuer, l.TokenID, l.ExpiresAt)
	if err != nil || n == 0 {
		return nil, false, err
	}
	t.rightsChanged = true
	ended, err = queryAll(ctx, t.q, "end sessions", `UPDATE sessions SET ended_at = clock()
		WHERE issuer = $1 AND ended_at IS NULL AND ($2 <> '' OR $3 <> '') AND ($2 = '' OR subject = $2)
		AND ($3 = '' OR provider_session = $3) RETURNING user_id`, pgx.RowTo[domain.ID], l.Issuer,
		l.Subject, l.Session)
	return ended, true, err
}

// GroupRoles reads the mappings of a provider's groups; "" reads those of all providers.
func (r Reader) GroupRoles(ctx context.Context, provider string) ([]domain.GroupRole, error) {
	return queryAll(ctx, r.q, "group roles", `SELECT provider, group_name, role FROM group_roles
		WHERE $1 = '' OR provider = $1 ORDER BY provider, group_name, role`,
		pgx.RowToStructByPos[domain.GroupRole], provider)
}

// AddGroupRole stores a confirmed mapping; false if it exists.
func (t *Tx) AddGroupRole(ctx context.Context, g domain.GroupRole, proposal domain.ID) (bool, error) {
	n, err := t.exec(ctx, "group role", `INSERT INTO group_roles (provider, group_name, role, proposal_id)
		VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`, g.Provider, g.Group, string(g.Role), proposal)
	return n == 1, err
}

// DeleteGroupRole removes a mapping; false if it did not exist.
func (t *Tx) DeleteGroupRole(ctx context.Context, g domain.GroupRole) (bool, error) {
	n, err := t.exec(ctx, "group role", `DELETE FROM group_roles WHERE provider = $1 AND group_name = $2
		AND role = $3`, g.Provider, g.Group, string(g.Role))
	return n == 1, err
}
