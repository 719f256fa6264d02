package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

// StatisticsQuery selects the cases and reviews of which figures are computed.
type StatisticsQuery struct {
	Days domain.Days
	By   domain.StatisticsGroup
	// Cases and Reviews are what the viewer may see.
	Cases, Reviews domain.Filter
	// ExcludedProcesses are left out, because the viewer may not learn which reviews their cases need.
	ExcludedProcesses []string
	// Drawn counts drawn cases, except those of the documents of Viewer.
	Drawn  bool
	Viewer domain.ID
	// Queue, Process, DocumentTypes and Person narrow further; empty values do not.
	Queue, Process string
	DocumentTypes  []string
	Person         domain.ID
}

// CaseCounts are figures of cases. Times are in seconds; they are 0 without cases.
type CaseCounts struct {
	Ended, Archived, Rejected, Abandoned int64
	Straight                             int64 // archived without an approval of a person
	Drawn                                int64 // archived and drawn for the quality sample
	LeadMedian, LeadP90                  float64
}

// ReviewCounts are figures of decided reviews. Times are in seconds; they are 0 without reviews.
type ReviewCounts struct {
	Decided               int64
	MissedClaims          int64
	WaitMedian, WaitP90   float64 // from opening to the claim
	WorkMedian, WorkP90   float64 // from the claim to the decision
	TotalMedian, TotalP90 float64 // from opening to the decision
}

// statisticsSQL builds a statement with its arguments.
type statisticsSQL struct {
	StatisticsQuery
	args []any
}

func (s *statisticsSQL) arg(value any) string {
	s.args = append(s.args, value)
	return fmt.Sprintf("$%d", len(s.args))
}

// within renders that a column lies in the period.
func (s *statisticsSQL) within(column string) string {
	return fmt.Sprintf("%[1]s >= %[2]s AND %[1]s < %[3]s", column, s.arg(s.Days.From()),
		s.arg(s.Days.To()))
}

// key renders the group of a row. Days are numbers from 0; their bounds are computed by the program,
// so that days of a zone have 23 to 25 hours.
func (s *statisticsSQL) key(at, queue, person string) string {
	switch s.By {
	case domain.ByDay:
		return fmt.Sprintf("width_bucket(%s, %s::timestamptz[]) - 1", at, s.arg(s.Days.Starts))
	case domain.ByQueue:
		return queue
	case domain.ByPerson:
		return person
	default:
		return "c.process_key"
	}
}

// cases renders the condition on cases c.
func (s *statisticsSQL) cases() (string, error) {
	text, args, err := renderCases(s.Cases, s.args)
	s.args = args
	return "(" + text + ") AND " + s.processes(), err
}

func (s *statisticsSQL) processes() string {
	excluded := s.ExcludedProcesses
	if excluded == nil {
		excluded = []string{}
	}
	where := "c.process_key <> ALL(" + s.arg(excluded) + "::text[])"
	if s.Process != "" {
		where += " AND c.process_key = " + s.arg(s.Process)
	}
	if len(s.DocumentTypes) > 0 {
		where += " AND c.document_type = ANY(" + s.arg(s.DocumentTypes) + "::text[])"
	}
	return where
}

// readsProcess reports whether the process or the document type of a review is needed, which are columns
// of its case.
func (s *statisticsSQL) readsProcess() bool {
	return s.Process != "" || len(s.ExcludedProcesses) > 0 || len(s.DocumentTypes) > 0 ||
		s.By == domain.ByProcess
}

// reviewRows renders reviews r, with their cases c only if they are needed: reading the case of each
// review takes longer than reading the reviews.
func (s *statisticsSQL) reviewRows() string {
	if s.readsProcess() {
		return "reviews r JOIN cases c ON c.id = r.case_id"
	}
	return "reviews r"
}

// reviews renders the condition on reviewRows.
func (s *statisticsSQL) reviews() (string, error) {
	text, args, err := renderReviews(s.Reviews, s.args)
	s.args = args
	where := "(" + text + ")"
	if s.readsProcess() {
		where += " AND " + s.processes()
	}
	if s.Queue != "" {
		where += " AND r.queue = " + s.arg(s.Queue)
	}
	if s.Person != domain.NoID {
		where += " AND r.assignee = " + s.arg(s.Person)
	}
	return where, err
}

// endTypes are the events that end a case.
const endTypes = "('case.archived', 'case.rejected', 'case.abandoned')"

