package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

// AuditQuery selects events or lines of the access log of all streams. Zero values select everything.
type AuditQuery struct {
	Accesses   bool      // lines of the access log; otherwise events
	Person     domain.ID // who acted, or on whose behalf
	Types      []string  // types of events, or actions
	From, To   time.Time // To is exclusive
	MinMinor   *int64    // of the case's amount at risk, in minor units of the base currency
	MaxMinor   *int64
	Rule       string        // of a finding of the case
	Outcome    domain.Status // of the case
	Before     domain.FeedPosition
	Limit      int
	Visibility AuditVisibility
}

// AuditVisibility is which streams the reader may search.
type AuditVisibility struct {
	Cases domain.Filter
	// Confidential are processes whose cases the reader finds only if Cleared, and if they are not their
	// own.
	Confidential []string
	Cleared      bool
	Reader       domain.ID
	// Others includes what is about no case: people, rights and control data.
	Others bool
}

// FoundEntry is an event or a line of the access log. Reference is "" without a case.
type FoundEntry struct {
	Position  domain.FeedPosition
	Event     *domain.Event
	Access    *AccessEntry
	CaseID    domain.ID
	Reference string
	At        time.Time
}

// SearchAudit reads the entries, the newest first.
func (r Reader) SearchAudit(ctx context.Context, q AuditQuery) ([]FoundEntry, error) {
	where, args, err := renderCases(q.Visibility.Cases, nil)
	if err != nil {
		return nil, err
	}
	s := &searchText{args: args}
	v := q.Visibility
	s.add(`CASE WHEN c.id IS NULL THEN %s::boolean ELSE (`+strings.ReplaceAll(where, "%", "%%")+`)
		AND (c.process_key <> ALL(%s::text[]) OR %s::boolean AND c.submitter <> %s) END`, v.Others,
		v.Confidential, v.Cleared, v.Reader)
	s.addIf(q.Before != domain.FeedPosition{}, `(e.era, e.txid, e.id) < (%s, %s::bigint::text::xid8, %s)`,
		q.Before.Era, q.Before.TxID, q.Before.ID)
	s.addIf(!q.From.IsZero(), `e.at >= %s`, q.From)
	s.addIf(!q.To.IsZero(), `e.at < %s`, q.To)
	if q.Accesses {
		s.addIf(q.Person != domain.NoID, `e.actor = %s`, q.Person)
		s.addIf(len(q.Types) > 0, `e.action = ANY(%s)`, q.Types)
	} else {
		// Work of the system names the person whose command started it; the person did not do it.
		s.addIf(q.Person != domain.NoID, `%s IN (e.actor, e.on_behalf_of) AND e.type !~ '^(stage|saga|timer)[.]'
			AND NOT (e.type = ANY('{case.archived,incident.opened}'))`, q.Person)
		s.addIf(len(q.Types) > 0, `e.type = ANY(%s)`, q.Types)
	}
	s.addIf(q.MinMinor != nil, `c.amount_known AND c.base_minor >= %s`, q.MinMinor)
	s.addIf(q.MaxMinor != nil, `c.amount_known AND c.base_minor <= %s`, q.MaxMinor)
	s.addIf(q.Rule != "", `EXISTS (SELECT FROM findings f WHERE f.case_id = c.id AND f.rule = %s)`, q.Rule)
	s.addIf(q.Outcome != "", `c.status = %s`, string(q.Outcome))
	table, columns, scan := "events", eventColumns, scanFoundEvent
	if q.Accesses {
		table, columns, scan = "access_log", `e.at, e.actor, e.action, e.case_id, e.object, e.code,
			e.request_id`, scanFoundAccess
	}
	order := fmt.Sprintf(" ORDER BY e.era DESC, e.txid DESC, e.id DESC LIMIT %s", s.arg(q.Limit))
	return queryAll(ctx, r.q, "search audit", `SELECT e.era, e.txid::text::bigint, e.id,
		coalesce(c.id, '00000000-0000-0000-0000-000000000000'), coalesce(c.reference, ''), `+columns+`
		FROM `+table+` e LEFT JOIN cases c ON c.id = e.case_id WHERE `+strings.Join(s.conditions, " AND ")+
		order, scan, s.args...)
}

// searchText collects conditions; %s is the place of a parameter.
type searchText struct {
	conditions []string
	args       []any
}

func (s *searchText) arg(value any) string {
	s.args = append(s.args, value)
	return fmt.Sprintf("$%d", len(s.args))
}

func (s *searchText) add(condition string, values ...any) {
	places := make([]any, len(values))
	for i, value := range values {
		places[i] = s.arg(value)
	}
	s.conditions = append(s.conditions, fmt.Sprintf(condition, places...))
}

func (s *searchText) addIf(wanted bool, condition string, values ...any) {
	if wanted {
		s.add(condition, values...)
	}
}

func scanFoundEvent(row pgx.CollectableRow) (FoundEntry, error) {
	found := FoundEntry{Event: &domain.Event{}}
	var body string
	err := row.Scan(append([]any{&found.Position.Era, &found.Position.TxID, &found.Position.ID,
		&found.CaseID, &found.Reference}, eventTargets(found.Event, &body)...)...)
	finishEvent(found.Event, body)
	found.At = found.Event.At
	return found, err
}

func scanFoundAccess(row pgx.CollectableRow) (FoundEntry, error) {
	found := FoundEntry{Access: &AccessEntry{}}
	a := found.Access
	err := row.Scan(&found.Position.Era, &found.Position.TxID, &found.Position.ID, &found.CaseID,
		&found.Reference, &found.At, &a.Actor, &a.Action, &a.CaseID, &a.Object, &a.Code, &a.RequestID)
	found.At = found.At.UTC()
	return found, err
}
