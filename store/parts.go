package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

const noID = `'00000000-0000-0000-0000-000000000000'`

// PartsOf reads the cases whose parent is one of the cases, oldest first.
func (r Reader) PartsOf(ctx context.Context, parents ...domain.ID) ([]domain.Case, error) {
	return queryAll(ctx, r.q, "parts of files", `SELECT `+caseColumns+` FROM cases c
		WHERE c.parent_id = ANY($1) AND c.parent_id <> `+noID+` ORDER BY c.parent_id, c.id`,
		scanCase, parents)
}

// ParentCase is the case whose file was split into parts of which one is Part.
type ParentCase struct {
	Part, Parent domain.ID
	Reference    string // of the parent
}

// ParentsOf reads the parents of those of the cases that are parts.
func (r Reader) ParentsOf(ctx context.Context, parts ...domain.ID) ([]ParentCase, error) {
	return queryAll(ctx, r.q, "parents of parts", `SELECT c.id, p.id, p.reference
		FROM cases c JOIN cases p ON p.id = c.parent_id
		WHERE c.id = ANY($1) AND c.parent_id <> `+noID, pgx.RowToStructByPos[ParentCase], parts)
}

// PagesMoved reports whether the pages of the case belong to other cases: its file was split, or it was
// a part of a file whose parts were merged.
func (r Reader) PagesMoved(ctx context.Context, caseID domain.ID) (bool, error) {
	return queryOne(ctx, r.q, "pages of other cases", `SELECT EXISTS (SELECT FROM cases
			WHERE parent_id = $1 AND parent_id <> `+noID+`)
		OR EXISTS (SELECT FROM cases c JOIN cases m ON m.parent_id = c.parent_id
			WHERE c.id = $1 AND m.id <> c.id AND c.parent_id <> `+noID+`
			AND m.parent_id <> `+noID+` AND m.part @> '{"merged": true}')`,
		pgx.RowTo[bool], caseID)
}
