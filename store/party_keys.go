package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

// KeyedParty is a party with its stored key.
type KeyedParty struct {
	ID  domain.ID
	Key string
}

// HasOlderKeys reports whether a party has a key of an older form.
func (r Reader) HasOlderKeys(ctx context.Context) (bool, error) {
	return queryOne(ctx, r.q, "older keys",
		`SELECT EXISTS (SELECT FROM parties WHERE key_form = 0)`, pgx.RowTo[bool])
}

// LockOlderKeys reads parties with a key of an older form FOR UPDATE, oldest first.
func (t *Tx) LockOlderKeys(ctx context.Context, limit int) ([]KeyedParty, error) {
	return queryAll(ctx, t.q, "older keys", `SELECT id, key FROM parties WHERE key_form = 0
		ORDER BY created_at, id LIMIT $1 FOR UPDATE`,
		pgx.RowToStructByPos[KeyedParty], limit)
}

// Rekey sets the party's key in the current form; false if another party has that key.
func (t *Tx) Rekey(ctx context.Context, party domain.ID, key string) (bool, error) {
	n, err := t.exec(ctx, "rekey", `UPDATE parties SET key = $2, key_form = 1 WHERE id = $1
		AND NOT EXISTS (SELECT FROM parties WHERE key = $2 AND id <> $1)`, party, key)
	return n == 1, err
}

// FoldParty merges a party into another: the party joins the other's group, and its conflicts,
// cases and reviews become the other's. The row stays under its old key, because events refer to
// it. A conflict that the person already has with the other party is not moved.
func (t *Tx) FoldParty(ctx context.Context, party, into domain.ID) error {
	for _, part := range []struct{ op, sql string }{
		// one statement changes the group and the form; a trigger refuses the group alone
		{"fold group", `UPDATE parties SET group_id = (SELECT group_id FROM parties WHERE id = $2),
			key_form = CASE WHEN id = $1 THEN 1 ELSE key_form END
			WHERE group_id = (SELECT group_id FROM parties WHERE id = $1)`},
		{"fold conflicts", `UPDATE conflicts k SET party_id = $2 WHERE party_id = $1
			AND ended_at IS NULL
			AND NOT EXISTS (SELECT FROM conflicts o WHERE o.person = k.person AND o.party_id = $2
			AND o.ended_at IS NULL)`},
		{"fold cases", `UPDATE cases SET party_id = $2 WHERE party_id = $1`},
		{"fold reviews", `UPDATE reviews SET party_id = $2 WHERE party_id = $1
			AND case_id IN (SELECT id FROM cases WHERE party_id = $2)`},
	} {
		if _, err := t.exec(ctx, part.op, part.sql, party, into); err != nil {
			return err
		}
	}
	return nil
}
