package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
	"countersign/store/bulk"
)

// maxFeedScan is the number of events that one read of the feed examines for a filter.
const maxFeedScan = 2000

// FeedEvent is an event and its position in the feed.
type FeedEvent struct {
	domain.Event
	Position domain.FeedPosition
}

// FeedQuery selects events of the feed; empty values do not filter.
type FeedQuery struct {
	After domain.FeedPosition
	Types []domain.EventType
	// StatusChanges admits, besides Types, every event that changed the status.
	StatusChanges bool
	Process       string // key of the process of the case
	Case          domain.ID
	Limit         int
}

// FeedPage is a part of the feed.
type FeedPage struct {
	Events []FeedEvent
	// Next is the position after everything that was examined. A read after it returns every event
	// that this read has not examined.
	Next domain.FeedPosition
	// Complete reports whether everything up to the end of the feed was examined.
	Complete bool
	Era      domain.FeedEra // the newest one
}

// FeedAfter reads events of all streams after the position, in the order of the feed: era, txid, id.
// In the newest era it reads only below the oldest transaction in progress, because such a
// transaction may still write a position above it. One statement reads the events and this end in
// one snapshot.
func (r Reader) FeedAfter(ctx context.Context, query FeedQuery) (FeedPage, error) {
	sql, args := r.feedStatement(query)
	page := FeedPage{}
	rows, err := r.q.Query(ctx, sql, args...)
	if err != nil {
		return page, translate(err, "feed")
	}
	defer rows.Close()
	var scanned int
	var end, last domain.FeedPosition
	for rows.Next() {
		var e FeedEvent
		var body string
		targets := append([]any{&page.Era.Number, &page.Era.Tag, &end.Era, &end.TxID, &scanned,
			&last.Era, &last.TxID, &last.ID, &e.Position.Era, &e.Position.TxID, &e.Position.ID},
			eventTargets(&e.Event, &body)...)
		if err := rows.Scan(targets...); err != nil {
			return page, translate(err, "feed")
		}
		if e.Seq > 0 {
			finishEvent(&e.Event, body)
			page.Events = append(page.Events, e)
		}
	}
	switch {
	case len(page.Events) >= query.Limit:
		page.Next = page.Events[len(page.Events)-1].Position
	case scanned >= maxFeedScan:
		page.Next = last
	default:
		page.Next, page.Complete = end, true
	}
	if page.Next.Before(query.After) {
		page.Next = query.After // a cursor of a consumer that has read everything
	}
	return page, translate(rows.Err(), "feed")
}

// feedStatement reads the end of the feed and the window of events to examine, and selects from the
// window. The first columns are the same in every row; without a selected event there is one row.
func (r Reader) feedStatement(query FeedQuery) (string, []any) {
	s := &bulk.Statement{}
	after := s.Arg(query.After.Era) + "::int, " + s.Arg(query.After.TxID) + "::bigint::text::xid8, " +
		s.Arg(query.After.ID) + "::bigint"
	most := s.Arg(maxFeedScan) + "::int"
	window := fmt.Sprintf("SELECT * FROM feed_window(%s, %s)", after, most)
	if query.Case != domain.NoID {
		// The events of one case are found by its key.
		window = fmt.Sprintf(`SELECT e.* FROM %s e WHERE e.case_id = %s
			AND (e.era, e.txid, e.id) > (%s) AND (e.era, e.txid) < (SELECT end_era, end_txid FROM s)
			ORDER BY e.era, e.txid, e.id LIMIT %s`, r.tableFor("events", query.Case),
			s.Arg(query.Case), after, most)
	}
	return `WITH s AS MATERIALIZED (SELECT * FROM feed_end()), w AS MATERIALIZED (` + window + `)
		SELECT s.era, s.tag, s.end_era, s.end_txid::text::bigint, (SELECT count(*) FROM w),
		coalesce(l.era, 0), coalesce(l.txid::text::bigint, 0), coalesce(l.id, 0),
		coalesce(e.era, 0), coalesce(e.txid::text::bigint, 0), coalesce(e.id, 0),
		coalesce(e.case_id, s.tag), coalesce(e.seq, 0), coalesce(e.type, ''),
		coalesce(e.schema_version, 0), coalesce(e.actor, s.tag), coalesce(e.on_behalf_of, s.tag),
		coalesce(e.correlation_id, ''), coalesce(e.at, 'epoch'), coalesce(e.status_before, ''),
		coalesce(e.status_after, ''), coalesce(e.marking_before, '{}'),
		coalesce(e.marking_after, '{}'), e.prev_hash, e.body_hash, e.hash, e.salt,
		coalesce(e.traceparent, ''), coalesce(e.body, '')
		FROM s LEFT JOIN (SELECT era, txid, id FROM w ORDER BY era DESC, txid DESC, id DESC LIMIT 1) l
		ON true LEFT JOIN (SELECT e.* FROM w e` + query.where(s) + ` ORDER BY e.era, e.txid, e.id
		LIMIT ` + s.Arg(query.Limit) + `) e ON true ORDER BY e.era, e.txid, e.id`, s.Args()
}

