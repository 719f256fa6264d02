package store

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"countersign/domain"
	"countersign/store/bulk"
)

func jsonText(value any) (string, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return "", fmt.Errorf("store: encode rows: %w", err)
	}
	return string(text), nil
}

// writeDocuments adds the parts for documents and their pages.
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
		s.insertDocuments(filed)
	}
	if len(read) > 0 {
		if err := s.updateReadDocuments(read); err != nil {
			return err
		}
	}
	return s.writePages(changeRows(changes, func(c *Change) []domain.Page { return c.Pages }))
}

func (s *statement) insertDocuments(filed []*domain.Document) {
	set := bulk.NewRows(&s.Statement, filed)
	bulk.Column(set, "case_id", "uuid",
		func(d **domain.Document) domain.ID { return (*d).CaseID })
	bulk.Column(set, "id", "uuid", func(d **domain.Document) domain.ID { return (*d).ID })
	bulk.Column(set, "revision", "int", func(d **domain.Document) int { return (*d).Revision })
	bulk.Column(set, "file_name", "text",
		func(d **domain.Document) string { return (*d).FileName })
	bulk.Column(set, "media_type", "text",
		func(d **domain.Document) string { return (*d).MediaType })
	bulk.Column(set, "size", "bigint", func(d **domain.Document) int64 { return (*d).Size })
	bulk.Column(set, "sha256", "bytea", func(d **domain.Document) []byte { return (*d).SHA256 })
	bulk.Column(set, "blob_key", "text",
		func(d **domain.Document) string { return (*d).BlobKey })
	bulk.Column(set, "created_by", "uuid",
		func(d **domain.Document) domain.ID { return (*d).CreatedBy })
	bulk.Column(set, "created_at", "timestamptz",
		func(d **domain.Document) time.Time { return (*d).CreatedAt })
	s.insertRows("d", "documents", set.Names(), set.List("x"), set.From("x"),
		"")
}

// updateReadDocuments updates what was read from documents.
func (s *statement) updateReadDocuments(read []*domain.Document) error {
	parts, err := partsTexts(read)
	if err != nil {
		return err
	}
	set := bulk.NewRows(&s.Statement, read)
	bulk.Column(set, "case_id", "uuid",
		func(d **domain.Document) domain.ID { return (*d).CaseID })
	bulk.Column(set, "revision", "int", func(d **domain.Document) int { return (*d).Revision })
	bulk.Column(set, "read_at", "timestamptz",
		func(d **domain.Document) time.Time { return (*d).ReadAt })
	bulk.Column(set, "structured_key", "text",
		func(d **domain.Document) string { return (*d).StructuredKey })
	bulk.Column(set, "features", "text",
		func(d **domain.Document) string { return textArray((*d).Features) })
	bulk.Column(set, "examined", "bool",
		func(d **domain.Document) bool { return (*d).Features != nil })
	bulk.Column(set, "not_printed", "text",
		func(d **domain.Document) string { return textArray((*d).NotPrinted) })
	bulk.Column(set, "parts", "jsonb", func(d **domain.Document) string { return parts[(*d).ID] })
	bulk.Column(set, "line_sum_minor", "bigint",
		func(d **domain.Document) int64 { return (*d).LineSum.Minor })
	bulk.Column(set, "line_sum_currency", "text",
		func(d **domain.Document) string { return (*d).LineSum.Currency })
	s.AddCTE("dr", `UPDATE %s d SET read_at = x.read_at, structured_key = x.structured_key,
			features = CASE WHEN x.examined THEN x.features::text[] END,
			not_printed = x.not_printed::text[], parts = x.parts,
			line_sum_minor = x.line_sum_minor, line_sum_currency = x.line_sum_currency
			FROM c JOIN %s ON x.case_id = c.id
			WHERE d.case_id = c.id AND %s AND d.revision = x.revision`, s.partitionOf("documents"),
		set.From("x"), s.caseIDBounds("d.case_id"))
	return nil
}

