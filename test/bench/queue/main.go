// Command queue measures the work of people over a full house: 1 000 000 open reviews, 1 000 people. It takes the next
// review under 50 concurrent reviewers, reads pages of a queue, and decides at a steady rate; each as the doors do, through
// the hall and the window, on a durable Postgres of its own (fsync on). The rows are made by SQL.
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
	crowd := flag.Int("crowd", 50, "reviewers who take the next one at the same time")
	claims := flag.Int("claims", 2000, "claims in all")
	pages := flag.Int("pages", 1000, "pages read, by 8 readers at a time")
	rate := flag.Int("rate", 50, "decisions a second")
	seconds := flag.Int("seconds", 20, "length of the run of decisions")
	keep := flag.String("keep", "", "folder in which the house is kept for the next run")
	only := flag.String("only", "", "measure only what has this in its name")
	flag.Parse()
	if err := run(context.Background(), &bench{keep: *keep, only: *only}, *reviews, *people, *crowd, *claims, *pages, *rate, *seconds); err != nil {
		fmt.Fprintln(os.Stderr, "queue:", err)
		os.Exit(1)
	}
}

// bench is the hall and the window over a full house.
type bench struct {
	postgres *devservices.Postgres
	db       *store.DB
	hall     *casework.Hall
	views    *views.Views
	staff    []domain.Actor
	managers []domain.Actor
	keep     string
	only     string
}

// bell is deaf: nothing runs here but what people do.
type bell struct{}

func (bell) Ring(context.Context, []domain.Wake)    {}
func (bell) Changed(context.Context, []domain.Hint) {}

func run(ctx context.Context, b *bench, reviews, people, crowd, claims, pages, rate, seconds int) error {
	dir, err := os.MkdirTemp("", "countersign-bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
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
	claimed, err := b.claim(ctx, crowd, claims)
	if err != nil {
		return err
	}
	claimed.print(fmt.Sprintf("claimNext, %d reviewers at once over %d open reviews, ms", crowd, reviews))
	if err := b.lists(ctx, pages); err != nil {
		return err
	}
	decided, err := b.decide(ctx, rate, seconds)
	if err != nil {
		return err
	}
	decided.print(fmt.Sprintf("decide at %d/s, ms", rate))
	load, _ := os.ReadFile("/proc/loadavg")
	fmt.Printf("| load of the machine after the run | %s | | |\n", strings.Fields(string(load))[0])
	return nil
}

func (b *bench) start(ctx context.Context, dir string) (err error) {
	if b.postgres, err = devservices.StartPostgres(ctx, devservices.PostgresOptions{Durable: b.keep != "", Dir: b.keep, Settings: map[string]string{"fsync": "on", "synchronous_commit": "on",
		"full_page_writes": "on", "autovacuum": "on", "max_connections": "100", "shared_buffers": "512MB", "max_wal_size": "8GB"}}); err != nil {
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
	b.hall, err = casework.New(b.db, casework.Ports{Blobs: folder, Bell: bell{}}, casework.Settings{}, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	b.views = views.New(b.db.Reader(), b.hall.Judge)
	return b.hall.PublishBuiltins(ctx)
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

// of measures fn.
func (t *times) of(fn func() error) error {
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

// together does fn n times, by so many at once, and stops at the first error.
func together(by, n int, fn func(worker, i int) error) error {
	work := make(chan int)
	errs := make(chan error, by)
	var crowd sync.WaitGroup
	for worker := range by {
		crowd.Go(func() {
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
	crowd.Wait()
	select {
	case err := <-errs:
		return err
	default:
		return failed
	}
}

func (b *bench) claim(ctx context.Context, crowd, claims int) (*times, error) {
	var took times
	one := func(worker, _ int) error {
		began := time.Now()
		_, err := b.hall.ClaimNextReview(ctx, b.staff[worker%len(b.staff)], casework.Once{})
		took.add(began)
		return err
	}
	if err := together(crowd, crowd, one); err != nil { // connections and plans
		return nil, err
	}
	took.all = nil
	return &took, together(crowd, claims, one)
}

// decide claims and approves at a steady rate; only the decision is measured.
func (b *bench) decide(ctx context.Context, rate, seconds int) (*times, error) {
	var took times
	ticker := time.NewTicker(time.Second / time.Duration(rate))
	defer ticker.Stop()
	ready := make(chan casework.Reviewed, rate*seconds)
	holders := make(chan domain.Actor, rate*seconds)
	err := together(8, rate*seconds, func(_, i int) error {
		by := b.staff[i%len(b.staff)]
		claimed, err := b.hall.ClaimNextReview(ctx, by, casework.Once{})
		if err == nil {
			ready <- claimed
			holders <- by
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	errs := make(chan error, rate*seconds)
	var all sync.WaitGroup
	for range rate * seconds {
		<-ticker.C
		all.Go(func() {
			claimed := <-ready
			began := time.Now()
			review, err := b.db.Reader().Review(ctx, claimed.ReviewID)
			if err == nil {
				_, err = b.hall.DecideReview(ctx, domain.Actor{UserID: review.Assignee}, casework.DecideReview{
					OnReview: casework.OnReview{ReviewID: review.ID}, Verdict: domain.Approve})
			}
			took.add(began)
			if err != nil {
				errs <- err
			}
		})
	}
	all.Wait()
	select {
	case err := <-errs:
		return nil, err
	default:
		return &took, nil
	}
}
