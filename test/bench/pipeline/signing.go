package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/audit"
	"countersign/casework"
	"countersign/checkpoint"
)

const (
	// signEvery is how often checkpoints are signed here, six times as often as by default.
	signEvery = 10 * time.Second
	// pacedEvents is the rate of events of the paced run, and pacedSeconds its length.
	pacedEvents, pacedSeconds = 1000, 60
)

// signing signs checkpoints through connections of its own, so that its processor time is known.
type signing struct {
	*aside
	signer *checkpoint.Signer
}

// startSigning signs what was written before, which is not measured.
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
	s := &signing{}
	s.aside, err = b.startAside(ctx, signEvery, func(service *casework.Service) error {
		s.signer = checkpoint.New(service, checkpoint.Options{Holder: "bench", Every: signEvery, Key: key,
			Places: []checkpoint.Place{place}})
		return s.signer.Round(ctx)
	})
	return s, err
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
	if err := s.during(func() error { return s.signer.Round(ctx) }, func() (err error) {
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
