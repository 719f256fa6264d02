package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"countersign/domain"
)

// caseColumns are read in the order of scanCase; every query of cases names its row c.
const caseColumns = `c.id, c.reference, c.process_key, c.process_version, c.document_type,
	c.channel, c.counterparty, c.party_id, c.document_number, c.country, c.amount_minor, c.currency,
	c.amount_known, c.base_minor, c.rate_id, c.declared_minor, c.declared_currency, c.marking,
	c.status, c.outcome, c.outcome_reason, c.risk, c.submitter, c.correlation_id, c.manifest_key,
	c.version, c.facts_revision, c.last_seq, c.head_hash, c.created_at, c.updated_at, c.risk_minor,
	c.risk_currency, c.other_countries, c.other_party_ids,
	c.other_numbers, c.differing_fields, c.accounts, c.document_kind, c.document_time, c.image_hash,
	c.summed, c.order_revision, c.missing, c.unstated, c.document_type_version, c.part,
	c.traceparent, coalesce(c.erased_at, '0001-01-01Z'),
	nullif(c.attributes, '[]')`

// caseTargets are the targets of the columns, followed by those of the columns after them.
func caseTargets(c *domain.Case, marking *[]byte, others ...any) []any {
	own := [...]any{&c.ID, &c.Reference, &c.ProcessKey, &c.ProcessVersion, &c.DocumentType, &c.Channel,
		&c.Counterparty, &c.PartyID, &c.DocumentNumber, &c.Country, &c.Amount.Minor,
		&c.Amount.Currency, &c.AmountKnown, &c.BaseMinor, &c.RateID, &c.DeclaredAmount.Minor,
		&c.DeclaredAmount.Currency, marking, &c.Status, &c.Outcome, &c.OutcomeReason, &c.Risk,
		&c.Submitter, &c.CorrelationID,
		&c.ManifestKey, &c.Version, &c.FactsRevision, &c.LastSeq, &c.HeadHash, &c.CreatedAt,
		&c.UpdatedAt, &c.AtRisk.Minor, &c.AtRisk.Currency, &c.OtherCountries, &c.OtherPartyIDs,
		&c.OtherNumbers, &c.DifferingFields, &c.Accounts, &c.DocumentKind, &c.DocumentTime,
		(*imageHash)(&c.ImageHash), &c.Summed, &c.OrderRevision, &c.Missing, &c.Unstated,
		&c.DocumentTypeVersion, &c.Part, &c.Traceparent, &c.ErasedAt, &c.Attributes}
	return append(append(make([]any, 0, len(own)+len(others)), own[:]...), others...)
}

// imageHash is a hash in a column of the type bigint, which has a sign.
type imageHash uint64

// ScanInt64 implements pgtype.Int64Scanner.
func (h *imageHash) ScanInt64(v pgtype.Int8) error {
	*h = imageHash(v.Int64) //nolint:gosec // all bits count
	return nil
}

func finishCase(c *domain.Case, marking []byte) error {
	c.CreatedAt, c.UpdatedAt, c.ErasedAt = c.CreatedAt.UTC(), c.UpdatedAt.UTC(), c.ErasedAt.UTC()
	c.OtherCountries, c.OtherPartyIDs = nilIfEmpty(c.OtherCountries), nilIfEmpty(c.OtherPartyIDs)
	c.OtherNumbers, c.DifferingFields = nilIfEmpty(c.OtherNumbers), nilIfEmpty(c.DifferingFields)
	c.Accounts = nilIfEmpty(c.Accounts)
	c.Missing, c.Unstated = nilIfEmpty(c.Missing), nilIfEmpty(c.Unstated)
	c.Attributes = nilIfEmpty(c.Attributes)
	if err := json.Unmarshal(marking, &c.Marking); err != nil {
		return fmt.Errorf("store: marking of case %s: %w", c.ID, err)
	}
	return nil
}

func scanCase(row pgx.CollectableRow) (domain.Case, error) {
	var c domain.Case
	var marking []byte
	if err := row.Scan(caseTargets(&c, &marking)...); err != nil {
		return c, err
	}
	return c, finishCase(&c, marking)
}

// CaseReference reads the reference of a case. It returns NotFound.
func (r Reader) CaseReference(ctx context.Context, id domain.ID) (string, error) {
	return queryOne(ctx, r.q, "case reference", `SELECT reference FROM cases WHERE id = $1`,
		pgx.RowTo[string], id)
}

// Case reads one case; NotFound if there is none.
func (r Reader) Case(ctx context.Context, id domain.ID) (domain.Case, error) {
	return batchedOr(ctx, r.availableBatchers().cases, id, func() (domain.Case, error) {
		return queryOne(ctx, r.q, "case", `SELECT `+caseColumns+` FROM cases c WHERE c.id = $1`,
			scanCase, id)
	})
}

