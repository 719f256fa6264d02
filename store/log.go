package store

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
	"countersign/store/batch"
	"countersign/store/bulk"
)

const eventColumns = `e.case_id, e.seq, e.type, e.schema_version, e.actor, e.on_behalf_of,
	e.correlation_id, e.at, e.status_before, e.status_after, e.marking_before, e.marking_after,
	e.prev_hash, e.body_hash, e.hash, e.salt, e.traceparent, e.body`

func eventTargets(e *domain.Event, body *string) []any {
	return []any{&e.Stream, &e.Seq, &e.Type, &e.SchemaVersion, &e.Actor, &e.OnBehalfOf,
		&e.CorrelationID, &e.At, &e.StatusBefore, &e.StatusAfter, &e.MarkingBefore, &e.MarkingAfter,
		&e.PrevHash, &e.BodyHash, &e.Hash, &e.Salt, &e.Traceparent, body}
}

func finishEvent(e *domain.Event, body string) {
	e.At = e.At.UTC()
	if body != "" {
		e.Body = json.RawMessage(body)
	}
}

func scanEvent(row pgx.CollectableRow) (domain.Event, error) {
	var e domain.Event
	var body string
	if err := row.Scan(eventTargets(&e, &body)...); err != nil {
		return e, err
	}
	finishEvent(&e, body)
	return e, nil
}

// EventsAfter reads a stream's events with seq above after, in order, at most limit. The same
// snapshot has the last seq, the status of the case and the versions of rights and credentials. A
// stream that does not exist is NotFound.
func (r Reader) EventsAfter(ctx context.Context, stream domain.ID, after int64,
	limit int) (domain.StreamPage, error) {
	query := eventsAfterQuery{stream, after, limit}
	eventPages := r.availableBatchers().eventPages
	if limit > maxBatchedEvents {
		eventPages = nil // a long read would delay the others
	}
	reading, err := batchedOr(ctx, eventPages, query, func() (domain.StreamPage, error) {
		return batch.Single(r.eventsAfterBatch(ctx, []eventsAfterQuery{query}))
	})
	return reading, err
}

// maxBatchedEvents is the largest limit of a batched read: a page of a subscription.
const maxBatchedEvents = 100

// eventsAfterQuery is a read of a stream's events after a cursor.
type eventsAfterQuery struct {
	stream domain.ID
	after  int64
	limit  int
}

func (r Reader) eventsAfterBatch(ctx context.Context,
	queries []eventsAfterQuery) ([]domain.StreamPage, []error, error) {
	ids := make([]domain.ID, len(queries))
	for i := range queries {
		ids[i] = queries[i].stream
	}
	s := r.newStatement(ids)
	set := bulk.NewRows(&s.Statement, queries)
	bulk.Column(set, "id", "uuid", func(q *eventsAfterQuery) domain.ID { return q.stream })
	bulk.Column(set, "after", "bigint", func(q *eventsAfterQuery) int64 { return q.after })
	bulk.Column(set, "lim", "int", func(q *eventsAfterQuery) int { return q.limit })
	sql := `SELECT x.n, a.version, k.version, h.last_seq, h.status, coalesce(e.case_id, x.id),
		coalesce(e.seq, 0), coalesce(e.type, ''), coalesce(e.schema_version, 0),
		coalesce(e.actor, x.id), coalesce(e.on_behalf_of, x.id), coalesce(e.correlation_id, ''),
		coalesce(e.at, 'epoch'), coalesce(e.status_before, ''), coalesce(e.status_after, ''),
		coalesce(e.marking_before, '{}'), coalesce(e.marking_after, '{}'), e.prev_hash, e.body_hash,
		e.hash, e.salt, coalesce(e.traceparent, ''), coalesce(e.body, '')
		FROM authority a CROSS JOIN credential_changes k CROSS JOIN ` + set.NumberedFrom("x") + `
		CROSS JOIN LATERAL (SELECT last_seq, status FROM cases WHERE id = x.id
			UNION ALL SELECT last_seq, '' FROM streams WHERE id = x.id) h
		LEFT JOIN LATERAL (SELECT * FROM ` + s.partitionOf("events") + ` y WHERE y.case_id = x.id
		AND ` + s.caseIDBounds("y.case_id") + `
			AND y.seq > x.after ORDER BY y.seq LIMIT x.lim) e ON true ORDER BY x.n, e.seq`
	readings, errs := batch.SameError[domain.StreamPage](len(queries),
		translate(pgx.ErrNoRows, "events"))
	rows, err := r.q.Query(ctx, sql, s.Args()...)
	if err != nil {
		return nil, nil, translate(err, "events")
	}
	defer rows.Close()
	for rows.Next() {
		var n int
		var reading domain.StreamPage
		var e domain.Event
		var body string
		targets := append([]any{&n, &reading.AuthorityVersion, &reading.CredentialVersion,
			&reading.LastSeq, &reading.Status}, eventTargets(&e, &body)...)
		if err := rows.Scan(targets...); err != nil {
			return nil, nil, translate(err, "events")
		}
		reading.Events = readings[n-1].Events
		readings[n-1], errs[n-1] = reading, nil
		if e.Seq == 0 {
			continue // the stream exists, but has no events after the cursor
		}
		finishEvent(&e, body)
		readings[n-1].Events = append(readings[n-1].Events, e)
	}
	return readings, errs, translate(rows.Err(), "events")
}

