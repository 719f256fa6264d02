package store

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

// savedViewColumns are read with $1, the person whose default is meant.
const savedViewColumns = `v.id, v.list, v.owner, v.name, v.parameters, v.audience, v.audience_key, v.version,
	v.updated_at, v.updated_by,
	EXISTS (SELECT FROM default_views d WHERE d.person = $1 AND d.view_id = v.id)`

func scanSavedView(row pgx.CollectableRow) (domain.SavedView, error) {
	var v domain.SavedView
	var parameters []byte
	err := row.Scan(&v.ID, &v.List, &v.Owner, &v.Name, &parameters, &v.Audience, &v.AudienceKey, &v.Version,
		&v.UpdatedAt, &v.UpdatedBy, &v.Default)
	if err != nil {
		return v, err
	}
	v.UpdatedAt = v.UpdatedAt.UTC()
	if err := json.Unmarshal(parameters, &v.Parameters); err != nil {
		return v, fmt.Errorf("store: parameters of the view %s: %w", v.ID, err)
	}
	return v, nil
}

// SavedViews reads the views of a list that a person owns or that are shared with them, by name. all reads
// the shared views of every audience.
func (r Reader) SavedViews(ctx context.Context, person *domain.User, list domain.ViewList, all bool) (
	[]domain.SavedView, error) {
	roles := make([]string, 0, len(person.Roles))
	for _, role := range person.Roles {
		roles = append(roles, string(role))
	}
	return queryAll(ctx, r.q, "saved views", `SELECT `+savedViewColumns+` FROM saved_views v
		WHERE v.list = $2 AND (v.owner = $1 OR v.audience <> 'personal' AND ($5 OR v.audience = 'everyone'
			OR v.audience = 'role' AND v.audience_key = ANY($3::text[])
			OR v.audience = 'queue' AND v.audience_key = ANY($4::text[])))
		ORDER BY lower(v.name), v.id`, scanSavedView, person.ID, string(list), roles,
		append([]string{}, person.Queues...), all)
}

// LockSavedView reads a view and locks it until the end of the transaction.
func (t *Tx) LockSavedView(ctx context.Context, person, id domain.ID) (domain.SavedView, error) {
	return queryOne(ctx, t.q, "saved view", `SELECT `+savedViewColumns+` FROM saved_views v WHERE v.id = $2
		FOR UPDATE`, scanSavedView, person, id)
}

// SavedViewCounts are the numbers that the bounds of views limit.
type SavedViewCounts struct {
	Own        int64 // views of the owner
	SameName   int64 // of them, other views of the list with the name
	SharedWith int64 // other views of the list with the audience
}

// CountSavedViews counts, beside the view itself, what the bounds limit. It locks the owner's and the
// audience's views against concurrent counts.
func (t *Tx) CountSavedViews(ctx context.Context, v *domain.SavedView) (SavedViewCounts, error) {
	for _, key := range []string{"owner " + v.Owner.String(),
		"with " + string(v.Audience) + " " + v.AudienceKey} {
		if _, err := t.exec(ctx, "saved views", `SELECT pg_advisory_xact_lock(hashtextextended($1, 99))`,
			key); err != nil {
			return SavedViewCounts{}, err
		}
	}
	return queryOne(ctx, t.q, "saved views", `SELECT count(*) FILTER (WHERE owner = $2),
		count(*) FILTER (WHERE owner = $2 AND list = $3 AND lower(name) = lower($4)),
		count(*) FILTER (WHERE list = $3 AND audience = $5 AND audience_key = $6)
		FROM saved_views WHERE id <> $1 AND (owner = $2 OR list = $3 AND audience <> 'personal')`,
		pgx.RowToStructByPos[SavedViewCounts], v.ID, v.Owner, string(v.List), v.Name, string(v.Audience),
		v.AudienceKey)
}

// PutSavedView adds a view, or changes it and raises its version.
func (t *Tx) PutSavedView(ctx context.Context, v *domain.SavedView) error {
	parameters, err := json.Marshal(v.Parameters)
	if err != nil {
		return fmt.Errorf("store: parameters of a view: %w", err)
	}
	v.Version, err = queryOne(ctx, t.q, "saved view", `INSERT INTO saved_views (id, list, owner, name, parameters,
		audience, audience_key, updated_by) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
		ON CONFLICT (id) DO UPDATE SET name = excluded.name, parameters = excluded.parameters,
			audience = excluded.audience, audience_key = excluded.audience_key,
			version = saved_views.version + 1, updated_at = clock(), updated_by = excluded.updated_by
		RETURNING version`, pgx.RowTo[int64], v.ID, string(v.List), v.Owner, v.Name, string(parameters),
		string(v.Audience), v.AudienceKey, v.UpdatedBy)
	return err
}

// DeleteSavedView deletes a view and every default that it is.
func (t *Tx) DeleteSavedView(ctx context.Context, id domain.ID) error {
	_, err := t.exec(ctx, "saved view", `DELETE FROM saved_views WHERE id = $1`, id)
	return err
}

// SetDefaultView sets the view that a person's list opens with; NoID is none.
func (t *Tx) SetDefaultView(ctx context.Context, person domain.ID, list domain.ViewList,
	view domain.ID) error {
	if view == domain.NoID {
		_, err := t.exec(ctx, "default view", `DELETE FROM default_views WHERE person = $1 AND list = $2`, person,
			string(list))
		return err
	}
	_, err := t.exec(ctx, "default view", `INSERT INTO default_views (person, list, view_id)
		VALUES ($1, $2, $3) ON CONFLICT (person, list) DO UPDATE SET view_id = excluded.view_id`, person,
		string(list), view)
	return err
}
