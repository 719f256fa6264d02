package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

// SetupEnd reads when the setup of the installation ends; zero while there never were two administrators.
func (r Reader) SetupEnd(ctx context.Context) (time.Time, error) {
	at, err := queryOne(ctx, r.q, "setup", `SELECT ends_at FROM installation_setup`, pgx.RowTo[*time.Time])
	return timeOrZero(at), err
}

// EndSetup records when the setup ends; the first time counts.
func (t *Tx) EndSetup(ctx context.Context, after time.Duration) error {
	_, err := t.exec(ctx, "end setup", `UPDATE installation_setup
		SET ends_at = clock() + make_interval(secs => $1) WHERE ends_at IS NULL`, after.Seconds())
	return err
}

func timeOrZero(at *time.Time) time.Time {
	if at == nil {
		return time.Time{}
	}
	return at.UTC()
}

// AddOperatorKey adds the key of an operator.
func (t *Tx) AddOperatorKey(ctx context.Context, key domain.OperatorKey) error {
	_, err := t.exec(ctx, "operator key", `INSERT INTO operator_keys (id, name, public_key)
		VALUES ($1, $2, $3)`, key.ID, key.Name, []byte(key.PublicKey))
	if err != nil && (uniqueViolation(err, "operator_keys_name_key") ||
		uniqueViolation(err, "operator_keys_public_key_key")) {
		return domain.Invalid("name", "This key or another one with the name %s is enrolled already.", key.Name)
	}
	return err
}

// RevokeOperatorKey ends a key; false if there is no valid one with the name.
func (t *Tx) RevokeOperatorKey(ctx context.Context, name string) (bool, error) {
	n, err := t.exec(ctx, "revoke operator key", `UPDATE operator_keys SET revoked_at = clock()
		WHERE name = $1 AND revoked_at IS NULL`, name)
	return n == 1, err
}

// OperatorKeys reads the keys of operators by name, also the revoked ones.
func (r Reader) OperatorKeys(ctx context.Context) ([]domain.OperatorKey, error) {
	return queryAll(ctx, r.q, "operator keys", `SELECT id, name, public_key, enrolled_at, revoked_at
		FROM operator_keys ORDER BY name`, func(row pgx.CollectableRow) (domain.OperatorKey, error) {
		var key domain.OperatorKey
		var revoked *time.Time
		err := row.Scan(&key.ID, &key.Name, (*[]byte)(&key.PublicKey), &key.EnrolledAt, &revoked)
		key.EnrolledAt, key.RevokedAt = key.EnrolledAt.UTC(), timeOrZero(revoked)
		return key, err
	})
}

const breakGlassColumns = `b.id, b.command, b.subject, coalesce(b.person, '00000000-0000-0000-0000-000000000000'),
	b.document, b.undo, b.before, b.after, b.reason, b.status, b.requested_at, b.effect_at,
	extract(epoch FROM b.lifetime)::float8, b.effective_at, b.expires_at, b.ended_at, b.reviewed_at,
	ARRAY(SELECT k.name FROM break_glass_signatures s JOIN operator_keys k ON k.id = s.key_id
		WHERE s.request_id = b.id AND k.revoked_at IS NULL ORDER BY k.name),
	ARRAY(SELECT v.reviewer FROM break_glass_reviews v WHERE v.request_id = b.id ORDER BY v.at)`

func scanBreakGlass(row pgx.CollectableRow) (domain.BreakGlass, error) {
	var b domain.BreakGlass
	var seconds float64
	var effective, expires, ended, reviewed *time.Time
	err := row.Scan(&b.ID, &b.Command, &b.Subject, &b.Person, &b.Document, &b.Undo, &b.Before, &b.After,
		&b.Reason, &b.Status, &b.RequestedAt, &b.EffectAt, &seconds, &effective, &expires, &ended, &reviewed,
		&b.SignedBy, &b.Reviewers)
	b.Lifetime = time.Duration(seconds * float64(time.Second))
	b.RequestedAt, b.EffectAt = b.RequestedAt.UTC(), b.EffectAt.UTC()
	b.EffectiveAt, b.ExpiresAt = timeOrZero(effective), timeOrZero(expires)
	b.EndedAt, b.ReviewedAt = timeOrZero(ended), timeOrZero(reviewed)
	return b, err
}

// BreakGlass reads a request of the operator; NotFound if there is none.
func (r Reader) BreakGlass(ctx context.Context, id domain.ID) (domain.BreakGlass, error) {
	return queryOne(ctx, r.q, "break glass", `SELECT `+breakGlassColumns+` FROM break_glass b
		WHERE b.id = $1`, scanBreakGlass, id)
}

// LockBreakGlass is BreakGlass with the row locked.
func (t *Tx) LockBreakGlass(ctx context.Context, id domain.ID) (domain.BreakGlass, error) {
	return queryOne(ctx, t.q, "break glass", `SELECT `+breakGlassColumns+` FROM break_glass b
		WHERE b.id = $1 FOR UPDATE OF b`, scanBreakGlass, id)
}

// BreakGlasses reads the newest requests of the operator; onlyOpen leaves out those that need no person.
func (r Reader) BreakGlasses(ctx context.Context, onlyOpen bool, limit int) ([]domain.BreakGlass, error) {
	return queryAll(ctx, r.q, "break glass", `SELECT `+breakGlassColumns+` FROM break_glass b
		WHERE NOT $1 OR b.status = 'requested' OR b.status <> 'withdrawn' AND b.reviewed_at IS NULL
		ORDER BY b.requested_at DESC LIMIT $2`, scanBreakGlass, onlyOpen, limit)
}

