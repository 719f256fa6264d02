package casework_test

import (
	"context"
	"flag"
	"io"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/casework"
	"countersign/domain"
	"countersign/store"
)

var migratedCases = flag.Int("migrated-cases", 60, "running cases that move under load")

// TestMigrationUnderLoad moves running cases while reviewers claim and decide them, and kills the
// connections of the migrating service several times in the middle. Every case has exactly one result
// that agrees with its version and its log, and completes afterwards.
func TestMigrationUnderLoad(t *testing.T) {
	t.Parallel()
	env := newTestEnvWithPool(t, 12)
	sam := env.person("sam", domain.RoleSubmitter)
	ada, abe := env.admins()
	reviewers := []domain.Actor{env.person("lea", domain.RoleSenior),
		env.person("leo", domain.RoleSenior), env.person("max", domain.RoleManager),
		env.person("moe", domain.RoleManager)}
	cases := make([]domain.ID, 0, *migratedCases)
	for range *migratedCases {
		cases = append(cases, env.invoiceInReview(sam))
	}
	env.publishNext("document_approval", 1, addedReview...)
	migration := env.startMigration(ada, abe, toAddedReview)

	// The other half waits for its reviewers, who could otherwise end every case before it can move.
	contested := cases[:len(cases)/2]
	ctx, stop := context.WithCancel(env.ctx)
	var load sync.WaitGroup
	for i, reviewer := range reviewers {
		load.Go(func() { env.reviewUntil(ctx, reviewer, contested, i) })
	}
	begun := time.Now()
	kills := env.migrateWithKills(migration, len(cases))
	took := time.Since(begun)
	stop()
	load.Wait()

	moved, notMoved := env.checkResults(migration, cases)
	t.Logf("%d cases: %d moved, %d not moved, %d kills, %s", len(cases), moved, notMoved, kills, took)
	if moved+notMoved != len(cases) || kills == 0 || moved < len(cases)-len(contested) {
		t.Errorf("%d moved, %d not moved of %d", moved, notMoved, len(cases))
	}
	for round := 0; round < 10 && env.running(cases) > 0; round++ {
		for i := range reviewers {
			env.reviewAll(env.ctx, reviewers[i], cases)
		}
		env.drainQueue()
	}
	for _, id := range cases {
		if c := env.caseByID(id); c.Status != domain.Archived {
			t.Errorf("%s is %s: %+v", c.Reference, c.Status, c.Marking)
		}
		env.verifyCaseLog(id)
	}
	env.consistent()
}

// reviewUntil decides reviews in turn until the context ends. It finishes the command that it has
// begun, because a claim whose answer is lost would keep its review.
func (env *testEnv) reviewUntil(ctx context.Context, by domain.Actor, cases []domain.ID, from int) {
	for i := from; ctx.Err() == nil; i++ {
		env.reviewAll(env.ctx, by, cases[i%len(cases):i%len(cases)+1])
	}
}

// reviewAll claims and approves the open reviews of the cases that the person may take. Another
// person or the migration may come first.
func (env *testEnv) reviewAll(ctx context.Context, by domain.Actor, cases []domain.ID) {
	for _, id := range cases {
		reviews, err := env.db.Reader().ReviewsOf(ctx, id)
		if err != nil {
			return
		}
		for _, review := range reviews {
			if review.Status != domain.ReviewOpen {
				continue
			}
			if _, err := env.svc.ClaimReview(ctx, by,
				casework.ReviewTarget{ReviewID: review.ID}); err == nil {
				_ = env.decide(by, review.ID, domain.Approve, "checked") // checked by the final status
			}
		}
	}
}

// running counts the cases that have not ended.
func (env *testEnv) running(cases []domain.ID) (running int) {
	for _, id := range cases {
		if !env.caseByID(id).Status.Final() {
			running++
		}
	}
	return running
}

// migrateWithKills moves the cases by a service whose connections are killed each time when a quarter
// of the cases has a result, in the middle of the transaction of a case, and returns the number of kills.
func (env *testEnv) migrateWithKills(migration domain.ID, cases int) (kills int) {
	env.t.Helper()
	db, err := store.Open(env.ctx, env.appURL, 2)
	must(env.t, err)
	defer db.Close()
	admin, err := pgx.Connect(env.ctx, env.adminURL)
	must(env.t, err)
	defer func() { must(env.t, admin.Close(context.WithoutCancel(env.ctx))) }()
	svc, err := casework.New(db, casework.Ports{Reader: env.reader, Blobs: env.blobs,
		Notifier: env.notifier, Connector: env.connector}, casework.Settings{},
		slog.New(slog.NewTextHandler(io.Discard, nil)))
	must(env.t, err)
	defer svc.Close(env.ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for env.ctx.Err() == nil {
			_, _ = svc.MigrateCases(env.ctx) // fails when its connection is killed
			if m, err := env.db.Reader().CaseMigration(env.ctx, migration); err == nil &&
				!m.EndedAt.IsZero() {
				return
			}
		}
	}()
	for part := 1; part < 4; {
		select {
		case <-ended:
			return kills
		default:
		}
		var done, killed int
		must(env.t, env.owner.QueryRow(env.ctx, `SELECT count(*) FROM case_migration_results
			WHERE status <> 'waiting'`).Scan(&done))
		if done < cases*part/4 {
			continue
		}
		must(env.t, admin.QueryRow(env.ctx, `SELECT count(*) FILTER (WHERE pg_terminate_backend(l.pid))
			FROM pg_locks l WHERE l.relation = 'case_migration_results'::regclass
			AND l.mode = 'RowShareLock' AND l.granted`).Scan(&killed))
		if killed > 0 {
			kills++
			part++
		}
	}
	<-ended
	return kills
}

// checkResults compares the result of each case with its version and its log.
func (env *testEnv) checkResults(migration domain.ID, cases []domain.ID) (moved, notMoved int) {
	env.t.Helper()
	for _, id := range cases {
		events := 0
		for _, kind := range env.eventTypes(id) {
			if kind == domain.CaseMigrated {
				events++
			}
		}
		result, version := env.resultOf(migration, id), env.caseByID(id).ProcessVersion
		switch {
		case result.Status == domain.Moved && version == 2 && events == 1:
			moved++
		case result.Status == domain.NotMoved && version == 1 && events == 0 && result.Reason != "":
			notMoved++
		default:
			env.t.Errorf("case %s: %+v, version %d, %d events", id, result, version, events)
		}
	}
	return moved, notMoved
}
