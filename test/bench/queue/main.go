// Command queue measures the work of people over a full database: 1 000 000 open reviews, 1 000
// people. It takes the next review under 50 concurrent reviewers, reads pages of a queue and a
// manager's board, and decides at a steady rate; each as the adapters do, through the service layer
// and the read side, on a durable Postgres of its own (fsync on). SQL statements make the rows. With
// several shares of reviews with more than one party, each has a database, and every figure is
// measured over one after the other.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"countersign/casework"
	"countersign/domain"
	"countersign/internal/devservices"
	"countersign/store"
	"countersign/test/benchservice"
	"countersign/views"
)

func main() {
	var b bench
	flag.IntVar(&b.reviews, "reviews", 1_000_000, "open reviews")
	flag.IntVar(&b.people, "people", 1000, "people")
	flag.IntVar(&b.claimants, "crowd", 50, "reviewers who take the next one at the same time")
	flag.IntVar(&b.claims, "claims", 2000, "claims in all")
	flag.IntVar(&b.pages, "pages", 500, "pages read of each list, 50 a second")
	flag.IntVar(&b.rate, "rate", 50, "decisions a second")
	flag.IntVar(&b.seconds, "seconds", 20, "length of the run of decisions")
	flag.StringVar(&b.keep, "keep", "", "folder in which the data are kept for the next run")
	flag.StringVar(&b.only, "only", "", "measure only what has this in its name")
	several := flag.String("several", "10",
		"percent of the reviews with 2 to 4 parties and countries; several numbers with commas")
	fillOnly := flag.Bool("fill", false, "only create the data, in the folder of -keep")
	flag.Parse()
	err := b.parseShares(*several)
	if err == nil {
		err = b.run(context.Background(), *fillOnly)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "queue:", err)
		os.Exit(1)
	}
}

// bench is what is measured, over one data set for each share of reviews with several parties.
type bench struct {
	reviews, people, claimants, claims, pages, rate, seconds int
	keep, only                                               string
	postgres                                                 *devservices.Postgres
	sets                                                     []*dataset
}

// dataset is the service layer and the read side over a full database.
type dataset struct {
	*bench
	several  int // percent of the reviews with several parties and countries
	db       *store.DB
	service  *casework.Service
	views    *views.Views
	staff    []domain.Actor
	managers []domain.Actor
}

func (d *dataset) database() string { return fmt.Sprintf("bench_%d", d.several) }

// parseShares makes a data set for each share.
func (b *bench) parseShares(text string) error {
	for _, one := range strings.Split(text, ",") {
		percent, err := strconv.Atoi(strings.TrimSpace(one))
		if err != nil || percent < 0 || percent > 100 {
			return fmt.Errorf("the share %q is not a percentage", one)
		}
		b.sets = append(b.sets, &dataset{bench: b, several: percent})
	}
	return nil
}

func (b *bench) run(ctx context.Context, fillOnly bool) error {
	dir, err := os.MkdirTemp("", "countersign-bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	devservices.SpreadSubdirectories(dir) // what was deleted before must not be felt in the figures
	if b.postgres, err = devservices.StartPostgres(ctx,
		devservices.PostgresOptions{Durable: b.keep != "", Dir: b.keep,
			Settings: map[string]string{"fsync": "on", "synchronous_commit": "on",
				"full_page_writes": "on", "autovacuum": "on", "max_connections": "100",
				"shared_buffers": "512MB", "max_wal_size": "8GB"}}); err != nil {
		return err
	}
	defer func() { _ = b.postgres.Close() }()
	for _, set := range b.sets {
		if err := set.start(ctx, filepath.Join(dir, set.database())); err != nil {
			return err
		}
		defer set.db.Close()
		if err := set.fill(ctx); err != nil {
			return err
		}
	}
	if fillOnly {
		return nil
	}
	return b.measure(ctx)
}

// measure prints every figure, over one data set after the other.
func (b *bench) measure(ctx context.Context) error {
	fmt.Print("\n| ms |")
	for _, set := range b.sets {
		fmt.Printf(" %d %% with several parties: p50 | p99 | maximum |", set.several)
	}
	fmt.Printf("\n|---|%s\n", strings.Repeat("---|---|---|", len(b.sets)))
	for _, figure := range b.figures() {
		if !strings.Contains(figure.name, b.only) {
			continue
		}
		fmt.Printf("| %s |", figure.name)
		for _, set := range b.sets {
			took, err := figure.measure(set, ctx)
			if err != nil {
				return fmt.Errorf("%s: %w", figure.name, err)
			}
			took.print()
		}
		fmt.Println()
	}
	load, _ := os.ReadFile("/proc/loadavg")
	fmt.Printf("\nload of the machine after the run: %s\n", strings.Fields(string(load))[0])
	return nil
}

// figure is one line of the result.
type figure struct {
	name    string
	measure func(*dataset, context.Context) (*times, error)
}

func (b *bench) figures() []figure {
	figures := []figure{
		{fmt.Sprintf("claimNext, %d reviewers, each one a second, over %d open reviews",
			b.claimants, b.reviews), (*dataset).claimSteadily},
		{fmt.Sprintf("claimNext, %d reviewers without a pause", b.claimants),
			(*dataset).claimInARush},
	}
	figures = append(append(figures, listFigures()...), countFigures()...)
	return append(figures, figure{fmt.Sprintf("decide at %d/s", b.rate), (*dataset).decide},
		figure{fmt.Sprintf("decide at %d/s, every receiver of events down", b.rate),
			(*dataset).decideWithoutReceivers})
}

func (d *dataset) start(ctx context.Context, dir string) (err error) {
	if err = benchservice.Create(ctx, d.postgres, d.database()); err != nil {
		return err
	}
	if err = os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	if d.db, d.service, err = benchservice.Open(ctx, d.postgres.AppURL(d.database()), 12, dir); err != nil {
		return err
	}
	d.views = views.New(d.db.Reader(), d.service.Authorizer)
	return d.service.PublishBuiltins(ctx)
}

// times are how long something took, each time.
type times struct {
	mu        sync.Mutex
	all       []time.Duration
	perSecond float64 // of a figure without a fixed rate
}

func (t *times) add(began time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all = append(t.all, time.Since(began))
}

// measure measures fn.
func (t *times) measure(fn func() error) error {
	began := time.Now()
	err := fn()
	t.add(began)
	return err
}

// print prints the cells of a figure, with the rate if it is one of the results.
func (t *times) print() {
	slices.Sort(t.all)
	at := func(share float64) float64 {
		return float64(t.all[int(share*float64(len(t.all)-1))].Microseconds()) / 1000
	}
	rate := ""
	if t.perSecond > 0 {
		rate = fmt.Sprintf(" (%.0f a second)", t.perSecond)
	}
	fmt.Printf(" %.1f%s | %.1f | %.1f |", at(0.5), rate, at(0.99), at(1))
}

// concurrently calls fn n times, at most so many concurrently, and stops at the first error.
func concurrently(by, n int, fn func(worker, i int) error) error {
	work := make(chan int)
	errs := make(chan error, by)
	var claimants sync.WaitGroup
	for worker := range by {
		claimants.Go(func() {
			for i := range work {
				if err := fn(worker, i); err != nil {
					errs <- err
					return
				}
			}
		})
	}
	var failed error
	for i := 0; i < n && failed == nil; i++ {
		select {
		case work <- i:
		case failed = <-errs:
		}
	}
	close(work)
	claimants.Wait()
	select {
	case err := <-errs:
		return err
	default:
		return failed
	}
}
