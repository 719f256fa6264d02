package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
	"countersign/store/bulk"
)

const deliveryColumns = `d.id, d.connector_id, d.era, d.txid::text::bigint, d.event, d.stream,
	d.event_id, d.type, d.status, d.attempts, d.parked_at, d.next_at, d.http_status, d.error,
	d.answer, d.reason, coalesce(d.ended_by, '00000000-0000-0000-0000-000000000000')`

func deliveryTargets(d *domain.Delivery) []any {
	return []any{&d.ID, &d.Connector, &d.Position.Era, &d.Position.TxID, &d.Position.ID, &d.Stream,
		&d.EventID, &d.Type, &d.Status, &d.Attempts, &d.ParkedAt, &d.NextAt, &d.HTTPStatus, &d.Error,
		&d.Answer, &d.Reason, &d.EndedBy}
}

func scanDelivery(row pgx.CollectableRow) (domain.Delivery, error) {
	var d domain.Delivery
	err := row.Scan(deliveryTargets(&d)...)
	d.ParkedAt, d.NextAt = d.ParkedAt.UTC(), d.NextAt.UTC()
	return d, err
}

// DueDelivery is a delivery that is due, with its age.
type DueDelivery struct {
	domain.Delivery
	Age time.Duration
}

// DueDeliveries reads the deliveries of a connector that are due: of each stream the first one that
// has not ended, if it waits and its time has come.
func (r Reader) DueDeliveries(ctx context.Context, connector domain.ID, limit int) (
	[]DueDelivery, error) {
	return queryAll(ctx, r.q, "due deliveries", `SELECT `+deliveryColumns+`,
		extract(epoch FROM clock() - d.parked_at)::float8 FROM (
			SELECT DISTINCT ON (stream) * FROM connector_deliveries
			WHERE connector_id = $1 AND status <> 'skipped'
			ORDER BY stream, era, txid, event) d
		WHERE d.status = 'waiting' AND d.next_at <= clock() ORDER BY d.next_at, d.id LIMIT $2`,
		func(row pgx.CollectableRow) (DueDelivery, error) {
			var due DueDelivery
			var age float64
			err := row.Scan(append(deliveryTargets(&due.Delivery), &age)...)
			due.Age = time.Duration(age * float64(time.Second))
			return due, err
		}, connector, limit)
}

// UndeliveredEvents reads the ids of the events that a connector has passed without a confirmed
// delivery.
func (r Reader) UndeliveredEvents(ctx context.Context, connector domain.ID) ([]string, error) {
	return queryAll(ctx, r.q, "undelivered events", `SELECT event_id FROM connector_deliveries
		WHERE connector_id = $1`, pgx.RowTo[string], connector)
}

// HeldStreams returns those of the streams in which a delivery of the connector has not ended.
func (r Reader) HeldStreams(ctx context.Context, connector domain.ID, streams []domain.ID) (
	[]domain.ID, error) {
	return queryAll(ctx, r.q, "held streams", `SELECT DISTINCT stream FROM connector_deliveries
		WHERE connector_id = $1 AND stream = ANY($2) AND status <> 'skipped'`, pgx.RowTo[domain.ID],
		connector, streams)
}

// DeliveryQuery selects deliveries of a connector in the order of the feed.
type DeliveryQuery struct {
	Connector domain.ID
	Status    domain.DeliveryStatus // "" = all
	After     domain.FeedPosition   // keyset; zero = from the first
	Limit     int
}

// Deliveries reads deliveries. A page begins after a position and not after a row, because the row
// is deleted when its event was delivered.
func (r Reader) Deliveries(ctx context.Context, query DeliveryQuery) ([]domain.Delivery, error) {
	return queryAll(ctx, r.q, "deliveries", `SELECT `+deliveryColumns+` FROM connector_deliveries d
		WHERE d.connector_id = $1 AND ($2 = '' OR d.status = $2)
			AND (d.era, d.txid, d.event) > ($3, $4::bigint::text::xid8, $5)
		ORDER BY d.era, d.txid, d.event LIMIT $6`, scanDelivery, query.Connector,
		string(query.Status), query.After.Era, query.After.TxID, query.After.ID, query.Limit)
}

// LockDelivery reads one delivery FOR UPDATE.
func (t *Tx) LockDelivery(ctx context.Context, id domain.ID) (domain.Delivery, error) {
	return queryOne(ctx, t.q, "delivery", `SELECT `+deliveryColumns+` FROM connector_deliveries d
		WHERE d.id = $1 FOR UPDATE`, scanDelivery, id)
}

// RetryDelivery makes a delivery due, as if it were new.
func (t *Tx) RetryDelivery(ctx context.Context, id domain.ID) error {
	_, err := t.exec(ctx, "retry delivery", `UPDATE connector_deliveries SET status = 'waiting',
		attempts = 0, parked_at = clock(), next_at = clock() WHERE id = $1`, id)
	return err
}

// SkipDelivery ends a delivery without delivering it.
func (t *Tx) SkipDelivery(ctx context.Context, id, by domain.ID, reason string) error {
	_, err := t.exec(ctx, "skip delivery", `UPDATE connector_deliveries SET status = 'skipped',
		reason = $2, ended_by = $3 WHERE id = $1`, id, reason, by)
	return err
}

