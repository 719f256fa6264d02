package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

// maxStatisticsRows limits lists of fields, vendors, rules and steps.
const maxStatisticsRows = 200

// StepStatistics are figures of one node of a process. Times are in seconds.
type StepStatistics struct {
	Node string
	// Review says that people decide at the node; otherwise the program or another system works there.
	Review bool
	// Ended is how often the step ended, and Waiting how many have not ended.
	Ended, Waiting int64
	// Median and P90 are the time from the beginning of the step to its end.
	Median, P90 float64
	// ClaimMedian is the time from opening to the claim, of reviews.
	ClaimMedian float64
}

// StepStatistics returns the figures of the steps of cases that were submitted in the period. A step
// that is tried again counts from its first attempt.
func (r Reader) StepStatistics(ctx context.Context, query StatisticsQuery) (
	[]StepStatistics, error) {
	s := &statisticsSQL{StatisticsQuery: query}
	reviews, err := s.reviews()
	if err != nil {
		return nil, err
	}
	cases, err := s.cases()
	if err != nil {
		return nil, err
	}
	runs := s.submitted("n.case_id")
	sql := `SELECT r.node, true, count(*) FILTER (WHERE r.status = 'decided'),
			count(*) FILTER (WHERE r.status IN ('open', 'claimed')), ` +
		percentiles("date_part('epoch', r.decided_at - r.created_at)", "r.status = 'decided'") + `,
			coalesce(percentile_cont(0.5) WITHIN GROUP (ORDER BY
				date_part('epoch', coalesce(r.claimed_at, r.decided_at) - r.created_at))
				FILTER (WHERE r.status = 'decided'), 0)::float8
		FROM reviews r JOIN cases c ON c.id = r.case_id
		WHERE ` + s.submitted("r.case_id") + ` AND r.status <> 'cancelled' AND ` + reviews + `
		GROUP BY r.node`
	if query.Queue == "" && query.Person == domain.NoID {
		sql += ` UNION ALL SELECT n.node, false, count(*) FILTER (WHERE n.status = 'done'),
			count(*) FILTER (WHERE n.status IN ('pending', 'leased', 'incident')), ` +
			percentiles("n.seconds", "n.status = 'done'") + `, 0::float8
		FROM (SELECT n.node, n.status, n.case_id, date_part('epoch', n.ended_at -
				CASE WHEN n.attempt = 1 THEN n.created_at ELSE (SELECT min(f.created_at)
				FROM stage_runs f WHERE f.case_id = n.case_id AND f.node = n.node
				AND f.visit = n.visit AND f.kind = n.kind) END) AS seconds
			FROM stage_runs n WHERE n.kind IN ('stage', 'saga', 'timer') AND ` + runs + `) n
		JOIN cases c ON c.id = n.case_id
		WHERE n.status IN ('done', 'pending', 'leased', 'incident') AND ` + cases + `
		GROUP BY n.node`
	}
	return queryAll(ctx, r.q, "step statistics", sql+" ORDER BY 1 LIMIT "+s.arg(maxStatisticsRows),
		pgx.RowToStructByPos[StepStatistics], s.args...)
}

// CorrectionCount is how often people changed a value that was there: of a field, or of the
// documents of a vendor.
type CorrectionCount struct {
	Field  string // "" in rows of vendors
	Vendor string // "" in rows of fields
	// Corrections is the number of changed values, and Cases in how many cases.
	Corrections, Cases int64
}

// CorrectionStatistics counts the corrections of the period, most frequent first. by limits them to
// those of one person; hidden are fields that are not counted.
func (r Reader) CorrectionStatistics(ctx context.Context, query StatisticsQuery, by domain.ID,
	hidden []string) ([]CorrectionCount, error) {
	s := &statisticsSQL{StatisticsQuery: query}
	cases, err := s.cases()
	if err != nil {
		return nil, err
	}
	if by != domain.NoID {
		cases += " AND e.actor = " + s.arg(by)
	}
	if query.Queue != "" || query.Person != domain.NoID {
		reviews, err := s.reviews()
		if err != nil {
			return nil, err
		}
		cases += " AND EXISTS (SELECT FROM reviews r WHERE r.case_id = e.case_id" +
			" AND r.assignee = e.actor AND " + reviews + ")"
	}
	return queryAll(ctx, r.q, "correction statistics", `WITH f AS (
			SELECT e.case_id, c.counterparty, f->>'name' AS field
			FROM events e JOIN cases c ON c.id = e.case_id
			CROSS JOIN LATERAL jsonb_array_elements(nullif(e.body, '')::jsonb->'fields') f
			WHERE e.type = 'fields.corrected' AND `+s.within("e.at")+` AND e.body <> ''
			AND f->>'source' = 'human' AND coalesce(f->>'before', '') <> ''
			AND f->>'before' IS DISTINCT FROM f->>'after'
			AND f->>'name' <> ALL(`+s.arg(hidden)+`::text[]) AND `+cases+`)
		(SELECT field, '', count(*), count(DISTINCT case_id) FROM f GROUP BY field
			ORDER BY 3 DESC, 1 LIMIT `+s.arg(maxStatisticsRows)+`)
		UNION ALL (SELECT '', counterparty, count(*), count(DISTINCT case_id) FROM f
			WHERE counterparty <> '' GROUP BY counterparty ORDER BY 3 DESC, 2
			LIMIT `+s.arg(maxStatisticsRows)+`)`, pgx.RowToStructByPos[CorrectionCount], s.args...)
}

// RuleCount is in how many cases a rule found something.
type RuleCount struct {
	Rule string
	Hits int64
	// Overruled is in how many of them a reviewer stated why the finding does not stop an approval, and
	// Archived how many were archived.
	Overruled, Archived int64
}

// RuleStatistics counts the cases that were submitted in the period and have a finding, by its rule,
// most frequent first. hidden are rules that are not counted.
func (r Reader) RuleStatistics(ctx context.Context, query StatisticsQuery, hidden []string) (
	[]RuleCount, error) {
	s := &statisticsSQL{StatisticsQuery: query}
	cases, err := s.cases()
	if err != nil {
		return nil, err
	}
	return queryAll(ctx, r.q, "rule statistics", `SELECT f.rule, count(*),
			count(*) FILTER (WHERE f.overruled), count(*) FILTER (WHERE c.status = 'archived')
		FROM (SELECT f.case_id, f.rule, EXISTS (SELECT FROM overrides o
				WHERE o.case_id = f.case_id AND o.rule = f.rule AND NOT `+hiddenOverride("o")+`) AS overruled
			FROM findings f WHERE `+s.submitted("f.case_id")+`
			AND f.rule <> ALL(`+s.arg(hidden)+`::text[]) GROUP BY f.case_id, f.rule) f
		JOIN cases c ON c.id = f.case_id WHERE `+cases+`
		GROUP BY f.rule ORDER BY count(*) DESC, f.rule LIMIT `+s.arg(maxStatisticsRows),
		pgx.RowToStructByPos[RuleCount], s.args...)
}
