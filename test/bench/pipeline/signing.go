package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"slices"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/audit"
	"countersign/casework"
	"countersign/checkpoint"
	"countersign/internal/cputime"
	"countersign/store"
)

const (
	// signEvery is how often checkpoints are signed here, six times as often as by default.
	signEvery = 10 * time.Second
	// pacedEvents is the rate of events of the paced run, and pacedSeconds its length.
	pacedEvents, pacedSeconds = 1000, 60
)

// signing signs checkpoints through connections of its own, so that its processor time is known.
type signing struct {
	signer   *checkpoint.Signer
	db       *store.DB
	service  *casework.Service
	backends []int // processes of Postgres that serve it
	rounds   int
	own      time.Duration // processor time of its thread
	failed   error
}

// startSigning signs what was written before, which is not measured, and learns which processes of
// Postgres serve it: the other connections of the bench are all open by now.
func (b *bench) startSigning(ctx context.Context, folder string) (*signing, error) {
	place, err := checkpoint.OpenFolder(folder)
	if err != nil {
		return nil, err
	}
	private, public, err := audit.NewSigningKey(rand.Reader, "bench.example")
	if err != nil {
		return nil, err
	}
	key, err := audit.ParseSigner(private + "\n" + public)
	if err != nil {
		return nil, err
	}
	others, err := b.backends(ctx)
	if err != nil {
		return nil, err
	}
	s := &signing{}
	if s.db, err = store.Open(ctx, b.postgres.AppURL("bench"), 1); err != nil {
		return nil, err
	}
	if s.service, err = casework.New(s.db, casework.Ports{Notifier: b.notifier}, casework.Settings{},
		slog.New(slog.DiscardHandler)); err != nil {
		return nil, err
	}
	s.signer = checkpoint.New(s.service, checkpoint.Options{Holder: "bench", Every: signEvery, Key: key,
		Places: []checkpoint.Place{place}})
	if err := s.signer.Round(ctx); err != nil {
		return nil, err
	}
	all, err := b.backends(ctx)
	s.backends = slices.DeleteFunc(all, func(pid int) bool { return slices.Contains(others, pid) })
	if err == nil && len(s.backends) != 1 {
		err = fmt.Errorf("the signer has %d connections, want 1", len(s.backends))
	}
	return s, err
}

func (s *signing) close(ctx context.Context) {
	s.service.Close(ctx)
	s.db.Close()
}

// backends returns the processes of Postgres that serve a client now.
func (b *bench) backends(ctx context.Context) ([]int, error) {
	conn, err := pgx.Connect(ctx, b.postgres.URL("bench"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close(ctx) }()
	rows, err := conn.Query(ctx, `SELECT pid FROM pg_stat_activity
		WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[int])
}

// postgresTime returns the processor time of its backends so far.
func (s *signing) postgresTime() (total time.Duration) {
	for _, pid := range s.backends {
		total += cputime.Process(pid)
	}
	return total
}

// during signs at the interval while do runs, and once more at its end, on a thread of its own.
func (s *signing) during(ctx context.Context, do func() error) error {
	ended, signed := make(chan struct{}), make(chan struct{})
	s.rounds, s.own, s.failed = 0, 0, nil
	go func() {
		defer close(signed)
		runtime.LockOSThread()
		began := threadTime()
		ticker := time.NewTicker(signEvery)
		defer ticker.Stop()
		for last := false; !last; s.rounds++ {
			select {
			case <-ticker.C:
			case <-ended:
				last = true
			}
			s.failed = errors.Join(s.failed, s.signer.Round(ctx))
		}
		s.own = threadTime() - began
	}()
	err := do()
	close(ended)
	<-signed
	return errors.Join(err, s.failed)
}

func threadTime() time.Duration {
	var used syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_THREAD, &used)
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// measureCheckpoints measures what checkpoints cost while documents pass: at about 1,000 events/s, and
// as fast as the process goes.
func (b *bench) measureCheckpoints(ctx context.Context, docs, flight int) error {
	folder, err := os.MkdirTemp("", "countersign-bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	s, err := b.startSigning(ctx, folder)
	if err != nil {
		return err
	}
	defer s.close(ctx)
	perCase, err := b.countEvents(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("| run | events/s | checkpoints | signer's CPU s | its Postgres backend's CPU s | %% of %d cores (goal < 3) | all programs' CPU s |\n|---|---|---|---|---|---|---|\n", runtime.NumCPU())
	rate := pacedEvents / perCase
	ticker := time.NewTicker(time.Duration(float64(time.Second) / rate))
	err = b.measureSigning(ctx, s, "paced", int(rate*pacedSeconds), flight, ticker)
	ticker.Stop()
	if err == nil {
		err = b.measureSigning(ctx, s, "saturated", docs, flight, nil)
	}
	if err != nil {
		return err
	}
	return b.check(ctx)
}

// measureSigning prints one row: the documents at the ticker's pace, if there is one.
func (b *bench) measureSigning(ctx context.Context, s *signing, name string, docs, flight int,
	ticker *time.Ticker) error {
	perCase, err := b.countEvents(ctx)
	if err != nil {
		return err
	}
	var passed measurement
	used, postgres := b.cpu(), s.postgresTime()
	began := time.Now()
	if err := s.during(ctx, func() (err error) {
		passed, err = b.measure(docs, func() (time.Duration, error) {
			return b.submitMany(ctx, docs, flight, ticker)
		})
		return err
	}); err != nil {
		return err
	}
	took := time.Since(began)
	postgres = s.postgresTime() - postgres
	share := (s.own + postgres).Seconds() / (took.Seconds() * float64(runtime.NumCPU()))
	fmt.Printf("| %s | %.0f | %d | %.2f | %.2f | %.2f | %.1f |\n", name, passed.rate()*perCase, s.rounds,
		s.own.Seconds(), postgres.Seconds(), 100*share, b.cpu().minus(used).total().Seconds())
	return nil
}

// countEvents returns how many events a case has on average.
func (b *bench) countEvents(ctx context.Context) (perCase float64, err error) {
	conn, err := pgx.Connect(ctx, b.postgres.URL("bench"))
	if err != nil {
		return 0, err
	}
	defer func() { _ = conn.Close(ctx) }()
	return perCase, conn.QueryRow(ctx, `SELECT (SELECT count(*) FROM events)::float8 / (SELECT count(*) FROM cases)`).
		Scan(&perCase)
}
