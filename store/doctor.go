package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

// Inconsistency is a row, or a group of rows, that contradicts others.
type Inconsistency struct {
	CaseID    domain.ID
	Reference string // of the case; "" when there is no such case
	Object    string // id of a run, name of a table
	Detail    string // node and status of a run, status of a case
	Count     int64
	Since     time.Time // zero if the time is irrelevant
}

func scanInconsistency(row pgx.CollectableRow) (Inconsistency, error) {
	var a Inconsistency
	var since *time.Time
	err := row.Scan(&a.CaseID, &a.Reference, &a.Object, &a.Detail, &a.Count, &since)
	if since != nil {
		a.Since = since.UTC()
	}
	return a, err
}

// finalStatuses is the SQL list of the statuses that end a case.
const finalStatuses = `('archived', 'rejected', 'abandoned')`

// StalledCases reads active cases without a run that will execute and without an open review;
// nothing will advance them.
func (r Reader) StalledCases(ctx context.Context, limit int) ([]Inconsistency, error) {
	return queryAll(ctx, r.q, "stalled cases", `SELECT c.id, c.reference, '', c.status, 1::bigint,
		c.updated_at FROM cases c
		WHERE c.status NOT IN `+finalStatuses+` AND c.status NOT IN ('returned', 'incident')
		AND NOT EXISTS (SELECT FROM stage_runs r WHERE r.case_id = c.id
		AND r.status IN ('pending', 'leased'))
		AND NOT EXISTS (SELECT FROM reviews v WHERE v.case_id = c.id
		AND v.status IN ('open', 'claimed'))
		ORDER BY c.id LIMIT $1`, scanInconsistency, limit)
}

// MismatchedIncidents reads cases in status incident without a failed run, and failed runs whose
// case has another status.
func (r Reader) MismatchedIncidents(ctx context.Context, limit int) ([]Inconsistency, error) {
	return queryAll(ctx, r.q, "mismatched incidents", `SELECT c.id, c.reference, '', c.status,
		1::bigint, c.updated_at FROM cases c
		WHERE c.status = 'incident' AND NOT EXISTS (SELECT FROM stage_runs r WHERE r.case_id = c.id
		AND r.status = 'incident')
		UNION ALL SELECT c.id, c.reference, r.id::text, c.status || ', ' || r.node, 1::bigint,
		r.ended_at FROM stage_runs r
		JOIN cases c ON c.id = r.case_id WHERE r.status = 'incident' AND c.status <> 'incident'
		LIMIT $1`, scanInconsistency, limit)
}

// OverdueRuns reads pending runs whose enqueue is overdue, and leased ones whose lease expired, by
// more than the grace period; a running sweeper would have handled them.
func (r Reader) OverdueRuns(ctx context.Context, grace time.Duration,
	limit int) ([]Inconsistency, error) {
	return queryAll(ctx, r.q, "overdue runs",
		`WITH t AS MATERIALIZED (SELECT clock() - make_interval(secs => $1) AS at)
		SELECT r.case_id, coalesce(c.reference, ''), r.id::text,
		r.node || ', ' || r.status || CASE WHEN r.worker = '' THEN '' ELSE ' by ' || r.worker END,
		1::bigint, CASE WHEN r.status = 'leased' THEN r.lease_until ELSE r.next_ring_at END
		FROM stage_runs r LEFT JOIN cases c ON c.id = r.case_id
		WHERE (r.status = 'pending' AND r.next_ring_at < (SELECT at FROM t))
		OR (r.status = 'leased' AND r.lease_until < (SELECT at FROM t))
		ORDER BY r.id LIMIT $2`, scanInconsistency, grace.Seconds(), limit)
}

// RunsOfFinalCases reads pending runs of cases that have ended.
func (r Reader) RunsOfFinalCases(ctx context.Context, limit int) ([]Inconsistency, error) {
	return queryAll(ctx, r.q, "runs of final cases", `SELECT r.case_id, c.reference, r.id::text,
		r.node || ', ' || r.status, 1::bigint, r.created_at
		FROM stage_runs r JOIN cases c ON c.id = r.case_id WHERE r.status IN ('pending', 'leased')
		AND c.status IN `+finalStatuses+`
		ORDER BY r.id LIMIT $1`, scanInconsistency, limit)
}

// partitionedTables are the tables that are partitioned by the month in which the case was created.
var partitionedTables = []string{"documents", "pages", "fields", "findings", "stage_runs", "events",
	"decisions", "assertions"}

