package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

// abandonedReconciliation is after how long a nightly reconciliation that did not end may be begun
// again, because the program that began it has died.
const abandonedReconciliation = time.Hour

// ClaimReconciliation begins the nightly reconciliation of an active connector for which none began
// since the hour (UTC) was last reached. It returns NotFound if there is none.
func (t *Tx) ClaimReconciliation(ctx context.Context, hour int) (domain.ID, error) {
	return queryOne(ctx, t.q, "claim reconciliation", `
		WITH due AS (
			SELECT date_trunc('day', clock() AT TIME ZONE 'UTC' - make_interval(hours => $1))
				AT TIME ZONE 'UTC' + make_interval(hours => $1) AS at
		), chosen AS (
			SELECT c.id FROM connectors c CROSS JOIN due
			LEFT JOIN connector_reconciliations n ON n.connector_id = c.id
			WHERE c.status = 'active' AND c.kind <> 'smtp'
				AND (coalesce(n.began_at, c.changed_at) < due.at
					OR coalesce(n.ended_at < n.began_at, true)
						AND n.began_at < clock() - make_interval(secs => $2))
			ORDER BY c.name LIMIT 1 FOR UPDATE OF c SKIP LOCKED
		)
		INSERT INTO connector_reconciliations AS n (connector_id, began_at)
		SELECT id, clock() FROM chosen
		ON CONFLICT (connector_id) DO UPDATE SET began_at = excluded.began_at
		RETURNING n.connector_id`, pgx.RowTo[domain.ID], hour, abandonedReconciliation.Seconds())
}

// LockReconciliation reads the last nightly reconciliation of a connector FOR UPDATE.
func (t *Tx) LockReconciliation(ctx context.Context, connector domain.ID) (
	domain.NightlyReconciliation, error) {
	return queryOne(ctx, t.q, "reconciliation", `SELECT `+nightlyColumns+`
		FROM connector_reconciliations n WHERE n.connector_id = $1 FOR UPDATE`,
		func(row pgx.CollectableRow) (domain.NightlyReconciliation, error) {
			var n domain.NightlyReconciliation
			err := row.Scan(nightlyTargets(&n)...)
			finishNightly(&n)
			return n, err
		}, connector)
}

// RecordReconciliation records how a nightly reconciliation ended. What an earlier one found stays if
// this one was hindered.
func (t *Tx) RecordReconciliation(ctx context.Context, connector domain.ID,
	n domain.NightlyReconciliation) error {
	_, err := t.exec(ctx, "record reconciliation", `UPDATE connector_reconciliations SET
		ended_at = clock(), outcome = $2, error = $3 WHERE connector_id = $1`, connector,
		string(n.Outcome), n.Error)
	if err != nil || n.Hindered() {
		return err
	}
	_, err = t.exec(ctx, "record reconciliation", `UPDATE connector_reconciliations SET from_at = $2,
		to_at = $3, compared = $4, missing = coalesce($5::text[], '{}'), missing_count = $6,
		unknown = coalesce($7::text[], '{}'), unknown_count = $8 WHERE connector_id = $1`, connector, n.From, n.To,
		n.Compared, n.Missing, n.MissingCount, n.Unknown, n.UnknownCount)
	return err
}