// partsTexts returns the parts of each document in JSON, by its id.
func partsTexts(documents []*domain.Document) (map[domain.ID]string, error) {
	texts := make(map[domain.ID]string, len(documents))
	for _, document := range documents {
		text, err := jsonText(append([]domain.DocumentPart{}, document.Parts...))
		if err != nil {
			return nil, err
		}
		texts[document.ID] = text
	}
	return texts, nil
}

// insertRows adds the insertion of rows whose case was written.
func (s *statement) insertRows(name, table string, columns []string, values, rows,
	conflict string) {
	s.AddCTE(name, `INSERT INTO %s (%s) SELECT %s FROM c JOIN %s ON x.case_id = c.id%s`, table,
		strings.Join(columns, ", "), values, rows, conflict)
}

// onConflictReplace makes an insertion replace the row with the same key: all columns after the
// first keys ones.
func onConflictReplace(columns []string, keys int) string {
	sets := make([]string, 0, len(columns))
	for _, name := range columns[keys:] {
		sets = append(sets, name+" = excluded."+name)
	}
	return " ON CONFLICT (" + strings.Join(columns[:keys], ", ") + ") DO UPDATE SET " +
		strings.Join(sets, ", ")
}

// caseStage identifies one stage of one case.
type caseStage struct {
	caseID domain.ID
	stage  string
}

// findingRow is a finding with its case and stage.
type findingRow struct {
	caseStage
	*domain.Finding
	evidence string
}

// writeFieldsAndFindings adds the parts for fields and findings.
func (s *statement) writeFieldsAndFindings(changes []*Change) error {
	if err := s.writeFields(changes); err != nil {
		return err
	}
	var replaced []caseStage
	var rows []findingRow
	for _, change := range changes {
		for i := range change.StageFindings {
			found := &change.StageFindings[i]
			stage := caseStage{change.Case.ID, found.Stage}
			if !found.First {
				replaced = append(replaced, stage)
			}
			for j := range found.Findings {
				f := &found.Findings[j]
				evidence, err := evidenceText(f)
				if err != nil {
					return err
				}
				rows = append(rows, findingRow{stage, f, evidence})
			}
		}
	}
	if len(replaced) > 0 || len(rows) > 0 {
		s.writeFindings(replaced, rows)
	}
	return nil
}

// writeFindings writes findings, and deletes the other findings of the replaced stages.
func (s *statement) writeFindings(replaced []caseStage, rows []findingRow) {
	set := bulk.NewRows(&s.Statement, rows)
	bulk.Column(set, "case_id", "uuid", func(f *findingRow) domain.ID { return f.caseID })
	bulk.Column(set, "stage", "text", func(f *findingRow) string { return f.stage })
	bulk.Column(set, "rule", "text", func(f *findingRow) string { return f.Rule })
	if len(replaced) > 0 {
		s.AddCTE("hx", "SELECT * FROM %s", set.From("x"))
		of := bulk.NewRows(&s.Statement, replaced)
		bulk.Column(of, "case_id", "uuid", func(f *caseStage) domain.ID { return f.caseID })
		bulk.Column(of, "stage", "text", func(f *caseStage) string { return f.stage })
		s.AddCTE("hd", `DELETE FROM %s f USING c JOIN %s ON o.case_id = c.id
			WHERE f.case_id = c.id AND %s AND f.stage = o.stage
			AND NOT EXISTS (SELECT FROM hx WHERE hx.case_id = f.case_id AND hx.stage = f.stage
			AND hx.rule = f.rule)`,
			s.partitionOf("findings"), of.From("o"), s.caseIDBounds("f.case_id"))
	}
	if len(rows) == 0 {
		return
	}
	bulk.Column(set, "rule_version", "int", func(f *findingRow) int { return f.RuleVersion })
	bulk.Column(set, "severity", "text", func(f *findingRow) string { return string(f.Severity) })
	bulk.Column(set, "score", "int", func(f *findingRow) int { return f.Score })
	bulk.Column(set, "message", "text", func(f *findingRow) string { return f.Message })
	bulk.Column(set, "evidence", "jsonb", func(f *findingRow) string { return f.evidence })
	bulk.Column(set, "revision", "bigint", func(f *findingRow) int64 { return f.Revision })
	bulk.Column(set, "rule_set", "text", func(f *findingRow) string { return f.RuleSet })
	s.insertRows("h", "findings", set.Names(), set.List("x"), set.From("x"),
		onConflictReplace(set.Names(), 3))
}

