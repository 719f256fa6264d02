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
	Since        time.Time
	Before       domain.ID // keyset: samples before this one; NoID = from the newest
	Limit        int
}

// Samples reads samples, the newest first.
func (r Reader) Samples(ctx context.Context, q SampleQuery) ([]domain.Sample, error) {
	return queryAll(ctx, r.q, "samples", `SELECT `+sampleColumns+` FROM quality_samples s
		WHERE s.submitter <> $1 AND ($2 OR NOT s.confidential)
			AND s.archived_at >= $3
			AND ($4 = '00000000-0000-0000-0000-000000000000'::uuid OR s.id < $4)
		ORDER BY s.id DESC LIMIT $5`, scanSample, q.Viewer, q.Confidential, q.Since, q.Before,
		q.Limit)
}

// ArchivedCount is how many cases of a stratum were archived and drawn.
type ArchivedCount struct {
	Stratum  domain.Stratum
	Archived int64
	// WithoutShare is how many of them could not be drawn, because the share was 0.
	WithoutShare int64
	Drawn        int64
}

// ArchivedCounts counts the cases that were archived since the beginning of a day, without those of
// the excluded processes. Drawn cases of the viewer's own documents do not count, because the number
// would tell the viewer that one of them was drawn.
func (r Reader) ArchivedCounts(ctx context.Context, viewer domain.ID, excludedProcesses []string,
	since time.Time) ([]ArchivedCount, error) {
	return queryAll(ctx, r.q, "archived cases", `SELECT d.stratum, sum(d.archived)::bigint,
			sum(d.without_share)::bigint, (SELECT count(*) FROM quality_samples s
				WHERE s.stratum = d.stratum AND s.archived_at >= $1 AND s.submitter <> $2
				AND s.process <> ALL($3))
		FROM quality_days d WHERE d.day >= ($1 AT TIME ZONE 'UTC')::date AND d.process <> ALL($3)
		GROUP BY d.stratum ORDER BY d.stratum`, pgx.RowToStructByPos[ArchivedCount], since, viewer,
		excludedProcesses)
}

// CheckerFigures is what one person did with the samples that they were assigned.
type CheckerFigures struct {
	Person domain.ID
	// Checked is how many samples the person checked, and Disagreed with how many they disagreed.
	Checked   int64
	Disagreed int64
	// Settled is how many disagreements the person decided, and Confirmed in how many of them they
	// found the archived case right.
	Settled   int64
	Confirmed int64
	// Released and Expired are how often the person returned a sample, or let it expire.
	Released int64
	Expired  int64
	// Seconds is the median time from the assignment to the check or settlement.
	Seconds float64
}

// CheckerFigures reads what each person did with the samples of cases that were archived since a
// time, at most limit persons. The viewer's own documents, and those of the excluded processes, do
// not count.
func (r Reader) CheckerFigures(ctx context.Context, viewer domain.ID, excludedProcesses []string,
	since time.Time, limit int) ([]CheckerFigures, error) {
	return queryAll(ctx, r.q, "checkers", `SELECT a.person,
			count(k.person) FILTER (WHERE NOT k.settles),
			count(k.person) FILTER (WHERE NOT k.settles AND s.status <> 'agreed'),
			count(k.person) FILTER (WHERE k.settles),
			count(k.person) FILTER (WHERE k.settles AND s.status = 'confirmed'),
			count(*) FILTER (WHERE a.ended = 'released'),
			count(*) FILTER (WHERE a.ended = 'expired'
				OR a.ended IS NULL AND s.assigned_until <= clock()),
			coalesce(percentile_cont(0.5) WITHIN GROUP (ORDER BY
				extract(epoch FROM a.ended_at - a.assigned_at))
				FILTER (WHERE a.ended = 'checked'), 0)::float8
		FROM quality_assignments a JOIN quality_samples s ON s.id = a.sample_id
		LEFT JOIN quality_checks k ON k.sample_id = a.sample_id AND k.person = a.person
			AND a.ended = 'checked'
		WHERE s.submitter <> $1 AND s.process <> ALL($2) AND s.archived_at >= $3
		GROUP BY a.person ORDER BY count(*) DESC, a.person LIMIT $4`,
		pgx.RowToStructByPos[CheckerFigures], viewer, excludedProcesses, since, limit)
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
