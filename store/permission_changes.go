package store

import (
	"context"
	"time"

	"countersign/domain"
)

// PermissionChanges count what the log has about people and what they may do.
type PermissionChanges struct {
	// People are those who were added, or whose roles, queues, limits or access changed.
	People int
	// Permissions are changes of limits, roles and the policy.
	Permissions int
}

// PermissionChangesSince counts the changes since a time.
func (r Reader) PermissionChangesSince(ctx context.Context, since time.Time) (PermissionChanges, error) {
	var found PermissionChanges
	err := r.q.QueryRow(ctx, `SELECT count(DISTINCT nullif(e.body, '')::jsonb ->> 'userId') FILTER (WHERE e.case_id = $1),
			count(*) FILTER (WHERE e.case_id = $2)
		FROM events e WHERE e.at >= $3 AND (e.case_id = $1 AND (e.type = 'user.created'
			OR e.type = 'user.changed' AND nullif(e.body, '')::jsonb -> 'changed' ?| '{roles,queues,limits,disabled}')
		OR e.case_id = $2 AND e.type IN ('limit.changed', 'role.defined', 'policy.published'))`,
		domain.PeopleStream.ID, domain.PolicyStream.ID, since).Scan(&found.People, &found.Permissions)
	return found, translate(err, "permission changes")
}
