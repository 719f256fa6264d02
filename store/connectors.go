package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

const connectorColumns = `c.id, c.definition, c.version, c.status, c.status_reason, c.era,
	c.txid::text::bigint, c.event, c.generation, c.failures, coalesce(c.retry_at, '0001-01-01'),
	coalesce(c.failing_since, '0001-01-01'), c.last_error, coalesce(c.last_error_at, '0001-01-01'),
	coalesce(c.last_delivered, '0001-01-01'), c.delivered, c.set_by, c.changed_at,
	(SELECT count(*) FROM connector_deliveries d WHERE d.connector_id = c.id AND d.status = 'waiting'),
	(SELECT count(*) FROM connector_deliveries d WHERE d.connector_id = c.id AND d.status = 'dead')`

// nightlyColumns are those of the last nightly reconciliation, n.
const nightlyColumns = `coalesce(n.outcome, ''), coalesce(n.ended_at, '0001-01-01'),
	coalesce(n.error, ''), coalesce(n.from_at, '0001-01-01'), coalesce(n.to_at, '0001-01-01'),
	coalesce(n.compared, 0), coalesce(n.missing, '{}'), coalesce(n.missing_count, 0),
	coalesce(n.unknown, '{}'), coalesce(n.unknown_count, 0)`

func nightlyTargets(n *domain.NightlyReconciliation) []any {
	return []any{&n.Outcome, &n.EndedAt, &n.Error, &n.From, &n.To, &n.Compared, &n.Missing,
		&n.MissingCount, &n.Unknown, &n.UnknownCount}
}

func finishNightly(n *domain.NightlyReconciliation) {
	for _, at := range []*time.Time{&n.EndedAt, &n.From, &n.To} {
		*at = at.UTC()
	}
}

func connectorTargets(c *domain.Connector, definition *string) []any {
	return []any{&c.ID, definition, &c.Version, &c.Status, &c.StatusReason, &c.Cursor.Era,
		&c.Cursor.TxID, &c.Cursor.ID, &c.Generation, &c.Failures, &c.RetryAt, &c.FailingSince,
		&c.LastError, &c.LastErrorAt, &c.LastDelivered, &c.Delivered, &c.SetBy, &c.ChangedAt,
		&c.Waiting, &c.Dead}
}

func finishConnector(c *domain.Connector, definition string) (err error) {
	for _, at := range []*time.Time{&c.RetryAt, &c.FailingSince, &c.LastErrorAt, &c.LastDelivered,
		&c.ChangedAt} {
		*at = at.UTC()
	}
	c.Spec, err = domain.ParseConnectorSpec(definition)
	return err
}

func scanConnector(row pgx.CollectableRow) (domain.Connector, error) {
	var c domain.Connector
	var definition string
	if err := row.Scan(connectorTargets(&c, &definition)...); err != nil {
		return c, err
	}
	return c, finishConnector(&c, definition)
}

// DueConnectors reads the active connectors that do not wait for their next round.
func (r Reader) DueConnectors(ctx context.Context) ([]domain.Connector, error) {
	return queryAll(ctx, r.q, "due connectors", `SELECT `+connectorColumns+` FROM connectors c
		WHERE c.status = 'active' AND (c.retry_at IS NULL OR c.retry_at <= clock())
		ORDER BY c.name`, scanConnector)
}

// lagWindow is how many events after a cursor are searched for one that the connector sends.
const lagWindow = 200

