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

// documents adds the parts about the files and what was read of them.
func (s *statement) documents(changes []*Change) error {
	var filed, read []*domain.Document
	for _, change := range changes {
		if change.Document != nil {
			filed = append(filed, change.Document)
		}
		if change.Read != nil {
			read = append(read, change.Read)
		}
	}
	if len(filed) > 0 {
		set := newRowSet(s, filed)
		column(set, "case_id", "uuid", func(d **domain.Document) domain.ID { return (*d).CaseID })
		column(set, "id", "uuid", func(d **domain.Document) domain.ID { return (*d).ID })
		column(set, "revision", "int", func(d **domain.Document) int { return (*d).Revision })
		column(set, "file_name", "text", func(d **domain.Document) string { return (*d).FileName })
		column(set, "media_type", "text", func(d **domain.Document) string { return (*d).MediaType })
		column(set, "size", "bigint", func(d **domain.Document) int64 { return (*d).Size })
		column(set, "sha256", "bytea", func(d **domain.Document) []byte { return (*d).SHA256 })
		column(set, "blob_key", "text", func(d **domain.Document) string { return (*d).BlobKey })
		column(set, "created_by", "uuid", func(d **domain.Document) domain.ID { return (*d).CreatedBy })
		column(set, "created_at", "timestamptz", func(d **domain.Document) time.Time { return (*d).CreatedAt })
		s.insert("d", "documents", set.names, set.as("x"), "")
	}
	if len(read) > 0 {
		set := newRowSet(s, read)
		column(set, "case_id", "uuid", func(d **domain.Document) domain.ID { return (*d).CaseID })
		column(set, "revision", "int", func(d **domain.Document) int { return (*d).Revision })
		column(set, "read_at", "timestamptz", func(d **domain.Document) time.Time { return (*d).ReadAt })
		column(set, "structured_key", "text", func(d **domain.Document) string { return (*d).StructuredKey })
		s.with("dr", `UPDATE %s d SET read_at = x.read_at, structured_key = x.structured_key FROM c JOIN %s ON x.case_id = c.id
			WHERE d.case_id = c.id AND %s AND d.revision = x.revision`, s.table("documents"), set.as("x"), s.bounds("d.case_id"))
	}
	return s.pages(gathered(changes, func(c *Change) []domain.Page { return c.Pages }))
}

// insert adds the insertion of a set's rows whose case was written.
func (s *statement) insert(name, table string, columns []string, rows, conflict string) {
	s.with(name, `INSERT INTO %s (%s) SELECT x.%s FROM c JOIN %s ON x.case_id = c.id%s`, table, strings.Join(columns, ", "),
		strings.Join(columns, ", x."), rows, conflict)
}

// replacing makes an insertion replace the row of the same key: all columns after the first keys ones.
func replacing(columns []string, keys int) string {
	sets := make([]string, 0, len(columns))
	for _, name := range columns[keys:] {
		sets = append(sets, name+" = excluded."+name)
	}
	return " ON CONFLICT (" + strings.Join(columns[:keys], ", ") + ") DO UPDATE SET " + strings.Join(sets, ", ")
}

// pages replaces what was read of the same revision before (a retry after a crash).
func (s *statement) pages(pages []domain.Page) error {
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
	set := newRowSet(s, pages)
	column(set, "case_id", "uuid", func(p *domain.Page) domain.ID { return p.CaseID })
	column(set, "revision", "int", func(p *domain.Page) int { return p.Revision })
	column(set, "number", "int", func(p *domain.Page) int { return p.Number })
	column(set, "raster_key", "text", func(p *domain.Page) string { return p.RasterKey })
	column(set, "width", "int", func(p *domain.Page) int { return p.Width })
	column(set, "height", "int", func(p *domain.Page) int { return p.Height })
	column(set, "dpi", "int", func(p *domain.Page) int { return p.DPI })
	column(set, "rotation", "int", func(p *domain.Page) int { return p.Rotation })
	column(set, "source", "text", func(p *domain.Page) string { return string(p.Source) })
	column(set, "text", "text", func(p *domain.Page) string { return p.Text })
	column(set, "words", "jsonb", func(p *domain.Page) string { return words[p] })
	s.insert("p", "pages", set.names, set.as("x"), replacing(set.names, 3))
	return nil
}

