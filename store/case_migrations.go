package store

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

const migrationColumns = `m.id, m.process, m.from_version, m.to_version, m.plan,
	coalesce(m.undoes, '00000000-0000-0000-0000-000000000000'), m.reason, m.proposal_id,
	m.proposed_by, m.confirmed_by, m.started_at, coalesce(m.ended_at, '0001-01-01Z')`

func scanMigration(row pgx.CollectableRow) (domain.CaseMigration, error) {
	var m domain.CaseMigration
	err := row.Scan(&m.ID, &m.Process, &m.From, &m.To, &m.Plan, &m.Undoes, &m.Reason, &m.ProposalID,
		&m.ProposedBy, &m.ConfirmedBy, &m.StartedAt, &m.EndedAt)
	m.StartedAt, m.EndedAt = m.StartedAt.UTC(), m.EndedAt.UTC()
	return m, err
}

// CaseMigration reads a migration; NotFound if there is none.
func (r Reader) CaseMigration(ctx context.Context, id domain.ID) (domain.CaseMigration, error) {
	return queryOne(ctx, r.q, "case migration", `SELECT `+migrationColumns+`
		FROM case_migrations m WHERE m.id = $1`, scanMigration, id)
}

// CaseMigrations reads the newest migrations of a process.
func (r Reader) CaseMigrations(ctx context.Context, process string, limit int) (
	[]domain.CaseMigration, error) {
	return queryAll(ctx, r.q, "case migrations", `SELECT `+migrationColumns+`
		FROM case_migrations m WHERE m.process = $1 ORDER BY m.started_at DESC, m.id LIMIT $2`,
		scanMigration, process, limit)
}

// RunningMigrations reads the migrations that have not ended, oldest first.
func (r Reader) RunningMigrations(ctx context.Context) ([]domain.CaseMigration, error) {
	return queryAll(ctx, r.q, "case migrations", `SELECT `+migrationColumns+`
		FROM case_migrations m WHERE m.ended_at IS NULL ORDER BY m.started_at, m.id`, scanMigration)
}

// CountMigrations returns how many migrations of a process were started.
func (r Reader) CountMigrations(ctx context.Context, process string) (int, error) {
	return queryOne(ctx, r.q, "case migrations",
		`SELECT count(*)::int FROM case_migrations WHERE process = $1`, pgx.RowTo[int], process)
}

// UndoneMigration reports whether a later migration undoes this one.
func (r Reader) UndoneMigration(ctx context.Context, id domain.ID) (bool, error) {
	return queryOne(ctx, r.q, "case migrations",
		`SELECT EXISTS (SELECT FROM case_migrations WHERE undoes = $1)`, pgx.RowTo[bool], id)
}

// PutCaseMigration adds a confirmed migration with the cases that it contains, and returns how many:
// every running case of the version, or the cases that the migration to undo has moved.
func (t *Tx) PutCaseMigration(ctx context.Context, m domain.CaseMigration) (int, error) {
	_, err := t.exec(ctx, "case migration", `INSERT INTO case_migrations (id, process, from_version,
		to_version, plan, undoes, reason, proposal_id, proposed_by, confirmed_by)
		VALUES ($1, $2, $3, $4, $5, nullif($6, '00000000-0000-0000-0000-000000000000'::uuid), $7, $8,
		$9, $10)`, m.ID, m.Process, m.From, m.To, m.Plan, m.Undoes, m.Reason, m.ProposalID,
		m.ProposedBy, m.ConfirmedBy)
	if err != nil {
		return 0, err
	}
	var count int64
	if m.Undoes == domain.NoID {
		count, err = t.exec(ctx, "case migration", `INSERT INTO case_migration_results (migration_id, case_id)
			SELECT $1, c.id FROM cases c WHERE c.process_key = $2 AND c.process_version = $3
			AND c.status NOT IN `+finalStatuses, m.ID, m.Process, m.From)
	} else {
		count, err = t.exec(ctx, "case migration", `INSERT INTO case_migration_results (migration_id, case_id)
			SELECT $1, r.case_id FROM case_migration_results r
			WHERE r.migration_id = $2 AND r.status = 'moved'`, m.ID, m.Undoes)
	}
	return int(count), err
}