// Connectors reads all connectors with their last nightly reconciliation and their lag: the age of the
// oldest event that is after the cursor, not held back by the feed itself, and of a type that the
// connector sends. The cursor of a connector that has nothing to send is recorded with a delay. If the
// next lagWindow events are of other types, the lag is the age of the last of these.
func (r Reader) Connectors(ctx context.Context) ([]domain.Connector, error) {
	return queryAll(ctx, r.q, "connectors", `SELECT `+connectorColumns+`, greatest(0, coalesce((
		SELECT extract(epoch FROM clock() - w.at) FROM (SELECT w.type, w.at, row_number() OVER () AS n
			FROM feed_window(c.era, c.txid, c.event, $1) w) w
		WHERE c.definition::jsonb -> 'types' IS NULL OR c.definition::jsonb ->> 'audience' = 'submitter'
			OR c.definition::jsonb -> 'types' ?| ARRAY[w.type, 'case.status_changed'] OR w.n = $1
		ORDER BY w.n LIMIT 1), 0))::float8, `+nightlyColumns+` FROM connectors c
		LEFT JOIN connector_reconciliations n ON n.connector_id = c.id ORDER BY c.name`,
		func(row pgx.CollectableRow) (domain.Connector, error) {
			var c domain.Connector
			var definition string
			var lag float64
			targets := append(append(connectorTargets(&c, &definition), &lag),
				nightlyTargets(&c.Nightly)...)
			if err := row.Scan(targets...); err != nil {
				return c, err
			}
			finishNightly(&c.Nightly)
			c.Lag = time.Duration(lag * float64(time.Second))
			return c, finishConnector(&c, definition)
		}, lagWindow)
}

// Connector reads one connector without its lag; NotFound if there is none.
func (r Reader) Connector(ctx context.Context, id domain.ID) (domain.Connector, error) {
	return queryOne(ctx, r.q, "connector", `SELECT `+connectorColumns+` FROM connectors c
		WHERE c.id = $1`, scanConnector, id)
}

// ConnectorNamed reads the connector of the name; version 0 if there is none.
func (r Reader) ConnectorNamed(ctx context.Context, name string) (domain.Connector, error) {
	found, err := queryOne(ctx, r.q, "connector", `SELECT `+connectorColumns+` FROM connectors c
		WHERE c.name = $1`, scanConnector, name)
	if domain.HasCode(err, domain.NotFound) {
		return domain.Connector{Spec: domain.ConnectorSpec{Name: name}}, nil
	}
	return found, err
}

// LockConnector reads one connector FOR UPDATE.
func (t *Tx) LockConnector(ctx context.Context, id domain.ID) (domain.Connector, error) {
	return queryOne(ctx, t.q, "connector", `SELECT `+connectorColumns+` FROM connectors c
		WHERE c.id = $1 FOR UPDATE`, scanConnector, id)
}

// PutConnector writes the confirmed spec of a connector. A new one begins at the end of the feed. The
// database refuses a spec without a confirmed proposal.
func (t *Tx) PutConnector(ctx context.Context, c domain.Connector, proposal domain.ID) error {
	_, err := t.exec(ctx, "put connector", `INSERT INTO connectors (id, name, version, definition,
			proposal_id, set_by, era, txid, event)
		SELECT $1, $2, $3, $4, $5, $6, end_era, end_txid, 0 FROM feed_end()
		WHERE NOT EXISTS (SELECT FROM connectors WHERE name = $2)`, c.ID, c.Spec.Name, c.Version,
		c.Spec.Text(), proposal, c.SetBy)
	if err != nil || c.Version == 1 {
		return err
	}
	_, err = t.exec(ctx, "put connector", `UPDATE connectors SET version = $2, definition = $3,
		proposal_id = $4, set_by = $5, changed_at = clock(), generation = generation + 1,
		failures = 0, retry_at = NULL, failing_since = NULL WHERE name = $1`, c.Spec.Name, c.Version,
		c.Spec.Text(), proposal, c.SetBy)
	return err
}

// SetConnectorStatus changes the status. An active connector is due, with its waiting deliveries.
func (t *Tx) SetConnectorStatus(ctx context.Context, id domain.ID, status domain.ConnectorStatus,
	reason string) error {
	_, err := t.exec(ctx, "connector status", `UPDATE connectors SET status = $2,
		status_reason = $3, failures = 0, retry_at = NULL, failing_since = NULL WHERE id = $1`, id,
		string(status), reason)
	if err == nil && status == domain.ConnectorActive {
		err = t.hurryDeliveries(ctx, id)
	}
	return err
}

