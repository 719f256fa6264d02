package store

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

// Role is a stored role.
type Role struct {
	Name        domain.Role
	Description string
	People      int // enabled users with the role
}

// Roles reads every role, the built-in included, by name.
func (r Reader) Roles(ctx context.Context) ([]Role, error) {
	return queryAll(ctx, r.q, "roles",
		`SELECT o.name, o.description, (SELECT count(*) FROM user_roles x
		JOIN users u ON u.id = x.user_id
		WHERE x.role = o.name AND NOT u.disabled)::int FROM roles o ORDER BY o.name`,
		pgx.RowToStructByPos[Role])
}

// RoleDescription reads the description of a role; NotFound if there is none.
func (r Reader) RoleDescription(ctx context.Context, name domain.Role) (string, error) {
	return queryOne(ctx, r.q, "role", `SELECT description FROM roles WHERE name = $1`, pgx.RowTo[string],
		string(name))
}

// PutRole creates a role or changes its description; created reports which.
func (t *Tx) PutRole(ctx context.Context, name domain.Role,
	description string) (created bool, err error) {
	err = t.q.QueryRow(ctx, `INSERT INTO roles (name, description) VALUES ($1, $2)
		ON CONFLICT (name) DO UPDATE SET description = excluded.description
		RETURNING xmax = 0`, string(name), description).Scan(&created)
	return created, translate(err, "put role")
}

// Limits reads every limit row, by role.
func (r Reader) Limits(ctx context.Context) ([]domain.Limit, error) {
	return queryAll(ctx, r.q, "limits", `SELECT role, document_type, action, unlimited, base_minor
		FROM limits ORDER BY role, action, document_type`,
		pgx.RowToStructByPos[domain.Limit])
}

// DeleteLimit deletes a limit, and with it the right to decide; false if there was none.
func (t *Tx) DeleteLimit(ctx context.Context, role domain.Role, action domain.Action,
	documentType string) (bool, error) {
	n, err := t.exec(ctx, "drop limit", `DELETE FROM limits WHERE role = $1 AND action = $2
		AND document_type = $3`,
		string(role), string(action), documentType)
	return n == 1, err
}

// PolicyRow is one version of the policy.
type PolicyRow struct {
	Version    int64
	Rules      json.RawMessage
	CreatedBy  domain.ID // the publisher; the system for the built-in policy
	CreatedAt  time.Time
	ProposalID domain.ID // NoID for the built-in policy
}

const policyColumns = `version, rules, created_by, created_at,
	coalesce(proposal_id, '00000000-0000-0000-0000-000000000000')`

// PolicyVersion reads one version of the policy.
func (r Reader) PolicyVersion(ctx context.Context, version int64) (PolicyRow, error) {
	return queryOne(ctx, r.q, "policy", `SELECT `+policyColumns+` FROM policies WHERE version = $1`,
		pgx.RowToStructByPos[PolicyRow], version)
}

// Policies reads the versions of the policy before the given one (0 = from the newest), newest
// first.
func (r Reader) Policies(ctx context.Context, before int64, limit int) ([]PolicyRow, error) {
	return queryAll(ctx, r.q, "policies", `SELECT `+policyColumns+` FROM policies WHERE $1 = 0
		OR version < $1 ORDER BY version DESC LIMIT $2`,
		pgx.RowToStructByPos[PolicyRow], before, limit)
}

// PublishPolicy adds the version of a published proposal.
func (t *Tx) PublishPolicy(ctx context.Context, version int64, rules json.RawMessage,
	by, proposal domain.ID) error {
	_, err := t.exec(ctx, "publish policy",
		`INSERT INTO policies (version, rules, created_by, proposal_id) VALUES ($1, $2, $3, $4)`,
		version, string(rules), by, proposal)
	return err
}
