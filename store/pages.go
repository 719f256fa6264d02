package store

import (
	"context"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

// IncidentQuery selects incidents among those that the policy admits.
type IncidentQuery struct {
	Code  domain.Code // "" = any
	Node  string      // "" = any
	After *IncidentCursor
	Limit int
}

// IncidentCursor continues a list of incidents: the sort key of its last row.
type IncidentCursor struct {
	EndedAt time.Time
	RunID   domain.ID
}

const activeIncident = `r.status = 'incident' AND c.status = 'incident'`

// IncidentPage reads unresolved incidents of cases that the filter admits, newest first.
func (r Reader) IncidentPage(ctx context.Context, filter domain.Filter,
	query IncidentQuery) ([]domain.StageRun, error) {
	where, args, err := renderCases(filter, []any{query.Limit, string(query.Code), query.Node})
	if err != nil {
		return nil, err
	}
	if query.After != nil {
		args = append(args, query.After.EndedAt, query.After.RunID)
		where += " AND (r.ended_at, r.id) < ($" + strconv.Itoa(len(args)-1) + ", $" +
			strconv.Itoa(len(args)) + ")"
	}
	return queryAll(ctx, r.q, "incidents", `SELECT `+runColumns+` FROM stage_runs r
		JOIN cases c ON c.id = r.case_id
		WHERE `+activeIncident+` AND ($2 = '' OR r.error_code = $2) AND ($3 = '' OR r.node = $3)
		AND `+where+`
		ORDER BY r.ended_at DESC, r.id DESC LIMIT $1`, scanRun, args...)
}

// IncidentGroup is the incidents with the same code and node. Message is what all of them say, "" if they differ.
type IncidentGroup struct {
	Code    domain.Code
	Node    string
	Message string
	Count   int64
	Oldest  time.Time
	Newest  time.Time
}

// IncidentGroups counts incidents of cases that the filter admits by code and node, most frequent
// first.
func (r Reader) IncidentGroups(ctx context.Context, filter domain.Filter) ([]IncidentGroup, error) {
	where, args, err := renderCases(filter, nil)
	if err != nil {
		return nil, err
	}
	return queryAll(ctx, r.q, "incident groups",
		`SELECT r.error_code, r.node, CASE WHEN min(r.error_text) = max(r.error_text) THEN min(r.error_text) ELSE '' END,
		count(*), min(r.ended_at), max(r.ended_at) FROM stage_runs r
		JOIN cases c ON c.id = r.case_id
		WHERE `+activeIncident+` AND `+where+` GROUP BY r.error_code, r.node ORDER BY count(*) DESC,
		max(r.ended_at) DESC`,
		pgx.RowToStructByPos[IncidentGroup], args...)
}

// IncidentCount counts the incidents of cases that the filter admits.
func (r Reader) IncidentCount(ctx context.Context, filter domain.Filter) (int64, error) {
	where, args, err := renderCases(filter, nil)
	if err != nil {
		return 0, err
	}
	return queryOne(ctx, r.q, "incident count", `SELECT count(*) FROM stage_runs r
		JOIN cases c ON c.id = r.case_id
		WHERE `+activeIncident+` AND `+where, pgx.RowTo[int64], args...)
}

// ReturnedCount counts the cases of the submitter that were returned to them, up to MaxCount.
func (r Reader) ReturnedCount(ctx context.Context, submitter domain.ID) (int64, error) {
	return queryOne(ctx, r.q, "returned count", `SELECT count(*) FROM (SELECT FROM cases
		WHERE submitter = $1 AND status = 'returned' LIMIT $2) c`, pgx.RowTo[int64], submitter,
		MaxCount)
}

// NumberedAccessEntry is a line of the access log with its number, which orders lines with the same
// time.
type NumberedAccessEntry struct {
	Number int64
	AccessEntry
}

// AccessLogAfter reads the access log of a case after a line, oldest first; the zero time begins at
// the first.
func (r Reader) AccessLogAfter(ctx context.Context, caseID domain.ID, at time.Time, number int64,
	limit int) ([]NumberedAccessEntry, error) {
	return queryAll(ctx, r.q, "access", `SELECT id, actor, action, case_id, object, code,
		request_id, at FROM access_log
		WHERE case_id = $1 AND (at, id) > ($2, $3) ORDER BY at, id LIMIT $4`,
		func(row pgx.CollectableRow) (NumberedAccessEntry, error) {
			var line NumberedAccessEntry
			err := row.Scan(&line.Number, &line.Actor, &line.Action, &line.CaseID, &line.Object,
				&line.Code, &line.RequestID, &line.At)
			line.At = line.At.UTC()
			return line, err
		}, caseID, at, number, limit)
}
