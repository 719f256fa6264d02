// Command rehearsal measures rehearsals of a changed process and of a changed rule set over closed cases of made-up history: its time,
// the memory that it keeps, and what it does to reviewers who claim and release reviews meanwhile.
//
// What may enter: made-up rows, the read side and the service layer as the programs use them, a table on
// standard output. What never happens here: a measurement over fewer cases than the flag says.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/casework"
	"countersign/domain"
	"countersign/internal/devservices"
	"countersign/store"
	"countersign/test/benchservice"
	"countersign/test/madehistory"
	"countersign/views"
)

const database = "rehearsal"

type bench struct {
	cases, people int
	claimed       int // measured commands
	profile       string
	db            *store.DB
	superuser     string // address of the database, to read the processes of Postgres
	service       *casework.Service
	views         *views.Views
	admin         domain.Actor
	reviewer      domain.Actor
	open          []domain.ID // unclaimed reviews
}

func main() {
	var b bench
	flag.IntVar(&b.cases, "cases", 10_000, "closed cases")
	flag.IntVar(&b.people, "people", 30, "reviewers of level 1; a third as many of level 2")
	flag.IntVar(&b.claimed, "claims", 2000, "claims and releases that are measured without and with rehearsals")
	flag.StringVar(&b.profile, "profile", "", "folder for profiles of the rehearsals")
	flag.Parse()
	if err := b.run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "rehearsal:", err)
		os.Exit(1)
	}
}

func (b *bench) run(ctx context.Context) error {
	postgres, err := devservices.StartPostgres(ctx, devservices.PostgresOptions{Settings: map[string]string{
		"fsync": "on", "full_page_writes": "on", "autovacuum": "on", "shared_buffers": "256MB"}})
	if err != nil {
		return err
	}
	defer func() { _ = postgres.Close() }()
	if err := benchservice.Create(ctx, postgres, database); err != nil {
		return err
	}
	if b.db, b.service, err = benchservice.Open(ctx, postgres.AppURL(database), 8, ""); err != nil {
		return err
	}
	defer b.db.Close()
	b.superuser = postgres.URL(database)
	if err := b.service.PublishBuiltins(ctx); err != nil {
		return err
	}
	if err := b.fill(ctx, postgres.URL(database)); err != nil {
		return err
	}
	b.views = views.New(b.db.Reader(), b.service.Authorizer)
	return b.measure(ctx)
}

// fill makes the people and the history, with six fields of each case.
func (b *bench) fill(ctx context.Context, url string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	add := func(name string, role domain.Role, queues ...string) (domain.ID, error) {
		id, err := b.service.PutUser(ctx, domain.SystemActor(), casework.PutUser{User: domain.User{Name: name,
			Email: strings.ReplaceAll(name, " ", "") + "@example.com", Roles: []domain.Role{role}, Queues: queues}})
		return id, err
	}
	reviewers := map[string][]domain.ID{}
	for n := range b.people + b.people/3 {
		queue, role := domain.QueueL1, domain.RoleL1
		if n >= b.people {
			queue, role = domain.QueueL2, domain.RoleL2
		}
		person, err := add(fmt.Sprintf("Reviewer %d", n), role, queue)
		if err != nil {
			return err
		}
		reviewers[queue] = append(reviewers[queue], person)
	}
	submitter, err := add("Submitter", domain.RoleSubmitter)
	if err != nil {
		return err
	}
	if b.admin.UserID, err = add("Admin", domain.RoleAdmin); err != nil {
		return err
	}
	b.reviewer = domain.Actor{UserID: reviewers[domain.QueueL1][0], Name: "reviewer"}
	// Remittances and open cases do not count, so more cases are made than are rehearsed.
	if err := madehistory.Fill(ctx, conn, madehistory.Options{Cases: b.cases * 13 / 10, Days: 91,
		Now: time.Now().UTC(), Reviewers: reviewers, Submitter: submitter}); err != nil {
		return err
	}
	for _, statement := range []string{`SET session_replication_role = replica`,
		`INSERT INTO fields (case_id, name, raw, normalised, confidence, source, grounded, revision)
			SELECT c.id, f.name, f.value, f.value, 1, 'ocr', true, 1 FROM cases c, LATERAL (VALUES
			('vendor', c.counterparty), ('number', c.reference), ('date', '2026-03-01'), ('currency', c.currency),
			('total', (c.amount_minor / 100)::text || '.00'), ('iban', 'DE89370400440532013000')) f (name, value)`,
		`UPDATE reviews SET claim_by = clock() + interval '1 day', decide_by = clock() + interval '2 days'
			WHERE status = 'open'`, `RESET session_replication_role`, `VACUUM ANALYZE`} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return err
		}
	}
	rows, err := conn.Query(ctx, `SELECT id FROM reviews WHERE status = 'open' AND queue = 'L1' LIMIT 50`)
	if err == nil {
		b.open, err = pgx.CollectRows(rows, pgx.RowTo[domain.ID])
	}
	return err
}

