package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

// SampleQuery selects samples for a viewer. Samples of documents that the viewer submitted are never
// returned.
type SampleQuery struct {
	Viewer       domain.ID
	Confidential bool // the viewer may see confidential cases
	Ended        bool // only ended ones
	Since        time.Time
	Before       domain.ID // keyset: samples before this one; NoID = from the newest
	Limit        int
}

// Samples reads samples, the newest first.
func (r Reader) Samples(ctx context.Context, q SampleQuery) ([]domain.Sample, error) {
	return queryAll(ctx, r.q, "samples", `SELECT `+sampleColumns+` FROM quality_samples s
		WHERE s.submitter <> $1 AND ($2 OR NOT s.confidential)
			AND (NOT $3 OR s.ended_at IS NOT NULL) AND s.archived_at >= $4
			AND ($5 = '00000000-0000-0000-0000-000000000000'::uuid OR s.id < $5)
		ORDER BY s.id DESC LIMIT $6`, scanSample, q.Viewer, q.Confidential, q.Ended, q.Since,
		q.Before, q.Limit)
}

// ArchivedCount is how many cases of a stratum were archived and drawn.
type ArchivedCount struct {
	Stratum  domain.Stratum
	Archived int64
	Drawn    int64
}

// ArchivedCounts counts the cases that were archived since a day.
func (r Reader) ArchivedCounts(ctx context.Context, since time.Time) ([]ArchivedCount, error) {
	return queryAll(ctx, r.q, "archived cases", `SELECT stratum, sum(archived)::bigint,
		sum(drawn)::bigint FROM quality_days WHERE day >= $1::date GROUP BY stratum
		ORDER BY stratum`, pgx.RowToStructByPos[ArchivedCount], since)
}

// ReviewerPair is what a reviewer decided about the documents of a submitter.
type ReviewerPair struct {
	Submitter domain.ID
	Reviewer  domain.ID
	Documents int64   // of the submitter, decided by the reviewer
	Share     float64 // of the submitter's decided documents
	// Seconds is the median time from the claim to the decision.
	Seconds  float64
	NearMark float64 // share of the documents that are just below a mark
}

// ReviewerPairs reads the pairs with the most documents, at most limit. Amounts of at most 10 % below
// one of the marks are near it. The viewer's own documents, and those of the excluded processes, do
// not count.
func (r Reader) ReviewerPairs(ctx context.Context, viewer domain.ID, excludedProcesses []string,
	marks []int64, since time.Time, limit int) ([]ReviewerPair, error) {
	return queryAll(ctx, r.q, "reviewer pairs", `WITH d AS (
			SELECT c.submitter, d.actor AS reviewer, c.id,
				extract(epoch FROM d.at - r.claimed_at)::float8 AS seconds,
				c.amount_known AND EXISTS (SELECT FROM unnest($3::bigint[]) m
					WHERE abs(c.base_minor) < m AND abs(c.base_minor) >= m - m / 10) AS near
			FROM decisions d JOIN reviews r ON r.id = d.review_id JOIN cases c ON c.id = d.case_id
			WHERE d.case_id >= month_bound($4) AND c.submitter <> $1
				AND c.process_key <> ALL($2)),
		totals AS (SELECT submitter, count(DISTINCT id) AS documents FROM d GROUP BY submitter)
		SELECT d.submitter, d.reviewer, count(DISTINCT d.id),
			(count(DISTINCT d.id)::float8 / t.documents),
			coalesce(percentile_cont(0.5) WITHIN GROUP (ORDER BY d.seconds), 0),
			avg(d.near::int)::float8
		FROM d JOIN totals t ON t.submitter = d.submitter
		GROUP BY d.submitter, d.reviewer, t.documents
		ORDER BY count(DISTINCT d.id) DESC, d.submitter, d.reviewer LIMIT $5`,
		pgx.RowToStructByPos[ReviewerPair], viewer, excludedProcesses, marks, since, limit)
}
