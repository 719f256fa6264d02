package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

// TrustedProxies are the networks whose hosts report the address of a client. Version 0: none were set yet.
type TrustedProxies struct {
	Version  int
	Networks []string
	SetBy    domain.ID
	Proposal domain.ID // NoID if no one confirmed it
	At       time.Time
}

// TrustedProxies reads the present ones.
func (r Reader) TrustedProxies(ctx context.Context) (TrustedProxies, error) {
	found, err := queryAll(ctx, r.q, "trusted proxies", `SELECT version, networks, set_by,
		coalesce(proposal_id, '00000000-0000-0000-0000-000000000000'), at FROM trusted_proxies
		ORDER BY version DESC LIMIT 1`, pgx.RowToStructByPos[TrustedProxies])
	if err != nil || len(found) == 0 {
		return TrustedProxies{Networks: []string{}}, err
	}
	found[0].At = found[0].At.UTC()
	return found[0], nil
}

// AddTrustedProxies adds the next version.
func (t *Tx) AddTrustedProxies(ctx context.Context, p TrustedProxies) error {
	_, err := t.exec(ctx, "trusted proxies", `INSERT INTO trusted_proxies (version, networks, set_by, proposal_id)
		VALUES ($1, $2, $3, nullif($4, '00000000-0000-0000-0000-000000000000'::uuid))`, p.Version,
		append([]string{}, p.Networks...), p.SetBy, p.Proposal)
	return err
}