// measure rehearses while a reviewer claims and releases, and compares their times with those without it.
func (b *bench) measure(ctx context.Context) error {
	document, err := b.document(ctx)
	if err != nil {
		return err
	}
	query := views.RehearsalQuery{Closed: b.cases, Named: 1000, Zone: "UTC", Change: views.RehearsalChange{
		Process: strings.Replace(document, "base_minor < 100000", "base_minor < 50000", 1)}}
	if err := b.rehearse(ctx, "process", query); err != nil {
		return err
	}
	changed := query
	if changed.Change, err = b.changedRules(ctx); err != nil {
		return err
	}
	if err := b.rehearse(ctx, "rule set", changed); err != nil {
		return err
	}
	if b.claimed == 0 {
		return nil
	}
	return b.compareClaims(ctx, []views.RehearsalQuery{query, changed})
}

// compareClaims measures claims without and with rehearsals in turn, so that other load on the machine
// meets both.
func (b *bench) compareClaims(ctx context.Context, queries []views.RehearsalQuery) error {
	if _, err := b.claims(ctx, 200); err != nil { // plans and caches
		return err
	}
	const rounds = 6
	var alone, beside []time.Duration
	var samples, waits int
	for round := range rounds {
		times, err := b.claims(ctx, b.claimed/rounds)
		if err != nil {
			return err
		}
		alone = append(alone, times...)
		running, cancel := context.WithCancel(ctx)
		ended := make(chan error, 1)
		go func() { // one rehearsal after the other
			var err error
			for running.Err() == nil && err == nil {
				_, err = b.views.Rehearse(running, b.admin, queries[round%len(queries)])
			}
			ended <- err
		}()
		seen := b.watchLocks(running)
		times, err = b.claims(ctx, b.claimed/rounds)
		cancel()
		found := <-seen
		samples, waits = samples+found[0], waits+found[1]
		if failed := <-ended; failed != nil && !errors.Is(failed, context.Canceled) {
			err = errors.Join(err, failed)
		}
		if err != nil {
			return err
		}
		beside = append(beside, times...)
	}
	fmt.Printf("| claims and releases | number | p50 ms | p99 ms |\n|---|---|---|---|\n")
	report("alone", alone)
	report("beside rehearsals", beside)
	fmt.Printf("\nconnections that waited for a lock beside rehearsals: %d in %d samples\n", waits, samples)
	fmt.Printf("ratio of p50 %.1f, of p99 %.1f\n", ratio(beside, alone, 50), ratio(beside, alone, 99))
	return nil
}

// ratio compares a percentile of sorted times.
func ratio(beside, alone []time.Duration, percent int) float64 {
	return milliseconds(beside[len(beside)*percent/100]) / milliseconds(alone[len(alone)*percent/100])
}

// changedRules returns the rules of invoices with one more rule, and others about dates.
func (b *bench) changedRules(ctx context.Context) (change views.RehearsalChange, err error) {
	rows, err := b.db.Reader().RuleSets(ctx)
	for _, row := range rows {
		if row.Key == "invoice" {
			change.Rules = strings.ReplaceAll(row.Document, "date_age", "(date_age + 1)") + addedRule
			break
		}
	}
	return change, err
}

