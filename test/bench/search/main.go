// Command search measures the search over a full database: how many cases are indexed in a second and
// what that costs, and how long a search takes for a junior who may read one case in a hundred, by a
// rare word, a word of every case, a Chinese word of two characters and a word with a typo.
//
// What may enter: rows made here, the service layer and the read side as the programs use them, a table
// on standard output. What never happens here: a search over fewer cases than the flag says.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/casework"
	"countersign/domain"
	"countersign/internal/cputime"
	"countersign/internal/devservices"
	"countersign/store"
	"countersign/test/benchservice"
	"countersign/views"
)

const (
	database    = "search"
	juniorQueue = domain.QueueL1
)

var began = time.Now().UTC()

type bench struct {
	cases, searches int
	profile         string // file for a profile of the program while it indexes; "" for none
	postgres        *devservices.Postgres
	db              *store.DB
	statements      *statements
	service         *casework.Service
	views           *views.Views
	junior, auditor domain.Actor
}

func main() {
	var b bench
	flag.IntVar(&b.cases, "cases", 100_000, "cases")
	flag.IntVar(&b.searches, "searches", 400, "searches of each kind; 0 measures indexing alone")
	flag.StringVar(&b.profile, "profile", "", "file for a CPU profile of the program's part of indexing")
	flag.Parse()
	if err := b.run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "search:", err)
		os.Exit(1)
	}
}

func (b *bench) run(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "countersign-bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if b.postgres, err = devservices.StartPostgres(ctx, devservices.PostgresOptions{
		Settings: map[string]string{"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on",
			"autovacuum": "on", "shared_buffers": "512MB", "max_wal_size": "4GB",
			"shared_preload_libraries": "pg_stat_statements"}}); err != nil {
		return err
	}
	defer func() { _ = b.postgres.Close() }()
	if err := b.start(ctx, dir); err != nil {
		return err
	}
	defer b.db.Close()
	if err := b.fill(ctx); err != nil {
		return err
	}
	fmt.Printf("%d cases of %d words ready in %s\n\n", b.cases, pageWords, time.Since(began).Round(time.Second))
	if err := b.index(ctx); err != nil {
		return err
	}
	if b.searches == 0 {
		return nil
	}
	if err := b.settle(ctx); err != nil {
		return err
	}
	if err := b.fillPending(ctx); err != nil {
		return err
	}
	if err := b.measure(ctx); err != nil {
		return err
	}
	if err := b.renamed(ctx); err != nil {
		return err
	}
	return b.fresh(ctx)
}

// settle does what autovacuum does minutes after so many writes, so that the searches do not measure it.
func (b *bench) settle(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, b.postgres.URL(database))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	for _, statement := range []string{`VACUUM ANALYZE search_cases, search_words`, `CHECKPOINT`} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// pendingPages is nine tenths of the pages of pending entries at which the index merges them.
const pendingPages = 920

// fillPending copies rows until the index is about to merge its pending entries, which every search then
// reads one after the other: the slowest moment. The copies have no case.
func (b *bench) fillPending(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, b.postgres.URL(database))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	if _, err := conn.Exec(ctx, `CREATE EXTENSION IF NOT EXISTS pgstattuple`); err != nil {
		return err
	}
	var pages, rows int64
	for pages < pendingPages && rows < 10_000 {
		copied, err := conn.Exec(ctx, `INSERT INTO search_cases (case_id, words, confidential)
			SELECT gen_random_uuid(), words, confidential FROM search_cases ORDER BY case_id DESC OFFSET $1 LIMIT 50`, rows)
		if err != nil {
			return err
		}
		rows += copied.RowsAffected()
		if err := conn.QueryRow(ctx, `SELECT pending_pages FROM pgstatginindex('search_cases_words')`).Scan(&pages); err != nil {
			return err
		}
	}
	fmt.Printf("%d rows in %d pages of pending entries\n\n", rows, pages)
	return nil
}

func (b *bench) start(ctx context.Context, dir string) (err error) {
	if err = benchservice.Create(ctx, b.postgres, database); err != nil {
		return err
	}
	if b.statements, err = openStatements(ctx, b.postgres.URL(database)); err != nil {
		return err
	}
	if b.db, b.service, err = benchservice.Open(ctx, b.postgres.AppURL(database), 4, dir); err != nil {
		return err
	}
	b.views = views.New(b.db.Reader(), b.service.Authorizer)
	if err = b.service.PublishBuiltins(ctx); err != nil {
		return err
	}
	for _, person := range []struct {
		user  domain.User
		actor *domain.Actor
	}{
		{domain.User{Email: "j@example.com", Name: "Junior", Roles: []domain.Role{domain.RoleL1},
			Queues: []string{juniorQueue}}, &b.junior},
		{domain.User{Email: "a@example.com", Name: "Auditor", Roles: []domain.Role{domain.RoleAuditor}}, &b.auditor},
	} {
		id, err := b.service.PutUser(ctx, domain.SystemActor(), casework.PutUser{User: person.user})
		if err != nil {
			return err
		}
		*person.actor = domain.Actor{UserID: id, Channel: domain.ChannelAPI}
	}
	return nil
}