// Cases reads the cases of the ids, in no particular order.
func (r Reader) Cases(ctx context.Context, ids []domain.ID) ([]domain.Case, error) {
	return queryAll(ctx, r.q, "cases", `SELECT `+caseColumns+` FROM cases c WHERE c.id = ANY($1)`,
		scanCase, ids)
}

// CaseByReference reads one case by its reference.
func (r Reader) CaseByReference(ctx context.Context, reference string) (domain.Case, error) {
	return queryOne(ctx, r.q, "case", `SELECT `+caseColumns+` FROM cases c WHERE c.reference = $1`,
		scanCase, reference)
}

// LockCase reads one case FOR UPDATE, and the time after the lock was acquired.
func (t *Tx) LockCase(ctx context.Context, id domain.ID) (domain.Case, time.Time, error) {
	c, err := queryOne(ctx, t.q, "lock case", `SELECT `+caseColumns+` FROM cases c
		WHERE c.id = $1 FOR UPDATE`, scanCase, id)
	if err != nil {
		return c, time.Time{}, err
	}
	now, err := t.Clock(ctx)
	return c, now, err
}

const documentColumns = `d.case_id, d.id, d.revision, d.file_name, d.media_type, d.size, d.sha256,
	d.blob_key, d.created_by, d.created_at, d.read_at, d.structured_key, d.features, d.not_printed,
	d.parts, d.line_sum_minor, d.line_sum_currency, d.lines_corrected`

func documentTargets(d *domain.Document, readAt **time.Time) []any {
	return []any{&d.CaseID, &d.ID, &d.Revision, &d.FileName, &d.MediaType, &d.Size, &d.SHA256,
		&d.BlobKey, &d.CreatedBy, &d.CreatedAt, readAt, &d.StructuredKey, &d.Features, &d.NotPrinted,
		&d.Parts, &d.LineSum.Minor, &d.LineSum.Currency, &d.LinesCorrected}
}

func finishDocument(d *domain.Document, readAt *time.Time) {
	if readAt != nil {
		d.ReadAt = readAt.UTC()
	}
	d.CreatedAt = d.CreatedAt.UTC()
	d.NotPrinted, d.Parts = nilIfEmpty(d.NotPrinted), nilIfEmpty(d.Parts)
}

func scanDocument(row pgx.CollectableRow) (domain.Document, error) {
	var d domain.Document
	var readAt *time.Time
	err := row.Scan(documentTargets(&d, &readAt)...)
	finishDocument(&d, readAt)
	return d, err
}

// Documents reads every revision of the cases' documents, newest first within a case.
func (r Reader) Documents(ctx context.Context, cases ...domain.ID) ([]domain.Document, error) {
	if len(cases) == 1 {
		return batchedOr(ctx, r.availableBatchers().documents, cases[0],
			func() ([]domain.Document, error) { return r.documents(ctx, cases...) })
	}
	return r.documents(ctx, cases...)
}

func (r Reader) documents(ctx context.Context, cases ...domain.ID) ([]domain.Document, error) {
	return queryAll(ctx, r.q, "documents", `SELECT `+documentColumns+`
		FROM `+r.tableFor("documents", cases...)+` d WHERE d.case_id = ANY($1)
		AND d.case_id BETWEEN $2 AND $3 ORDER BY d.case_id, d.revision DESC`, scanDocument,
		rangeArgs(cases)...)
}

// Document reads the newest revision of a case's document.
func (r Reader) Document(ctx context.Context, caseID domain.ID) (domain.Document, error) {
	return queryOne(ctx, r.q, "document", `SELECT `+documentColumns+` FROM `+r.tableFor("documents",
		caseID)+` d WHERE d.case_id = $1
		ORDER BY d.revision DESC LIMIT 1`, scanDocument, caseID)
}

// casesWithHash returns the query of the cases that have a file with the hash.
func casesWithHash(hash string) string {
	return "SELECT case_id FROM file_hashes WHERE sha256 = " + hash
}

// Duplicates returns other cases that have a document with the same bytes, newest first, at most
// 10. The parts of one file and the case that was split are no duplicates of each other.
func (r Reader) Duplicates(ctx context.Context, caseID domain.ID,
	sha256 []byte) ([]domain.ID, error) {
	return queryAll(ctx, r.q, "duplicates", `SELECT case_id FROM (`+casesWithHash("$2")+`) d
		WHERE case_id <> $1 AND NOT EXISTS (SELECT FROM cases c, cases o
			WHERE c.id = $1 AND o.id = d.case_id AND (o.id IN (c.parent_id, c.origin_id)
				OR c.id IN (o.parent_id, o.origin_id)
				OR o.origin_id = c.origin_id AND o.parent_id <> '00000000-0000-0000-0000-000000000000'))
		ORDER BY case_id DESC LIMIT 10`, pgx.RowTo[domain.ID], caseID, sha256)
}