// where returns the conditions on the examined events.
func (q FeedQuery) where(s *bulk.Statement) string {
	var conditions []string
	if len(q.Types) > 0 || q.StatusChanges {
		types := make([]string, 0, len(q.Types))
		for _, kind := range q.Types {
			types = append(types, string(kind))
		}
		condition := "e.type = ANY(" + s.Arg(types) + "::text[])"
		if q.StatusChanges {
			condition = "(" + condition + " OR e.status_before <> e.status_after)"
		}
		conditions = append(conditions, condition)
	}
	if q.Process != "" {
		conditions = append(conditions, `EXISTS (SELECT FROM cases c WHERE c.id = e.case_id
			AND c.process_key = `+s.Arg(q.Process)+")")
	}
	if len(conditions) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(conditions, " AND ")
}

// FeedEras reads all eras, oldest first.
func (r Reader) FeedEras(ctx context.Context) ([]domain.FeedEra, error) {
	return queryAll(ctx, r.q, "feed eras", `SELECT era, tag FROM feed_eras ORDER BY era`,
		pgx.RowToStructByPos[domain.FeedEra])
}

// StreamNames reads the names of streams that are not of a case.
func (r Reader) StreamNames(ctx context.Context, ids []domain.ID) (map[domain.ID]string, error) {
	heads, err := queryAll(ctx, r.q, "stream names", systemHeads+` WHERE id = ANY($1)`,
		pgx.RowToStructByPos[StreamHead], ids)
	names := make(map[domain.ID]string, len(heads))
	for _, head := range heads {
		names[head.Stream] = head.Name
	}
	return names, err
}

// FeedLag reads how long the feed is held back.
func (r Reader) FeedLag(ctx context.Context) (domain.FeedLag, error) {
	var fence, held float64
	var lag domain.FeedLag
	err := r.q.QueryRow(ctx, `WITH s AS MATERIALIZED (SELECT * FROM feed_end())
		SELECT greatest(0, coalesce((SELECT max(extract(epoch FROM clock_timestamp() - a.xact_start))
			FROM pg_stat_activity a WHERE a.backend_xid IS NOT NULL AND a.pid <> pg_backend_pid()), 0),
			coalesce((SELECT max(extract(epoch FROM clock_timestamp() - p.prepared))
			FROM pg_prepared_xacts p), 0))::float8,
		greatest(0, coalesce(extract(epoch FROM clock() - min(h.at)), 0))::float8, count(h.at)
		FROM s LEFT JOIN LATERAL (SELECT e.at FROM events e
			WHERE (e.era, e.txid) >= (s.end_era, s.end_txid) ORDER BY e.era, e.txid, e.id
			LIMIT `+maxHeldEvents+`) h ON true`).Scan(&fence, &held, &lag.HeldEvents)
	lag.Transaction = time.Duration(fence * float64(time.Second))
	lag.OldestEvent = time.Duration(held * float64(time.Second))
	return lag, translate(err, "feed lag")
}

// maxHeldEvents is how many events that are held back are counted.
const maxHeldEvents = "10000"