// index fills the search index as a worker does, on one core of the program.
func (b *bench) index(ctx context.Context) error {
	if err := b.statements.reset(ctx); err != nil {
		return err
	}
	ownBefore, postgresBefore, from := ownCPU(), b.postgresCPU(), time.Now()
	stop, err := profiled(b.profile)
	if err != nil {
		return err
	}
	for more := true; more; {
		if more, err = b.service.IndexSearch(ctx); err != nil {
			return err
		}
	}
	stop()
	took := time.Since(from)
	own, postgres := ownCPU()-ownBefore, b.postgresCPU()-postgresBefore
	each := func(d time.Duration) float64 { return d.Seconds() * 1000 / float64(b.cases) }
	fmt.Printf("| indexing | documents/s | CPU-ms a document | ours | Postgres |\n|---|---|---|---|---|\n"+
		"| %d cases | %.0f | %.3f | %.3f | %.3f |\n\n", b.cases, float64(b.cases)/took.Seconds(), each(own+postgres),
		each(own), each(postgres))
	return b.statements.print(ctx, b.cases)
}

func ownCPU() time.Duration {
	var self syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &self)
	return time.Duration(self.Utime.Nano() + self.Stime.Nano())
}

func (b *bench) postgresCPU() time.Duration { return cputime.Family(cputime.Child("postgres")) }

// measure searches and prints the times.
func (b *bench) measure(ctx context.Context) error {
	fmt.Printf("load %s\n\n", loadAverage())
	fmt.Println("| search, ms | junior: p50 | p99 | maximum | Postgres, mean | hits | auditor: p50 | p99 | maximum | Postgres, mean | hits |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|---|")
	for _, kind := range []struct {
		name       string
		query      func(i int) string
		unfinished bool
	}{
		// Cases of the junior are those whose number juniorShare divides.
		{"a rare word", func(i int) string { return rareWord(i * juniorShare % b.cases) }, false},
		{"a word of every case", func(int) string { return "invoice" }, false},
		{"a Chinese word of 2 characters, of every case", func(int) string { return "发票" }, false},
		{"a Chinese word of 2 characters, of one case in a hundred", func(int) string { return "凭证" }, false},
		{"a typo in a rare word", func(i int) string { return typo(rareWord(i * juniorShare % b.cases)) }, false},
		{"a typo in a word of many cases", func(i int) string { return typo(wordOf(400 + i%200)) }, false},
		{"two words", func(i int) string { return "invoice " + wordOf(i%300) }, false},
		{"a word of no case", func(i int) string { return fmt.Sprintf("nowhere%d", i) }, false},
		{"the beginning of a rare word", func(i int) string {
			word := rareWord(i * juniorShare % b.cases)
			return word[:len(word)-1]
		}, true},
		{"the 3 letters that begin a word of every case", func(int) string { return "inv" }, true},
		{"the 4 letters that begin words of many cases", func(i int) string { return wordOf(400 + i%200)[:4] }, true},
	} {
		fmt.Printf("| %s |", kind.name)
		for _, actor := range []domain.Actor{b.junior, b.auditor} {
			if err := b.searchAs(ctx, actor, kind.query, kind.unfinished); err != nil {
				return fmt.Errorf("%s: %w", kind.name, err)
			}
		}
		fmt.Println()
	}
	fmt.Printf("\nload %s\n", loadAverage())
	return nil
}

func (b *bench) searchAs(
	ctx context.Context, actor domain.Actor, query func(int) string, unfinished bool,
) error {
	times := make([]time.Duration, 0, b.searches)
	hits := 0
	for i := range b.searches + 10 {
		if i == 10 { // the first ones prepare statements
			if err := b.statements.reset(ctx); err != nil {
				return err
			}
		}
		from := time.Now()
		page, err := b.views.Search(ctx, actor, views.SearchQuery{Text: query(i), Unfinished: unfinished, Limit: 20})
		if err != nil {
			return err
		}
		if i >= 10 {
			times, hits = append(times, time.Since(from)), hits+len(page.Hits)
		}
	}
	server, err := b.statements.total(ctx)
	if err != nil {
		return err
	}
	slices.Sort(times)
	at := func(share float64) float64 {
		return float64(times[int(share*float64(len(times)-1))].Microseconds()) / 1000
	}
	n := float64(len(times))
	fmt.Printf(" %.1f | %.1f | %.1f | %.1f | %.1f |", at(0.5), at(0.99), at(1), server/n, float64(hits)/n)
	return nil
}

// typo changes a letter in the middle of a word.
func typo(word string) string {
	middle := len(word) / 2
	return word[:middle] + "y" + word[middle+1:]
}
