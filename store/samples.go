package store

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

const sampleColumns = `s.id, s.case_id, s.process, s.stratum, s.queue, s.confidential, s.submitter,
	s.share, s.reasons, s.probability, s.archived_at, s.drawn_at, s.status,
	CASE WHEN s.assigned_until > clock() THEN s.assignee
		ELSE '00000000-0000-0000-0000-000000000000' END,
	coalesce(nullif(s.assigned_until, '-infinity'), '0001-01-01Z'), s.correction_id,
	coalesce(s.ended_at, '0001-01-01Z')`

func scanSample(row pgx.CollectableRow) (domain.Sample, error) {
	var s domain.Sample
	err := row.Scan(&s.ID, &s.CaseID, &s.Process, &s.Stratum, &s.Queue, &s.Confidential,
		&s.Submitter, &s.Share, &s.Reasons, &s.Probability, &s.ArchivedAt, &s.DrawnAt, &s.Status,
		&s.Assignee, &s.AssignedUntil, &s.CorrectionID, &s.EndedAt)
	for _, at := range []*time.Time{&s.ArchivedAt, &s.DrawnAt, &s.AssignedUntil, &s.EndedAt} {
		*at = at.UTC()
	}
	return s, err
}

// LockSample locks a sample; NotFound if there is none.
func (t *Tx) LockSample(ctx context.Context, id domain.ID) (domain.Sample, error) {
	return queryOne(ctx, t.q, "sample", `SELECT `+sampleColumns+` FROM quality_samples s
		WHERE s.id = $1 FOR UPDATE`, scanSample, id)
}

// TryLockSample locks a sample; NotFound if there is none, or if another transaction has locked it.
func (t *Tx) TryLockSample(ctx context.Context, id domain.ID) (domain.Sample, error) {
	return queryOne(ctx, t.q, "sample", `SELECT `+sampleColumns+` FROM quality_samples s
		WHERE s.id = $1 FOR UPDATE SKIP LOCKED`, scanSample, id)
}

// AssignedSample reads the sample that a person has; NotFound if they have none.
func (r Reader) AssignedSample(ctx context.Context, person domain.ID) (domain.Sample, error) {
	return queryOne(ctx, r.q, "sample", `SELECT `+sampleColumns+` FROM quality_samples s
		WHERE s.assignee = $1 AND s.assigned_until > clock() AND s.ended_at IS NULL
		ORDER BY s.drawn_at LIMIT 1`, scanSample, person)
}

// HasSample reports whether a person has a sample of the case.
func (r Reader) HasSample(ctx context.Context, caseID, person domain.ID) (bool, error) {
	return queryOne(ctx, r.q, "sample", `SELECT EXISTS (SELECT FROM quality_samples s
		WHERE s.case_id = $1 AND s.assignee = $2 AND s.assigned_until > clock()
		AND s.ended_at IS NULL)`, pgx.RowTo[bool], caseID, person)
}

// SamplesSupporting reports whether a person who has a sample of the case may open a page of a supporting
// document, or with page 0 its file, because it has no pages. Documents that were replaced are left out.
func (r Reader) SamplesSupporting(
	ctx context.Context, caseID, person domain.ID, number, page int,
) (bool, error) {
	return queryOne(ctx, r.q, "sample", `SELECT EXISTS (SELECT FROM quality_samples s
		WHERE s.case_id = $1 AND s.assignee = $2 AND s.assigned_until > clock() AND s.ended_at IS NULL)
		AND NOT EXISTS (SELECT FROM supporting_documents d WHERE d.case_id = $1 AND d.replaces = $3)
		AND CASE WHEN $4 = 0 THEN NOT EXISTS (SELECT FROM supporting_pages WHERE case_id = $1 AND document = $3)
		ELSE EXISTS (SELECT FROM supporting_pages WHERE case_id = $1 AND document = $3 AND number = $4) END`,
		pgx.RowTo[bool], caseID, person, number, page)
}

// excludedFromSample selects samples s in whose case the person $1 took part: who submitted it,
// acted in its history, was assigned a review, has an interest, or has checked the sample, with any
// account.
const excludedFromSample = `(s.submitter = ANY(` + accountsOfFirst + `)
	OR EXISTS (SELECT FROM quality_checks k WHERE k.sample_id = s.id
		AND k.person = ANY(` + accountsOfFirst + `))
	OR EXISTS (SELECT FROM case_interests i WHERE i.case_id = s.case_id
		AND i.person = ANY(` + accountsOfFirst + `))
	OR EXISTS (SELECT FROM reviews r WHERE r.case_id = s.case_id
		AND r.assignee = ANY(` + accountsOfFirst + `))
	OR EXISTS (SELECT FROM events e WHERE e.case_id = s.case_id
		AND ` + accountsOfFirst + ` && ARRAY[e.actor, e.on_behalf_of]))`

// accountsOfFirst are all accounts of the person whose account is the parameter $1.
const accountsOfFirst = `ARRAY(SELECT accounts_of($1))`

// SampleExcludes reports whether the person took part in the case of the sample.
func (r Reader) SampleExcludes(ctx context.Context, person, sample domain.ID) (bool, error) {
	return queryOne(ctx, r.q, "sample", `SELECT EXISTS (SELECT FROM quality_samples s
		WHERE s.id = $2 AND `+excludedFromSample+`)`, pgx.RowTo[bool], person, sample)
}

