package store

import (
	"context"
	"encoding/json"
	"path"
	"slices"
	"strings"
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

// WithSupporting reads which of the cases have supporting documents.
func (r Reader) WithSupporting(ctx context.Context, cases []domain.ID) ([]domain.ID, error) {
	return queryAll(ctx, r.q, "cases with supporting documents", `SELECT DISTINCT case_id
		FROM supporting_documents WHERE case_id = ANY($1)`, pgx.RowTo[domain.ID], cases)
}

// SupportingAfter reports whether a supporting document was added to the case after the time.
func (r Reader) SupportingAfter(ctx context.Context, caseID domain.ID, after time.Time) (bool, error) {
	return queryOne(ctx, r.q, "supporting documents after", `SELECT EXISTS (SELECT FROM supporting_documents
		WHERE case_id = $1 AND created_at > $2)`, pgx.RowTo[bool], caseID, after)
}

// SupportingToRead reads the supporting documents of a case that no later one replaces and that were not
// read yet, in the order of their numbers.
func (r Reader) SupportingToRead(ctx context.Context, caseID domain.ID) ([]domain.SupportingDocument, error) {
	all, err := r.Supporting(ctx, caseID)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	read, err := queryAll(ctx, r.q, "supporting readings", `SELECT number FROM supporting_readings
		WHERE case_id = $1`, pgx.RowTo[int], caseID)
	return slices.DeleteFunc(domain.CurrentSupporting(all),
		func(d domain.SupportingDocument) bool { return slices.Contains(read, d.Number) }), err
}

// Unseen reports whether the case has supporting documents, and no approval or rejection of a person counts. A
// person who escalated a review has decided nothing.
func (r Reader) Unseen(ctx context.Context, caseID domain.ID) (bool, error) {
	return queryOne(ctx, r.q, "unseen documents", `SELECT EXISTS (SELECT FROM supporting_documents
		WHERE case_id = $1) AND NOT EXISTS (SELECT FROM votes v JOIN decisions d ON d.case_id = v.case_id
		AND d.review_id = v.review_id AND d.verdict <> 'escalate' WHERE v.case_id = $1)`, pgx.RowTo[bool], caseID)
}

// SupportingRead reports whether a supporting document was read.
func (r Reader) SupportingRead(ctx context.Context, caseID domain.ID, number int) (bool, error) {
	return queryOne(ctx, r.q, "supporting reading", `SELECT EXISTS (SELECT FROM supporting_readings
		WHERE case_id = $1 AND number = $2)`, pgx.RowTo[bool], caseID, number)
}

// HoldRun keeps the lease of a run until the end of the transaction; LeaseLost if it is no longer valid.
func (t *Tx) HoldRun(ctx context.Context, run domain.StageRun) error {
	_, err := queryOne(ctx, t.q, "hold run", `SELECT true FROM `+t.tableFor("stage_runs", run.CaseID)+`
		WHERE case_id = $1 AND id = $2 AND coalesce(status, '') = 'leased' AND lease_token = $3 FOR SHARE`,
		pgx.RowTo[bool], run.CaseID, run.ID, run.LeaseToken)
	if domain.HasCode(err, domain.NotFound) {
		err = domain.Errorf(domain.LeaseLost, "The work was taken over by another worker.")
	}
	return err
}

// PutSupportingReading writes the pages of a supporting document, which the event of the given number
// records.
func (t *Tx) PutSupportingReading(ctx context.Context, d domain.SupportingDocument, pages []domain.Page,
	event int64) error {
	s := &statement{}
	words, err := pageWords(pages)
	if err != nil {
		return err
	}
	set := pageRows(s, pages, words, "document", func(p *domain.Page) int { return p.Supporting })
	_, err = t.exec(ctx, "supporting reading", `WITH reading AS (
			INSERT INTO supporting_readings (case_id, number, sha256, pages, event_seq)
			SELECT `+s.Arg(d.CaseID)+`, `+s.Arg(d.Number)+`, `+s.Arg(d.SHA256)+`, `+s.Arg(len(pages))+`,
			`+s.Arg(event)+` RETURNING case_id, number
		) INSERT INTO supporting_pages (`+strings.Join(set.Names(), ", ")+`)
			SELECT `+set.List("x")+` FROM `+set.From("x")+`
			JOIN reading r ON r.case_id = x.case_id AND r.number = x.document`, s.Args()...)
	return err
}

// SupportingReadings reads what was read of the supporting documents of cases, without the text.
func (r Reader) SupportingReadings(ctx context.Context, cases ...domain.ID) ([]domain.SupportingReading, error) {
	return queryAll(ctx, r.q, "supporting readings", `SELECT case_id, number, r.sha256, coalesce(r.pages, 0),
		p.numbers, p.keys FROM supporting_readings r FULL JOIN (SELECT case_id, document AS number,
			array_agg(p.number ORDER BY p.number) AS numbers, array_agg(p.raster_key ORDER BY p.number) AS keys
			FROM supporting_pages p WHERE p.case_id = ANY($1) GROUP BY case_id, document) p USING (case_id, number)
		WHERE case_id = ANY($1) ORDER BY case_id, number`,
		func(row pgx.CollectableRow) (domain.SupportingReading, error) {
			var one domain.SupportingReading
			var numbers []int
			var keys []string
			err := row.Scan(&one.CaseID, &one.Number, &one.SHA256, &one.Pages, &numbers, &keys)
			for i, key := range keys {
				image := domain.PageImage{Number: numbers[i]}
				if key != "" {
					image.SHA256 = path.Base(key)
				}
				one.Images = append(one.Images, image)
			}
			return one, err
		}, cases)
}

const supportingPageColumns = `p.case_id, p.document, p.number, p.raster_key, p.width, p.height, p.dpi,
	p.rotation, p.source, p.engine`

func scanSupportingPage(row pgx.CollectableRow) (domain.Page, error) {
	var p domain.Page
	var words []byte
	err := row.Scan(&p.CaseID, &p.Supporting, &p.Number, &p.RasterKey, &p.Width, &p.Height, &p.DPI,
		&p.Rotation, &p.Source, &p.Engine, &p.Text, &words)
	if err != nil {
		return p, err
	}
	return p, json.Unmarshal(words, &p.Words)
}

// SupportingPages reads the pages of the supporting documents of a case, without their text, and how many
// pages each document has that was read.
func (r Reader) SupportingPages(ctx context.Context, caseID domain.ID) ([]domain.Page, map[int]int, error) {
	type reading struct{ number, pages int }
	readings, err := queryAll(ctx, r.q, "supporting readings", `SELECT number, pages FROM supporting_readings
		WHERE case_id = $1`, func(row pgx.CollectableRow) (one reading, err error) {
		return one, row.Scan(&one.number, &one.pages)
	}, caseID)
	if err != nil || len(readings) == 0 {
		return nil, nil, err
	}
	counts := map[int]int{}
	for _, one := range readings {
		counts[one.number] = one.pages
	}
	pages, err := queryAll(ctx, r.q, "supporting pages", `SELECT `+supportingPageColumns+`, '', '[]'::jsonb
		FROM supporting_pages p WHERE p.case_id = $1 ORDER BY p.document, p.number`, scanSupportingPage, caseID)
	return pages, counts, err
}

// SupportingRasterKey reads the blob key of the image of one page of a supporting document.
func (r Reader) SupportingRasterKey(ctx context.Context, caseID domain.ID, document, page int) (string, error) {
	return queryOne(ctx, r.q, "raster", `SELECT raster_key FROM supporting_pages
		WHERE case_id = $1 AND document = $2 AND number = $3`, pgx.RowTo[string], caseID, document, page)
}

// OpenedSupporting reads the numbers of the supporting documents of a case that the person opened, as a
// file or one of its pages.
func (r Reader) OpenedSupporting(ctx context.Context, caseID, person domain.ID) ([]int, error) {
	return queryAll(ctx, r.q, "opened documents", `SELECT DISTINCT split_part(object, '/', 2)::int AS number
		FROM access_log WHERE case_id = $1 AND actor = $2 AND action = $3 AND code = ''
		AND object ~ '^supporting(-page)?/[0-9]{1,3}(/|$)' ORDER BY number`, pgx.RowTo[int], caseID, person, AccessOpen)
}