// stageOf names the findings of one stage of one case.
type stageOf struct {
	caseID domain.ID
	stage  string
}

// foundIn is a finding and where it belongs.
type foundIn struct {
	stageOf
	*domain.Finding
	evidence string
}

// judgement adds the parts about fields and findings.
func (s *statement) judgement(changes []*Change) error {
	if err := s.fields(changes); err != nil {
		return err
	}
	var stages []stageOf
	var rows []foundIn
	for _, change := range changes {
		for i := range change.StageFindings {
			found := &change.StageFindings[i]
			stage := stageOf{change.Case.ID, found.Stage}
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
				rows = append(rows, foundIn{stage, f, evidence})
			}
		}
	}
	if len(stages) > 0 {
		s.findings(stages, rows)
	}
	return nil
}

// findings replaces what stages had found.
func (s *statement) findings(stages []stageOf, rows []foundIn) {
	set := newRowSet(s, rows)
	column(set, "case_id", "uuid", func(f *foundIn) domain.ID { return f.caseID })
	column(set, "stage", "text", func(f *foundIn) string { return f.stage })
	column(set, "rule", "text", func(f *foundIn) string { return f.Rule })
	s.with("hx", "SELECT * FROM %s", set.as("x"))
	of := newRowSet(s, stages)
	column(of, "case_id", "uuid", func(f *stageOf) domain.ID { return f.caseID })
	column(of, "stage", "text", func(f *stageOf) string { return f.stage })
	s.with("hd", `DELETE FROM %s f USING c JOIN %s ON o.case_id = c.id WHERE f.case_id = c.id AND %s AND f.stage = o.stage
		AND NOT EXISTS (SELECT FROM hx WHERE hx.case_id = f.case_id AND hx.stage = f.stage AND hx.rule = f.rule)`,
		s.table("findings"), of.as("o"), s.bounds("f.case_id"))
	if len(rows) == 0 {
		return
	}
	column(set, "rule_version", "int", func(f *foundIn) int { return f.RuleVersion })
	column(set, "severity", "text", func(f *foundIn) string { return string(f.Severity) })
	column(set, "score", "int", func(f *foundIn) int { return f.Score })
	column(set, "message", "text", func(f *foundIn) string { return f.Message })
	column(set, "evidence", "jsonb", func(f *foundIn) string { return f.evidence })
	column(set, "revision", "bigint", func(f *foundIn) int64 { return f.Revision })
	column(set, "rule_set", "text", func(f *foundIn) string { return f.RuleSet })
	s.insert("h", "findings", set.names, set.as("x"), replacing(set.names, 3))
}

