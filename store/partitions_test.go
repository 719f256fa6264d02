package store_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
	"countersign/internal/pgtest"
	"countersign/migrations"
	"countersign/store"
)

// schemaOfTwoYears is the newest schema with the partitions that migrate makes in production.
func schemaOfTwoYears(t testing.TB) pgtest.Schema {
	schema := pgtest.Newest(t)
	return pgtest.Schema{Key: schema.Key + " two years", Migrate: func(ctx context.Context,
		ownerURL string) error {
		_, err := migrations.Up(ctx, ownerURL, 24)
		return err
	}}
}

// idAt is a UUID v7 of that moment.
func idAt(at time.Time) domain.ID {
	id := domain.NewID()
	ms := uint64(at.UnixMilli()) //nolint:gosec // after 1970
	for i := range 6 {
		id[i] = byte(ms >> (40 - 8*i))
	}
	return id
}

// createCaseAt creates a case with that time of creation.
func (w *testEnv) createCaseAt(at time.Time) domain.Case {
	w.t.Helper()
	change := w.newCaseChange(w.person().ID, domain.NoID)
	id := idAt(at)
	change.Case.ID, change.Document.CaseID, change.Runs[0].CaseID = id, id, id
	for i := range change.Events {
		change.Events[i].Stream = id
	}
	w.apply(change)
	return change.Case
}

func (w *testEnv) partitionOf(table string, id domain.ID) string {
	w.t.Helper()
	var name string
	w.must(w.owner.QueryRow(w.ctx, `SELECT DISTINCT tableoid::regclass::text FROM `+table+`
		WHERE case_id = $1`, id).Scan(&name))
	return name
}

func TestCasesAreInThePartitionOfTheirMonth(t *testing.T) {
	t.Parallel()
	w := newTestEnvOn(t, pgtest.NewWith(t, schemaOfTwoYears(t)))
	now := w.now()
	month := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
	nextMonth := month.AddDate(0, 1, 0)
	for want, at := range map[string]time.Time{
		month.Format("_2006_01"):                     now,
		nextMonth.Format("_2006_01"):                 nextMonth,
		nextMonth.Add(-time.Hour).Format("_2006_01"): nextMonth.Add(-time.Millisecond),
		month.AddDate(0, 23, 0).Format("_2006_01"):   month.AddDate(0, 23, 10),
		"_rest": month.AddDate(3, 0, 0),
	} {
		c := w.createCaseAt(at)
		for _, table := range []string{"events", "stage_runs", "documents"} {
			if got := w.partitionOf(table, c.ID); got != table+want {
				t.Errorf("a case of %v lies in %s, want %s", at, got, table+want)
			}
		}
		// The case can be processed in any partition.
		runs, err := w.read().RunsOf(w.ctx, c.ID)
		w.must(err)
		_, err = w.db.Autocommit().Lease(w.ctx, c.ID, runs[0].ID, domain.NewID(), "w", time.Minute)
		w.must(err)
	}
	events := []domain.Event{event(domain.PeopleStream.ID, 1, domain.UserCreated, now)}
	w.inTx(func(tx *store.Tx) error {
		_, err := tx.LockStream(w.ctx, domain.PeopleStream)
		w.must(err)
		return tx.AppendStream(w.ctx, events)
	})
	if got := w.partitionOf("events", domain.PeopleStream.ID); got != "events_streams" {
		t.Errorf("the people's stream lies in %s", got)
	}
}

// The application itself creates partitions as time passes.
func TestEnsurePartitions(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	count := func() int {
		return w.rows("pg_inherits", "inhparent = 'events'::regclass")
	}
	before := count()
	w.must(w.db.Autocommit().EnsurePartitions(w.ctx, 1))
	if count() != before {
		t.Errorf("%d partitions, had %d: nothing was missing", count(), before)
	}
	w.must(w.db.Autocommit().EnsurePartitions(w.ctx, 6))
	if grown := count() - before; grown != 5 {
		t.Errorf("%d more partitions, want 5", grown)
	}
	w.shiftClock(90 * 24 * time.Hour)
	w.must(w.db.Autocommit().EnsurePartitions(w.ctx, 6))
	if got := w.partitionOf("events",
		w.createCaseAt(w.now().AddDate(0, 5, 0)).ID); strings.HasSuffix(got, "_rest") {
		t.Error("a case five months ahead lies in the rest")
	}
}

