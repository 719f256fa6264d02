package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

// InstallationKey reads a random key of the installation. No answer of the API may contain it.
func (r Reader) InstallationKey(ctx context.Context, name string) ([]byte, error) {
	return queryOne(ctx, r.q, "key", `SELECT key FROM installation_keys WHERE name = $1`,
		pgx.RowTo[[]byte], name)
}

// LimitAmounts reads the amounts of all limits in minor units of the base currency, once each.
func (r Reader) LimitAmounts(ctx context.Context) ([]int64, error) {
	return queryAll(ctx, r.q, "limits", `SELECT DISTINCT base_minor FROM limits
		WHERE NOT unlimited ORDER BY base_minor`, pgx.RowTo[int64])
}

// ArchivedCase is an archived case that is not drawn yet.
type ArchivedCase struct {
	CaseID      domain.ID
	ArchivedAt  time.Time
	Process     string
	Version     int    // of the process
	Approved    bool   // by at least one person
	Queue       string // of the last approval
	Submitter   domain.ID
	BaseMinor   int64
	AmountKnown bool
	Share       int // when it was archived, in millionths; -1 if only the default applied
	NewPayee    bool
	NewAccount  bool
}

// HasArchivedCases reports whether any archived case is not drawn yet.
func (r Reader) HasArchivedCases(ctx context.Context) (bool, error) {
	return queryOne(ctx, r.q, "archived cases", `SELECT EXISTS (SELECT FROM quality_pending)`,
		pgx.RowTo[bool])
}

// LockArchivedCases locks archived cases that are not drawn yet, at most limit. A case without a
// known counterparty counts as the first of its counterparty. Accounts are compared with those of
// the latest 100 archived cases of the counterparty.
func (t *Tx) LockArchivedCases(
	ctx context.Context, limit int,
) ([]ArchivedCase, error) {
	// Without sorting, the plan reads the cases of a counterparty in the order of its index and ends
	// early. Otherwise it may read all of them for each archived case and sort them. The partitions of
	// decisions are read only for cases with reviews.
	if _, err := t.exec(ctx, "archived cases", "SET LOCAL enable_sort = off"); err != nil {
		return nil, err
	}
	return queryAll(ctx, t.q, "archived cases", `WITH p AS (
			SELECT case_id, archived_at FROM quality_pending ORDER BY archived_at LIMIT $1
			FOR UPDATE SKIP LOCKED)
		SELECT c.id, p.archived_at, c.process_key, c.process_version, a.queue IS NOT NULL,
			coalesce(a.queue, ''), c.submitter, c.base_minor, c.amount_known,
			coalesce((SELECT s.millionths FROM sample_shares s WHERE s.process = c.process_key
				AND s.stratum = CASE WHEN a.queue IS NULL THEN 'straight' ELSE 'approved' END
				AND s.valid_from <= p.archived_at ORDER BY s.version DESC LIMIT 1), -1),
			(SELECT true FROM cases o WHERE o.party_id = c.party_id AND o.id < c.id
				AND o.status = 'archived' AND o.party_id <> '00000000-0000-0000-0000-000000000000'
				ORDER BY o.id LIMIT 1) IS NULL,
			c.accounts <> '{}' AND NOT EXISTS (SELECT FROM (SELECT o.accounts FROM cases o
				WHERE o.party_id = c.party_id AND o.id < c.id AND o.status = 'archived'
				ORDER BY o.id DESC LIMIT 100) o WHERE o.accounts && c.accounts)
		FROM p JOIN cases c ON c.id = p.case_id
		LEFT JOIN LATERAL (SELECT r.queue FROM reviews r
			CROSS JOIN LATERAL (SELECT d.at, d.id FROM decisions d WHERE d.case_id = c.id
				AND d.review_id = r.id AND d.verdict = 'approve' OFFSET 0) d
			WHERE r.case_id = c.id ORDER BY d.at DESC, d.id DESC LIMIT 1) a ON true
		ORDER BY p.archived_at`, pgx.RowToStructByPos[ArchivedCase], limit)
}

