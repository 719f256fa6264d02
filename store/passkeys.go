package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/audit"
	"countersign/domain"
)

const passkeyColumns = `id, user_id, name, relying_party, credential_id, public_key, algorithm, aaguid,
	sign_count, synced, at, used_at, removed_at`

func scanPasskey(row pgx.CollectableRow) (domain.Passkey, error) {
	var p domain.Passkey
	var used, removed *time.Time
	err := row.Scan(&p.ID, &p.UserID, &p.Name, &p.RelyingParty, &p.CredentialID, &p.PublicKey,
		&p.Algorithm, &p.AAGUID, &p.SignCount, &p.Synced, &p.At, &used, &removed)
	p.At = p.At.UTC()
	if used != nil {
		p.UsedAt = used.UTC()
	}
	if removed != nil {
		p.RemovedAt = removed.UTC()
	}
	return p, err
}

// PasskeysOf reads the active passkeys of a person, the oldest first.
func (r Reader) PasskeysOf(ctx context.Context, user domain.ID) ([]domain.Passkey, error) {
	return queryAll(ctx, r.q, "passkeys", `SELECT `+passkeyColumns+` FROM passkeys
		WHERE user_id = $1 AND removed_at IS NULL ORDER BY at, id`, scanPasskey, user)
}

// Passkeys reads passkeys, removed ones included.
func (r Reader) Passkeys(ctx context.Context, ids []domain.ID) ([]domain.Passkey, error) {
	return queryAll(ctx, r.q, "passkeys", `SELECT `+passkeyColumns+` FROM passkeys
		WHERE id = ANY($1) ORDER BY id`, scanPasskey, ids)
}

// AllPasskeys reads all passkeys, removed ones included.
func (r Reader) AllPasskeys(ctx context.Context) ([]domain.Passkey, error) {
	return queryAll(ctx, r.q, "passkeys", `SELECT `+passkeyColumns+` FROM passkeys ORDER BY id`,
		scanPasskey)
}

// PasskeyByCredential reads the active passkey of a credential; NotFound if there is none.
func (r Reader) PasskeyByCredential(ctx context.Context, credentialID []byte) (domain.Passkey, error) {
	return queryOne(ctx, r.q, "passkey", `SELECT `+passkeyColumns+` FROM passkeys
		WHERE credential_id = $1 AND removed_at IS NULL`, scanPasskey, credentialID)
}

// ActiveCredentials reads the credentials of all active passkeys, at most limit, so that an
// authenticator that holds one of them registers no second person.
func (r Reader) ActiveCredentials(ctx context.Context, limit int) ([][]byte, error) {
	return queryAll(ctx, r.q, "credentials", `SELECT credential_id FROM passkeys
		WHERE removed_at IS NULL ORDER BY at DESC LIMIT $1`, pgx.RowTo[[]byte], limit)
}

// PasskeyRecorded reports whether a checkpoint has the registration of the passkey, or no log of
// checkpoints exists.
func (r Reader) PasskeyRecorded(ctx context.Context, id domain.ID) (bool, error) {
	return queryOne(ctx, r.q, "passkey in checkpoint", `SELECT NOT EXISTS (SELECT FROM checkpoint_logs)
		OR EXISTS (SELECT FROM checkpoint_leaves WHERE kind = $2 AND item = $1)`, pgx.RowTo[bool], id,
		audit.LeafPasskey)
}

// AddPasskey stores a passkey. Its credential or key may exist once: InvalidInput otherwise.
func (t *Tx) AddPasskey(ctx context.Context, p domain.Passkey) error {
	n, err := t.exec(ctx, "passkey", `INSERT INTO passkeys (id, user_id, name, relying_party,
			credential_id, public_key, algorithm, aaguid, sign_count, synced, at, proof)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, coalesce(nullif($12, ''), 'password')) ON CONFLICT DO NOTHING`, p.ID, p.UserID,
		p.Name, p.RelyingParty, p.CredentialID, p.PublicKey, p.Algorithm, p.AAGUID, p.SignCount,
		p.Synced, p.At, string(p.Proof))
	if err == nil && n == 0 {
		err = domain.Invalid("", "This passkey is already registered.").
			WithRemedy("Use another authenticator: one belongs to one person.")
	}
	return err
}

// UsePasskey records a use of an active passkey and the counter of its authenticator. It reports
// false if the passkey was removed, or if the counter did not grow although the authenticator counts,
// which shows that the key was copied.
func (t *Tx) UsePasskey(ctx context.Context, id domain.ID, count uint32) (bool, error) {
	n, err := t.exec(ctx, "use of passkey", `UPDATE passkeys SET sign_count = $2, used_at = clock()
		WHERE id = $1 AND removed_at IS NULL AND (sign_count < $2 OR sign_count = 0 AND $2 = 0)`, id, count)
	return n == 1, err
}

// RemovePasskey ends a passkey of a person; NotFound if it is none of theirs or was removed.
func (t *Tx) RemovePasskey(ctx context.Context, user, id domain.ID) (domain.Passkey, error) {
	return queryOne(ctx, t.q, "passkey", `UPDATE passkeys SET removed_at = clock()
		WHERE id = $1 AND user_id = $2 AND removed_at IS NULL RETURNING `+passkeyColumns, scanPasskey,
		id, user)
}

// PasskeyChallenge is a challenge that an authenticator is asked to sign.
type PasskeyChallenge struct {
	Challenge string // base64url
	Purpose   string
	User      domain.ID // NoID before the person is known
	Data      []byte    // JSON
}

// AddChallenge stores a challenge for a time, and deletes expired ones.
func (t *Tx) AddChallenge(ctx context.Context, c PasskeyChallenge, lifetime time.Duration) error {
	if _, err := t.exec(ctx, "expired challenges",
		`DELETE FROM passkey_challenges WHERE expires_at <= clock()`); err != nil {
		return err
	}
	_, err := t.exec(ctx, "challenge", `INSERT INTO passkey_challenges (challenge, purpose, user_id, data,
		expires_at) VALUES ($1, $2, $3, $4, clock() + make_interval(secs => $5))`, c.Challenge, c.Purpose,
		c.User, c.Data, lifetime.Seconds())
	return err
}

// TakeChallenge deletes and returns a challenge; NotFound if it does not exist, was used or expired.
func (t *Tx) TakeChallenge(ctx context.Context, challenge, purpose string, user domain.ID) ([]byte,
	error) {
	return queryOne(ctx, t.q, "challenge", `DELETE FROM passkey_challenges WHERE challenge = $1
		AND purpose = $2 AND user_id = $3 AND expires_at > clock() RETURNING data`, pgx.RowTo[[]byte],
		challenge, purpose, user)
}