// boxTexts returns the boxes of fields in JSON, "" for a field without one.
func boxTexts(fields []caseValue[domain.Field]) ([]string, error) {
	texts := make([]string, len(fields))
	for i := range fields {
		if fields[i].value.Box == nil {
			continue
		}
		var err error
		if texts[i], err = jsonText(fields[i].value.Box); err != nil {
			return nil, err
		}
	}
	return texts, nil
}

func (s *statement) writeFields(changes []*Change) error {
	rows := caseValues(changes, func(c *Change) []domain.Field { return c.Fields })
	drop := caseValues(changes,
		func(c *Change) []domain.FieldSource { return c.DeleteFieldSources })
	boxes, err := boxTexts(rows)
	if err != nil {
		return err
	}
	set := bulk.NewRows(&s.Statement, rows)
	if len(rows) > 0 || len(drop) > 0 {
		bulk.Column(set, "case_id", "uuid",
			func(f *caseValue[domain.Field]) domain.ID { return f.caseID })
		bulk.Column(set, "name", "text",
			func(f *caseValue[domain.Field]) string { return f.value.Name })
	}
	if len(drop) > 0 {
		s.AddCTE("fx", "SELECT * FROM %s", set.From("x"))
		dropped := bulk.NewRows(&s.Statement, drop)
		bulk.Column(dropped, "case_id", "uuid",
			func(d *caseValue[domain.FieldSource]) domain.ID { return d.caseID })
		bulk.Column(dropped, "source", "text",
			func(d *caseValue[domain.FieldSource]) string { return string(d.value) })
		s.AddCTE("f0", `DELETE FROM %s f USING c JOIN %s ON d.case_id = c.id WHERE f.case_id = c.id
			AND %s AND f.source = d.source
			AND NOT EXISTS (SELECT FROM fx WHERE fx.case_id = f.case_id AND fx.name = f.name)`,
			s.partitionOf("fields"), dropped.From("d"), s.caseIDBounds("f.case_id"))
	}
	if len(rows) == 0 {
		return nil
	}
	bulk.Column(set, "raw", "text", func(f *caseValue[domain.Field]) string { return f.value.Raw })
	bulk.Column(set, "normalised", "text",
		func(f *caseValue[domain.Field]) string { return f.value.Normalised })
	bulk.Column(set, "page", "int", func(f *caseValue[domain.Field]) int { return f.value.Page })
	bulk.Column(set, "confidence", "float8",
		func(f *caseValue[domain.Field]) float64 { return f.value.Confidence })
	bulk.Column(set, "source", "text",
		func(f *caseValue[domain.Field]) string { return string(f.value.Source) })
	bulk.Column(set, "grounded", "bool",
		func(f *caseValue[domain.Field]) bool { return f.value.Grounded })
	bulk.Column(set, "revision", "bigint",
		func(f *caseValue[domain.Field]) int64 { return f.value.Revision })
	bulk.Column(set, "set_by", "uuid",
		func(f *caseValue[domain.Field]) domain.ID { return f.value.SetBy })
	i := -1
	bulk.Column(set, "box", "jsonb", func(*caseValue[domain.Field]) *string {
		if i++; boxes[i] == "" {
			return nil
		}
		return &boxes[i]
	})
	s.insertRows("f1", "fields", set.Names(), set.List("x"), set.From("x"),
		onConflictReplace(set.Names(), 2))
	return nil
}