const addedRule = `
  - id: bench_large
    title: {en: Large, zh: 大额}
    phase: risk
    severity: warning
    score: 40
    asks: {en: "Is it large?", zh: "是否大额？"}
    when: 'amount_known && base_minor >= 50000 && base_minor < 100000 && "iban" in present'
    message: {en: "It is large.", zh: "大额。"}
`

// rehearse measures one rehearsal.
func (b *bench) rehearse(ctx context.Context, name string, query views.RehearsalQuery) error {
	var stop atomic.Bool
	kept := watchMemory(&stop)
	used, err := b.cpuTime(ctx)
	if err != nil {
		return err
	}
	endProfile, err := b.startProfile(name)
	if err != nil {
		return err
	}
	began := time.Now()
	made, err := b.views.Rehearse(ctx, b.admin, query)
	endProfile()
	took := time.Since(began)
	stop.Store(true)
	if err != nil {
		return err
	}
	// A rule set is not rehearsed on the remittances, which the administrator may see only in part.
	if made.Closed+made.Hidden != b.cases || !made.Complete {
		return fmt.Errorf("%d cases were rehearsed and %d hidden in %s, complete: %t", made.Closed, made.Hidden,
			took, made.Complete)
	}
	after, err := b.cpuTime(ctx)
	if err != nil {
		return err
	}
	of := after.minus(used)
	fmt.Printf("| change | closed cases | hidden | time | CPU of the program | CPU of Postgres | cases per CPU second | "+
		"heap above the start | differ | queues |\n|---|---|---|---|---|---|---|---|---|---|\n"+
		"| %s | %d | %d | %.1f s | %.1f s | %.1f s | %.0f | %.1f MB | %d | %d |\n\n", name, made.Closed,
		made.Hidden, took.Seconds(), of.program.Seconds(), of.postgres.Seconds(),
		float64(made.Closed)/(of.program+of.postgres).Seconds(), float64(<-kept)/1e6,
		made.Closed-made.Same, len(made.Queues))
	return nil
}

func report(name string, times []time.Duration) {
	slices.Sort(times)
	fmt.Printf("| %s | %d | %.1f | %.1f |\n", name, len(times), milliseconds(times[len(times)/2]),
		milliseconds(times[len(times)*99/100]))
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func (b *bench) document(ctx context.Context) (string, error) {
	rows, err := b.db.Reader().Definitions(ctx)
	for _, row := range rows {
		if row.Key == "document_approval" {
			return row.Document, nil
		}
	}
	return "", err
}

// claims claims and releases reviews in turn, and returns how long each command took.
func (b *bench) claims(ctx context.Context, most int) ([]time.Duration, error) {
	var times []time.Duration
	for n := 0; len(times) < most; n++ {
		target := casework.ReviewTarget{ReviewID: b.open[n%len(b.open)]}
		began := time.Now()
		if _, err := b.service.ClaimReview(ctx, b.reviewer, target); err != nil {
			return times, err
		}
		claimed := time.Now()
		if _, err := b.service.ReleaseReview(ctx, b.reviewer, target); err != nil {
			return times, err
		}
		times = append(times, claimed.Sub(began), time.Since(claimed))
	}
	return times, nil
}

// watchMemory returns the most memory of the heap in use above that of the start, after collections.
func watchMemory(stop *atomic.Bool) <-chan uint64 {
	runtime.GC()
	var start runtime.MemStats
	runtime.ReadMemStats(&start)
	kept := make(chan uint64, 1)
	go func() {
		most := uint64(0)
		for !stop.Load() {
			runtime.GC()
			var now runtime.MemStats
			runtime.ReadMemStats(&now)
			if now.HeapAlloc > start.HeapAlloc {
				most = max(most, now.HeapAlloc-start.HeapAlloc)
			}
			time.Sleep(200 * time.Millisecond)
		}
		kept <- most
	}()
	return kept
}