// notReplaced excludes cases c whose documents are counted in other cases: files that were split into cases,
// and parts that were merged again. It also excludes corrections of archived cases. The index cases_parent
// has only parts, so each condition on parent_id says that it is set.
const notReplaced = `NOT EXISTS (SELECT FROM case_corrections k WHERE k.case_id = c.id)
	AND (c.status <> 'abandoned' OR NOT EXISTS (SELECT FROM cases p WHERE p.parent_id = c.id
			AND p.parent_id <> '00000000-0000-0000-0000-000000000000')
		AND NOT EXISTS (SELECT FROM cases p WHERE p.parent_id = c.parent_id
			AND p.parent_id <> '00000000-0000-0000-0000-000000000000'
			AND coalesce((p.part->>'merged')::boolean, false)))`

// percentiles renders the median and the ninth decile of seconds.
func percentiles(seconds, where string) string {
	one := func(share string) string {
		return `coalesce(percentile_cont(` + share + `) WITHIN GROUP (ORDER BY ` + seconds +
			`) FILTER (WHERE ` + where + `), 0)::float8`
	}
	return one("0.5") + ", " + one("0.9")
}

// CaseStatistics returns the figures of cases that ended in the period, by group; the total has the
// key "". A case counts once, when it ended last, and not while it is reopened.
func (r Reader) CaseStatistics(ctx context.Context, query StatisticsQuery) (
	map[string]CaseCounts, error) {
	s := &statisticsSQL{StatisticsQuery: query}
	key := s.key("e.at", "''", "''")
	where, err := s.cases()
	if err != nil {
		return nil, err
	}
	drawn := "false"
	if query.Drawn {
		drawn = `c.submitter <> ` + s.arg(query.Viewer) + ` AND EXISTS (
			SELECT FROM quality_samples q WHERE q.case_id = c.id)`
	}
	sql := `SELECT coalesce(key::text, ''), count(*), count(*) FILTER (WHERE status = 'archived'),
		count(*) FILTER (WHERE status = 'rejected'), count(*) FILTER (WHERE status = 'abandoned'),
		count(*) FILTER (WHERE straight), count(*) FILTER (WHERE drawn), ` +
		percentiles("lead", "status <> 'abandoned'") + `
		FROM (SELECT ` + key + ` AS key, c.status, date_part('epoch', e.at -
				coalesce(o.created_at, c.created_at)) AS lead,
			c.status = 'archived' AND NOT EXISTS (SELECT FROM decisions d
				WHERE d.case_id = c.id AND d.verdict = 'approve') AS straight,
			c.status = 'archived' AND ` + drawn + ` AS drawn
			FROM events e JOIN cases c ON c.id = e.case_id
			LEFT JOIN cases o ON o.id = c.origin_id
			WHERE e.type IN ` + endTypes + ` AND ` + s.within("e.at") + `
			AND c.status IN ('archived', 'rejected', 'abandoned') AND NOT EXISTS (
				SELECT FROM events l WHERE l.case_id = e.case_id AND l.seq > e.seq
				AND l.type IN ` + endTypes + `)
			AND ` + notReplaced + ` AND ` + where + `) x
		GROUP BY GROUPING SETS ((key), ())`
	return queryGroups(ctx, r, "case statistics", sql, s.args,
		func(c *CaseCounts) []any {
			return []any{&c.Ended, &c.Archived, &c.Rejected, &c.Abandoned, &c.Straight, &c.Drawn,
				&c.LeadMedian, &c.LeadP90}
		})
}

// queryGroups reads one row per key.
func queryGroups[T any](ctx context.Context, r Reader, op, sql string, args []any,
	into func(*T) []any) (map[string]T, error) {
	type row struct {
		key   string
		value T
	}
	rows, err := queryAll(ctx, r.q, op, sql, func(found pgx.CollectableRow) (row, error) {
		var one row
		err := found.Scan(append([]any{&one.key}, into(&one.value)...)...)
		return one, err
	}, args...)
	groups := make(map[string]T, len(rows))
	for _, one := range rows {
		groups[one.key] = one.value
	}
	return groups, err
}