// hurryDeliveries makes the waiting deliveries of a connector due.
func (t *Tx) hurryDeliveries(ctx context.Context, id domain.ID) error {
	_, err := t.exec(ctx, "due deliveries", `UPDATE connector_deliveries SET next_at = clock()
		WHERE connector_id = $1 AND status = 'waiting' AND next_at > clock()`, id)
	return err
}

// FirstEventSince returns the position before the first event that happened at the time or later,
// or false if there is none.
func (r Reader) FirstEventSince(ctx context.Context, at time.Time) (domain.FeedPosition, bool,
	error) {
	position, err := queryOne(ctx, r.q, "first event", `SELECT era, txid::text::bigint, id - 1
		FROM events WHERE at >= $1 ORDER BY era, txid, id LIMIT 1`,
		pgx.RowToStructByPos[domain.FeedPosition], at)
	if domain.HasCode(err, domain.NotFound) {
		return position, false, nil
	}
	return position, err == nil, err
}

// RewindConnector moves the cursor back. It never moves it on.
func (t *Tx) RewindConnector(ctx context.Context, id domain.ID, to domain.FeedPosition) error {
	_, err := t.exec(ctx, "rewind connector", `UPDATE connectors SET era = $2,
		txid = $3::bigint::text::xid8, event = $4, generation = generation + 1
		WHERE id = $1 AND (era, txid, event) > ($2, $3::bigint::text::xid8, $4)`, id, to.Era,
		to.TxID, to.ID)
	return err
}

// ConnectorLease is the name of the row lease of the leader of a connector.
func ConnectorLease(id domain.ID) string { return "connector " + id.String() }

// LockRound locks a connector for the record of a round. It returns LeaseLost if another program
// leads, or if a person changed the connector after the round began.
func (t *Tx) LockRound(ctx context.Context, round domain.DeliveryRound) (domain.Connector, error) {
	c, err := t.LockConnector(ctx, round.Connector)
	if err != nil {
		return c, err
	}
	leads, err := queryOne(ctx, t.q, "connector lease", `SELECT EXISTS (SELECT FROM leaders
		WHERE name = $1 AND holder = $2 AND until > clock())`, pgx.RowTo[bool],
		ConnectorLease(round.Connector), round.Holder)
	if err == nil && (!leads || c.Generation != round.Generation) {
		err = domain.Errorf(domain.LeaseLost, "The connector was changed, or has another leader.")
	}
	return c, err
}

// AdvanceConnector records a round in which events were delivered or parked.
func (t *Tx) AdvanceConnector(ctx context.Context, round domain.DeliveryRound) error {
	_, err := t.exec(ctx, "advance connector", `UPDATE connectors SET era = $2,
		txid = $3::bigint::text::xid8, event = $4, delivered = delivered + $5,
		last_delivered = CASE WHEN $5 > 0 THEN clock() ELSE last_delivered END,
		failures = 0, failing_since = NULL,
		last_error = CASE WHEN $6 <> '' THEN $6 ELSE last_error END,
		last_error_at = CASE WHEN $6 <> '' THEN clock() ELSE last_error_at END,
		retry_at = CASE WHEN $7 > 0 THEN clock() + make_interval(secs => $7) END WHERE id = $1`,
		round.Connector, round.Cursor.Era, round.Cursor.TxID, round.Cursor.ID, round.Delivered,
		round.Error, round.RetryAfter.Seconds())
	return err
}

// FailConnector records a round in which nothing was delivered, and returns for how long the
// connector has failed.
func (t *Tx) FailConnector(ctx context.Context, id domain.ID, reason string, retry time.Duration,
) (time.Duration, error) {
	seconds, err := queryOne(ctx, t.q, "fail connector", `UPDATE connectors SET
		failures = failures + 1, failing_since = coalesce(failing_since, clock()), last_error = $2,
		last_error_at = clock(), retry_at = clock() + make_interval(secs => $3) WHERE id = $1
		RETURNING extract(epoch FROM clock() - failing_since)::float8`, pgx.RowTo[float64], id, reason,
		retry.Seconds())
	return time.Duration(seconds * float64(time.Second)), err
}
