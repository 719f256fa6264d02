package store

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"countersign/domain"
)

func jsonText(value any) (string, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return "", fmt.Errorf("store: encode rows: %w", err)
	}
	return string(text), nil
}

// writeDocuments adds the parts about the files and what was read of them.
func (s *statement) writeDocuments(changes []*Change) error {
	var filed, read []*domain.Document
	for _, change := range changes {
		if change.Document != nil {
			filed = append(filed, change.Document)
		}
		if change.ReadDocument != nil {
			read = append(read, change.ReadDocument)
		}
	}
	if len(filed) > 0 {
		set := newUnnestRows(s, filed)
		addColumn(set, "case_id", "uuid", func(d **domain.Document) domain.ID { return (*d).CaseID })
		addColumn(set, "id", "uuid", func(d **domain.Document) domain.ID { return (*d).ID })
		addColumn(set, "revision", "int", func(d **domain.Document) int { return (*d).Revision })
		addColumn(set, "file_name", "text", func(d **domain.Document) string { return (*d).FileName })
		addColumn(set, "media_type", "text", func(d **domain.Document) string { return (*d).MediaType })
		addColumn(set, "size", "bigint", func(d **domain.Document) int64 { return (*d).Size })
		addColumn(set, "sha256", "bytea", func(d **domain.Document) []byte { return (*d).SHA256 })
		addColumn(set, "blob_key", "text", func(d **domain.Document) string { return (*d).BlobKey })
		addColumn(set, "created_by", "uuid", func(d **domain.Document) domain.ID { return (*d).CreatedBy })
		addColumn(set, "created_at", "timestamptz", func(d **domain.Document) time.Time { return (*d).CreatedAt })
		s.insertRows("d", "documents", set.names, set.fromClause("x"), "")
	}
	if len(read) > 0 {
		set := newUnnestRows(s, read)
		addColumn(set, "case_id", "uuid", func(d **domain.Document) domain.ID { return (*d).CaseID })
		addColumn(set, "revision", "int", func(d **domain.Document) int { return (*d).Revision })
		addColumn(set, "read_at", "timestamptz", func(d **domain.Document) time.Time { return (*d).ReadAt })
		addColumn(set, "structured_key", "text", func(d **domain.Document) string { return (*d).StructuredKey })
		s.addCTE("dr", `UPDATE %s d SET read_at = x.read_at, structured_key = x.structured_key FROM c JOIN %s ON x.case_id = c.id
			WHERE d.case_id = c.id AND %s AND d.revision = x.revision`, s.partitionOf("documents"), set.fromClause("x"), s.caseIDBounds("d.case_id"))
	}
	return s.writePages(changeRows(changes, func(c *Change) []domain.Page { return c.Pages }))
}

// insertRows adds the insertion of a set's rows whose case was written.
func (s *statement) insertRows(name, table string, columns []string, rows, conflict string) {
	s.addCTE(name, `INSERT INTO %s (%s) SELECT x.%s FROM c JOIN %s ON x.case_id = c.id%s`, table, strings.Join(columns, ", "),
		strings.Join(columns, ", x."), rows, conflict)
}

// onConflictReplace makes an insertion replace the row of the same key: all columns after the first keys ones.
func onConflictReplace(columns []string, keys int) string {
	sets := make([]string, 0, len(columns))
	for _, name := range columns[keys:] {
		sets = append(sets, name+" = excluded."+name)
	}
	return " ON CONFLICT (" + strings.Join(columns[:keys], ", ") + ") DO UPDATE SET " + strings.Join(sets, ", ")
}

// writePages replaces what was read of the same revision before (a retry after a crash).
func (s *statement) writePages(pages []domain.Page) error {
	if len(pages) == 0 {
		return nil
	}
	words := make(map[*domain.Page]string, len(pages))
	for i := range pages {
		list := pages[i].Words
		if list == nil {
			list = []domain.Word{}
		}
		text, err := jsonText(list)
		if err != nil {
			return err
		}
		words[&pages[i]] = text
	}
	set := newUnnestRows(s, pages)
	addColumn(set, "case_id", "uuid", func(p *domain.Page) domain.ID { return p.CaseID })
	addColumn(set, "revision", "int", func(p *domain.Page) int { return p.Revision })
	addColumn(set, "number", "int", func(p *domain.Page) int { return p.Number })
	addColumn(set, "raster_key", "text", func(p *domain.Page) string { return p.RasterKey })
	addColumn(set, "width", "int", func(p *domain.Page) int { return p.Width })
	addColumn(set, "height", "int", func(p *domain.Page) int { return p.Height })
	addColumn(set, "dpi", "int", func(p *domain.Page) int { return p.DPI })
	addColumn(set, "rotation", "int", func(p *domain.Page) int { return p.Rotation })
	addColumn(set, "source", "text", func(p *domain.Page) string { return string(p.Source) })
	addColumn(set, "text", "text", func(p *domain.Page) string { return p.Text })
	addColumn(set, "words", "jsonb", func(p *domain.Page) string { return words[p] })
	s.insertRows("p", "pages", set.names, set.fromClause("x"), onConflictReplace(set.names, 3))
	return nil
}

