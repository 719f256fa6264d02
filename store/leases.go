package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

// Leased is what a lease statement returns: the run, its case with its newest document, and the time.
type Leased struct {
	Run  domain.StageRun
	Case domain.Case
	Now  time.Time
	// Document is the newest revision.
	Document domain.Document
	// Bare says that the case has neither fields nor findings yet.
	Bare bool
}

// A statement about one run asks for its status as coalesce(status, ''), so that no plan looks the run up through the
// partial indexes of pending and leased rows: these are for the sweeper, churn with every lease and look empty to the
// planner on a quiet day.

// Lease takes a pending, due run for the worker until ttl from now, together with the leases of others, and reads its case
// in the same statement. LeaseLost when the run is not there to be taken (done, cancelled, leased by another, not due yet).
func (db *DB) Lease(ctx context.Context, caseID, runID, token domain.ID, worker string, ttl time.Duration) (Leased, error) {
	return askOr(ctx, db.gathers.leases, leaseOf{caseID, runID, token, worker, ttl}, func() (Leased, error) {
		return db.Alone().Lease(ctx, caseID, runID, token, worker, ttl)
	})
}

// Lease is the lease of one run by a statement of its own.
func (t *Tx) Lease(ctx context.Context, caseID, runID, token domain.ID, worker string, ttl time.Duration) (Leased, error) {
	found, err := t.lease(ctx, []leaseOf{{caseID, runID, token, worker, ttl}})
	if err != nil {
		return Leased{}, err
	}
	leased, ok := found[token]
	if !ok {
		return leased, notThere()
	}
	return leased, nil
}

func notThere() error { return domain.Fail(domain.LeaseLost, "this work is not there to be taken") }

// leaseMany takes the runs in one statement.
func (db *DB) leaseMany(ctx context.Context, asked []leaseOf) ([]Leased, []error) {
	found, err := db.Alone().lease(ctx, asked)
	if err != nil && len(asked) > 1 && !domain.HasCode(err, domain.Unavailable) {
		err = errAlone
	}
	values, errs := all[Leased](len(asked), err)
	if err != nil {
		return values, errs
	}
	for i := range asked {
		leased, ok := found[asked[i].token]
		if values[i] = leased; !ok {
			errs[i] = notThere()
		}
	}
	return values, errs
}

// lease is the statement; it returns the leases that were had, by token.
func (t *Tx) lease(ctx context.Context, asked []leaseOf) (map[domain.ID]Leased, error) {
	ids := make([]domain.ID, len(asked))
	for i := range asked {
		ids[i] = asked[i].caseID
	}
	s := t.about(ids)
	set := newRowSet(s, asked)
	column(set, "case_id", "uuid", func(l *leaseOf) domain.ID { return l.caseID })
	column(set, "id", "uuid", func(l *leaseOf) domain.ID { return l.runID })
	column(set, "token", "uuid", func(l *leaseOf) domain.ID { return l.token })
	column(set, "worker", "text", func(l *leaseOf) string { return l.worker })
	column(set, "ttl", "float8", func(l *leaseOf) float64 { return l.ttl.Seconds() })
	sql := `WITH r AS (UPDATE ` + s.table("stage_runs") + ` r SET status = 'leased', lease_token = x.token, worker = x.worker,
			lease_until = clock() + make_interval(secs => x.ttl) FROM ` + set.as("x") + `
		WHERE r.case_id = x.case_id AND ` + s.bounds("r.case_id") + ` AND r.id = x.id
			AND coalesce(r.status, '') = 'pending' AND r.run_after <= clock() RETURNING r.*)
		SELECT ` + runColumns + `, ` + caseColumns + `, clock(), ` + documentColumns + `,
			NOT EXISTS (SELECT FROM ` + s.table("fields") + ` f WHERE f.case_id = r.case_id)
				AND NOT EXISTS (SELECT FROM ` + s.table("findings") + ` f WHERE f.case_id = r.case_id)
		FROM r JOIN cases c ON c.id = r.case_id CROSS JOIN LATERAL (SELECT * FROM ` + s.table("documents") + ` d WHERE d.case_id = r.case_id
			AND ` + s.bounds("d.case_id") + ` ORDER BY d.revision DESC LIMIT 1) d`
	leases, err := collect(ctx, t.q, "lease", sql, scanLeased, s.args...)
	found := make(map[domain.ID]Leased, len(leases))
	for _, leased := range leases {
		found[leased.Run.LeaseToken] = leased
	}
	return found, err
}

func scanLeased(row pgx.CollectableRow) (Leased, error) {
	var l Leased
	var marking []byte
	var readAt *time.Time
	targets := append(runTargets(&l.Run), caseTargets(&l.Case, &marking)...)
	targets = append(append(targets, &l.Now), documentTargets(&l.Document, &readAt)...)
	if err := row.Scan(append(targets, &l.Bare)...); err != nil {
		return l, err
	}
	l.Now = l.Now.UTC()
	finishRun(&l.Run)
	finishDocument(&l.Document, readAt)
	return l, finishCase(&l.Case, marking)
}