// OrphanRows reads the cases that rows of child tables name but that do not exist.
func (r Reader) OrphanRows(ctx context.Context, limit int) ([]Inconsistency, error) {
	var found []Inconsistency
	for _, table := range append([]string{"case_interests", "votes", "overrides", "line_items"}, partitionedTables...) {
		streams := ""
		if table == "events" {
			streams = " AND NOT EXISTS (SELECT FROM streams s WHERE s.id = x.case_id)"
		}
		rows, err := queryAll(ctx, r.q, "orphan rows",
			`SELECT x.case_id, '', '`+table+`', '', count(*), NULL::timestamptz FROM `+table+` x
			WHERE NOT EXISTS (SELECT FROM cases c WHERE c.id = x.case_id)`+streams+`
			GROUP BY x.case_id ORDER BY x.case_id LIMIT $1`,
			scanInconsistency, limit-len(found))
		if err != nil {
			return nil, err
		}
		if found = append(found, rows...); len(found) >= limit {
			break
		}
	}
	return found, nil
}

// DefaultPartitionRows counts the rows in default partitions, for which no monthly partition
// existed.
func (r Reader) DefaultPartitionRows(ctx context.Context) ([]Inconsistency, error) {
	var found []Inconsistency
	for _, table := range partitionedTables {
		// An empty file needs no count. Rows are distinguished by tableoid, for which the
		// application needs no grant.
		rows, err := queryAll(ctx, r.q, "stray rows",
			`SELECT '00000000-0000-0000-0000-000000000000'::uuid, '',
			'`+table+`', '', n, NULL::timestamptz
			FROM (SELECT CASE WHEN pg_relation_size(to_regclass('`+table+`_rest')) > 0
				THEN (SELECT count(*) FROM `+table+` x
				WHERE x.tableoid = to_regclass('`+table+`_rest')) ELSE 0 END AS n) q WHERE n > 0`,
			scanInconsistency)
		if err != nil {
			return nil, err
		}
		found = append(found, rows...)
	}
	return found, nil
}

// WaitingQueue is a queue with its number of pending runs, due or not.
type WaitingQueue struct {
	Queue string
	Runs  int64
}

// WaitingRun is a pending run and its case.
type WaitingRun struct {
	CaseID    domain.ID
	Reference string // of the case; "" when there is no such case
	Node      string
	Kind      domain.RunKind
	RunAfter  time.Time
}

// WaitingQueues counts the pending runs of each queue that our workers serve. Those of external
// stages are left out, because it is unknown when external programs run.
func (r Reader) WaitingQueues(ctx context.Context) ([]WaitingQueue, error) {
	return queryAll(ctx, r.q, "waiting queues", `SELECT queue, count(*) FROM stage_runs
		WHERE status = 'pending' AND queue <> `+externalQueue+`
		GROUP BY queue ORDER BY queue`, pgx.RowToStructByPos[WaitingQueue])
}

// WaitingRuns reads the pending runs of a queue with node and kind, in the order in which they are
// due.
func (r Reader) WaitingRuns(ctx context.Context, queue string, limit int) ([]WaitingRun, error) {
	return queryAll(ctx, r.q, "waiting runs", `SELECT r.case_id, coalesce(c.reference, ''), r.node,
		r.kind, r.run_after
		FROM stage_runs r LEFT JOIN cases c ON c.id = r.case_id WHERE r.status = 'pending'
		AND r.queue = $1
		ORDER BY r.run_after, r.id LIMIT $2`, func(row pgx.CollectableRow) (WaitingRun, error) {
		w, err := pgx.RowToStructByPos[WaitingRun](row)
		w.RunAfter = w.RunAfter.UTC()
		return w, err
	}, queue, limit)
}

// RunStatuses reads the status of each existing run; ids are pairs of case and run.
func (r Reader) RunStatuses(ctx context.Context,
	cases, runs []domain.ID) (map[domain.ID]domain.RunStatus, error) {
	type state struct {
		ID     domain.ID
		Status domain.RunStatus
	}
	states, err := queryAll(ctx, r.q, "run state", `SELECT r.id, r.status
		FROM unnest($1::uuid[], $2::uuid[]) AS w(case_id, id)
		JOIN stage_runs r ON r.case_id = w.case_id AND r.id = w.id`, pgx.RowToStructByPos[state],
		cases, runs)
	found := make(map[domain.ID]domain.RunStatus, len(states))
	for _, s := range states {
		found[s.ID] = s.Status
	}
	return found, err
}