// DueBreakGlass returns the requests whose delay has passed or that expire now.
func (r Reader) DueBreakGlass(ctx context.Context) ([]domain.ID, error) {
	return queryAll(ctx, r.q, "due break glass", `SELECT id FROM break_glass
		WHERE status = 'requested' AND effect_at <= clock()
		OR status = 'in_effect' AND expires_at <= clock() ORDER BY requested_at LIMIT 20`,
		pgx.RowTo[domain.ID])
}

// AddBreakGlass adds a request of the operator.
func (t *Tx) AddBreakGlass(ctx context.Context, b domain.BreakGlass) error {
	var person *domain.ID
	if b.Person != domain.NoID {
		person = &b.Person
	}
	_, err := t.exec(ctx, "break glass", `INSERT INTO break_glass (id, command, subject, person, document,
		before, after, reason, requested_at, effect_at, lifetime)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, clock(), $9, make_interval(secs => $10))`, b.ID,
		string(b.Command), b.Subject, person, b.Document, b.Before, b.After, b.Reason, b.EffectAt,
		b.Lifetime.Seconds())
	return err
}

// SignBreakGlass adds the signature of a key; false if it signed before.
func (t *Tx) SignBreakGlass(ctx context.Context, request, key domain.ID, signature []byte) (bool, error) {
	n, err := t.exec(ctx, "sign break glass", `INSERT INTO break_glass_signatures
		(request_id, key_id, signature) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`, request, key, signature)
	return n == 1, err
}

// PutBreakGlassInEffect records that the request took effect, and what is taken back, when. A zero time
// means never.
func (t *Tx) PutBreakGlassInEffect(ctx context.Context, id, person domain.ID, undo string,
	expires time.Time) error {
	var until *time.Time
	if !expires.IsZero() {
		until = &expires
	}
	_, err := t.exec(ctx, "break glass in effect", `UPDATE break_glass SET status = 'in_effect',
		effective_at = clock(), undo = $2, expires_at = $3,
		person = coalesce(person, nullif($4, '00000000-0000-0000-0000-000000000000'::uuid)) WHERE id = $1`,
		id, undo, until, person)
	return err
}

// EndBreakGlass withdraws a request or ends its effect.
func (t *Tx) EndBreakGlass(ctx context.Context, id domain.ID, status domain.BreakGlassStatus) error {
	_, err := t.exec(ctx, "end break glass", `UPDATE break_glass SET status = $2, ended_at = clock()
		WHERE id = $1`, id, string(status))
	return err
}

// ReviewBreakGlass adds a review, and completes the reviews if it was the last one that is needed.
func (t *Tx) ReviewBreakGlass(ctx context.Context, id, reviewer domain.ID, note string) (reviews int, err error) {
	if _, err := t.exec(ctx, "review break glass", `INSERT INTO break_glass_reviews
		(request_id, reviewer, note) VALUES ($1, $2, $3)`, id, reviewer, note); err != nil {
		return 0, err
	}
	reviews, err = queryOne(ctx, t.q, "reviews", `SELECT count(*) FROM break_glass_reviews
		WHERE request_id = $1`, pgx.RowTo[int], id)
	if err != nil || reviews < domain.BreakGlassReviewers {
		return reviews, err
	}
	_, err = t.exec(ctx, "reviewed", `UPDATE break_glass SET reviewed_at = clock() WHERE id = $1
		AND reviewed_at IS NULL`, id)
	return reviews, err
}

// PasswordHash reads the hash of a person's password; "" if there is none.
func (r Reader) PasswordHash(ctx context.Context, user domain.ID) (string, error) {
	return queryOne(ctx, r.q, "password hash", `SELECT password_hash FROM users WHERE id = $1`,
		pgx.RowTo[string], user)
}

// RestorePasswordHash sets the hash of a person's password, also to none; false if the person has chosen one
// by a link since the given time.
func (t *Tx) RestorePasswordHash(ctx context.Context, user domain.ID, hash string, since time.Time) (bool, error) {
	n, err := t.exec(ctx, "restore password", `UPDATE users SET password_hash = $2, version = version + 1
		WHERE id = $1 AND (signed_up_at IS NULL OR signed_up_at < $3)`, user, hash, since)
	return n == 1, err
}

// RevokeTokensSince revokes the API tokens that a person made since a time.
func (t *Tx) RevokeTokensSince(ctx context.Context, user domain.ID, since time.Time) error {
	_, err := t.exec(ctx, "revoke tokens", `UPDATE api_tokens SET revoked_at = clock()
		WHERE user_id = $1 AND created_at >= $2 AND revoked_at IS NULL`, user, since)
	return err
}

// KeySignature is the signature of an operator's key that is not revoked.
type KeySignature struct {
	PublicKey []byte
	Signature []byte
}

// BreakGlassSignatures reads the signatures of a request.
func (r Reader) BreakGlassSignatures(ctx context.Context, id domain.ID) ([]KeySignature, error) {
	return queryAll(ctx, r.q, "signatures", `SELECT k.public_key, s.signature FROM break_glass_signatures s
		JOIN operator_keys k ON k.id = s.key_id WHERE s.request_id = $1 AND k.revoked_at IS NULL`,
		pgx.RowToStructByPos[KeySignature], id)
}
