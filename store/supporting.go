package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
	"countersign/store/bulk"
)

// insertSupporting adds the part for supporting documents.
func (s *statement) insertSupporting(added []domain.SupportingDocument) {
	if len(added) == 0 {
		return
	}
	set := bulk.NewRows(&s.Statement, added)
	bulk.Column(set, "case_id", "uuid", func(d *domain.SupportingDocument) domain.ID { return d.CaseID })
	bulk.Column(set, "number", "int", func(d *domain.SupportingDocument) int { return d.Number })
	bulk.Column(set, "kind", "text", func(d *domain.SupportingDocument) string { return d.Kind })
	bulk.Column(set, "replaces", "int", func(d *domain.SupportingDocument) int { return d.Replaces })
	bulk.Column(set, "file_name", "text", func(d *domain.SupportingDocument) string { return d.FileName })
	bulk.Column(set, "media_type", "text", func(d *domain.SupportingDocument) string { return d.MediaType })
	bulk.Column(set, "size", "bigint", func(d *domain.SupportingDocument) int64 { return d.Size })
	bulk.Column(set, "sha256", "bytea", func(d *domain.SupportingDocument) []byte { return d.SHA256 })
	bulk.Column(set, "blob_key", "text", func(d *domain.SupportingDocument) string { return d.BlobKey })
	bulk.Column(set, "created_by", "uuid",
		func(d *domain.SupportingDocument) domain.ID { return d.CreatedBy })
	bulk.Column(set, "created_at", "timestamptz",
		func(d *domain.SupportingDocument) time.Time { return d.CreatedAt })
	s.insertRows("sd", "supporting_documents", set.Names(), set.List("x"), set.From("x"), "")
}

// Supporting reads the supporting documents of cases, also replaced ones, in the order of their numbers.
func (r Reader) Supporting(ctx context.Context, cases ...domain.ID) ([]domain.SupportingDocument, error) {
	return queryAll(ctx, r.q, "supporting documents", `SELECT case_id, number, kind, replaces, file_name,
		media_type, size, sha256, blob_key, created_by, created_at FROM supporting_documents
		WHERE case_id = ANY($1) ORDER BY case_id, number`,
		func(row pgx.CollectableRow) (domain.SupportingDocument, error) {
			var d domain.SupportingDocument
			err := row.Scan(&d.CaseID, &d.Number, &d.Kind, &d.Replaces, &d.FileName, &d.MediaType, &d.Size,
				&d.SHA256, &d.BlobKey, &d.CreatedBy, &d.CreatedAt)
			d.CreatedAt = d.CreatedAt.UTC()
			return d, err
		}, cases)
}

// SupportingAfter reports whether a supporting document was added to the case after the time.
func (r Reader) SupportingAfter(ctx context.Context, caseID domain.ID, after time.Time) (bool, error) {
	return queryOne(ctx, r.q, "supporting documents after", `SELECT EXISTS (SELECT FROM supporting_documents
		WHERE case_id = $1 AND created_at > $2)`, pgx.RowTo[bool], caseID, after)
}