// EndDraw counts archived cases, of which the samples are the drawn ones, and stores the samples.
func (t *Tx) EndDraw(
	ctx context.Context, cases []ArchivedCase, samples []domain.Sample,
) error {
	for _, s := range samples {
		_, err := t.exec(ctx, "sample", `INSERT INTO quality_samples (id, case_id, process, stratum,
			queue, confidential, submitter, share, reasons, probability, archived_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`, s.ID, s.CaseID, s.Process,
			string(s.Stratum), s.Queue, s.Confidential, s.Submitter, s.Share, s.Reasons,
			s.Probability, s.ArchivedAt)
		if err != nil {
			return err
		}
	}
	ids, withoutShare := make([]domain.ID, len(cases)), []domain.ID{}
	for i := range cases {
		ids[i] = cases[i].CaseID
		if cases[i].Share == 0 {
			withoutShare = append(withoutShare, ids[i])
		}
	}
	_, err := t.exec(ctx, "end draw", `WITH p AS (
			DELETE FROM quality_pending WHERE case_id = ANY($1) RETURNING case_id, archived_at)
		INSERT INTO quality_days (day, process, stratum, archived, drawn, without_share)
		SELECT (p.archived_at AT TIME ZONE 'UTC')::date, c.process_key, CASE WHEN EXISTS (
			SELECT FROM reviews r CROSS JOIN LATERAL (SELECT FROM decisions d WHERE d.case_id = c.id
				AND d.review_id = r.id AND d.verdict = 'approve' OFFSET 0) d WHERE r.case_id = c.id)
			THEN 'approved' ELSE 'straight' END AS stratum, count(*),
			count(*) FILTER (WHERE EXISTS (SELECT FROM quality_samples s WHERE s.case_id = c.id)),
			count(*) FILTER (WHERE c.id = ANY($2))
		FROM p JOIN cases c ON c.id = p.case_id GROUP BY 1, 2, 3
		ON CONFLICT (day, process, stratum) DO UPDATE SET
			archived = quality_days.archived + excluded.archived,
			drawn = quality_days.drawn + excluded.drawn,
			without_share = quality_days.without_share + excluded.without_share`, ids, withoutShare)
	return err
}

// SampleShare is the share of a process and stratum that is drawn, in millionths.
type SampleShare struct {
	Process    string
	Stratum    domain.Stratum
	Version    int // number of changes; 0 = the default applies
	Millionths int
	Reason     string
	SetBy      domain.ID
	Since      time.Time
	ProposalID domain.ID
	ProposedBy domain.ID // SetBy confirmed it
}

const sampleShareColumns = `process, stratum, version, millionths, reason, set_by, valid_from,
	proposal_id, (SELECT p.proposed_by FROM proposals p WHERE p.id = proposal_id)`

// SampleShares reads every share that was set, the newest first, at most limit.
func (r Reader) SampleShares(ctx context.Context, limit int) ([]SampleShare, error) {
	return queryAll(ctx, r.q, "sample shares", `SELECT `+sampleShareColumns+`
		FROM sample_shares ORDER BY valid_from DESC, process, stratum LIMIT $1`,
		pgx.RowToStructByPos[SampleShare], limit)
}

// SampleShare reads the present share of a process and stratum; version 0 if none was set.
func (r Reader) SampleShare(
	ctx context.Context, process string, stratum domain.Stratum,
) (SampleShare, error) {
	share, err := queryOne(ctx, r.q, "sample share", `SELECT `+sampleShareColumns+`
		FROM sample_shares WHERE process = $1 AND stratum = $2 ORDER BY version DESC LIMIT 1`,
		pgx.RowToStructByPos[SampleShare], process, string(stratum))
	if domain.HasCode(err, domain.NotFound) {
		return SampleShare{Process: process, Stratum: stratum}, nil
	}
	return share, err
}

// AddSampleShare sets a share from now on. The database refuses one without a confirmed proposal.
func (t *Tx) AddSampleShare(ctx context.Context, share SampleShare) error {
	_, err := t.exec(ctx, "sample share", `INSERT INTO sample_shares (process, stratum, version,
		millionths, reason, set_by, proposal_id) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		share.Process, string(share.Stratum), share.Version, share.Millionths, share.Reason,
		share.SetBy, share.ProposalID)
	return err
}
