package store

import (
	"context"
	"iter"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/audit"
	"countersign/domain"
)

// FeedEnd reads the end of the feed: every position from it on is not complete yet.
func (r Reader) FeedEnd(ctx context.Context) (domain.FeedPosition, error) {
	return queryOne(ctx, r.q, "feed end", `SELECT end_era, end_txid::text::bigint, 0::bigint
		FROM feed_end()`, pgx.RowToStructByPos[domain.FeedPosition])
}

// CheckpointEvent is an event as a checkpoint records it.
type CheckpointEvent struct {
	Position domain.FeedPosition
	Stream   domain.ID
	Seq      int64
	Hash     []byte
	Review   domain.ID // of a decision; else NoID
	Passkey  domain.ID // of a registration; else NoID
}

// CheckpointEvents reads the events after a position and below the end, in order, at most limit.
func (r Reader) CheckpointEvents(ctx context.Context, after, end domain.FeedPosition,
	limit int) ([]CheckpointEvent, error) {
	return queryAll(ctx, r.q, "checkpoint events", `SELECT era, txid::text::bigint, id, case_id, seq, hash,
		coalesce(review, '00000000-0000-0000-0000-000000000000'),
		coalesce(passkey, '00000000-0000-0000-0000-000000000000')
		FROM checkpoint_window($1, $2::bigint::text::xid8, $3, $4, $5::bigint::text::xid8, $6)`,
		func(row pgx.CollectableRow) (CheckpointEvent, error) {
			var e CheckpointEvent
			err := row.Scan(&e.Position.Era, &e.Position.TxID, &e.Position.ID, &e.Stream, &e.Seq,
				&e.Hash, &e.Review, &e.Passkey)
			return e, err
		}, after.Era, after.TxID, after.ID, end.Era, end.TxID, limit)
}

// VotesOfCases reads the votes of the cases, with what they cover.
func (r Reader) VotesOfCases(ctx context.Context, cases ...domain.ID) ([]domain.Vote, error) {
	return queryAll(ctx, r.q, "votes", `SELECT case_id, duty, person, review_id, covered::text
		FROM votes WHERE case_id = ANY($1) ORDER BY case_id, duty, person`,
		pgx.RowToStructByPos[domain.Vote], cases)
}

// AccessRange reads the access log after a position, up to and with another, at most limit. The caller
// knows that both positions are below the end of the feed.
func (r Reader) AccessRange(ctx context.Context, after, until domain.FeedPosition,
	limit int) ([]audit.AccessLine, error) {
	return queryAll(ctx, r.q, "access range", `SELECT era, txid::text::bigint, id, at, actor, action,
		case_id, object, code, request_id FROM access_log
		WHERE (era, txid, id) > ($1, $2::bigint::text::xid8, $3)
		AND (era, txid, id) <= ($4, $5::bigint::text::xid8, $6) ORDER BY era, txid, id LIMIT $7`,
		scanAccessLine, after.Era, after.TxID, after.ID, until.Era, until.TxID, until.ID, limit)
}

func scanAccessLine(row pgx.CollectableRow) (audit.AccessLine, error) {
	var l audit.AccessLine
	err := row.Scan(&l.Position.Era, &l.Position.TxID, &l.Position.ID, &l.At, &l.Actor, &l.Action,
		&l.CaseID, &l.Object, &l.Code, &l.RequestID)
	l.At = l.At.UTC()
	return l, err
}

// EventKey names an event.
type EventKey struct {
	Stream domain.ID
	Seq    int64
}

// EventHashes reads the hashes of events; one that does not exist is absent.
func (r Reader) EventHashes(ctx context.Context, keys []EventKey) (map[EventKey][]byte, error) {
	streams, seqs := make([]domain.ID, len(keys)), make([]int64, len(keys))
	for i, key := range keys {
		streams[i], seqs[i] = key.Stream, key.Seq
	}
	hashes := make(map[EventKey][]byte, len(keys))
	rows, err := r.q.Query(ctx, `SELECT e.case_id, e.seq, e.hash
		FROM unnest($1::uuid[], $2::bigint[]) AS x(id, seq)
		JOIN events e ON e.case_id = x.id AND e.seq = x.seq`, streams, seqs)
	if err != nil {
		return nil, translate(err, "event hashes")
	}
	var key EventKey
	var hash []byte
	_, err = pgx.ForEachRow(rows, []any{&key.Stream, &key.Seq, &hash}, func() error {
		hashes[key] = append([]byte(nil), hash...)
		return nil
	})
	return hashes, translate(err, "event hashes")
}