// ReviewStatistics returns the figures of reviews that were decided in the period, by group; the
// total has the key "".
func (r Reader) ReviewStatistics(ctx context.Context, query StatisticsQuery) (
	map[string]ReviewCounts, error) {
	s := &statisticsSQL{StatisticsQuery: query}
	key := s.key("r.decided_at", "r.queue", "r.assignee")
	where, err := s.reviews()
	if err != nil {
		return nil, err
	}
	sql := `SELECT coalesce(key::text, ''), count(*), coalesce(sum(breaches), 0)::bigint, ` +
		percentiles("wait", "true") + ", " + percentiles("work", "true") + ", " +
		percentiles("wait + work", "true") + `
		FROM (SELECT ` + key + ` AS key, r.breaches,
			date_part('epoch', coalesce(r.claimed_at, r.decided_at) - r.created_at) AS wait,
			date_part('epoch', r.decided_at - coalesce(r.claimed_at, r.decided_at)) AS work
			FROM ` + s.reviewRows() + `
			WHERE r.status = 'decided' AND ` + s.within("r.decided_at") + ` AND ` + where + `) x
		GROUP BY GROUPING SETS ((key), ())`
	return queryGroups(ctx, r, "review statistics", sql, s.args,
		func(c *ReviewCounts) []any {
			return []any{&c.Decided, &c.MissedClaims, &c.WaitMedian, &c.WaitP90, &c.WorkMedian,
				&c.WorkP90, &c.TotalMedian, &c.TotalP90}
		})
}

// OpenedReviews counts the reviews that were opened in the period, by group.
func (r Reader) OpenedReviews(ctx context.Context, query StatisticsQuery) (
	map[string]int64, error) {
	s := &statisticsSQL{StatisticsQuery: query}
	key := s.key("r.created_at", "r.queue", "''")
	return r.countReviews(ctx, s, key, s.within("r.created_at"))
}

// LateReviews counts the reviews whose deadline was in the period and which were not decided by
// then, by group. Reviews whose deadlines are paused do not count.
func (r Reader) LateReviews(ctx context.Context, query StatisticsQuery) (
	map[string]int64, error) {
	s := &statisticsSQL{StatisticsQuery: query}
	key := s.key("r.decide_by", "r.queue", "r.assignee")
	late := "r.status = 'decided' AND r.decided_at > r.decide_by"
	if query.By == domain.ByPerson { // a review without a decision has no person
		return r.countReviews(ctx, s, key, s.within("r.decide_by")+" AND "+late)
	}
	return r.countReviews(ctx, s, key, s.within("r.decide_by")+" AND ("+late+
		" OR r.status IN ('open', 'claimed') AND r.paused_at IS NULL AND r.decide_by < clock())")
}

func (r Reader) countReviews(ctx context.Context, s *statisticsSQL, key, condition string) (
	map[string]int64, error) {
	where, err := s.reviews()
	if err != nil {
		return nil, err
	}
	return queryGroups(ctx, r, "count reviews", `SELECT coalesce(key::text, ''), count(*)
		FROM (SELECT `+key+` AS key FROM `+s.reviewRows()+`
			WHERE `+condition+` AND `+where+`) x GROUP BY GROUPING SETS ((key), ())`, s.args,
		func(n *int64) []any { return []any{n} })
}

// SubmittedCases counts the cases that were submitted in the period, by group. Parts of a file and
// corrections do not count.
func (r Reader) SubmittedCases(ctx context.Context, query StatisticsQuery) (
	map[string]int64, error) {
	s := &statisticsSQL{StatisticsQuery: query}
	key := s.key("c.created_at", "''", "''")
	where, err := s.cases()
	if err != nil {
		return nil, err
	}
	return queryGroups(ctx, r, "submitted cases", `SELECT coalesce(key::text, ''), count(*)
		FROM (SELECT `+key+` AS key FROM cases c WHERE `+s.submitted("c.id")+`
			AND c.parent_id = '00000000-0000-0000-0000-000000000000'
			AND NOT EXISTS (SELECT FROM case_corrections k WHERE k.case_id = c.id)
			AND `+where+`) x GROUP BY GROUPING SETS ((key), ())`, s.args,
		func(n *int64) []any { return []any{n} })
}

// submitted renders that a case was submitted in the period. The first bits of its id are the time,
// so that rows of the months outside of the period are not read.
func (s *statisticsSQL) submitted(column string) string {
	return strings.Join([]string{column + " >= month_bound(" + s.arg(s.Days.From()) + ")",
		column + " < month_bound(" + s.arg(s.Days.To()) + ")"}, " AND ")
}