// WaitingSamples reads the samples that wait, the oldest first, except those whose case the person
// took part in, at most limit. They were drawn later than the sample after, unless that is empty.
func (r Reader) WaitingSamples(
	ctx context.Context, person domain.ID, after domain.Sample, limit int,
) ([]domain.Sample, error) {
	return queryAll(ctx, r.q, "samples", `SELECT `+sampleColumns+` FROM quality_samples s
		WHERE s.ended_at IS NULL AND s.assigned_until <= clock() AND NOT `+excludedFromSample+`
			AND (s.drawn_at, s.id) > ($2, $3)
		ORDER BY s.drawn_at, s.id LIMIT $4`, scanSample, person, after.DrawnAt, after.ID, limit)
}

// HasOpened reports whether the person has read the case, opened one of its files or compared it with a case of
// theirs. The access log has a comparison in a confidential review under that review's case, and its object names
// both: comparison/{review}/{reference}.
func (r Reader) HasOpened(ctx context.Context, caseID, person domain.ID) (bool, error) {
	return queryOne(ctx, r.q, "access log", `SELECT EXISTS (SELECT FROM access_log
		WHERE case_id = $1 AND actor = $2 AND action = ANY($3) AND code = '') OR
		EXISTS (SELECT FROM access_log WHERE object LIKE 'comparison/%' AND actor = $2 AND code = ''
		AND split_part(object, '/', 3) = (SELECT reference FROM cases WHERE id = $1))`,
		pgx.RowTo[bool], caseID, person, []string{AccessRead, AccessOpen})
}

// AssignSample assigns a locked sample until a time, or returns it to those that wait.
func (t *Tx) AssignSample(
	ctx context.Context, sample, person domain.ID, until time.Time,
) error {
	_, err := t.exec(ctx, "assign sample", `UPDATE quality_samples SET assignee = $2,
		assigned_until = coalesce($3::timestamptz, '-infinity') WHERE id = $1`, sample, person, nullable(until))
	return err
}

// PutCheck adds the check of a sample and sets its next status.
func (t *Tx) PutCheck(ctx context.Context, check domain.SampleCheck, next domain.SampleStatus,
	correction domain.ID) error {
	compared, err := jsonText(check.Compared)
	if err != nil {
		return err
	}
	_, err = t.exec(ctx, "check", `INSERT INTO quality_checks (sample_id, settles, person, blind,
		approves, compared, rules, reason) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		check.SampleID, check.Settles, check.Person, check.Blind, check.Approves, compared,
		check.Rules, check.Reason)
	if err != nil {
		return err
	}
	_, err = t.exec(ctx, "check", `UPDATE quality_samples SET status = $2,
		assignee = '00000000-0000-0000-0000-000000000000', assigned_until = '-infinity',
		correction_id = $3, ended_at = CASE WHEN $2 = 'disputed' THEN NULL ELSE clock() END
		WHERE id = $1`, check.SampleID, string(next), correction)
	return err
}

// SampleChecks reads the checks of samples, the check before the settlement.
func (r Reader) SampleChecks(
	ctx context.Context, samples ...domain.ID,
) ([]domain.SampleCheck, error) {
	return queryAll(ctx, r.q, "checks", `SELECT sample_id, settles, person, blind, approves,
		compared, rules, reason, at FROM quality_checks WHERE sample_id = ANY($1)
		ORDER BY sample_id, settles`, scanCheck, samples)
}

func scanCheck(row pgx.CollectableRow) (domain.SampleCheck, error) {
	var c domain.SampleCheck
	var compared []byte
	err := row.Scan(&c.SampleID, &c.Settles, &c.Person, &c.Blind, &c.Approves, &compared, &c.Rules,
		&c.Reason, &c.At)
	if err != nil {
		return c, err
	}
	c.At = c.At.UTC()
	return c, json.Unmarshal(compared, &c.Compared)
}

// PutCorrection links a correction case with the case that it corrects. The sample that found it wrong
// is NoID if a person found it without one.
func (t *Tx) PutCorrection(ctx context.Context, correction, corrects, sample domain.ID) error {
	_, err := t.exec(ctx, "correction", `INSERT INTO case_corrections (case_id, corrects,
		sample_id) VALUES ($1, $2, NULLIF($3, '00000000-0000-0000-0000-000000000000'::uuid))`,
		correction, corrects, sample)
	return err
}

// Corrects reads the case that a correction case corrects, NoID if the case is no correction.
func (r Reader) Corrects(ctx context.Context, caseID domain.ID) (domain.ID, error) {
	return queryOne(ctx, r.q, "correction", `SELECT coalesce((SELECT corrects FROM case_corrections
		WHERE case_id = $1), '00000000-0000-0000-0000-000000000000')`, pgx.RowTo[domain.ID], caseID)
}

// CorrectionOf reads the correction case of an archived case, NoID if there is none.
func (r Reader) CorrectionOf(ctx context.Context, caseID domain.ID) (domain.ID, error) {
	return queryOne(ctx, r.q, "correction", `SELECT coalesce((SELECT case_id FROM case_corrections
		WHERE corrects = $1), '00000000-0000-0000-0000-000000000000')`, pgx.RowTo[domain.ID], caseID)
}

// PageInfo is the size of one page of a document.
type PageInfo struct {
	Revision, Number, Width, Height int
}

// NewestPages reads the sizes of the pages of the newest document of a case, in order.
func (r Reader) NewestPages(ctx context.Context, caseID domain.ID) ([]PageInfo, error) {
	return queryAll(ctx, r.q, "pages", `SELECT p.revision, p.number, p.width, p.height
		FROM pages p WHERE p.case_id = $1 AND p.revision = (SELECT max(d.revision)
			FROM documents d WHERE d.case_id = $1) ORDER BY p.number`,
		pgx.RowToStructByPos[PageInfo], caseID)
}
