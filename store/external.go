package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

// DueExternal returns up to limit due runs of a topic that no program has leased, longest waiting
// first, without some.
func (t *Tx) DueExternal(
	ctx context.Context, topic string, without []domain.ID, limit int,
) ([]domain.StageRun, error) {
	return queryAll(ctx, t.q, "due external", `SELECT `+runColumns+` FROM stage_runs r
		WHERE queue = `+externalQueue+` AND status = 'pending' AND topic = $1
			AND run_after <= clock() AND NOT id = ANY(coalesce($2::uuid[], '{}')) ORDER BY run_after, id LIMIT $3`, scanRun,
		topic, without, limit)
}

// LeaseExternal leases those of the runs of a topic that are still due to an external program, longest
// waiting first, each for the time in its definition. Runs that another program is leasing at the
// moment are skipped.
func (t *Tx) LeaseExternal(
	ctx context.Context, topic, worker string, runs []domain.ID,
) ([]LeasedRun, error) {
	const sql = `WITH todo AS (SELECT case_id, id FROM stage_runs
		WHERE queue = ` + externalQueue + ` AND status = 'pending' AND topic = $1
			AND run_after <= clock() AND id = ANY($2) FOR UPDATE SKIP LOCKED),
		r AS (UPDATE stage_runs r SET status = 'leased', lease_token = gen_random_uuid(),
		worker = $3, lease_until = clock() + make_interval(secs => r.lease_secs) FROM todo
			WHERE r.case_id = todo.case_id AND r.id = todo.id RETURNING r.*)
		SELECT ` + runColumns + `, ` + caseColumns + `, clock(), ` + documentColumns + `, false
		FROM r JOIN cases c ON c.id = r.case_id CROSS
		JOIN LATERAL (SELECT * FROM documents d WHERE d.case_id = r.case_id
			ORDER BY d.revision DESC LIMIT 1) d ORDER BY r.run_after, r.id`
	return queryAll(ctx, t.q, "lease external", sql, scanLeased, topic, runs, worker)
}

// ExtendExternal extends a valid lease by its full time and returns its end; false if the lease has
// expired.
func (t *Tx) ExtendExternal(ctx context.Context,
	caseID, runID, token domain.ID) (time.Time, bool, error) {
	ends, err := queryAll(ctx, t.q, "extend external",
		`UPDATE stage_runs SET lease_until = clock() + make_interval(secs => lease_secs)
		WHERE case_id = $1 AND id = $2 AND queue = `+externalQueue+`
		AND coalesce(status, '') = 'leased' AND lease_token = $3
		AND lease_until > clock() RETURNING lease_until`, pgx.RowTo[time.Time], caseID, runID,
		token)
	if err != nil || len(ends) == 0 {
		return time.Time{}, false, err
	}
	return ends[0].UTC(), true, nil
}

// HasExternalLease reports whether the worker has a valid lease on an external stage of the case.
func (r Reader) HasExternalLease(ctx context.Context, caseID domain.ID,
	worker string) (bool, error) {
	return queryOne(ctx, r.q, "holds external",
		`SELECT EXISTS (SELECT FROM stage_runs WHERE case_id = $1 AND queue = `+externalQueue+`
		AND coalesce(status, '') = 'leased' AND lease_until > clock() AND starts_with(worker, $2))`,
		pgx.RowTo[bool], caseID, worker)
}