// RecordDeliveries writes what a round did with rows of deliveries. If the receiver has recovered,
// the rows that wait are due.
func (t *Tx) RecordDeliveries(ctx context.Context, round domain.DeliveryRound, recovered bool,
) error {
	if len(round.Resolved) > 0 {
		if _, err := t.exec(ctx, "resolve deliveries", `DELETE FROM connector_deliveries
			WHERE id = ANY($1) AND status = 'waiting'`, round.Resolved); err != nil {
			return err
		}
	}
	if recovered {
		if err := t.hurryDeliveries(ctx, round.Connector); err != nil {
			return err
		}
	}
	for _, d := range round.Attempted {
		if _, err := t.exec(ctx, "failed delivery", `UPDATE connector_deliveries SET status = $2,
			attempts = $3, next_at = clock() + make_interval(secs => $4), http_status = $5, error = $6,
			answer = $7, parked_at = CASE WHEN attempts = 0 THEN clock() ELSE parked_at END WHERE id = $1 AND status = 'waiting'`, d.ID, string(d.Status), d.Attempts,
			d.Wait.Seconds(), d.HTTPStatus, d.Error, d.Answer); err != nil {
			return err
		}
	}
	return nil
}

// ParkDeliveries adds rows of deliveries. A row of the same event, from before a replay, stays,
// unless it was skipped.
func (t *Tx) ParkDeliveries(ctx context.Context, parked []domain.Delivery) error {
	if len(parked) == 0 {
		return nil
	}
	s := &bulk.Statement{}
	rows := bulk.NewRows(s, parked)
	bulk.Column(rows, "id", "uuid", func(d *domain.Delivery) domain.ID { return d.ID })
	bulk.Column(rows, "connector_id", "uuid", func(d *domain.Delivery) domain.ID { return d.Connector })
	bulk.Column(rows, "era", "int", func(d *domain.Delivery) int32 { return d.Position.Era })
	bulk.Column(rows, "txid", "bigint", func(d *domain.Delivery) int64 { return d.Position.TxID })
	bulk.Column(rows, "event", "bigint", func(d *domain.Delivery) int64 { return d.Position.ID })
	bulk.Column(rows, "stream", "uuid", func(d *domain.Delivery) domain.ID { return d.Stream })
	bulk.Column(rows, "event_id", "text", func(d *domain.Delivery) string { return d.EventID })
	bulk.Column(rows, "type", "text", func(d *domain.Delivery) string { return string(d.Type) })
	bulk.Column(rows, "status", "text", func(d *domain.Delivery) string { return string(d.Status) })
	bulk.Column(rows, "attempts", "int", func(d *domain.Delivery) int32 { return int32(d.Attempts) }) //nolint:gosec // small
	bulk.Column(rows, "wait", "float8", func(d *domain.Delivery) float64 { return d.Wait.Seconds() })
	bulk.Column(rows, "http_status", "int", func(d *domain.Delivery) int32 { return int32(d.HTTPStatus) }) //nolint:gosec // small
	bulk.Column(rows, "error", "text", func(d *domain.Delivery) string { return d.Error })
	bulk.Column(rows, "answer", "text", func(d *domain.Delivery) string { return d.Answer })
	_, err := t.exec(ctx, "park deliveries", `INSERT INTO connector_deliveries (id, connector_id, era,
		txid, event, stream, event_id, type, status, attempts, next_at, http_status, error, answer)
		SELECT id, connector_id, era, txid::text::xid8, event, stream, event_id, type, status, attempts,
			clock() + make_interval(secs => wait), http_status, error, answer FROM `+rows.From("x")+`
		ON CONFLICT (connector_id, era, txid, event) DO UPDATE SET status = excluded.status,
			attempts = excluded.attempts, next_at = excluded.next_at, parked_at = clock(),
			http_status = excluded.http_status, error = excluded.error, answer = excluded.answer,
			reason = '', ended_by = NULL WHERE connector_deliveries.status = 'skipped'`, s.Args()...)
	return err
}

// FeedEventsAt reads the events at the positions, in the order of the feed.
func (r Reader) FeedEventsAt(ctx context.Context, positions []domain.FeedPosition) ([]FeedEvent,
	error) {
	s := &bulk.Statement{}
	rows := bulk.NewRows(s, positions)
	bulk.Column(rows, "era", "int", func(p *domain.FeedPosition) int32 { return p.Era })
	bulk.Column(rows, "txid", "bigint", func(p *domain.FeedPosition) int64 { return p.TxID })
	bulk.Column(rows, "id", "bigint", func(p *domain.FeedPosition) int64 { return p.ID })
	return queryAll(ctx, r.q, "feed events", `SELECT e.era, e.txid::text::bigint, e.id, `+
		eventColumns+` FROM `+rows.From("w")+` JOIN events e ON e.era = w.era
			AND e.txid = w.txid::text::xid8 AND e.id = w.id ORDER BY e.era, e.txid, e.id`,
		func(row pgx.CollectableRow) (FeedEvent, error) {
			var e FeedEvent
			var body string
			targets := append([]any{&e.Position.Era, &e.Position.TxID, &e.Position.ID},
				eventTargets(&e.Event, &body)...)
			err := row.Scan(targets...)
			finishEvent(&e.Event, body)
			return e, err
		}, s.Args()...)
}