// DueMigrationCases reads cases of a migration that are due to be moved, at most limit.
func (r Reader) DueMigrationCases(ctx context.Context, migration domain.ID, limit int) (
	[]domain.ID, error) {
	return queryAll(ctx, r.q, "due cases", `SELECT case_id FROM case_migration_results
		WHERE migration_id = $1 AND status = 'waiting' AND due <= clock()
		ORDER BY due, case_id LIMIT $2`, pgx.RowTo[domain.ID], migration, limit)
}

// MovableCases reads the running cases of a version after the given one, by id, at most limit.
func (r Reader) MovableCases(ctx context.Context, process string, version int, after domain.ID,
	limit int) ([]domain.ID, error) {
	return queryAll(ctx, r.q, "movable cases", `SELECT c.id FROM cases c WHERE c.process_key = $1
		AND c.process_version = $2 AND c.status NOT IN `+finalStatuses+` AND c.id > $3
		ORDER BY c.id LIMIT $4`, pgx.RowTo[domain.ID], process, version, after, limit)
}

// CountMovableCases counts the running cases of a version.
func (r Reader) CountMovableCases(ctx context.Context, process string, version int) (int, error) {
	return queryOne(ctx, r.q, "movable cases", `SELECT count(*)::int FROM cases c
		WHERE c.process_key = $1 AND c.process_version = $2 AND c.status NOT IN `+finalStatuses,
		pgx.RowTo[int], process, version)
}

const migratedColumns = `r.migration_id, r.case_id, c.reference, r.status, r.reason, r.node,
	r.message, r.tries, coalesce(r.at, '0001-01-01Z'), coalesce(r.before, 'null'), r.seq`

func scanMigrated(row pgx.CollectableRow) (domain.MigratedCase, error) {
	var m domain.MigratedCase
	err := row.Scan(&m.MigrationID, &m.CaseID, &m.Reference, &m.Status, &m.Reason, &m.Node,
		&m.Message, &m.Tries, &m.At, &m.Before, &m.Seq)
	m.At = m.At.UTC()
	return m, err
}

// LockMigratedCase locks the result of a case.
func (t *Tx) LockMigratedCase(ctx context.Context, migration, caseID domain.ID) (
	domain.MigratedCase, error) {
	return queryOne(ctx, t.q, "migrated case", `SELECT `+migratedColumns+`
		FROM case_migration_results r JOIN cases c ON c.id = r.case_id
		WHERE r.migration_id = $1 AND r.case_id = $2 FOR UPDATE OF r`, scanMigrated, migration, caseID)
}

// MigratedCases reads results of a migration after the given case, by case, at most limit; status ""
// selects all.
func (r Reader) MigratedCases(ctx context.Context, migration domain.ID, status domain.MoveStatus,
	after domain.ID, limit int) ([]domain.MigratedCase, error) {
	return queryAll(ctx, r.q, "migrated cases", `SELECT `+migratedColumns+`
		FROM case_migration_results r JOIN cases c ON c.id = r.case_id
		WHERE r.migration_id = $1 AND ($2 = '' OR r.status = $2) AND r.case_id > $3
		ORDER BY r.case_id LIMIT $4`, scanMigrated, migration, string(status), after, limit)
}

// MoveCount is the number of cases with one result.
type MoveCount struct {
	Status domain.MoveStatus
	Reason string
	Cases  int
}

// CountMigrated counts the results of a migration.
func (r Reader) CountMigrated(ctx context.Context, migration domain.ID) ([]MoveCount, error) {
	return queryAll(ctx, r.q, "migrated cases", `SELECT status, reason, count(*)::int
		FROM case_migration_results WHERE migration_id = $1 GROUP BY status, reason
		ORDER BY status, reason`, pgx.RowToStructByPos[MoveCount], migration)
}