// writeReviewsAndInterests adds the parts for reviews, revoked votes and interests.
func (s *statement) writeReviewsAndInterests(changes []*Change) {
	s.insertReviews(changeRows(changes, func(c *Change) []domain.Review { return c.NewReviews }))
	s.updateReviews(changeRows(changes, func(c *Change) []domain.Review { return c.ReviewUpdates }))
	revokedDuties := caseValues(changes, func(c *Change) []string { return c.RevokedDuties })
	if len(revokedDuties) > 0 {
		set := bulk.NewRows(&s.Statement, revokedDuties)
		bulk.Column(set, "case_id", "uuid",
			func(d *caseValue[string]) domain.ID { return d.caseID })
		bulk.Column(set, "duty", "text", func(d *caseValue[string]) string { return d.value })
		s.AddCTE("w", `DELETE FROM votes w USING c JOIN %s ON x.case_id = c.id
			WHERE w.case_id = c.id AND w.duty = x.duty`, set.From("x"))
	}
	revokedVotes := changeRows(changes, func(c *Change) []domain.Vote { return c.RevokedVotes })
	if len(revokedVotes) > 0 {
		set := bulk.NewRows(&s.Statement, revokedVotes)
		bulk.Column(set, "case_id", "uuid", func(v *domain.Vote) domain.ID { return v.CaseID })
		bulk.Column(set, "review_id", "uuid", func(v *domain.Vote) domain.ID { return v.ReviewID })
		s.AddCTE("wv", `DELETE FROM votes w USING c JOIN %s ON x.case_id = c.id
			WHERE w.case_id = c.id AND w.review_id = x.review_id`, set.From("x"))
	}
	interests := changeRows(changes, func(c *Change) []domain.Interest { return c.Interests })
	if len(interests) > 0 {
		set := bulk.NewRows(&s.Statement, interests)
		bulk.Column(set, "case_id", "uuid", func(i *domain.Interest) domain.ID { return i.CaseID })
		bulk.Column(set, "person", "uuid", func(i *domain.Interest) domain.ID { return i.Person })
		bulk.Column(set, "reason", "text",
			func(i *domain.Interest) string { return string(i.Reason) })
		s.insertRows("i", "case_interests", set.Names(), set.List("x"), set.From("x"),
			" ON CONFLICT DO NOTHING")
	}
	s.excludePayeeOwners(changes)
}

// insertDecision writes the decision and its votes in statements of their own, before the change,
// because their triggers must see the claim, the amount and the limits as they were when the
// decision was authorized.
func (t *Tx) insertDecision(ctx context.Context, change *Change) error {
	d := change.Decision
	if d == nil {
		return nil
	}
	evidence, err := jsonText(d.Evidence)
	if err != nil {
		return err
	}
	var signature *string // NULL without one
	if d.Signature != nil {
		text, err := jsonText(d.Signature)
		if err != nil {
			return err
		}
		signature = &text
	}
	_, err = t.exec(ctx, "decision",
		`INSERT INTO decisions (case_id, id, review_id, actor, on_behalf_of, verdict, reason,
		evidence, signature, at, salt)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`, change.Case.ID, d.ID, d.ReviewID,
		d.Actor, d.OnBehalfOf, string(d.Verdict), d.Reason, evidence, signature, d.At, d.Salt)
	if err != nil {
		return err
	}
	for _, v := range change.Votes {
		_, err := t.exec(ctx, "vote", `INSERT INTO votes (case_id, duty, person, review_id,
			covered) VALUES ($1, $2, $3, $4, coalesce(nullif($5, ''), '{}')::jsonb)`,
			change.Case.ID, v.Duty, v.Person, v.ReviewID, v.Covered)
		if err != nil {
			return err
		}
	}
	return nil
}