// LastEvents reads the newest n events of each case, oldest first within a case.
func (r Reader) LastEvents(ctx context.Context, n int, cases ...domain.ID) ([]domain.Event, error) {
	return queryAll(ctx, r.q, "last events", `SELECT `+eventColumns+`
		FROM unnest($1::uuid[]) AS w(id),
		LATERAL (SELECT * FROM `+r.tableFor("events", cases...)+` x WHERE x.case_id = w.id
		AND x.case_id BETWEEN $2 AND $3 ORDER BY x.seq DESC LIMIT $4) e
		ORDER BY e.case_id, e.seq`, scanEvent, append(rangeArgs(cases), n)...)
}

// LastEventsOfTypes reads the newest n events of each case that are of one of the types or changed
// the status, oldest first within a case.
func (r Reader) LastEventsOfTypes(ctx context.Context, n int, types []domain.EventType,
	cases ...domain.ID) ([]domain.Event, error) {
	return queryAll(ctx, r.q, "last events of types", `SELECT `+eventColumns+`
		FROM unnest($1::uuid[]) AS w(id),
		LATERAL (SELECT * FROM `+r.tableFor("events", cases...)+` x WHERE x.case_id = w.id
		AND x.case_id BETWEEN $2 AND $3
			AND (x.type = ANY($5) OR x.status_before <> x.status_after) ORDER BY x.seq DESC
			LIMIT $4) e
		ORDER BY e.case_id, e.seq`, scanEvent, append(rangeArgs(cases), n, types)...)
}

// WatchState reads the last seq of each stream, the versions of rights and credentials, and which
// of the sessions and API tokens have ended, have expired or belong to a disabled user.
func (r Reader) WatchState(ctx context.Context,
	streams, sessions, tokens []domain.ID) (domain.WatchState, error) {
	pulse := domain.WatchState{LastSeqs: make(map[domain.ID]int64, len(streams))}
	var ids []domain.ID
	var seqs []int64
	err := r.q.QueryRow(ctx, `WITH h AS (SELECT id, last_seq FROM cases WHERE id = ANY($1) UNION ALL
			SELECT id, last_seq FROM streams WHERE id = ANY($1))
		SELECT a.version, k.version, coalesce((SELECT array_agg(id ORDER BY id) FROM h), '{}'),
		coalesce((SELECT array_agg(last_seq ORDER BY id) FROM h), '{}'),
			ARRAY(SELECT w.id FROM unnest($2::uuid[]) w(id) WHERE NOT EXISTS (SELECT FROM `+
		liveSession+` AND s.id = w.id)
				UNION ALL SELECT w.id FROM unnest($3::uuid[]) w(id)
				WHERE NOT EXISTS (SELECT FROM `+liveToken+` AND t.id = w.id))
		FROM authority a CROSS JOIN credential_changes k`, streams, sessions, tokens).
		Scan(&pulse.AuthorityVersion, &pulse.CredentialVersion, &ids, &seqs, &pulse.Ended)
	for i := range ids {
		pulse.LastSeqs[ids[i]] = seqs[i]
	}
	return pulse, translate(err, "pulse")
}

// StreamHead is the last event of a stream.
type StreamHead struct {
	Stream domain.ID
	Name   string // of a system stream, or the case's reference
	Seq    int64
	Hash   []byte
	Case   bool // a case, not a system stream
	// Status and Marking (JSON) of a case; "" where they were not read.
	Status  domain.Status
	Marking string
	// Attributes are what the submitter of a case stated.
	Attributes []domain.Attribute
}

// systemHeads selects the heads of the system streams.
const systemHeads = `SELECT id, name, last_seq, head_hash, false AS is_case, '' AS status, '' AS marking,
	'[]'::jsonb AS attributes FROM streams`

