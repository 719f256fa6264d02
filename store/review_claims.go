package store

import (
	"context"
	"slices"

	"countersign/domain"
)

// claimCountLock is the first key of the advisory lock for counting a person's claims; the second is
// derived from the person.
const claimCountLock = 0x0C1A

// LiveClaims counts the reviews that the accounts of one person have claimed, other than the one that is
// to be claimed. Concurrent calls for a person are serialized until the commit, so that together their
// claims cannot exceed a limit. A caller takes no further lock of a case afterwards.
func (t *Tx) LiveClaims(ctx context.Context, accounts []domain.ID, except domain.ID) (int, error) {
	// All accounts of a person have the same first account.
	first := slices.MinFunc(accounts, func(a, b domain.ID) int { return slices.Compare(a[:], b[:]) })
	if _, err := t.exec(ctx, "lock claims", `SELECT pg_advisory_xact_lock($1, hashtext($2::uuid::text))`,
		claimCountLock, first); err != nil {
		return 0, err
	}
	var claims int
	err := t.q.QueryRow(ctx, `SELECT count(*) FROM reviews WHERE assignee = ANY($1) AND id <> $2
		AND status = 'claimed' AND claim_until > clock()`, accounts, except).Scan(&claims)
	return claims, translate(err, "count claims")
}

// ClaimedBy reads the live claims of a person, the earliest deadline first, without those to skip.
func (r Reader) ClaimedBy(ctx context.Context, person domain.ID, skip []domain.ID, limit int) (
	[]domain.Review, error) {
	return queryAll(ctx, r.q, "claimed", `SELECT `+reviewRowColumns+` FROM reviews r
		WHERE r.assignee = $1 AND r.status = 'claimed' AND r.claim_until > (SELECT clock())
		AND r.id <> ALL(coalesce($2::uuid[], '{}')) ORDER BY r.decide_by, r.id LIMIT $3`,
		scanReview, person, skip, limit)
}
