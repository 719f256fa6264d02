package store

import (
	"context"
	"encoding/json"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

// PageImages reads the hashes of the page images that each reading of a case recorded in its event,
// the newest reading first. Readings by programs that did not record them are left out.
func (r Reader) PageImages(ctx context.Context, caseID domain.ID) ([][]string, error) {
	return queryAll(ctx, r.q, "page images", `SELECT images FROM (
		SELECT seq, body::jsonb #> '{summary,pageImages}' AS images
		FROM `+r.tableFor("events", caseID)+` WHERE case_id = $1 AND type = $2 AND body <> '') e
		WHERE images IS NOT NULL ORDER BY seq DESC`, func(row pgx.CollectableRow) ([]string, error) {
		var hashes []string
		var list []byte
		if err := row.Scan(&list); err != nil {
			return nil, err
		}
		return hashes, json.Unmarshal(list, &hashes)
	}, caseID, domain.StageCompleted)
}

// PagesWithoutWords reads the pages of one revision in order, without their text.
func (r Reader) PagesWithoutWords(ctx context.Context, caseID domain.ID,
	revision int) ([]domain.Page, error) {
	return queryAll(ctx, r.q, "pages without words", `SELECT `+pageHeadColumns+`, '', '[]'::jsonb
		FROM `+r.tableFor("pages", caseID)+` p WHERE case_id = $1 AND revision = $2 ORDER BY number`,
		scanPage, caseID, revision)
}

// Page reads one page with its words.
func (r Reader) Page(ctx context.Context, caseID domain.ID, revision,
	number int) (domain.Page, error) {
	return queryOne(ctx, r.q, "page", `SELECT `+pageColumns+`
		FROM `+r.tableFor("pages", caseID)+` p WHERE case_id = $1 AND revision = $2 AND number = $3`,
		scanPage, caseID, revision, number)
}
