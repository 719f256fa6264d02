package store

import (
	"context"
	"encoding/json"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

// KeptFile identifies the file whose pages an attempt keeps, and what reads it. A page that was kept of
// another file, revision or reader is not used.
type KeptFile struct {
	CaseID     domain.ID
	Supporting int // the number of the supporting document; 0 for the document
	Revision   int // of the document; 0 for a supporting document
	SHA256     []byte
	Reader     string
}

// KeptPage is a page that an attempt has read, numbered as in the file. Hash is the perceptual hash of the
// first page, 0 for others.
type KeptPage struct {
	Page domain.Page
	Hash uint64 `json:",string"`
}

// KeptPages reads the pages that earlier attempts kept of the file, in the order of their numbers.
func (r Reader) KeptPages(ctx context.Context, of KeptFile) ([]KeptPage, error) {
	return queryAll(ctx, r.q, "kept pages", `SELECT number, raster_key, page FROM kept_pages
		WHERE case_id = $1 AND document = $2 AND revision = $3 AND sha256 = $4 AND reader = $5
		ORDER BY number`, func(row pgx.CollectableRow) (KeptPage, error) {
		var kept KeptPage
		var number int
		var key, text string
		if err := row.Scan(&number, &key, &text); err != nil {
			return kept, err
		}
		err := json.Unmarshal([]byte(text), &kept)
		kept.Page.Number, kept.Page.RasterKey = number, key
		return kept, err
	}, of.CaseID, of.Supporting, of.Revision, of.SHA256, of.Reader)
}

// KeepPage keeps a page under the lease of a run, and reports whether it did: not without the lease, and
// not if the page is kept already.
func (t *Tx) KeepPage(ctx context.Context, run domain.StageRun, of KeptFile, kept KeptPage) (bool, error) {
	text, err := json.Marshal(kept)
	if err != nil {
		return false, err
	}
	n, err := t.exec(ctx, "keep page", `INSERT INTO kept_pages (case_id, document, revision, number, sha256,
		reader, raster_key, page) SELECT $1, $2, $3, $4, $5, $6, $7, $8
		WHERE EXISTS (SELECT FROM `+t.tableFor("stage_runs", run.CaseID)+` WHERE case_id = $1 AND id = $9
			AND coalesce(status, '') = 'leased' AND lease_token = $10) ON CONFLICT DO NOTHING`,
		of.CaseID, of.Supporting, of.Revision, kept.Page.Number, of.SHA256, of.Reader,
		kept.Page.RasterKey, string(text), run.ID, run.LeaseToken)
	return n == 1, err
}

// DropKeptPages removes the kept pages of the file except those with the numbers, under any reader.
func (t *Tx) DropKeptPages(ctx context.Context, of KeptFile, except []int) error {
	_, err := t.exec(ctx, "drop kept pages", `DELETE FROM kept_pages
		WHERE case_id = $1 AND document = $2 AND revision = $3 AND number <> ALL($4)`,
		of.CaseID, of.Supporting, of.Revision, except)
	return err
}