// pageColumns are scanned by scanPage; pageHeadColumns are those without the text and the words.
const (
	pageHeadColumns = `p.case_id, p.revision, p.number, p.raster_key, p.width, p.height, p.dpi, p.rotation,
	p.source, p.engine`
	pageColumns = pageHeadColumns + `, p.text, p.words`
)

func scanPage(row pgx.CollectableRow) (domain.Page, error) {
	var p domain.Page
	var words []byte
	err := row.Scan(&p.CaseID, &p.Revision, &p.Number, &p.RasterKey, &p.Width, &p.Height, &p.DPI,
		&p.Rotation, &p.Source, &p.Engine, &p.Text, &words)
	if err != nil {
		return p, err
	}
	return p, json.Unmarshal(words, &p.Words)
}

// Pages reads the pages of one revision with their words, in order.
func (r Reader) Pages(ctx context.Context, caseID domain.ID, revision int) ([]domain.Page, error) {
	return queryAll(ctx, r.q, "pages", `SELECT `+pageColumns+`
		FROM `+r.tableFor("pages", caseID)+` p WHERE case_id = $1 AND revision = $2 ORDER BY number`,
		scanPage, caseID, revision)
}

// RasterKey reads the blob key of one page's raster.
func (r Reader) RasterKey(ctx context.Context, caseID domain.ID,
	revision, page int) (string, error) {
	return queryOne(ctx, r.q, "raster", `SELECT raster_key FROM `+r.tableFor("pages", caseID)+`
		WHERE case_id = $1 AND revision = $2 AND number = $3`,
		pgx.RowTo[string], caseID, revision, page)
}

func scanField(row pgx.CollectableRow) (CaseField, error) {
	var f CaseField
	var box []byte
	err := row.Scan(&f.CaseID, &f.Name, &f.Raw, &f.Normalised, &f.Page, &box, &f.Confidence,
		&f.Source, &f.Grounded, &f.Revision, &f.SetBy)
	if err != nil || box == nil {
		return f, err
	}
	return f, json.Unmarshal(box, &f.Box)
}

// CaseField is a field with its case.
type CaseField struct {
	CaseID domain.ID
	domain.Field
}

// Fields reads the fields of the cases, case by case, by name within a case.
func (r Reader) Fields(ctx context.Context, cases ...domain.ID) ([]CaseField, error) {
	if len(cases) == 1 {
		return batchedOr(ctx, r.availableBatchers().fields, cases[0],
			func() ([]CaseField, error) { return r.fields(ctx, cases...) })
	}
	return r.fields(ctx, cases...)
}

// usualFields is how many fields a case usually has.
const usualFields = 12

func (r Reader) fields(ctx context.Context, cases ...domain.ID) ([]CaseField, error) {
	return queryUpTo(ctx, r.q, usualFields*len(cases), "fields", `SELECT case_id, name, raw, normalised, page, box,
		confidence, source, grounded, revision, set_by
		FROM `+r.tableFor("fields", cases...)+` WHERE case_id = ANY($1) AND case_id BETWEEN $2
		AND $3 ORDER BY case_id, name`, scanField, rangeArgs(cases)...)
}

// CaseFinding is a finding with its case and the stage that reported it.
type CaseFinding struct {
	CaseID domain.ID
	Stage  string
	domain.Finding
}

func scanFinding(row pgx.CollectableRow) (CaseFinding, error) {
	var f CaseFinding
	var evidence []byte
	err := row.Scan(&f.CaseID, &f.Stage, &f.Rule, &f.RuleVersion, &f.Severity, &f.Score, &f.Message,
		&evidence, &f.Revision, &f.RuleSet)
	if err != nil {
		return f, err
	}
	return f, readEvidence(evidence, &f.Finding)
}

// Findings reads the findings of the cases, highest score first within a case.
func (r Reader) Findings(ctx context.Context, cases ...domain.ID) ([]CaseFinding, error) {
	if len(cases) == 1 {
		return batchedOr(ctx, r.availableBatchers().findings, cases[0],
			func() ([]CaseFinding, error) { return r.findings(ctx, cases...) })
	}
	return r.findings(ctx, cases...)
}

func (r Reader) findings(ctx context.Context, cases ...domain.ID) ([]CaseFinding, error) {
	return queryAll(ctx, r.q, "findings", `SELECT case_id, stage, rule, rule_version, severity,
		score, message, evidence, revision, rule_set
		FROM `+r.tableFor("findings", cases...)+` WHERE case_id = ANY($1) AND case_id BETWEEN $2
		AND $3 ORDER BY case_id, score DESC, rule`,
		scanFinding, rangeArgs(cases)...)
}
