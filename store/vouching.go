package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

// VouchForUser records who made the account or its way to sign in, from now on.
func (t *Tx) VouchForUser(ctx context.Context, user domain.ID, by ...domain.ID) error {
	_, err := t.exec(ctx, "vouch for user", `UPDATE users SET vouched_by = $2, vouched_at = clock(),
		signed_up_at = NULL WHERE id = $1`, user, by)
	return err
}

// DependentUsers reports whether one of two people made the other's account or way to sign in, and
// the person has not signed up alone since then, or did so less than the period ago.
func (r Reader) DependentUsers(ctx context.Context, one, other domain.ID, period time.Duration) (bool,
	error) {
	return queryOne(ctx, r.q, "dependent users", `SELECT EXISTS (SELECT FROM users u
		WHERE (u.id IN (SELECT accounts_of($1)) AND u.vouched_by && ARRAY(SELECT accounts_of($2))
			OR u.id IN (SELECT accounts_of($2)) AND u.vouched_by && ARRAY(SELECT accounts_of($1)))
		AND (u.signed_up_at IS NULL OR u.signed_up_at > clock() - make_interval(secs => $3)))`,
		pgx.RowTo[bool], one, other, period.Seconds())
}

// SamePerson reports whether two accounts belong to one person.
func (r Reader) SamePerson(ctx context.Context, one, other domain.ID) (bool, error) {
	if one == other {
		return true, nil
	}
	return queryOne(ctx, r.q, "same person", `SELECT same_person($1, $2)`, pgx.RowTo[bool], one, other)
}

// SignInLink is a link by which a person chooses their password.
type SignInLink struct {
	TokenHash []byte
	User      domain.ID
	Proposal  domain.ID
	Lifetime  time.Duration
}

// AddSignInLink stores a link and ends the earlier ones of the person. It returns when it expires.
func (t *Tx) AddSignInLink(ctx context.Context, link SignInLink) (time.Time, error) {
	if _, err := t.exec(ctx, "sign-in links", `DELETE FROM sign_in_links WHERE user_id = $1
		AND used_at IS NULL`, link.User); err != nil {
		return time.Time{}, err
	}
	return queryOne(ctx, t.q, "sign-in link", `INSERT INTO sign_in_links (token_hash, user_id,
		proposal_id, expires_at) VALUES ($1, $2, $3, clock() + make_interval(secs => $4))
		RETURNING expires_at`, pgx.RowTo[time.Time], link.TokenHash, link.User, link.Proposal,
		link.Lifetime.Seconds())
}

// SignInLinkUser reads whose link it is; NotFound if it is unknown, used or expired, or the account is
// disabled.
func (r Reader) SignInLinkUser(ctx context.Context, tokenHash []byte) (domain.ID, error) {
	return queryOne(ctx, r.q, "sign-in link", `SELECT l.user_id FROM sign_in_links l
		JOIN users u ON u.id = l.user_id AND NOT u.disabled
		WHERE l.token_hash = $1 AND l.used_at IS NULL AND l.expires_at > clock()`,
		pgx.RowTo[domain.ID], tokenHash)
}

// UseSignInLink marks a link as used and the person as signed up; NotFound if another request used it.
func (t *Tx) UseSignInLink(ctx context.Context, tokenHash []byte) error {
	n, err := t.exec(ctx, "use sign-in link", `WITH l AS (UPDATE sign_in_links SET used_at = clock()
		WHERE token_hash = $1 AND used_at IS NULL AND expires_at > clock() RETURNING user_id)
		UPDATE users SET signed_up_at = clock() FROM l WHERE users.id = l.user_id`, tokenHash)
	if err == nil && n == 0 {
		err = translate(pgx.ErrNoRows, "sign-in link")
	}
	return err
}
