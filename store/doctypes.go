package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

// DocumentTypeRow is one published version of a document type.
type DocumentTypeRow struct {
	Key         string
	Version     int
	Document    string
	PublishedBy domain.ID
	PublishedAt time.Time
	ProposalID  domain.ID // NoID for built-in versions
}

const documentTypeColumns = `key, version, document, published_by, published_at,
	coalesce(proposal_id, '00000000-0000-0000-0000-000000000000')`

// DocumentTypes reads every published version, by key, newest first.
func (r Reader) DocumentTypes(ctx context.Context) ([]DocumentTypeRow, error) {
	return queryAll(ctx, r.q, "document types", `SELECT `+documentTypeColumns+` FROM document_types
		ORDER BY key, version DESC`, pgx.RowToStructByPos[DocumentTypeRow])
}

// DocumentType reads one published version; NotFound if there is none.
func (r Reader) DocumentType(
	ctx context.Context, key string, version int,
) (DocumentTypeRow, error) {
	return queryOne(ctx, r.q, "document type", `SELECT `+documentTypeColumns+`
		FROM document_types WHERE key = $1 AND version = $2`,
		pgx.RowToStructByPos[DocumentTypeRow], key, version)
}

// NewestDocumentType returns the newest published version of a document type, 0 for none.
func (r Reader) NewestDocumentType(ctx context.Context, key string) (int, error) {
	var version int
	err := r.q.QueryRow(ctx, `SELECT coalesce(max(version), 0) FROM document_types
		WHERE key = $1`, key).Scan(&version)
	return version, translate(err, "newest document type")
}

// PublishDocumentType adds a version; false if the version already exists.
func (t *Tx) PublishDocumentType(ctx context.Context, row DocumentTypeRow) (bool, error) {
	n, err := t.exec(ctx, "publish document type",
		`INSERT INTO document_types (key, version, document, published_by, proposal_id)
		VALUES ($1, $2, $3, $4, nullif($5, '00000000-0000-0000-0000-000000000000'::uuid))
		ON CONFLICT DO NOTHING`,
		row.Key, row.Version, row.Document, row.PublishedBy, row.ProposalID)
	return n == 1, err
}
