package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
	"countersign/internal/tracing"
	"countersign/store/batch"
	"countersign/store/bulk"
)

// LeasedRun is a leased run with its case, the newest document, and the time.
type LeasedRun struct {
	Run  domain.StageRun
	Case domain.Case
	Now  time.Time
	// Document is the newest revision.
	Document domain.Document
	// NoFacts reports that the case has no fields and no findings yet.
	NoFacts bool
}

// Statements about one run compare coalesce(status, ''), so that no plan uses the partial indexes
// of pending and leased rows. These are for the sweeper, change with every lease and look empty to
// the planner after a quiet day.

// Lease leases a pending, due run to the worker until ttl from now and reads its case in the same
// statement; concurrent leases are batched. LeaseLost if the run cannot be leased (done, cancelled,
// leased by another worker, not due yet).
func (db *DB) Lease(ctx context.Context, caseID, runID, token domain.ID, worker string,
	ttl time.Duration) (LeasedRun, error) {
	ctx, span := tracing.Begin(ctx, "postgres lease")
	leased, err := batchedOr(ctx, db.batchers.leases,
		leaseRequest{caseID, runID, token, worker, ttl},
		func() (LeasedRun, error) {
			return db.Autocommit().Lease(ctx, caseID, runID, token, worker, ttl)
		})
	span.End(spanCode(err))
	return leased, err
}

// Lease leases one run in a statement of its own.
func (t *Tx) Lease(ctx context.Context, caseID, runID, token domain.ID, worker string,
	ttl time.Duration) (LeasedRun, error) {
	found, err := t.leaseRuns(ctx, []leaseRequest{{caseID, runID, token, worker, ttl}})
	if err != nil {
		return LeasedRun{}, err
	}
	leased, ok := found[token]
	if !ok {
		return leased, runNotLeasable()
	}
	return leased, nil
}

func runNotLeasable() error {
	return domain.Errorf(domain.LeaseLost,
		"The run cannot be leased: it is done, cancelled, not due or leased by another worker.")
}

// leaseBatch leases runs in one statement.
func (db *DB) leaseBatch(ctx context.Context, requests []leaseRequest) ([]LeasedRun, []error) {
	found, err := db.Autocommit().leaseRuns(ctx, requests)
	if err != nil && len(requests) > 1 && !domain.HasCode(err, domain.Unavailable) {
		err = batch.ErrNotBatched
	}
	values, errs := batch.SameError[LeasedRun](len(requests), err)
	if err != nil {
		return values, errs
	}
	for i := range requests {
		leased, ok := found[requests[i].token]
		if values[i] = leased; !ok {
			errs[i] = runNotLeasable()
		}
	}
	return values, errs
}

// leaseRuns executes the statement and returns the successful leases by token.
func (t *Tx) leaseRuns(ctx context.Context,
	requests []leaseRequest) (map[domain.ID]LeasedRun, error) {
	ids := make([]domain.ID, len(requests))
	for i := range requests {
		ids[i] = requests[i].caseID
	}
	s := t.newStatement(ids)
	set := bulk.NewRows(&s.Statement, requests)
	bulk.Column(set, "case_id", "uuid", func(l *leaseRequest) domain.ID { return l.caseID })
	bulk.Column(set, "id", "uuid", func(l *leaseRequest) domain.ID { return l.runID })
	bulk.Column(set, "token", "uuid", func(l *leaseRequest) domain.ID { return l.token })
	bulk.Column(set, "worker", "text", func(l *leaseRequest) string { return l.worker })
	bulk.Column(set, "ttl", "float8", func(l *leaseRequest) float64 { return l.ttl.Seconds() })
	sql := `WITH r AS (UPDATE ` + s.partitionOf("stage_runs") + ` r SET status = 'leased',
		lease_token = x.token, worker = x.worker,
		lease_until = clock() + make_interval(secs => x.ttl) FROM ` + set.From("x") + `
		WHERE r.case_id = x.case_id AND ` + s.caseIDBounds("r.case_id") + ` AND r.id = x.id
			AND coalesce(r.status, '') = 'pending' AND r.run_after <= clock() RETURNING r.*)
		SELECT ` + runColumns + `, ` + caseColumns + `, clock(), ` + documentColumns + `,
			NOT EXISTS (SELECT FROM ` + s.partitionOf("fields") + ` f WHERE f.case_id = r.case_id)
				AND NOT EXISTS (SELECT FROM ` + s.partitionOf("findings") + ` f
				WHERE f.case_id = r.case_id)
		FROM r JOIN cases c ON c.id = r.case_id CROSS JOIN LATERAL (SELECT * FROM ` +
		s.partitionOf("documents") + ` d WHERE d.case_id = r.case_id
			AND ` + s.caseIDBounds("d.case_id") + ` ORDER BY d.revision DESC LIMIT 1) d`
	leases, err := queryAll(ctx, t.q, "lease", sql, scanLeased, s.Args()...)
	found := make(map[domain.ID]LeasedRun, len(leases))
	for _, leased := range leases {
		found[leased.Run.LeaseToken] = leased
	}
	return found, err
}

func scanLeased(row pgx.CollectableRow) (LeasedRun, error) {
	var l LeasedRun
	var marking []byte
	var readAt *time.Time
	targets := append(runTargets(&l.Run), caseTargets(&l.Case, &marking)...)
	targets = append(append(targets, &l.Now), documentTargets(&l.Document, &readAt)...)
	if err := row.Scan(append(targets, &l.NoFacts)...); err != nil {
		return l, err
	}
	l.Now = l.Now.UTC()
	finishRun(&l.Run)
	finishDocument(&l.Document, readAt)
	return l, finishCase(&l.Case, marking)
}