func (s *statement) fields(changes []*Change) error {
	rows := ofCases(changes, func(c *Change) []domain.Field { return c.Fields })
	drop := ofCases(changes, func(c *Change) []domain.FieldSource { return c.DropFields })
	boxes := make([]string, len(rows))
	for i := range rows {
		if rows[i].it.Box == nil {
			continue
		}
		var err error
		if boxes[i], err = jsonText(rows[i].it.Box); err != nil {
			return err
		}
	}
	set := newRowSet(s, rows)
	if len(rows) > 0 || len(drop) > 0 {
		column(set, "case_id", "uuid", func(f *ofCase[domain.Field]) domain.ID { return f.id })
		column(set, "name", "text", func(f *ofCase[domain.Field]) string { return f.it.Name })
	}
	if len(drop) > 0 {
		s.with("fx", "SELECT * FROM %s", set.as("x"))
		dropped := newRowSet(s, drop)
		column(dropped, "case_id", "uuid", func(d *ofCase[domain.FieldSource]) domain.ID { return d.id })
		column(dropped, "source", "text", func(d *ofCase[domain.FieldSource]) string { return string(d.it) })
		s.with("f0", `DELETE FROM %s f USING c JOIN %s ON d.case_id = c.id WHERE f.case_id = c.id AND %s AND f.source = d.source
			AND NOT EXISTS (SELECT FROM fx WHERE fx.case_id = f.case_id AND fx.name = f.name)`, s.table("fields"), dropped.as("d"), s.bounds("f.case_id"))
	}
	if len(rows) == 0 {
		return nil
	}
	column(set, "raw", "text", func(f *ofCase[domain.Field]) string { return f.it.Raw })
	column(set, "normalised", "text", func(f *ofCase[domain.Field]) string { return f.it.Normalised })
	column(set, "page", "int", func(f *ofCase[domain.Field]) int { return f.it.Page })
	column(set, "confidence", "float8", func(f *ofCase[domain.Field]) float64 { return f.it.Confidence })
	column(set, "source", "text", func(f *ofCase[domain.Field]) string { return string(f.it.Source) })
	column(set, "grounded", "bool", func(f *ofCase[domain.Field]) bool { return f.it.Grounded })
	column(set, "revision", "bigint", func(f *ofCase[domain.Field]) int64 { return f.it.Revision })
	column(set, "set_by", "uuid", func(f *ofCase[domain.Field]) domain.ID { return f.it.SetBy })
	i := -1
	column(set, "box", "jsonb", func(*ofCase[domain.Field]) *string {
		if i++; boxes[i] == "" {
			return nil
		}
		return &boxes[i]
	})
	s.insert("f1", "fields", set.names, set.as("x"), replacing(set.names, 2))
	return nil
}

// people adds the parts about reviews, fallen votes and interests.
func (s *statement) people(changes []*Change) {
	s.openReviews(gathered(changes, func(c *Change) []domain.Review { return c.Reviews }))
	s.editReviews(gathered(changes, func(c *Change) []domain.Review { return c.ReviewEdits }))
	if fallen := ofCases(changes, func(c *Change) []string { return c.FallenDuties }); len(fallen) > 0 {
		set := newRowSet(s, fallen)
		column(set, "case_id", "uuid", func(f *ofCase[string]) domain.ID { return f.id })
		column(set, "duty", "text", func(f *ofCase[string]) string { return f.it })
		s.with("w", `DELETE FROM votes w USING c JOIN %s ON x.case_id = c.id WHERE w.case_id = c.id AND w.duty = x.duty`, set.as("x"))
	}
	if fallen := gathered(changes, func(c *Change) []domain.Vote { return c.FallenVotes }); len(fallen) > 0 {
		set := newRowSet(s, fallen)
		column(set, "case_id", "uuid", func(v *domain.Vote) domain.ID { return v.CaseID })
		column(set, "review_id", "uuid", func(v *domain.Vote) domain.ID { return v.ReviewID })
		s.with("wv", `DELETE FROM votes w USING c JOIN %s ON x.case_id = c.id WHERE w.case_id = c.id AND w.review_id = x.review_id`, set.as("x"))
	}
	if barred := gathered(changes, func(c *Change) []domain.Interest { return c.Interests }); len(barred) > 0 {
		set := newRowSet(s, barred)
		column(set, "case_id", "uuid", func(i *domain.Interest) domain.ID { return i.CaseID })
		column(set, "person", "uuid", func(i *domain.Interest) domain.ID { return i.Person })
		column(set, "reason", "text", func(i *domain.Interest) string { return string(i.Reason) })
		s.insert("i", "case_interests", set.names, set.as("x"), " ON CONFLICT DO NOTHING")
	}
	s.ownPayees(changes)
}

// decide writes the decision and its votes as statements of their own, before the change: their triggers must see the
// claim, the amount and the limits as they stood when the decider was judged.
func (t *Tx) decide(ctx context.Context, change *Change) error {
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
