package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

// RehearsalReports reads the reports about the text of a proposal, and about earlier texts for the same
// version that were not published, oldest first.
func (r Reader) RehearsalReports(ctx context.Context, p domain.Proposal) (
	[]domain.RehearsalReport, error) {
	return queryAll(ctx, r.q, "rehearsal reports", `SELECT t.id, t.proposal_id, t.text_sha256,
			t.base_sha256, t.report, t.sha256, t.run_by, t.at
		FROM proposals q JOIN rehearsal_reports t ON t.proposal_id = q.id
		WHERE q.kind = $1 AND q.key = $2 AND q.base_version = $3
			AND (q.id = $4 OR q.id < $4 AND q.status <> 'published')
		ORDER BY t.id`, pgx.RowToStructByPos[domain.RehearsalReport], string(p.Kind), p.Key, p.Base, p.ID)
}

// CountRehearsalReports counts the reports about a proposal that a person recorded.
func (r Reader) CountRehearsalReports(ctx context.Context, proposal, by domain.ID) (int, error) {
	return queryOne(ctx, r.q, "count rehearsal reports", `SELECT count(*)::int FROM rehearsal_reports
		WHERE proposal_id = $1 AND run_by = $2`, pgx.RowTo[int], proposal, by)
}

// AddRehearsalReport records a rehearsal of the text of an open proposal.
func (t *Tx) AddRehearsalReport(ctx context.Context, report domain.RehearsalReport) error {
	_, err := t.exec(ctx, "rehearsal report", `INSERT INTO rehearsal_reports (id, proposal_id,
		text_sha256, base_sha256, report, sha256, run_by) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		report.ID, report.ProposalID, report.TextSHA256, report.BaseSHA256, report.Report, report.SHA256,
		report.By)
	return err
}