// caseStage names the findings of one stage of one case.
type caseStage struct {
	caseID domain.ID
	stage  string
}

// findingRow is a finding and where it belongs.
type findingRow struct {
	caseStage
	*domain.Finding
	evidence string
}

// writeFieldsAndFindings adds the parts about fields and findings.
func (s *statement) writeFieldsAndFindings(changes []*Change) error {
	if err := s.writeFields(changes); err != nil {
		return err
	}
	var stages []caseStage
	var rows []findingRow
	for _, change := range changes {
		for i := range change.StageFindings {
			found := &change.StageFindings[i]
			stage := caseStage{change.Case.ID, found.Stage}
			stages = append(stages, stage)
			for j := range found.Findings {
				f := &found.Findings[j]
				evidence := "{}"
				if f.Evidence != nil {
					var err error
					if evidence, err = jsonText(f.Evidence); err != nil {
						return err
					}
				}
				rows = append(rows, findingRow{stage, f, evidence})
			}
		}
	}
	if len(stages) > 0 {
		s.writeFindings(stages, rows)
	}
	return nil
}

// writeFindings replaces what stages had found.
func (s *statement) writeFindings(stages []caseStage, rows []findingRow) {
	set := newUnnestRows(s, rows)
	addColumn(set, "case_id", "uuid", func(f *findingRow) domain.ID { return f.caseID })
	addColumn(set, "stage", "text", func(f *findingRow) string { return f.stage })
	addColumn(set, "rule", "text", func(f *findingRow) string { return f.Rule })
	s.addCTE("hx", "SELECT * FROM %s", set.fromClause("x"))
	of := newUnnestRows(s, stages)
	addColumn(of, "case_id", "uuid", func(f *caseStage) domain.ID { return f.caseID })
	addColumn(of, "stage", "text", func(f *caseStage) string { return f.stage })
	s.addCTE("hd", `DELETE FROM %s f USING c JOIN %s ON o.case_id = c.id WHERE f.case_id = c.id AND %s AND f.stage = o.stage
		AND NOT EXISTS (SELECT FROM hx WHERE hx.case_id = f.case_id AND hx.stage = f.stage AND hx.rule = f.rule)`,
		s.partitionOf("findings"), of.fromClause("o"), s.caseIDBounds("f.case_id"))
	if len(rows) == 0 {
		return
	}
	addColumn(set, "rule_version", "int", func(f *findingRow) int { return f.RuleVersion })
	addColumn(set, "severity", "text", func(f *findingRow) string { return string(f.Severity) })
	addColumn(set, "score", "int", func(f *findingRow) int { return f.Score })
	addColumn(set, "message", "text", func(f *findingRow) string { return f.Message })
	addColumn(set, "evidence", "jsonb", func(f *findingRow) string { return f.evidence })
	addColumn(set, "revision", "bigint", func(f *findingRow) int64 { return f.Revision })
	addColumn(set, "rule_set", "text", func(f *findingRow) string { return f.RuleSet })
	s.insertRows("h", "findings", set.names, set.fromClause("x"), onConflictReplace(set.names, 3))
}