// EndMigratedCase records the result of a case. A waiting one is due again after the delay.
func (t *Tx) EndMigratedCase(ctx context.Context, m domain.MigratedCase, delay time.Duration) error {
	before := m.Before
	if before == nil {
		before = json.RawMessage("null")
	}
	_, err := t.exec(ctx, "migrated case", `UPDATE case_migration_results SET status = $3,
		reason = $4, node = $5, message = $6, tries = tries + 1, seq = $7,
		before = nullif($8::jsonb, 'null'), due = clock() + make_interval(secs => $9),
		at = CASE WHEN $3 = 'waiting' THEN NULL ELSE clock() END
		WHERE migration_id = $1 AND case_id = $2`, m.MigrationID, m.CaseID, string(m.Status), m.Reason,
		m.Node, m.Message, m.Seq, string(before), delay.Seconds())
	return err
}

// EndMigration ends a migration that has no waiting case; false if it has one.
func (t *Tx) EndMigration(ctx context.Context, id domain.ID) (bool, error) {
	count, err := t.exec(ctx, "case migration", `UPDATE case_migrations m SET ended_at = clock()
		WHERE m.id = $1 AND m.ended_at IS NULL AND NOT EXISTS (SELECT FROM case_migration_results r
		WHERE r.migration_id = m.id AND r.status = 'waiting')`, id)
	return count > 0, err
}

// LockOpenRuns locks the pending, leased and failed runs of a case that wait for something.
func (t *Tx) LockOpenRuns(ctx context.Context, caseID domain.ID) ([]domain.StageRun, error) {
	return queryAll(ctx, t.q, "lock runs", `SELECT `+runColumns+` FROM `+
		t.tableFor("stage_runs", caseID)+` r WHERE case_id = $1
		AND status IN ('pending', 'leased', 'incident') ORDER BY id FOR UPDATE`, scanRun, caseID)
}

// MovedRows are the rows of a case that moves: its renamed nodes, its pending runs, and the levels
// and duties of its open reviews.
type MovedRows struct {
	CaseID  domain.ID
	Version int // of the process
	Renamed map[string]string
	Runs    []MovedRun
	Reviews []domain.Review
}

// MovedRun is a pending run, with the values that it has afterwards. It gets another id, so that no
// worker can lease it by a task from before.
type MovedRun struct {
	ID    domain.ID
	After domain.StageRun
}

// MoveRows gives a locked case its version, renames the nodes of its rows and replaces its pending
// runs.
func (t *Tx) MoveRows(ctx context.Context, in MovedRows) error {
	if _, err := t.exec(ctx, "move case", `UPDATE cases SET process_version = $2 WHERE id = $1`,
		in.CaseID, in.Version); err != nil {
		return err
	}
	runs := t.tableFor("stage_runs", in.CaseID)
	for _, run := range in.Runs {
		_, err := t.exec(ctx, "move run", `UPDATE `+runs+` SET id = $3, node = $4, queue = $5,
			topic = $6, lease_secs = $7, ring = 0 WHERE case_id = $1 AND id = $2`, in.CaseID, run.ID,
			run.After.ID, run.After.Node, run.After.Queue, run.After.Topic,
			run.After.LeaseFor.Seconds())
		if err != nil {
			return err
		}
	}
	var from, to []string
	for node, target := range in.Renamed {
		from, to = append(from, node), append(to, target)
	}
	if len(from) > 0 {
		for _, sql := range []string{
			`UPDATE ` + runs + ` r SET node = x.target FROM unnest($2::text[], $3::text[]) x(node, target)
				WHERE r.case_id = $1 AND r.node = x.node AND r.status = 'incident'`,
			`UPDATE reviews r SET node = x.target FROM unnest($2::text[], $3::text[]) x(node, target)
				WHERE r.case_id = $1 AND r.node = x.node`,
			`UPDATE ` + t.tableFor("findings", in.CaseID) + ` r SET stage = x.target
				FROM unnest($2::text[], $3::text[]) x(node, target)
				WHERE r.case_id = $1 AND r.stage = x.node`,
		} {
			if _, err := t.exec(ctx, "rename nodes", sql, in.CaseID, from, to); err != nil {
				return err
			}
		}
	}
	for _, review := range in.Reviews {
		if _, err := t.exec(ctx, "move review", `UPDATE reviews SET level = $3, duty = $4
			WHERE case_id = $1 AND id = $2`, in.CaseID, review.ID, review.Level, review.Duty); err != nil {
			return err
		}
	}
	return nil
}
