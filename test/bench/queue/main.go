// Command queue measures the work of people over a full database: 1 000 000 open reviews, 1 000
// people. It takes the next review under 50 concurrent reviewers, reads pages of a queue and a
// manager's board, and decides at a steady rate; each as the adapters do, through the service layer
// and the read side, on a durable Postgres of its own (fsync on). SQL statements make the rows.
package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"countersign/blob"
	"countersign/casework"
	"countersign/domain"
	"countersign/internal/devservices"
	"countersign/migrations"
	"countersign/store"
	"countersign/views"
)

func main() {
	reviews := flag.Int("reviews", 1_000_000, "open reviews")
	people := flag.Int("people", 1000, "people")
	claimants := flag.Int("crowd", 50, "reviewers who take the next one at the same time")
	claims := flag.Int("claims", 2000, "claims in all")
	pages := flag.Int("pages", 500, "pages read of each list, 50 a second")
	rate := flag.Int("rate", 50, "decisions a second")
	seconds := flag.Int("seconds", 20, "length of the run of decisions")
	keep := flag.String("keep", "", "folder in which the house is kept for the next run")
	only := flag.String("only", "", "measure only what has this in its name")
	flag.Parse()
	if err := run(context.Background(), &bench{keep: *keep, only: *only}, *reviews, *people,
		*claimants, *claims, *pages, *rate, *seconds); err != nil {
		fmt.Fprintln(os.Stderr, "queue:", err)
		os.Exit(1)
	}
}

// bench is the service layer and the read side over a full database.
type bench struct {
	postgres *devservices.Postgres
	db       *store.DB
	service  *casework.Service
	views    *views.Views
	staff    []domain.Actor
	managers []domain.Actor
	keep     string
	only     string
}

// silentNotifier is deaf: nothing runs here but what people do.
type silentNotifier struct{}

func (silentNotifier) Enqueue(context.Context, []domain.PendingRun) {}
func (silentNotifier) PublishHints(context.Context, []domain.Hint)  {}

func run(ctx context.Context, b *bench, reviews, people, claimants, claims, pages, rate,
	seconds int) error {
	dir, err := os.MkdirTemp("", "countersign-bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	devservices.SpreadSubdirectories(dir) // what was deleted before must not be felt in the figures
	if err := b.start(ctx, dir); err != nil {
		return err
	}
	defer func() {
		b.db.Close()
		_ = b.postgres.Close()
	}()
	if err := b.fill(ctx, reviews, people); err != nil {
		return err
	}
	fmt.Printf("| figure | p50 | p99 | most |\n|---|---|---|---|\n")
	if err := b.claim(ctx, claimants, claims, reviews); err != nil {
		return err
	}
	if err := b.lists(ctx, pages); err != nil {
		return err
	}
	if err := b.decide(ctx, rate, seconds); err != nil {
		return err
	}
	load, _ := os.ReadFile("/proc/loadavg")
	fmt.Printf("| load of the machine after the run | %s | | |\n", strings.Fields(string(load))[0])
	return nil
}

func (b *bench) start(ctx context.Context, dir string) (err error) {
	if b.postgres, err = devservices.StartPostgres(ctx,
		devservices.PostgresOptions{Durable: b.keep != "", Dir: b.keep,
			Settings: map[string]string{"fsync": "on", "synchronous_commit": "on",
				"full_page_writes": "on", "autovacuum": "on", "max_connections": "100",
				"shared_buffers": "512MB", "max_wal_size": "8GB"}}); err != nil {
		return err
	}
	if err := b.postgres.CreateDatabase(ctx, "bench"); err != nil {
		return err
	}
	if _, err := migrations.Up(ctx, b.postgres.OwnerURL("bench"), 2); err != nil {
		return err
	}
	if b.db, err = store.Open(ctx, b.postgres.AppURL("bench"), 12); err != nil {
		return err
	}
	folder, err := blob.OpenFolder(dir)
	if err != nil {
		return err
	}
	b.service, err = casework.New(b.db, casework.Ports{Blobs: folder, Notifier: silentNotifier{}},
		casework.Settings{}, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	b.views = views.New(b.db.Reader(), b.service.Authorizer)
	return b.service.PublishBuiltins(ctx)
}

// times are how long something took, each time.
type times struct {
	mu  sync.Mutex
	all []time.Duration
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

func (t *times) print(name string) {
	slices.Sort(t.all)
	at := func(share float64) float64 {
		return float64(t.all[int(share*float64(len(t.all)-1))].Microseconds()) / 1000
	}
	fmt.Printf("| %s | %.1f | %.1f | %.1f |\n", name, at(0.5), at(0.99), at(1))
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