func (s *statement) writeFields(changes []*Change) error {
	rows := caseValues(changes, func(c *Change) []domain.Field { return c.Fields })
	drop := caseValues(changes, func(c *Change) []domain.FieldSource { return c.DeleteFieldSources })
	boxes := make([]string, len(rows))
	for i := range rows {
		if rows[i].value.Box == nil {
			continue
		}
		var err error
		if boxes[i], err = jsonText(rows[i].value.Box); err != nil {
			return err
		}
	}
	set := newUnnestRows(s, rows)
	if len(rows) > 0 || len(drop) > 0 {
		addColumn(set, "case_id", "uuid", func(f *caseValue[domain.Field]) domain.ID { return f.caseID })
		addColumn(set, "name", "text", func(f *caseValue[domain.Field]) string { return f.value.Name })
	}
	if len(drop) > 0 {
		s.addCTE("fx", "SELECT * FROM %s", set.fromClause("x"))
		dropped := newUnnestRows(s, drop)
		addColumn(dropped, "case_id", "uuid", func(d *caseValue[domain.FieldSource]) domain.ID { return d.caseID })
		addColumn(dropped, "source", "text", func(d *caseValue[domain.FieldSource]) string { return string(d.value) })
		s.addCTE("f0", `DELETE FROM %s f USING c JOIN %s ON d.case_id = c.id WHERE f.case_id = c.id AND %s AND f.source = d.source
			AND NOT EXISTS (SELECT FROM fx WHERE fx.case_id = f.case_id AND fx.name = f.name)`, s.partitionOf("fields"), dropped.fromClause("d"), s.caseIDBounds("f.case_id"))
	}
	if len(rows) == 0 {
		return nil
	}
	addColumn(set, "raw", "text", func(f *caseValue[domain.Field]) string { return f.value.Raw })
	addColumn(set, "normalised", "text", func(f *caseValue[domain.Field]) string { return f.value.Normalised })
	addColumn(set, "page", "int", func(f *caseValue[domain.Field]) int { return f.value.Page })
	addColumn(set, "confidence", "float8", func(f *caseValue[domain.Field]) float64 { return f.value.Confidence })
	addColumn(set, "source", "text", func(f *caseValue[domain.Field]) string { return string(f.value.Source) })
	addColumn(set, "grounded", "bool", func(f *caseValue[domain.Field]) bool { return f.value.Grounded })
	addColumn(set, "revision", "bigint", func(f *caseValue[domain.Field]) int64 { return f.value.Revision })
	addColumn(set, "set_by", "uuid", func(f *caseValue[domain.Field]) domain.ID { return f.value.SetBy })
	i := -1
	addColumn(set, "box", "jsonb", func(*caseValue[domain.Field]) *string {
		if i++; boxes[i] == "" {
			return nil
		}
		return &boxes[i]
	})
	s.insertRows("f1", "fields", set.names, set.fromClause("x"), onConflictReplace(set.names, 2))
	return nil
}

// writeReviewsAndInterests adds the parts about reviews, revoked votes and interests.
func (s *statement) writeReviewsAndInterests(changes []*Change) {
	s.insertReviews(changeRows(changes, func(c *Change) []domain.Review { return c.NewReviews }))
	s.updateReviews(changeRows(changes, func(c *Change) []domain.Review { return c.ReviewUpdates }))
	if fallen := caseValues(changes, func(c *Change) []string { return c.RevokedDuties }); len(fallen) > 0 {
		set := newUnnestRows(s, fallen)
		addColumn(set, "case_id", "uuid", func(f *caseValue[string]) domain.ID { return f.caseID })
		addColumn(set, "duty", "text", func(f *caseValue[string]) string { return f.value })
		s.addCTE("w", `DELETE FROM votes w USING c JOIN %s ON x.case_id = c.id WHERE w.case_id = c.id AND w.duty = x.duty`, set.fromClause("x"))
	}
	if fallen := changeRows(changes, func(c *Change) []domain.Vote { return c.RevokedVotes }); len(fallen) > 0 {
		set := newUnnestRows(s, fallen)
		addColumn(set, "case_id", "uuid", func(v *domain.Vote) domain.ID { return v.CaseID })
		addColumn(set, "review_id", "uuid", func(v *domain.Vote) domain.ID { return v.ReviewID })
		s.addCTE("wv", `DELETE FROM votes w USING c JOIN %s ON x.case_id = c.id WHERE w.case_id = c.id AND w.review_id = x.review_id`, set.fromClause("x"))
	}
	if excluded := changeRows(changes, func(c *Change) []domain.Interest { return c.Interests }); len(excluded) > 0 {
		set := newUnnestRows(s, excluded)
		addColumn(set, "case_id", "uuid", func(i *domain.Interest) domain.ID { return i.CaseID })
		addColumn(set, "person", "uuid", func(i *domain.Interest) domain.ID { return i.Person })
		addColumn(set, "reason", "text", func(i *domain.Interest) string { return string(i.Reason) })
		s.insertRows("i", "case_interests", set.names, set.fromClause("x"), " ON CONFLICT DO NOTHING")
	}
	s.excludePayeeOwners(changes)
}

// insertDecision writes the decision and its votes as statements of their own, before the change: their triggers must see the
// claim, the amount and the limits as they stood when the decider was judged.
func (t *Tx) insertDecision(ctx context.Context, change *Change) error {
	d := change.Decision
	if d == nil {
		return nil
	}
	evidence, err := jsonText(d.Evidence)
	if err != nil {
		return err
	}
	_, err = t.exec(ctx, "decision", `INSERT INTO decisions (case_id, id, review_id, actor, on_behalf_of, verdict, reason, evidence, at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`, change.Case.ID, d.ID, d.ReviewID, d.Actor, d.OnBehalfOf, string(d.Verdict),
		d.Reason, evidence, d.At)
	if err != nil {
		return err
	}
	for _, v := range change.Votes {
		_, err := t.exec(ctx, "vote", `INSERT INTO votes (case_id, duty, person, review_id) VALUES ($1, $2, $3, $4)`,
			change.Case.ID, v.Duty, v.Person, v.ReviewID)
		if err != nil {
			return err
		}
	}
	return nil
}
