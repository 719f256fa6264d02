package store

import (
	"context"

	"countersign/domain"
)

// AccessLine is a line of the access log and its position, in the order of the feed.
type AccessLine struct {
	Position domain.FeedPosition
	AccessEntry
}

// AccessPage is a part of the access log in the order of the feed.
type AccessPage struct {
	Lines []AccessLine
	// Next is the position after everything that was read.
	Next domain.FeedPosition
	// Complete reports whether everything up to the end of the feed was read.
	Complete bool
	Era      domain.FeedEra // the newest one
}

// AccessAfter reads the access log after the position, at most limit lines, by the rules of
// FeedAfter: in the order era, txid, id, and only below the oldest transaction in progress.
func (r Reader) AccessAfter(ctx context.Context, after domain.FeedPosition,
	limit int) (AccessPage, error) {
	page := AccessPage{}
	rows, err := r.q.Query(ctx, `WITH s AS MATERIALIZED (SELECT * FROM feed_end()),
		w AS MATERIALIZED (SELECT * FROM access_window($1::int, $2::bigint::text::xid8, $3::bigint,
			$4::int))
		SELECT s.era, s.tag, s.end_era, s.end_txid::text::bigint, coalesce(w.era, 0),
		coalesce(w.txid::text::bigint, 0), coalesce(w.id, 0), coalesce(w.actor, s.tag),
		coalesce(w.action, ''), coalesce(w.case_id, s.tag), coalesce(w.object, ''),
		coalesce(w.code, ''), coalesce(w.request_id, ''), coalesce(w.at, 'epoch')
		FROM s LEFT JOIN w ON true ORDER BY w.era, w.txid, w.id`,
		after.Era, after.TxID, after.ID, limit)
	if err != nil {
		return page, translate(err, "access")
	}
	defer rows.Close()
	var end domain.FeedPosition
	for rows.Next() {
		var l AccessLine
		if err := rows.Scan(&page.Era.Number, &page.Era.Tag, &end.Era, &end.TxID, &l.Position.Era,
			&l.Position.TxID, &l.Position.ID, &l.Actor, &l.Action, &l.CaseID, &l.Object, &l.Code,
			&l.RequestID, &l.At); err != nil {
			return page, translate(err, "access")
		}
		if l.Position.Era > 0 {
			l.At = l.At.UTC()
			page.Lines = append(page.Lines, l)
		}
	}
	if len(page.Lines) >= limit {
		page.Next = page.Lines[len(page.Lines)-1].Position
	} else {
		page.Next, page.Complete = end, true
	}
	if page.Next.Before(after) {
		page.Next = after // a cursor of a reader that has read everything
	}
	return page, translate(rows.Err(), "access")
}