// UncoveredEvent reads the first stream whose events up to the position go beyond the newest leaf of
// the stream, so that an event was added after the checkpoint; NotFound if there is none.
func (r Reader) UncoveredEvent(ctx context.Context, log int16, until domain.FeedPosition) (EventKey,
	error) {
	return queryOne(ctx, r.q, "uncovered event", `SELECT e.case_id, e.seq FROM (SELECT case_id, max(seq) AS seq
			FROM events WHERE (era, txid, id) <= ($2, $3::bigint::text::xid8, $4) GROUP BY case_id) e
		LEFT JOIN (SELECT subject, max(seq) AS seq FROM checkpoint_leaves WHERE log = $1 AND kind = 'head'
			GROUP BY subject) l ON l.subject = e.case_id
		WHERE e.seq > coalesce(l.seq, 0) ORDER BY e.case_id LIMIT 1`,
		pgx.RowToStructByPos[EventKey], log, until.Era, until.TxID, until.ID)
}

// BackdatedEvent reads the first event after a position, up to and with another, that says it
// happened before the time; NotFound if there is none.
func (r Reader) BackdatedEvent(ctx context.Context, after, until domain.FeedPosition,
	before time.Time) (EventKey, time.Time, error) {
	type found struct {
		Key EventKey
		At  time.Time
	}
	event, err := queryOne(ctx, r.q, "backdated event", `SELECT case_id, seq, at FROM events
		WHERE (era, txid, id) > ($1, $2::bigint::text::xid8, $3)
		AND (era, txid, id) <= ($4, $5::bigint::text::xid8, $6) AND at < $7
		ORDER BY era, txid, id LIMIT 1`, func(row pgx.CollectableRow) (found, error) {
		var f found
		err := row.Scan(&f.Key.Stream, &f.Key.Seq, &f.At)
		return f, err
	}, after.Era, after.TxID, after.ID, until.Era, until.TxID, until.ID, before)
	return event.Key, event.At.UTC(), err
}

// CountAfter counts the events and the lines of the access log after the positions.
func (r Reader) CountAfter(ctx context.Context, events, access domain.FeedPosition) (eventCount,
	accessCount int64, err error) {
	err = r.q.QueryRow(ctx, `SELECT (SELECT count(*) FROM events
			WHERE (era, txid, id) > ($1, $2::bigint::text::xid8, $3)),
		(SELECT count(*) FROM access_log WHERE (era, txid, id) > ($4, $5::bigint::text::xid8, $6))`,
		events.Era, events.TxID, events.ID, access.Era, access.TxID, access.ID).
		Scan(&eventCount, &accessCount)
	return eventCount, accessCount, translate(err, "count after checkpoint")
}

// maxRecordReads bounds how often the rows of a case that changes meanwhile are read.
const maxRecordReads = 20

// CaseRecord reads the head of a case and the rows that belong to it. The rows change only together
// with the head, so the head must be the same before and after. Busy if the case changes too often.
func (r Reader) CaseRecord(ctx context.Context, id domain.ID) (StreamHead, *audit.StreamRows, error) {
	for range maxRecordReads {
		before, err := r.Case(ctx, id)
		if err != nil {
			return StreamHead{}, nil, err
		}
		marking, err := before.Marking.Canonical()
		if err != nil {
			return StreamHead{}, nil, err
		}
		rows := &audit.StreamRows{CaseRows: audit.CaseRows{Status: before.Status,
			Marking: string(marking), Attributes: before.Attributes}}
		if rows.Decisions, err = r.RecordedDecisions(ctx, id); err != nil {
			return StreamHead{}, nil, err
		}
		if rows.Votes, err = r.VotesOfCases(ctx, id); err != nil {
			return StreamHead{}, nil, err
		}
		if rows.Assertions, err = r.Assertions(ctx, id); err != nil {
			return StreamHead{}, nil, err
		}
		if rows.Supporting, err = r.Supporting(ctx, id); err != nil {
			return StreamHead{}, nil, err
		}
		if rows.Readings, err = r.SupportingReadings(ctx, id); err != nil {
			return StreamHead{}, nil, err
		}
		after, err := r.Case(ctx, id)
		if err != nil {
			return StreamHead{}, nil, err
		}
		if after.LastSeq == before.LastSeq {
			return StreamHead{Stream: id, Name: after.Reference, Seq: after.LastSeq, Hash: after.HeadHash,
				Case: true, Status: after.Status, Marking: string(marking)}, rows, nil
		}
	}
	return StreamHead{}, nil, domain.Errorf(domain.Busy, "The case changes too often to be exported.").
		WithRemedy("Try again.")
}

// recordPage is how many events EventsUpTo reads at a time.
const recordPage = 500

// EventsUpTo reads the events of a stream up to the given head.
func (r Reader) EventsUpTo(ctx context.Context, head StreamHead) iter.Seq2[*domain.Event, error] {
	return func(yield func(*domain.Event, error) bool) {
		for after := int64(0); after < head.Seq; {
			reading, err := r.EventsAfter(ctx, head.Stream, after, recordPage)
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range reading.Events {
				event := &reading.Events[i]
				if event.Seq > head.Seq || !yield(event, nil) {
					return
				}
				after = event.Seq
			}
			if len(reading.Events) == 0 {
				return
			}
		}
	}
}