// scans counts, per partition, how often each statement of the pool's connection read it; the
// statistics are complete only once the connection has ended.
func (w *testEnv) scans(table string, use func(*store.DB)) map[string]int64 {
	w.t.Helper()
	db, err := store.Open(w.ctx, w.database.AppURL, 1)
	w.must(err)
	_, err = w.database.Admin(w.t).Exec(w.ctx, `SELECT pg_stat_reset()`)
	w.must(err)
	before := w.rows("pg_stat_activity", "datname = current_database()")
	use(db)
	db.Close()
	for deadline := w.now().Add(time.Minute); w.rows("pg_stat_activity",
		"datname = current_database()") > before; {
		if w.now().After(deadline) {
			w.t.Fatal("the connection does not end")
		}
	}
	found := map[string]int64{}
	const query = `SELECT s.relname, s.seq_scan + coalesce(s.idx_scan, 0) FROM pg_stat_user_tables s
		JOIN pg_inherits i ON i.inhrelid = s.relid WHERE i.inhparent = $1::regclass::oid
		AND s.seq_scan + coalesce(s.idx_scan, 0) > 0`
	rows, err := w.owner.Query(w.ctx, query, table)
	w.must(err)
	var name string
	var n int64
	_, err = pgx.ForEachRow(rows, []any{&name, &n}, func() error { found[name] = n; return nil })
	w.must(err)
	return found
}

// The hot statements read only the partition of their case, also with a generic plan.
func TestHotStatementsReadOnePartition(t *testing.T) {
	t.Parallel()
	w := newTestEnvOn(t, pgtest.NewWith(t, schemaOfTwoYears(t)))
	const rounds = 12 // a prepared statement gets its generic plan, if any, at its sixth use
	var cases []domain.Case
	for range rounds {
		c, _ := w.createCase()
		cases = append(cases, c)
	}
	w.asOwner(`ANALYZE`)
	month := w.now().Format("_2006_01")
	one := func(table string, use func(*store.DB)) {
		t.Helper()
		if found := w.scans(table, use); len(found) != 1 || found[table+month] == 0 {
			t.Errorf("partitions of %s that were read: %v", table, found)
		}
	}
	tokens := map[domain.ID]*store.Lease{}
	one("stage_runs", func(db *store.DB) {
		for _, c := range cases {
			runs, err := db.Reader().RunsOf(w.ctx, c.ID)
			w.must(err)
			tokens[c.ID] = &store.Lease{RunID: runs[0].ID, Token: domain.NewID()}
			_, err = db.Autocommit().Lease(w.ctx, c.ID, runs[0].ID, tokens[c.ID].Token, "w",
				time.Minute)
			w.must(err)
			_, err = db.Autocommit().RenewLease(w.ctx, c.ID, runs[0].ID, tokens[c.ID].Token,
				time.Minute)
			w.must(err)
		}
	})
	for _, table := range []string{"stage_runs", "fields", "findings"} {
		one(table, func(db *store.DB) {
			for i := range cases {
				change := fullChange(cases[i], w.now(), tokens[cases[i].ID])
				change.DeleteFieldSources, change.NewReviews = machineSources, nil
				change.Runs[0].Node += table
				change.Runs[0].Status, change.Runs[0].LeaseToken,
					change.Runs[0].LeaseUntil = domain.RunLeased, domain.NewID(),
					w.now().Add(time.Hour)
				written, err := db.Autocommit().Apply(w.ctx, change)
				w.must(err)
				if !written {
					t.Fatal("not written")
				}
				cases[i], tokens[cases[i].ID] = change.Case, &store.Lease{RunID: change.Runs[0].ID,
					Token: change.Runs[0].LeaseToken}
			}
		})
	}
	one("events", func(db *store.DB) {
		for _, c := range cases {
			_, err := db.Reader().EventsAfter(w.ctx, c.ID, 1, 100)
			w.must(err)
		}
	})
}
