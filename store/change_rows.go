package store

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"countersign/domain"
)

func jsonText(value any) (string, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return "", fmt.Errorf("store: encode rows: %w", err)
	}
	return string(text), nil
}

type pageRow struct {
	Number, Width, Height, DPI, Rotation int
	RasterKey, Source, Text              string
	Words                                []domain.Word
}

// document adds the parts about the file and what was read of it.
func (s *statement) document(change *Change) error {
	if d := change.Document; d != nil {
		s.with("d", `INSERT INTO documents (case_id, id, revision, file_name, media_type, size, sha256, blob_key, created_by, created_at)
			SELECT c.id, %s, %s, %s, %s, %s, %s, %s, %s, %s FROM c`, s.arg(d.ID), s.arg(d.Revision), s.arg(d.FileName),
			s.arg(d.MediaType), s.arg(d.Size), s.arg(d.SHA256), s.arg(d.BlobKey), s.arg(d.CreatedBy), s.arg(d.CreatedAt))
	}
	if d := change.Read; d != nil {
		s.with("dr", `UPDATE documents d SET read_at = %s, structured_key = %s FROM c WHERE d.case_id = %s AND d.revision = %s`,
			s.arg(d.ReadAt), s.arg(d.StructuredKey), s.arg(change.Case.ID), s.arg(d.Revision))
	}
	if len(change.Pages) == 0 {
		return nil
	}
	rows := make([]pageRow, 0, len(change.Pages))
	for _, p := range change.Pages {
		words := p.Words
		if words == nil {
			words = []domain.Word{}
		}
		rows = append(rows, pageRow{Number: p.Number, Width: p.Width, Height: p.Height, DPI: p.DPI, Rotation: p.Rotation,
			RasterKey: p.RasterKey, Source: string(p.Source), Text: p.Text, Words: words})
	}
	text, err := jsonText(rows)
	if err != nil {
		return err
	}
	// A re-read of the same revision (retry after a crash) replaces what was read before.
	s.with("p", `INSERT INTO pages (case_id, revision, number, raster_key, width, height, dpi, rotation, source, text, words)
		SELECT c.id, %s, x."Number", x."RasterKey", x."Width", x."Height", x."DPI", x."Rotation", x."Source", x."Text", x."Words"
		FROM c, jsonb_to_recordset(%s::jsonb) AS x("Number" int, "RasterKey" text, "Width" int, "Height" int, "DPI" int, "Rotation" int,
			"Source" text, "Text" text, "Words" jsonb)
		ON CONFLICT (case_id, revision, number) DO UPDATE SET raster_key = excluded.raster_key, width = excluded.width,
			height = excluded.height, dpi = excluded.dpi, rotation = excluded.rotation, source = excluded.source,
			text = excluded.text, words = excluded.words`, s.arg(change.Pages[0].Revision), s.arg(text))
	return nil
}

type fieldRow struct {
	Name, Raw, Normalised, Source string
	Page                          int
	Box                           *domain.Box
	Confidence                    float64
	Grounded                      bool
	Revision                      int64
	SetBy                         domain.ID
}

type findingRow struct {
	Rule, Severity, Message string
	RuleVersion, Score      int
	Evidence                map[string]string
	Revision                int64
}

// judgement adds the parts about fields and findings.
func (s *statement) judgement(change *Change) error {
	if len(change.Fields) > 0 || change.DropFields {
		if err := s.fields(change); err != nil {
			return err
		}
	}
	for i := range change.StageFindings {
		if err := s.findings(change.Case.ID, strconv.Itoa(i), &change.StageFindings[i]); err != nil {
			return err
		}
	}
	return nil
}

// findings replaces what one stage had found; n tells the parts of several stages apart.
func (s *statement) findings(caseID domain.ID, n string, found *StageFindings) error {
	rows := make([]findingRow, 0, len(found.Findings))
	rules := make([]string, 0, len(found.Findings))
	for _, f := range found.Findings {
		evidence := f.Evidence
		if evidence == nil {
			evidence = map[string]string{}
		}
		rules = append(rules, f.Rule)
		rows = append(rows, findingRow{Rule: f.Rule, Severity: string(f.Severity), Message: f.Message, RuleVersion: f.RuleVersion,
			Score: f.Score, Evidence: evidence, Revision: f.Revision})
	}
	text, err := jsonText(rows)
	if err != nil {
		return err
	}
	s.with("g"+n, `DELETE FROM findings g USING c WHERE g.case_id = %s AND g.stage = %s AND g.rule <> ALL(%s::text[])`,
		s.arg(caseID), s.arg(found.Stage), s.arg(rules))
	if len(rows) == 0 {
		return nil
	}
	s.with("h"+n, `INSERT INTO findings (case_id, stage, rule, rule_version, severity, score, message, evidence, revision)
		SELECT c.id, %s, x."Rule", x."RuleVersion", x."Severity", x."Score", x."Message", x."Evidence", x."Revision"
		FROM c, jsonb_to_recordset(%s::jsonb) AS x("Rule" text, "RuleVersion" int, "Severity" text, "Score" int, "Message" text,
			"Evidence" jsonb, "Revision" bigint)
		ON CONFLICT (case_id, stage, rule) DO UPDATE SET rule_version = excluded.rule_version, severity = excluded.severity,
			score = excluded.score, message = excluded.message, evidence = excluded.evidence, revision = excluded.revision`,
		s.arg(found.Stage), s.arg(text))
	return nil
}