// Heads walks all streams by id, after the given one, at most limit.
func (r Reader) Heads(ctx context.Context, after domain.ID, limit int) ([]StreamHead, error) {
	return queryAll(ctx, r.q, "heads", `SELECT id, name, last_seq, head_hash, is_case, status,
		marking, attributes FROM (
		`+systemHeads+`
		UNION ALL SELECT id, reference, last_seq, head_hash, true, status, marking::text, attributes
		FROM cases) h
		WHERE id > $1 ORDER BY id LIMIT $2`, pgx.RowToStructByPos[StreamHead], after, limit)
}

// OrphanStream is a stream that has events, but no case or system stream that records its head.
type OrphanStream struct {
	Stream               domain.ID
	FirstSeq, EventCount int64 // the smallest remaining seq, and the number of events
}

// OrphanStreams returns the orphan streams by id after the given one, at most limit. It scans all
// events.
func (r Reader) OrphanStreams(ctx context.Context, after domain.ID,
	limit int) ([]OrphanStream, error) {
	return queryAll(ctx, r.q, "orphan streams", `SELECT e.case_id, min(e.seq), count(*)
		FROM events e WHERE e.case_id > $1
		AND NOT EXISTS (SELECT FROM cases c WHERE c.id = e.case_id)
		AND NOT EXISTS (SELECT FROM streams s WHERE s.id = e.case_id)
		GROUP BY e.case_id ORDER BY e.case_id LIMIT $2`, pgx.RowToStructByPos[OrphanStream], after,
		limit)
}

// LockStream locks a system stream, which it creates if missing, and returns its head.
func (t *Tx) LockStream(ctx context.Context, stream domain.SystemStream) (StreamHead, error) {
	if _, err := t.exec(ctx, "stream", `INSERT INTO streams (id, name) VALUES ($1, $2)
		ON CONFLICT DO NOTHING`, stream.ID, stream.Name); err != nil {
		return StreamHead{}, err
	}
	return queryOne(ctx, t.q, "stream", systemHeads+` WHERE id = $1 FOR UPDATE`,
		pgx.RowToStructByPos[StreamHead], stream.ID)
}

// AppendStream writes events of a locked system stream and its new head.
func (t *Tx) AppendStream(ctx context.Context, events []domain.Event) error {
	if len(events) == 0 {
		return nil
	}
	last := events[len(events)-1]
	s := &statement{}
	s.AddCTE("c", `UPDATE streams SET last_seq = %s, head_hash = %s,
		last_txid = greatest(pg_current_xact_id(), last_txid)
		WHERE id = %s RETURNING id, last_txid`, s.Arg(last.Seq), s.Arg(last.Hash),
		s.Arg(last.Stream))
	s.insertEvents(events)
	_, err := t.exec(ctx, "append", s.With()+"SELECT FROM c", s.Args()...)
	return err
}

// Actions of the access log that are reads of a case and of its files.
const (
	AccessRead = "read"
	AccessOpen = "open"
)

// AccessEntry is one line of the access log: a read, a refusal, a lost race or a sign-in.
type AccessEntry struct {
	Actor     domain.ID
	Action    string
	CaseID    domain.ID
	Object    string
	Code      domain.Code // "" = done
	RequestID string
	At        time.Time // zero = now
}

// LogAccess appends lines to the access log.
func (t *Tx) LogAccess(ctx context.Context, lines ...AccessEntry) error {
	s := &bulk.Statement{}
	rows := make([]string, 0, len(lines))
	for _, line := range lines {
		rows = append(rows, "("+strings.Join([]string{s.Arg(line.Actor), s.Arg(line.Action),
			s.Arg(line.CaseID), s.Arg(line.Object), s.Arg(string(line.Code)), s.Arg(line.RequestID),
			"coalesce(" + s.Arg(nullable(line.At)) + ", clock())"}, ", ")+")")
	}
	if len(rows) == 0 {
		return nil
	}
	_, err := t.exec(ctx, "access log",
		`INSERT INTO access_log (actor, action, case_id, object, code, request_id, at)
		VALUES `+strings.Join(rows, ", "), s.Args()...)
	return err
}

// nullable returns nil for the zero time.
func nullable(at time.Time) *time.Time {
	if at.IsZero() {
		return nil
	}
	return &at
}

// AccessLog reads the access log of a case, oldest first, at most limit.
func (r Reader) AccessLog(ctx context.Context, caseID domain.ID, limit int) ([]AccessEntry, error) {
	return queryAll(ctx, r.q, "access", `SELECT actor, action, case_id, object, code, request_id, at
		FROM access_log
		WHERE case_id = $1 ORDER BY at LIMIT $2`, pgx.RowToStructByPos[AccessEntry], caseID, limit)
}