// BlobReference is a row that refers to a stored file.
type BlobReference struct {
	CaseID    domain.ID
	Reference string
	Kind      string // document, e-invoice, page image, attachment, manifest
	Key       string
}

// BlobReferences reads the files that rows of the next cases after the given one refer to, and the
// last of these cases; NoID if there are no more.
func (r Reader) BlobReferences(ctx context.Context, after domain.ID,
	cases int) ([]BlobReference, domain.ID, error) {
	last := after
	rows, err := queryAll(ctx, r.q, "blob rows",
		`WITH c AS (SELECT id, reference, CASE WHEN erased_at IS NULL THEN manifest_key ELSE '' END
		AS manifest_key FROM cases WHERE id > $1 ORDER BY id
		LIMIT $2)
		SELECT c.id, c.reference, coalesce(k.what, ''), coalesce(k.key, '') FROM c LEFT
		JOIN LATERAL (
			SELECT 'document' AS what, d.blob_key AS key FROM documents d WHERE d.case_id = c.id
			UNION ALL SELECT 'e-invoice', d.structured_key FROM documents d WHERE d.case_id = c.id
			AND d.structured_key <> ''
			UNION ALL SELECT 'page image', p.raster_key FROM pages p WHERE p.case_id = c.id
			AND p.raster_key <> ''
			UNION ALL SELECT 'page image', p.raster_key FROM supporting_pages p WHERE p.case_id = c.id
			AND p.raster_key <> ''
			UNION ALL SELECT 'page image', p.raster_key FROM kept_pages p WHERE p.case_id = c.id
			AND p.raster_key <> ''
			UNION ALL SELECT 'attachment', a.blob_key FROM note_attachments a WHERE a.case_id = c.id
			AND a.blob_key <> ''
			UNION ALL SELECT 'supporting document', d.blob_key FROM supporting_documents d
			WHERE d.case_id = c.id AND d.blob_key <> ''
			UNION ALL SELECT 'manifest', c.manifest_key WHERE c.manifest_key <> '') k ON true
			ORDER BY c.id`,
		func(row pgx.CollectableRow) (BlobReference, error) {
			var b BlobReference
			err := row.Scan(&b.CaseID, &b.Reference, &b.Kind, &b.Key)
			last = b.CaseID
			return b, err
		}, after, cases)
	if err != nil || len(rows) == 0 {
		return nil, domain.NoID, err
	}
	named := rows[:0]
	for _, row := range rows {
		if row.Key != "" {
			named = append(named, row)
		}
	}
	return named, last, nil
}

// UnreferencedBlobs returns the keys that no row refers to; a key begins with its case's id.
// Reopening a case removes the first manifest's key from the row and keeps the file as evidence, so
// files of reopened cases are not reported. An erased case keeps no file.
func (r Reader) UnreferencedBlobs(ctx context.Context, keys []string) ([]string, error) {
	return queryAll(ctx, r.q, "unknown blobs",
		`SELECT k.key FROM (SELECT key, split_part(key, '/', 1)::uuid AS id
		FROM unnest($1::text[]) AS key) k
		WHERE NOT EXISTS (SELECT FROM documents d WHERE d.case_id = k.id
		AND (d.blob_key = k.key OR d.structured_key = k.key))
		AND NOT EXISTS (SELECT FROM pages p WHERE p.case_id = k.id AND p.raster_key = k.key)
		AND NOT EXISTS (SELECT FROM supporting_pages p WHERE p.case_id = k.id AND p.raster_key = k.key)
		AND NOT EXISTS (SELECT FROM kept_pages p WHERE p.case_id = k.id AND p.raster_key = k.key)
		AND NOT EXISTS (SELECT FROM note_attachments a WHERE a.case_id = k.id AND a.blob_key = k.key)
		AND NOT EXISTS (SELECT FROM supporting_documents d WHERE d.case_id = k.id AND d.blob_key = k.key)
		AND NOT EXISTS (SELECT FROM cases c WHERE c.id = k.id AND c.manifest_key = k.key
			AND c.erased_at IS NULL)
		AND (EXISTS (SELECT FROM cases c WHERE c.id = k.id AND c.erased_at IS NOT NULL)
			OR NOT EXISTS (SELECT FROM events e WHERE e.case_id = k.id AND e.type = 'case.reopened'))
		ORDER BY k.key`, pgx.RowTo[string], keys)
}