func (s *statement) fields(change *Change) error {
	rows := make([]fieldRow, 0, len(change.Fields))
	names := make([]string, 0, len(change.Fields))
	for _, f := range change.Fields {
		names = append(names, f.Name)
		rows = append(rows, fieldRow{Name: f.Name, Raw: f.Raw, Normalised: f.Normalised, Source: string(f.Source), Page: f.Page,
			Box: f.Box, Confidence: f.Confidence, Grounded: f.Grounded, Revision: f.Revision, SetBy: f.SetBy})
	}
	text, err := jsonText(rows)
	if err != nil {
		return err
	}
	if change.DropFields {
		s.with("f0", `DELETE FROM fields f USING c WHERE f.case_id = %s AND f.source <> 'human' AND f.name <> ALL(%s::text[])`,
			s.arg(change.Case.ID), s.arg(names))
	}
	if len(rows) == 0 {
		return nil
	}
	s.with("f1", `INSERT INTO fields (case_id, name, raw, normalised, page, box, confidence, source, grounded, revision, set_by)
		SELECT c.id, x."Name", x."Raw", x."Normalised", x."Page", nullif(x."Box", 'null'), x."Confidence", x."Source", x."Grounded",
			x."Revision", x."SetBy"
		FROM c, jsonb_to_recordset(%s::jsonb) AS x("Name" text, "Raw" text, "Normalised" text, "Page" int, "Box" jsonb,
			"Confidence" float8, "Source" text, "Grounded" bool, "Revision" bigint, "SetBy" uuid)
		ON CONFLICT (case_id, name) DO UPDATE SET raw = excluded.raw, normalised = excluded.normalised, page = excluded.page,
			box = excluded.box, confidence = excluded.confidence, source = excluded.source, grounded = excluded.grounded,
			revision = excluded.revision, set_by = excluded.set_by`, s.arg(text))
	return nil
}

// people adds the parts about reviews, fallen votes and interests.
func (s *statement) people(change *Change) {
	s.reviews(change)
	if len(change.FallenDuties) > 0 {
		s.with("w", `DELETE FROM votes w USING c WHERE w.case_id = %s AND w.duty = ANY(%s::text[])`, s.arg(change.Case.ID), s.arg(change.FallenDuties))
	}
	for i, interest := range change.Interests {
		s.with("i"+strconv.Itoa(i), `INSERT INTO case_interests (case_id, person, reason) SELECT c.id, %s, %s FROM c
			ON CONFLICT DO NOTHING`, s.arg(interest.Person), s.arg(string(interest.Reason)))
	}
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

func (s *statement) reviews(change *Change) {
	for i := range change.Reviews {
		r := &change.Reviews[i]
		s.with("r"+strconv.Itoa(i), `INSERT INTO reviews (id, case_id, node, visit, seat, queue, level, duty, assignee, status, claim_by,
			decide_by, priority, submitter, party_id, base_minor, amount_known, band, document_type, country)
			SELECT %s, c.id, %s, %s, %s, %s, %s, %s, %s, 'open', %s, %s, %s, %s, %s, %s, %s, %s, %s, %s FROM c`,
			s.arg(r.ID), s.arg(r.Node), s.arg(r.Visit), s.arg(r.Seat), s.arg(r.Queue), s.arg(r.Level), s.arg(r.Duty), s.arg(r.Assignee),
			s.arg(r.ClaimBy), s.arg(r.DecideBy), s.arg(r.Priority), s.arg(r.Submitter), s.arg(r.PartyID), s.arg(r.BaseMinor),
			s.arg(r.AmountKnown), s.arg(r.Band), s.arg(r.DocumentType), s.arg(r.Country))
	}
	for i := range change.ReviewEdits {
		r := &change.ReviewEdits[i]
		claimUntil, claimedAt, decidedAt := "'-infinity'", "NULL", "NULL"
		if !r.ClaimUntil.IsZero() {
			claimUntil = s.arg(r.ClaimUntil)
		}
		if !r.ClaimedAt.IsZero() {
			claimedAt = s.arg(r.ClaimedAt)
		}
		if !r.DecidedAt.IsZero() {
			decidedAt = s.arg(r.DecidedAt)
		}
		s.with("q"+strconv.Itoa(i), `UPDATE reviews r SET assignee = %s, status = %s, claim_by = %s, claim_until = %s, claimed_at = %s,
			decided_at = %s, version = %s, party_id = %s, base_minor = %s, amount_known = %s, band = %s, document_type = %s, country = %s
			FROM c WHERE r.id = %s AND r.case_id = c.id`, s.arg(r.Assignee), s.arg(string(r.Status)), s.arg(r.ClaimBy), claimUntil,
			claimedAt, decidedAt, s.arg(r.Version), s.arg(r.PartyID), s.arg(r.BaseMinor), s.arg(r.AmountKnown), s.arg(r.Band),
			s.arg(r.DocumentType), s.arg(r.Country), s.arg(r.ID))
	}
}
